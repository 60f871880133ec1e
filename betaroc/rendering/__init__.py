"""How things are shown: arrays to pictures, numbers and rows to text, files whole or not at all.

Functions take arrays, labels and axes, and compute nothing; no distribution, curve or fit is
known here. Matplotlib is imported in this room alone.
"""
