"""Synthetic data: designs, trials and folders of a study; the inverse problem; sample sizes.

What needs only a model is in `model`; here stands what has a design or a goal.
"""
