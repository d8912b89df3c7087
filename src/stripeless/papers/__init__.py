"""The papers' published numbers against ours.

Belongs here: what is printed in a table, and what recomputes one.
Not here: measures that a paper defines; they have a room by what they are, not by who wrote them.
"""
