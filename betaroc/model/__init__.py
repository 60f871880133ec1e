"""Two distributions on one scale: their rates, curves, areas, ends and thresholds.

A model knows no data: estimators are in `estimation`, checks in `fits`.
"""
