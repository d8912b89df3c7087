"""True ranks of speakers, counted exactly, and what they disclose.

Features that are made only to be ranked (pitch, units, style) belong here too; scores do not.
"""
