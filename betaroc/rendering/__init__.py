"""How things are shown: arrays to pictures, rows to text, values to documents.

Nothing is computed here, and no distribution, curve or fit is known.
"""
