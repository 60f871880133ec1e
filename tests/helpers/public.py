"""The public names: what users construct and call, and what comes back."""

from __future__ import annotations

import betaroc as br

PUBLIC = (*br.__all__, *br.results.__all__)
