"""A voice taken apart into what is said, its melody and who speaks; and put together again.

Belongs here: content, acoustic and waveform models that run in NumPy, their weights, the pool of voices of nobody.
Not here: which voice is given to whom (`protections.pseudo`), systems with a name (`anonymizers`), training
(`scripts/voice`).
"""
