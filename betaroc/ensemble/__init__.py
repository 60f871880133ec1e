"""Which classifiers to join, by their theoretical ROCs and by the measured gain."""
