"""
Two systems
===========

The curves of two detectors on the same trials, and the weights at which they differ.
"""

import betaroc as br

systems = [br.datasets.load_liveness(name) for name in ("logreg", "forest")]
curves = [br.epc(system.dev, system.test) for system in systems]
result = br.compare(*curves, replicates=400, rng=1)
ax = result.plot(names=["logistic regression", "forest"])

# %%
# Their difference.
ax = result.plot_difference(names=["logistic regression", "forest"])
