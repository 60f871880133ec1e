"""The public names: what users construct and call, and what comes back."""

import math

import betaroc as br

PUBLIC = (*br.__all__, *br.results.__all__)
#: What a repr needs to be pasted back.
NAMES = {name: getattr(br, name) for name in PUBLIC}
NAMES |= {"nan": math.nan, "inf": math.inf}


def back(value):
    """The value again: from its repr where that makes it, else from its document."""
    text = repr(value)
    return br.from_json(value.to_json()) if text.startswith("<") else eval(text, dict(NAMES))
