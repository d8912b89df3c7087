"""True ranks of speakers, counted exactly, and what they disclose.

Belongs here: counting, the disclosure measures and their models, and features that are made only to be ranked (pitch,
units, style).
Not here: measures of scores (`measures`), and the command that runs all of this (`studies`).
"""
