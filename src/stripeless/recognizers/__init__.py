"""Speech to words. What is said about the words (error rates) belongs to `measures.utility`."""
