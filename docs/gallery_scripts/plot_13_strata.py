"""
Species of attack
=================

The fitted curve of each species, the counted one thin, and the worst of all; each by itself; and
what the threshold that is best for the worst one costs with each.
"""

import betaroc as br

test = br.datasets.load_liveness(sharpened=[0.0, 0.2, 0.4]).test
odd, even = (
    br.Scores(test.client[k::2], test.impostor[k::2], impostor_strata=test.impostor_strata[k::2])
    for k in (1, 0)
)
fits = br.fit(odd, by="stratum")
ax = fits.plot("roc")

# %%
# On the scales of normal deviates:
ax = fits.plot("det")

# %%
ax = fits.plot("panels")

# %%
# The worst on test against the weight of FAR, at thresholds of the other half:
curve = br.epc(odd, even, over="worst")
ax = curve.plot(band=curve.band(resample="test"), label="the worst species")
