"""The public names: what users construct and call, and what comes back."""

from __future__ import annotations

import math
from typing import Any

import betaroc as br

PUBLIC = (*br.__all__, *br.results.__all__)
#: What a repr needs to be pasted back.
NAMES: dict[str, Any] = {name: getattr(br, name) for name in PUBLIC}
NAMES |= {"nan": math.nan, "inf": math.inf}


def back(value: Any) -> Any:
    """The value again: from its repr where that makes it, else from its document."""
    text = repr(value)
    return br.from_json(value.to_json()) if text.startswith("<") else eval(text, dict(NAMES))
