"""How things are shown: arrays to pictures, rows to text, values to documents, files whole or not.

Functions take arrays, labels and axes, and compute nothing; no distribution, curve or fit is
known here. Matplotlib is imported in this room alone.
"""
