"""The doctor: looks at a result as a suspicious colleague would, and speaks up in plain words.

One file per family of findings: what the scores themselves say, the trials, the people, calibration, two results that are
one. `examine` asks them all. Findings about attackers live with the attackers; every code is listed in `verdicts/codes.py`.
"""
