"""Intervals, covariances, resampling of groups, counted rates: all that has a level or a p-value.

It takes estimates and counts; results for users are in the rooms above.
"""
