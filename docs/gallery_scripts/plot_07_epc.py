"""
An expected performance curve
=============================

Thresholds are chosen on dev and errors observed on test; the band draws dev again too.
"""

import betaroc as br

faces = br.datasets.load_faces()
curve = br.epc(faces.dev, faces.test)
band = curve.band(replicates=400, rng=1)
ax = curve.plot(band=band, expected=True, a_posteriori=True)

# %%
# The band alone, and what was expected on dev against what was observed on test.
ax = band.plot()
ax = br.epc(faces.dev, faces.test, criterion="far", measure="far").plot_expected()

# %%
# Where the thresholds of dev lie on the ROC of the test set.
ax = curve.test.roc().plot()
line = ax.plot(curve.far[[20, 50, 80]], 1 - curve.frr[[20, 50, 80]], "o", color="black")
