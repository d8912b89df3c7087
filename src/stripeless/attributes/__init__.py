"""Is one attribute gone: classifiers, chance, calibration, mutual information, maps.

Belongs here: everybody who tries to read an attribute from protected vectors, and the proof that sums them up.
Not here: hiding the attribute (`protections`).
"""
