"""The only rules for what is a leak, who is strongest, which is more private, what is best; and the words of a verdict.

Belongs here: `Finding`, and every rule that turns numbers into a judgment.
Not here: computing the numbers, and how a judgment looks on a page (`report`).
"""
