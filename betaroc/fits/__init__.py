"""A fit and the judgement of it: checks, the choice of a family, nested tests, shapes, covariates.

`Fit` stands on top; what judges it takes the record below it. Nothing here chooses a threshold.
"""
