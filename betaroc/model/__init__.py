"""Two distributions on one scale, and every number of them: rates, curves, areas, ends, thresholds.

A model knows no data: what estimates one is in `estimation`, what judges it in `fits`.
"""
