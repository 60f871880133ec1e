"""
Which classifiers to join
=========================

The ROCs of all classifiers, their hull, and what each adds to the others.
"""

import betaroc as br

good = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
poor = br.ScoreModel(br.Beta(3, 2), br.Beta(2, 3))
models = {"mlp": good, "svm": good, "tree": poor}
frame = br.sample_systems(models, 300, 300, correlation=0.4, rng=1)
sheet = br.inclusion(frame).plot()
