"""Maximum likelihood: from scores or sums to parameters of a family, one file per estimator.

Points, their information and rules for the borders of the scale; no interval and no test.
"""
