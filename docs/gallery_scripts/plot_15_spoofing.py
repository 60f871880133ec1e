"""
Robust to spoofing
==================

Errors of a verifier against the share of attacks among impostors, at thresholds that dev chose for
that share; then a countermeasure in front of it, by its threshold.
"""

import numpy as np

import betaroc as br

rng = np.random.default_rng(7)
kinds = np.repeat(["zero-effort", "print", "replay"], [400, 150, 150])


def drawn(clients, impostors):
    means = np.repeat(impostors, [400, 150, 150])
    impostor = rng.normal(means, 1.0)
    return br.Scores(rng.normal(clients, 1.0, 300), impostor, impostor_strata=kinds)


dev, test = drawn(3.5, [0.0, 1.8, 1.2]), drawn(3.5, [0.0, 1.8, 1.2])
ax = br.epsc(dev, test).plot()

# %%
# The countermeasure takes zero-effort impostors for bona fide, as they are.
countermeasure = drawn(2.0, [2.0, -1.0, 0.0])
ax = br.tandem(countermeasure, test, nontarget="zero-effort").plot()
