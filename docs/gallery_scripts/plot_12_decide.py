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

# %%
# Each attack at the threshold that holds for the worst of them.
sharp = br.datasets.load_liveness(sharpened=0.4).test
scores = br.Scores(
    sets.test.client,
    [*sets.test.impostor, *sharp.impostor],
    impostor_strata=["plain"] * sets.test.n_impostor + ["sharpened"] * sharp.n_impostor,
)
ax = br.decide(scores, far=0.05).strata.plot(target=0.05)
