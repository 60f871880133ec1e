"""
Tails: rates of one in a thousand
=================================

A generalised Pareto tail beyond a joint, fitted to the most extreme scores.
"""

import betaroc as br

dev = br.datasets.load_verification().dev
fit = br.fit(dev, "normal", tails="both")
ax = fit.plot("tails")
