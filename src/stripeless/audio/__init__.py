"""Recordings: how they are found, read, written, and described frame by frame.

Belongs here: corpora and their files, recordings, F0, spectra, speech units, sound quality, voices made for tests, and
the layers that networks of sound share.
Not here: vectors that tell speakers apart (`embeddings`), words (`recognizers`), changed voices (`anonymizers`,
`synthesis`).
"""
