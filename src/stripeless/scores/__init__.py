"""Scores of trials: checked, sorted once, calibrated; and in `files` how they are read and written.

Belongs here: `TrialScores`, lists of trials, comparing embeddings, the staircase that every measure stands on,
calibration.
Not here: numbers that sum up scores (`measures`), and everything about who scored (`attackers`).
"""
