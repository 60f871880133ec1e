"""Synthetic data: designs, trials and folders of a study; the inverse problem; sample sizes.

All of it has a design or a goal.
"""
