"""The analysis of dev and test, in sentences and tables, and its page.

Numbers are computed in the rooms below; here they are put together.
"""
