"""
The DET curve
=============

Both errors on normal scales: two normal distributions give a straight line.
"""

import betaroc as br

dev = br.datasets.load_verification().dev
ax = br.fit(dev, "normal").model.det().plot(label="two normal distributions")
ax = br.fit(dev, "empirical").model.det().plot(ax, label="the scores")
