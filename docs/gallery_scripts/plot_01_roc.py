"""
The ROC, fitted and counted
===========================

A curve of two fitted distributions is smooth to both corners; that of the scores has steps.
"""

import betaroc as br

dev = br.datasets.load_liveness().dev
ax = br.fit(dev).model.roc().plot(label="two beta distributions")
br.fit(dev, "empirical").model.roc().plot(ax, label="the scores", color="0.6")
