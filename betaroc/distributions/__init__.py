"""The distribution of one class's scores: tails, density, inverses, sampling; and pairs.

Each family has its own file. No data, no estimation, no choice of thresholds.
"""
