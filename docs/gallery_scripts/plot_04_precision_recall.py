"""
Precision against recall
========================

It depends on the share of clients; here one trial in ten is a client's.
"""

from dataclasses import replace

import betaroc as br

fit = br.fit(br.datasets.load_liveness().dev)
ax = replace(fit.model, prior=0.1).precision_recall().plot()
