"""Embeddings in, embeddings out: an attribute hidden, or a speaker replaced (`pseudo`).

Belongs here: everything that learns and returns a finished map with `apply`, its settings and its file.
Not here: sound (`synthesis`, `anonymizers`), and whether the attribute is gone (`attributes`).
"""
