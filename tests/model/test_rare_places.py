"""What ordinary questions never reach: words of refusals, brackets far out, slopes at jumps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.distributions.pairs import pair_of
from betaroc.model.statistics import parse_statistic

MODEL = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))


@pytest.mark.parametrize(
    ("name", "given", "points", "words"),
    [
        ("auc", (0.1,), {}, "'auc' is taken at no point; got 0.1. Leave it out."),
        ("auc", (), {"far": 0.1}, "'auc' is taken at no point; got far=0.1. Leave it out."),
        ("tpr", (0.1,), {}, "must be given by a keyword, threshold= or far="),
        ("tpr", (), {}, "at=; got none. Give one."),
        ("tpr", (), {"between": (0.0, 0.1)}, "'tpr' cannot be told there: it takes threshold="),
        ("partial-auc", ((0.0, 0.1),), {}, "by a keyword, between=; got (0.0, 0.1)."),
        (
            "partial-auc",
            (),
            {"between": 0.1},
            "between must be two FARs (low, high) with low < high; got 0.1",
        ),
        ("partial-auc", (), {"between": (0.2, 0.1)}, "with low < high; got (0.2, 0.1)"),
    ],
)
def test_why_a_point_is_refused(name: str, given, points, words: str) -> None:
    with pytest.raises((br.InputError, br.InputTypeError)) as caught:
        parse_statistic(name, given, **points)
    assert words in str(caught.value)


def test_rates_of_other_shapes_are_refused() -> None:
    with pytest.raises(br.InputError, match=r"must have one shape; got threshold \(2,\)"):
        br.OperatingPoint([0.1, 0.2], [0.1, 0.2, 0.3], [0.1, 0.2], 0.5)


# ------------------------------------------------------------------------------- slopes


def test_point_masses_inside_break_a_curve_that_would_be_concave() -> None:
    """Slope 1 everywhere but at the masses, whose ratio is 1, 2 or 1/2."""
    base = br.Normal(0.5, 1.0)

    def proper(client: float, impostor: float) -> bool:
        pair = br.Inflated(base, client), br.Inflated(base, impostor)
        return br.ScoreModel(*pair).roc().is_concave

    assert proper(0.2, 0.2)
    assert not proper(0.4, 0.2)
    assert not proper(0.2, 0.4)


def test_average_precision_of_a_sample_without_a_smooth_part() -> None:
    """The mean over clients of the share of clients among the scores at or above each."""
    client, impostor = [0.2, 0.6, 0.9], [0.1, 0.4, 0.7]
    model = br.ScoreModel(br.Empirical(client), br.Empirical(impostor), prior=0.5)
    assert model.average_precision() == pytest.approx((1 / 1 + 2 / 3 + 3 / 5) / 3)
    mixed = br.ScoreModel(br.Empirical(client), br.Beta(1, 1), prior=0.5)
    parts = [(k / 3) / (k / 3 + 1 - s) for k, s in ((3, 0.2), (2, 0.6), (1, 0.9))]
    assert mixed.average_precision() == pytest.approx(np.mean(parts))


@pytest.mark.parametrize("alpha", [0.2, 0.5, 0.8])
def test_the_best_threshold_of_inflated_pairs_weighs_the_densities_of_all_scores(
    alpha: float,
) -> None:
    """Where alpha f_i = (1 - alpha) f_c, each density that of its share between the masses."""
    client, impostor = br.Inflated(br.Beta(3, 2), 0.3), br.Inflated(br.Beta(2, 3), 0.0, 0.1)
    t = br.ScoreModel(client, impostor).min_weighted_error(alpha).threshold
    f_c, f_i = 0.7 * stats.beta(3, 2).pdf(t), 0.9 * stats.beta(2, 3).pdf(t)
    assert alpha * f_i == pytest.approx((1 - alpha) * f_c, rel=1e-9)


def test_likelihood_ratios_of_beta_pairs_have_their_roots() -> None:
    """log(s^3 (1 - s)^-1 B(2, 4)/B(5, 3)) = level, of shapes (5, 3) v (2, 4)."""
    pair = pair_of(br.Beta(5, 3), br.Beta(2, 4))
    for level in (-4.0, 0.0, 2.5):
        (root,) = pair.ratio_roots(level).theta
        ratio = stats.beta(5, 3).logpdf(root) - stats.beta(2, 4).logpdf(root)
        assert ratio == pytest.approx(level, abs=1e-12)
    both = pair_of(br.Beta(4, 4), br.Beta(2, 2))  # a bump: two roots, or none
    roots = both.ratio_roots(-1.0).theta
    assert roots.size == 2
    assert roots[0] == pytest.approx(1.0 - roots[1], rel=1e-12)
    assert stats.beta(4, 4).logpdf(roots[0]) - stats.beta(2, 2).logpdf(roots[0]) == (
        pytest.approx(-1.0, abs=1e-12)
    )
    assert both.ratio_roots(1.0).size == 0


def test_what_lies_between_two_doubles_is_no_tie():
    """A score of a beta law or of a logit-normal one equals a given score with probability 0."""
    last = 1.0 - 2.0**-53  # the double before it is 0.69 of a logit below
    z = (math.log(last) + 53 * math.log(2.0)) / 6.0
    below = 5e-324**0.01  # F(x) = x^a
    cases = [
        (br.Beta(0.01, 1.0), 5e-324, below, 1.0 - below),
        (br.LogitNormal(0.0, 6.0), last, stats.norm.cdf(z), stats.norm.sf(z)),
    ]
    for law, score, below, above in cases:
        one = br.Empirical([score])
        assert br.ScoreModel(one, law).auc() == pytest.approx(below, rel=1e-12)
        assert br.ScoreModel(law, one).auc() == pytest.approx(above, rel=1e-12)
        assert br.ScoreModel(one, law).partial_auc(0.0, 1.0) == pytest.approx(below, rel=1e-12)


def test_scores_of_one_are_accepted_at_a_threshold_that_rounds_to_one():
    """FRR = 1/4 + F(t)/2 = 1/2 with F(t) = 1 - (1 - t)^0.01: 1 - t = 2^-100, no double."""
    model = br.ScoreModel(br.Inflated(br.Beta(1.0, 0.01), 0.25, 0.25), br.Beta(1.0, 1.0))
    found = model.at_frr([0.5, 0.9])
    np.testing.assert_array_equal(found.threshold, [1.0 - 2.0**-53] * 2)
    np.testing.assert_allclose(found.frr, [0.5, 0.75], rtol=1e-12)
    assert found.far[0] == pytest.approx(2.0**-100, rel=1e-12)
    assert br.ScoreModel(br.Beta(1.0, 0.01), br.Beta(1.0, 1.0)).at_frr(0.5).threshold == 1.0


def test_a_mean_is_no_digit_beyond_the_only_place():
    """Three times 0.4 is 1.2000000000000002, and a third of it 0.4000000000000001."""
    assert br.Binned([0.2, 0.3, 0.4], [0, 3]).mean == 0.4


def test_ks_of_two_tails_that_differ_in_scale_alone():
    """m e^(-x/s) less m e^(-x/(r s)) is largest where e^(-x/s) = r^(r / (1 - r)) = r^7."""
    lower, m, r = br.ParetoTail(0.25, -0.125, 1.0), 0.109375, 0.875
    client, impostor = (
        br.Spliced(br.Beta(1, 1), lower=lower, upper=br.ParetoTail(m, 0.0, scale))
        for scale in (0.125, 0.125 * r)
    )
    assert br.ScoreModel(client, impostor).ks() == pytest.approx(m * (r**7 - r**8), rel=1e-9)
