"""Table 2 of the invertibility paper, recomputed."""
