"""Maximum likelihood: from scores or their sums to the parameters of a family, a file an estimator.

Points, their information and rules for the borders of the scale; no interval and no test.
"""
