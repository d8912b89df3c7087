"""Luck or not: resamples, intervals, paired tests, corrections for many tests, orderings."""
