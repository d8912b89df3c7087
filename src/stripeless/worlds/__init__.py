"""Populations of known truth, to try attackers and verdicts on.

Belongs here: draws of speakers or attributes whose true answer is known.
Not here: made sound (`audio.synthetic_voice`) and made ratings (`listening.simulate`), which stand beside the type that
they make.
"""
