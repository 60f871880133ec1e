"""
A decided threshold
===================

Both rates as dev expects them, with their intervals, beside the target.
"""

import betaroc as br

sets = br.datasets.load_liveness()
decision = br.decide(sets.dev, far=0.05)
ax = decision.plot()

# %%
# The same with what a test observed.
ax = decision.check(sets.test).plot()
