"""
What decisions cost
===================

Speaker scores read as log-likelihood ratios: their error over the prior log odds, at the threshold
that the prior names and at the best one. As they come they are no likelihood ratios; two
distributions fitted to dev make them such.
"""

import betaroc as br

data = br.datasets.load_verification()
fit = br.fit(data.dev, "sinh-arcsinh")
llr = fit.model.log_likelihood_ratio
calibrated = br.Scores(llr(data.test.client), llr(data.test.impostor), name="calibrated on dev")
curve = br.bayes_error_curve({"as they come": data.test, "calibrated on dev": calibrated})
ax = curve.plot(normalized=True)

# %%
# The scores as they come, pooled, beside the map of the fit, and where calibrated ones would lie.
ax = fit.plot("calibration")

# %%
# The calibrated ones.
ax = br.fit(calibrated, "empirical").plot("calibration")

# %%
# Published chances of winning are probabilities: their net benefit, and what it is by a fit.
games = br.datasets.load_games().test
ax = br.fit(games).plot("decision-curve")
