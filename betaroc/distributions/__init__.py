"""The distribution of one class's scores: tails, density, inverses, sampling; and pairs.

A family has a file of its own. No data, no estimation, and nothing of what a threshold does.
"""
