"""The ground of every room: errors, notices, argument checks, values, thresholds, functions.

Nothing here knows a distribution, a score set or a fit, and nothing here imports another room.
"""
