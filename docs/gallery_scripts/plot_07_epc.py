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
