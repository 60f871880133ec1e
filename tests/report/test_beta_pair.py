"""What an analysis fits by itself, and what it says of one beta distribution per class."""

import numpy as np
import pytest

import betaroc as br
from betaroc.report.page import render_report

pytestmark = [pytest.mark.simulation, pytest.mark.usefixtures("few")]


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
def test_the_numbers_are_of_the_best_pair_and_beta_has_its_section(panel_alone):
    """Impostors of two kinds, clients of one."""
    rng = np.random.default_rng(1)
    hard = rng.random(250) < 0.3
    impostor = np.where(hard, rng.beta(12, 6, 250), rng.beta(2, 12, 250))
    dev = br.Scores(rng.beta(6, 3, 250), impostor)
    found = br.analyze(dev)
    best = br.fit(dev, "best")
    assert found.dev.fit == best
    assert (found.family, found.reason) == (best.family, best.reason)
    beta = found.beta
    assert beta.fit == br.fit(dev, "beta")
    assert (beta.same, beta.suffices) == (False, "no")
    z = next(r for r in found.dev.quality.families.of("impostor") if r.family == "beta").held_out_z
    assert f"for impostors beta-mixture is better by {-z:.2g} standard errors" in beta.reason
    text = found.summary()
    section = text[text.index("One beta distribution per class\n") :].split("\n\n")[0]
    assert "One beta distribution per class does not suffice: " in section
    assert f"{beta.fit.impostor.params['a']:.6g}" in section


def test_where_the_best_pair_is_beta_the_section_says_so(panel_alone):
    rng = np.random.default_rng(2)
    made = br.analyze(br.Scores(rng.beta(6, 2, 200), rng.beta(2, 6, 200)))
    assert made.family == "beta"
    assert (made.beta.same, made.beta.suffices) == (True, "yes")
    assert made.beta.fit == made.dev.fit
    assert "The numbers above are of this pair." in made.summary()
    real = br.analyze(br.Scores(rng.normal(1, 1, 30), rng.normal(-1, 1, 30)))
    assert real.beta is None


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
def test_a_few_scores_have_an_analysis(panel_alone):
    made = br.analyze(br.Scores([0.6, 0.7], [0.2, 0.3]))
    assert made.family == "beta"
    assert "families were not compared" in made.reason
    assert made.beta.suffices == "cannot tell"
    assert made.summary()
    render_report(made)
