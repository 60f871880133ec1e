"""The ground of every room: errors, notices, argument checks, values, thresholds, functions."""
