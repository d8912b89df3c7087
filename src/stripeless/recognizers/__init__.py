"""Speech to words.

Belongs here: one recognizer a file, all with the same call.
Not here: what is said about the words; error rates are in `measures.utility`.
"""
