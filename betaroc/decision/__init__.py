"""A threshold chosen on dev and what it does on test: expected performance curves.

Their bands, comparisons, cross-validation, forecasts, guarantees; no page and no command.
"""
