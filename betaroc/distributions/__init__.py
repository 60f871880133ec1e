"""The distribution of one class's scores: tails, density, inverses, sampling; and pairs."""
