"""How things are shown: arrays to pictures, rows to text, values to documents."""
