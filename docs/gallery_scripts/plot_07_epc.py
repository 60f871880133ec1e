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
# Where the thresholds of dev lie on the DET of the test set, beside those that test would choose.
ax = curve.plot_points()
