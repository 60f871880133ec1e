"""
Does the distribution suit the scores?
======================================

A histogram of each class, and over it the density of the distribution fitted to it.
"""

import betaroc as br

fit = br.fit(br.datasets.load_liveness().dev)
ax = fit.plot("histogram")

# %%
# The densities alone, of the fit or of any pair of distributions.
ax = fit.plot("densities")
ax = fit.model.plot(lw=3)

# %%
# The scores alone, each of them or counted in bins.
ax = fit.scores.plot()
ax = br.summarize(fit.scores.to_frame()).plot(bins=40)

# %%
# Each score against the quantile that is expected, with its band: points outside of the band speak
# against the family.
ax = fit.plot("qq")

# %%
# The same in probabilities, where the ends are hardly seen.
ax = fit.plot("pp")

# %%
# The rates counted at the fit's own thresholds over those that it expects, with their intervals: on
# grey ground they are within a factor of 3.
ax = br.check_fit(fit, replicates=99, rng=1).plot()

# %%
# Intervals stand below each other on the same axes.
ax = None
for name, interval in fit.conf_int()["client"].items():
    ax = interval.plot(ax, label=name)
