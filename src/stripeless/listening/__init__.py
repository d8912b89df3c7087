"""People who rate: listening tests, from the file of ratings to the finished study.

Belongs here: ratings, listeners, normalized ranks, tests of significance, verification by ear.
Not here: encoders and recognizers; machines embed, recognize and compare, and only people listen.
"""
