"""What was measured: score sets, their labels and groups, readers of files and frames, summaries.

Nothing here fits, and nothing here knows a model of the scores.
"""
