"""
ROC
===

The ROC of two fitted beta distributions, and that of the scores themselves.
"""

import betaroc as br

dev = br.datasets.load_liveness().dev
fit = br.fit(dev)
ax = fit.model.roc().plot(label="fitted")
br.fit(dev, "empirical").model.roc().plot(ax, label="scores")
