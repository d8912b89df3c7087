"""Who plays, with what knowledge, and whether an attacker can be trusted.

Maps that undo an anonymization are in `inversion`. What one command runs belongs to `studies`.
"""
