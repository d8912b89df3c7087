"""Is one attribute gone: classifiers, chance, calibration, mutual information, maps."""
