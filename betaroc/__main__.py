"""``python -m betaroc`` is the command ``betaroc``."""

from __future__ import annotations

import sys

from betaroc.cli import main

if __name__ == "__main__":
    sys.exit(main())
