"""Who plays, with what knowledge, and whether an attacker can be trusted.

Belongs here: attackers on embeddings and scores, their back-ends and checks, the ceiling, and in `inversion` the maps
that undo an anonymization.
Not here: attackers on an attribute (`attributes`), and what one command runs (`studies`).
"""
