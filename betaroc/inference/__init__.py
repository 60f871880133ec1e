"""What carries a level or a p-value: intervals, covariances, resampling of groups, counted rates.

It takes estimates and counts; the results that users hold stand in the rooms above.
"""
