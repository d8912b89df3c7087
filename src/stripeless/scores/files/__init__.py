"""Score files: read and written in the formats that people have.

source -> layout -> fields -> numbers, codebook -> rows -> join -> speakers -> TrialScores
"""

from stripeless.scores.files.read import read_scores
from stripeless.scores.files.write import write_scores

__all__ = ["read_scores", "write_scores"]
