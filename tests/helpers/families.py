"""The laws that every contract test runs through: a new family is one row here."""

import math
from collections import defaultdict
from functools import cache

import betaroc as br
from helpers.cases import grouped

#: Ties, unsorted; and weights: frequencies, fractions, a zero.
TIED = [0.7, 0.1, 0.2, 0.5, 0.2, 0.9, 0.7]
WEIGHTED = ([0.4, 0.0, 0.2, 0.4, 0.5, 1.0, 0.3], [0.5, 1.0, 2.5, 1.0, 3.0, 1.0, 0.0])

CONTINUOUS = {
    "beta bell": br.Beta(3.0, 5.0), "beta U": br.Beta(0.47, 0.36), "beta J": br.Beta(2.5, 0.6),
    "beta reverse-J": br.Beta(0.4, 1.9), "beta uniform": br.Beta(1.0, 1.0),
    "beta a=1": br.Beta(1.0, 2.5), "beta b=1": br.Beta(2.5, 1.0),
    "beta near-degenerate": br.Beta(1e-3, 2e-3), "beta huge": br.Beta(1e5, 9e4),
    "normal": br.Normal(0.3, 1.7), "normal narrow": br.Normal(0.8, 0.6),
    "logit-normal": br.LogitNormal(-0.5, 1.2), "log-normal": br.LogNormal(-0.6, 0.5),
    "gamma": br.Gamma(3.0, 0.5), "gamma exponential": br.Gamma(1.0, 2.0),
    "sinh-arcsinh": br.SinhArcsinh(0.3, 0.7, 0.4, 0.8),
    "sinh-arcsinh light": br.SinhArcsinh(-0.2, 1.5, -0.6, 1.7),
    "logit-sinh-arcsinh": br.LogitSinhArcsinh(-0.5, 1.2, -0.3, 0.7),
    "rank-normal": br.RankNormal(0.4, 1.2, [0.1, 0.9], [-0.7, 1.4]),
    "mixture": br.BetaMixture([0.3, 0.7], [br.Beta(0.6, 3.0), br.Beta(5.0, 0.8)]),
    "shifted beta": br.Shifted(br.Beta(0.8, 1.6), 1.5, 1.4),
    "shifted mixture": br.Shifted(br.BetaMixture([0.4, 0.6],
        [br.Beta(2.0, 3.0), br.Beta(6.0, 1.2)]), -0.7, 0.6),
    "shifted normal": br.Shifted(br.Normal(0.3, 1.2), 0.4, 0.5),
    "normal mixture": br.NormalMixture([0.3, 0.7], [br.Normal(-1.0, 0.5), br.Normal(1.0, 2.0)]),
    "spliced beta": br.Spliced(br.Beta(2.0, 5.0), br.ParetoTail(0.04, 0.0, 0.6),
        br.ParetoTail(0.03, 0.0, 0.25)),
    "spliced normal": br.Spliced(br.Normal(0.1, 0.8), upper=br.ParetoTail(0.05, 0.0, 0.3)),
    "mixture narrow": br.BetaMixture([0.98, 0.02], [br.Beta(1.5, 1.2), br.Beta(4e3, 6e3)]),
}  # fmt: skip
INFLATED = {
    "inflated beta": br.Inflated(br.Beta(2.0, 3.0), 0.1, 0.2),
    "inflated beta at one": br.Inflated(br.Beta(0.5, 0.7), 0.0, 0.25),
    "inflated logit-normal": br.Inflated(br.LogitNormal(0.5, 1.0), 0.3),
    "inflated normal": br.Inflated(br.Normal(0.3, 0.9), 0.2, 0.1),
    "inflated mixture": br.Inflated(br.BetaMixture([0.5, 0.3, 0.2],
        [br.Beta(2, 5), br.Beta(7, 3), br.Beta(0.7, 0.9)]), 0.1, 0.1),
    "shifted inflated beta": br.Shifted(br.Inflated(br.Beta(2.0, 3.0), 0.1, 0.2), 0.8, 1.3),
    "shifted inflated normal": br.Shifted(br.Inflated(br.Normal(0.9, 0.6), 0.2), -0.3, 0.9),
}  # fmt: skip
DISCRETE = {
    "empirical": br.Empirical(TIED),
    "empirical weighted": br.Empirical(*WEIGHTED),
    "empirical constant": br.Empirical([0.5, 0.5, 0.5]),
    "binned": br.Binned([0.0, 0.25, 0.5, 0.75, 1.0], [3, 0, 2, 2]),
}
#: Counts in the middle, tails at the ends; tails that end, or reach further than doubles do; and
#: what was stretched, whose ends doubles do not reach.
TAILED = {
    "stretched inflated beta": br.Shifted(br.Inflated(br.Beta(2.0, 3.0), 0.1, 0.2), -1.0, 2.0,
        logit=False),
    "spliced in bounds": br.Spliced(br.Normal(0.1, 0.3), br.ParetoTail(0.02, 0.0, 0.3),
        bounds=(-2.0, 2.5)),
    "spliced empirical": br.Spliced(br.Empirical([k / 40 for k in range(1, 40)]),
        br.ParetoTail(0.1, 0.0, 0.02, 0.1), br.ParetoTail(0.05, 0.1, 0.02, 0.92)),
    "spliced ending": br.Spliced(br.Beta(2.0, 5.0), br.ParetoTail(0.04, 0.1, 0.6),
        br.ParetoTail(0.03, -0.2, 0.4)),
}  # fmt: skip
#: Trials without a score, below every threshold.
REJECTING = {
    "rejecting beta": br.Rejecting(br.Beta(3.0, 5.0), 0.08),
    "rejecting normal": br.Rejecting(br.Normal(0.3, 1.7), 0.2),
    "rejecting inflated": br.Rejecting(br.Inflated(br.Beta(2.0, 3.0), 0.1, 0.2), 0.05),
    "empirical rejecting": br.Empirical([*TIED, -math.inf, -math.inf]),
}
LAWS = CONTINUOUS | INFLATED | DISCRETE | TAILED | REJECTING

#: Every pair of these is tried: each family, each kind of end, each closed form.
PAIR_LAWS = {name: LAWS[name] for name in ("beta bell", "beta U", "beta a=1", "normal",
    "normal narrow", "logit-normal", "log-normal", "gamma", "sinh-arcsinh", "logit-sinh-arcsinh",
    "mixture", "spliced ending", "spliced empirical", "inflated beta", "inflated beta at one",
    "inflated normal", "empirical", "empirical weighted", "binned", "rejecting beta",
    "rejecting inflated", "empirical rejecting")} | {
    "logit-normal wide": br.LogitNormal(0.4, 2.0),
    "stretched beta": br.Shifted(br.Beta(1.8, 2.6), -1.0, 2.0, logit=False),
    "log-normal wide": br.LogNormal(-0.8, 0.7),
}  # fmt: skip

PAIRS = [(c, i) for c in PAIR_LAWS for i in PAIR_LAWS]
_NAMES = list(PAIR_LAWS)
#: Of these the inner loop tries each law with another, as client and as impostor.
SOME_PAIRS = {(c, _NAMES[(k + 5) % len(_NAMES)]) for k, c in enumerate(_NAMES)}

#: Closed forms wait for these: one pair of each, with hooks, dents, atoms and ties.
CLOSED_PAIRS = [("beta U", "beta bell"), ("beta bell", "beta U"), ("normal", "normal narrow"),
    ("logit-normal", "logit-normal wide"), ("log-normal", "log-normal wide"),
    ("mixture", "beta U"), ("inflated beta", "beta U"), ("inflated beta", "inflated beta at one"),
    ("empirical", "empirical weighted"), ("binned", "empirical"), ("rejecting beta", "beta U"),
    ("empirical", "empirical rejecting")]  # fmt: skip


@cache
def model(client, impostor, prior=0.3):
    """The pair of two named laws, which keeps what it has found from test to test."""
    return br.ScoreModel(LAWS_AND_PAIRS[client], LAWS_AND_PAIRS[impostor], prior=prior)


LAWS_AND_PAIRS = LAWS | PAIR_LAWS


def pairs_of_names(pairs):
    """A test of ``names``: a few pairs in the inner loop, one of 48 others, all at night."""
    groups = defaultdict[str, dict[str, tuple[str, str]]](dict)
    for names in pairs:
        turn = _NAMES.index(names[0]) + 2 * _NAMES.index(names[1])
        group = "nightly" if turn % 48 else "others"
        groups["some" if names in SOME_PAIRS else group][" v ".join(names)] = names
    return grouped("names", groups)
