"""
The ROC, fitted and counted
===========================

A curve of two fitted distributions is smooth to both corners; that of the scores has steps. The
band is that of the fitted curve.
"""

import betaroc as br

fit = br.fit(br.datasets.load_liveness().dev)
ax = fit.plot("roc", band=fit.roc_band())

# %%
# Any pair has a curve, without scores too.
model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4), name="Beta(4, 2) v Beta(2, 4)")
ax = model.roc().plot()
