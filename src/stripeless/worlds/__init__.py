"""Populations of known truth, to try attackers and verdicts on."""
