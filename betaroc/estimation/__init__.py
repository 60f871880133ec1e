"""Maximum likelihood: from scores or sums to parameters of a family, one file per estimator."""
