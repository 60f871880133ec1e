"""
Several categories
==================

Macro and micro averages of F1 over ten categories of documents against the weight of precision that
the threshold of each was chosen for on dev.
"""

import numpy as np

import betaroc as br

rng = np.random.default_rng(3)


def drawn():
    members = rng.random((1500, 10)) < np.geomspace(0.02, 0.3, 10)
    scores = 2.0 * members + rng.normal(size=members.shape)
    return {
        f"topic {k}": br.Scores.from_labels(members[:, k], scores[:, k], ids=np.arange(1500))
        for k in range(10)
    }


result = br.categories(drawn(), drawn(), criterion="f-measure", alpha=np.linspace(0.1, 0.9, 9))
ax = result.plot()
