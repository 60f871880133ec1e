"""
Any number of systems
=====================

One panel per system: its own curve in ink, the others in grey.
"""

import numpy as np

import betaroc as br

rng = np.random.default_rng(1)
better = {"A": 2.6, "B": 2.0, "C": 1.6}


def scores(shift):
    return br.Scores(rng.normal(shift, 1, 300), rng.normal(0, 1, 600))


curves = {name: br.epc(scores(shift), scores(shift)) for name, shift in better.items()}
ranking = br.compare_systems(curves, paired=False, replicates=200, rng=1)
axes = ranking.plot()
