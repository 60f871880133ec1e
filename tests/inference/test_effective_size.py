"""Partial areas, average precision and the H measure as shares of so many scores."""

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.inference.of_scores import CountedScores, ends_of_rare
from betaroc.model.statistics import parse_statistic
from helpers.cases import some

approx = pytest.approx

#: FAR .01 is far out for so few impostors.
pytestmark = pytest.mark.filterwarnings("ignore::betaroc.core.errors.ExtrapolationWarning")

#: Statistics, and the FARs of the partial areas.
ASKED = [("partial-auc", {"between": (0.0, 0.1)}), ("partial-auc", {"between": (0.2, 0.5)}),
    ("partial-auc", {"between": (0.0, 0.01)}), ("average-precision", {}),
    ("h-measure", {})]  # fmt: skip


def normal(seed, n, m, digits=None, **options):
    rng = np.random.default_rng(seed)
    parts = [rng.normal(1.2, 1.0, n), rng.normal(0.0, 1.0, m)]
    if digits is not None:
        parts = [np.round(part, digits) for part in parts]
    return br.Scores(*parts, **options)


def ends(found):
    return found.low, found.high


def share_ends(share, variance, n, freedom):
    """Korn and Graubard's: Clopper and Pearson's of as many scores as the share is worth."""
    size = min(n, n * share * (1.0 - share) / (n - 1.0) / variance)
    size *= (stats.t(n - 1.0).ppf(0.025) / stats.t(freedom).ppf(0.025)) ** 2
    hits, missed = share * size, (1.0 - share) * size
    low = stats.beta.ppf(0.025, hits, missed + 1.0)
    return float(low), float(stats.beta.ppf(0.975, hits + 1.0, missed))


def jackknife(scores, stat):
    """Variances of the statistic without each client, without each impostor, and their freedom."""
    both, prior, variances = [scores.client, scores.impostor], scores.prior, []
    for side, part in enumerate(both):
        v = np.empty(part.size)
        for k in range(part.size):
            laws = [np.delete(x, k) if s == side else x for s, x in enumerate(both)]
            model = br.ScoreModel(*map(br.Empirical, laws), prior=prior)
            v[k] = getattr(model, stat.replace("-", "_"))()
        variances.append((v.size - 1.0) / v.size * np.sum((v - v.mean()) ** 2))
    freedoms = [part.size - 1.0 for part in both]
    below = sum(v * v / f for v, f in zip(variances, freedoms, strict=True))
    return sum(variances), sum(variances) ** 2 / below


@pytest.mark.parametrize("digits", [None, 0])
def test_average_precision_has_the_variance_of_the_jackknife(digits):
    """Each score is left out in turn, with ties (whole numbers) and without."""
    scores = normal(1, 25, 40, digits)
    variance, freedom = jackknife(scores, "average-precision")
    found = br.interval(scores, "average-precision")
    assert ends(found) == approx(share_ends(found.estimate, variance, 65.0, freedom), abs=1e-10)
    assert found.method == "effective-size"


@pytest.mark.simulation
def test_h_measures_and_rare_impostors():
    """Influence functions and the jackknife agree to first order: 20 % at 60 scores a class."""
    scores = normal(2, 60, 60)
    found, error = br.interval(scores, "h-measure"), np.sqrt(jackknife(scores, "h-measure")[0])
    assert found.high - found.low == approx(2.0 * 1.96 * error, rel=0.2)
    # The hull suits these very scores.
    assert found.estimate - found.low > 1.5 * (found.high - found.estimate)
    # With Beta(2, 2) costs and as many of both, turned scores with other labels are the same.
    scores = normal(5, 60, 60)
    turned = br.Scores(-scores.impostor, -scores.client)
    one, other = (ends(br.interval(s, "h-measure")) for s in (scores, turned))
    assert one == approx(other, abs=1e-12)
    # Of ten impostors below all clients a share u up to 1 - .1^(1/10) may be above.
    counted = CountedScores(br.Scores(np.arange(10.0, 20.0), np.arange(10.0)))
    tpr = np.arange(1, 11) / 10
    precision = np.mean(tpr / (tpr + 1.0 - 0.1**0.1))
    found = ends_of_rare(counted, parse_statistic("average-precision"))
    assert found == (approx(precision, rel=1e-12), 1.0)


def test_a_partial_area_by_hand():
    """10 clients, 10 impostors, FAR up to .5: the top five impostors have TPR .2 .4 .6 .8 .9."""
    client, impostor = np.arange(10) + 0.5, np.array([-9, -8, -7, -6, -5, 1, 2, 4, 6, 8.0])
    tpr = np.array([0.9, 0.8, 0.6, 0.4, 0.2])
    share, own = np.mean(tpr), np.array([np.mean(impostor[5:] < x) for x in client])
    other = np.r_[np.full(5, 1.0), tpr] / 0.5
    assert own.mean() == approx(share)
    variances = [np.var(part, ddof=1) / 10 for part in (own, other)]
    freedom = sum(variances) ** 2 / sum(v * v / 9 for v in variances)
    low, high = share_ends(float(share), sum(variances), 20.0, freedom)
    # Half of the weight over 5 impostors goes to the ends of the TPR at FAR .5 and to 0.
    tprs = br.interval(br.Scores(client, impostor), "tpr", far=0.5)
    low, high = 0.9 * low, high + 0.1 * max(tprs.high - high, 0.0)
    found = br.interval(br.Scores(client, impostor), "partial-auc", between=(0.0, 0.5))
    standardized = [0.5 * (1.0 + (end - 0.25) / 0.75) for end in (low, high)]
    assert ends(found) == approx(standardized, abs=1e-9)


@pytest.mark.parametrize(("stat", "point"), some(ASKED, 2))
def test_what_changes_nothing(stat, point):
    """Weights are copies; increasing maps keep the order; nothing is drawn."""
    scores = normal(3, 30, 40, 1)
    found = br.interval(scores, stat, **point)
    weights = np.random.default_rng(4).integers(0, 4, 30).astype(float)
    one = br.interval(br.Scores(scores.client, scores.impostor, client_weights=weights),
        stat, **point)  # fmt: skip
    copies = br.Scores(np.repeat(scores.client, weights.astype(int)), scores.impostor)
    assert ends(one) == approx(ends(br.interval(copies, stat, **point)), abs=1e-12)
    moved = br.Scores(np.exp(scores.client), np.exp(scores.impostor))
    assert ends(br.interval(moved, stat, **point)) == approx(ends(found), abs=1e-12)
    assert br.interval(scores, stat, **point, rng=1) == found


@pytest.mark.parametrize(("stat", "point"), some(ASKED, 2))
def test_groups_are_worth_fewer_scores(stat, point):
    """Five copies in a group say about as much as one score, without groups five times as much."""
    scores = normal(6, 50, 60)
    parts = [np.repeat(part, 5) for part in (scores.client, scores.impostor)]
    labels = [np.repeat(np.arange(50), 5), 99 + np.repeat(np.arange(60), 5)]
    copies = br.Scores(*parts, client_groups=labels[0], impostor_groups=labels[1])
    widths = [found.high - found.low for found in (br.interval(scores, stat, **point), br.interval(
        copies, stat, **point), br.interval(copies, stat, **point, groups=False))]  # fmt: skip
    assert widths[1] == approx(widths[0], rel=0.25)
    assert widths[2] < 0.75 * widths[1]


@pytest.mark.parametrize(("stat", "point"), some(ASKED, 2))
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
def test_bad_input(stat, point):
    high, low = np.linspace(0.6, 0.9, 30), np.linspace(0.1, 0.4, 30)
    for scores in (br.Scores(high, low), br.Scores(low, high), br.Scores(np.ones(20), np.ones(30)),
        br.Scores(high, low, n_client_rejected=1), br.Scores([0.5, 0.9], [0.1, 0.6])):  # fmt: skip
        found = br.interval(scores, stat, **point)
        assert found.low <= found.estimate <= found.high <= 1.0
        assert found.low < found.high
    weights = {"client_weights": [1e9, 2e9], "impostor_weights": [1e9, 1e9]}
    heavy = br.interval(br.Scores([0.5, 0.9], [0.1, 0.6], **weights), stat, **point)
    assert heavy.high - heavy.low < 1e-3


@pytest.mark.simulation
def test_differences_know_what_both_share():
    """On the same trials the interval is shorter than on others, but for FARs of less than one."""
    rng = np.random.default_rng(10)
    shared = [rng.normal(mean, 1.0, 80) for mean in (1.2, 0.0)]
    one, two = (br.Scores(*(x + 0.3 * rng.normal(size=80) for x in shared)) for _ in range(2))
    for stat, point in ASKED[1:]:
        paired = br.difference(one, two, stat, **point)
        apart = br.difference(one, two, stat, **point, paired=False)
        share = 0.8 if point.get("between") != (0.0, 0.01) else 1.0
        assert paired.high - paired.low < share * (apart.high - apart.low)
        assert paired.method == "effective-size"
        assert paired.estimate == approx(br.interval(one, stat, **point).estimate - br.interval(two,
            stat, **point).estimate)  # fmt: skip
