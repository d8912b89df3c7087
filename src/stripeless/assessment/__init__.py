"""Scores in, one `Assessment` out: of arrays, of trials, of files larger than memory, of groups of trials; and the doctor."""
