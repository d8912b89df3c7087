"""Scores in, one `Assessment` out: of arrays, of trials, of files larger than memory, of groups of trials.

Belongs here: what calls every measure once, and the `doctor`, who looks at the outcome.
Not here: single measures (`measures`), and several attackers beside each other (`attackers`, `studies`).
"""
