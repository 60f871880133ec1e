"""
Does the distribution suit the scores?
======================================

Each score against the quantile that the fitted distribution expects, with its band. Points
outside of the band speak against the family.
"""

import betaroc as br

fit = br.fit(br.datasets.load_liveness().dev)
ax = fit.plot("qq")

# %%
# The same in probabilities, where the ends are hardly seen.
ax = fit.plot("pp")
