"""The analysis of dev and test, and its page."""
