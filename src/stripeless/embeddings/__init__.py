"""Embeddings: one vector per utterance with its speaker, their files, and what can be learned from vectors alone.

Belongs here: the `Embeddings` type, readers and writers of its formats, linguistic style, PLDA, and in `encoders` the
networks that make vectors of recordings.
Not here: scores of trials (`scores`), attackers who use the vectors (`attackers`), whatever hides something in them
(`protections`).
"""
