"""Voice in, voice out: the anonymizers by name, and running one over a corpus.

Belongs here: one way of changing recordings a file, and what it must know of a speaker.
Not here: what is left of the speaker afterwards (`attackers`), or of the words (`measures.utility`).
"""
