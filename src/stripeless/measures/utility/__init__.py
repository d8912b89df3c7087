"""What is left to use after anonymization: words, melody, quality."""
