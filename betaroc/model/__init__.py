"""Two distributions on one scale: their rates, curves, areas, ends and thresholds."""
