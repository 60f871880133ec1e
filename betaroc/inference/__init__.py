"""Intervals, covariances, resampling and counted rates: all that has a level or a p-value."""
