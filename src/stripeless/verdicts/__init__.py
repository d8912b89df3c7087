"""The only rules for leak, strongest, more private, best; and the words of a verdict."""
