"""Calls of everything public with arguments drawn by their names: right, extreme and wrong ones.
Call k of seed s draws from ``default_rng([s, k])`` alone, so that one can be repeated."""

from __future__ import annotations

import copy
import inspect
import math
import tempfile
import traceback
import warnings
from collections.abc import Callable
from contextlib import chdir, contextmanager, suppress
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property, partial
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import betaroc as br
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES
from betaroc.model.statistics import STATISTICS
from helpers.places import ROOT
from helpers.points import ASKED
from helpers.public import PUBLIC

TINY, BELOW_ONE = 5e-324, 1.0 - 2.0**-53
#: A float, right or wrong, of any library.
NUMBERS = (0, 1, 0.5, -0.0, 2.0, -1.0, 0.1, 1e-300, TINY, 1e-9, BELOW_ONE, 1.0 + 2.0**-52, 1e12,
    1e308, -1e308, math.nan, math.inf, -math.inf, 50, 10**400, np.float32(0.1), np.float16(0.3),
    np.int8(1), np.longdouble(0.25), np.array(0.5), np.float64(0.75), Fraction(1, 3),
    Decimal("0.2"))  # fmt: skip
#: What is no number.
STRANGE = (None, True, "0.5", "", b"x", (), [], {}, [None], object(), 1j, np.array([]),
    np.array("a"), np.datetime64("2020-01-01"), pd.NA, pd.NaT, lambda x: x, float, {1, 2}, range(0),
    "é\0\n", ..., np.ma.masked, br.Beta(1.0, 1.0))  # fmt: skip


SPECIAL = (0.0, 1.0, 1e-300, 1.0 - 2.0**-53)
SINGLE = ("beta", "normal", "logit-normal", "beta-mixture", "proper-beta", "dual-beta", "empirical",
    "sinh-arcsinh", "logit-sinh-arcsinh", "log-normal", "gamma", "auto", "best")  # fmt: skip
PAIRED = ("beta", "normal", "logit-normal", "beta-mixture", "sinh-arcsinh", "gamma", "empirical")
FAMILIES = (*SINGLE, "equal-variance-normal", "normal-mixture")
RULES = ({}, {}, {}, {"boundary": "inflate"}, {"boundary": "drop"}, {"boundary": "squeeze"},
    {"boundary": "matlab"}, {"boundary": "censor", "resolution": 0.01},
    {"resolution": 0.1})  # fmt: skip
CURVE_CRITERIA = ("weighted-error", "far", "frr", "precision", "recall", "eer", "f-measure",
    "weighted-precision-recall", "sensitivity", "specificity")  # fmt: skip


def sample(rng, n):
    kind = rng.integers(8)
    if kind == 0:
        return [float(rng.choice([*SPECIAL, 0.5]))] * n
    if kind == 1:
        return [float(rng.choice(SPECIAL)) for _ in range(n)]
    if kind == 2:
        return np.round(rng.random(n), 1).tolist()
    if kind == 3:
        return rng.normal(rng.normal(), 2.0, n).tolist()
    if kind == 4:
        near = rng.random() + 10.0 ** -rng.uniform(1, 15) * rng.normal(size=n)
        return np.clip(near, 0.0, 1.0).tolist()
    mixed = rng.random(n).tolist()
    return [float(rng.choice(SPECIAL)) if kind < 6 and rng.random() < 0.3 else x for x in mixed]


def draw_scores(rng, n=None):
    """Both classes, at times with weights, groups and ids."""
    if n is None:
        n = (int(rng.integers(1, 11)), int(rng.integers(1, 11)))
    more = {}
    with_weights, with_groups, with_ids = rng.random(3) < (0.2, 0.2, 0.1)
    for who, size in zip(("client", "impostor"), n, strict=True):
        if with_weights:
            whole = rng.integers(0, 4, size).astype(float)
            whole[0] = 1.0
            more[f"{who}_weights"] = whole if rng.random() < 0.6 else whole + rng.random(size)
        if with_groups:
            more[f"{who}_groups"] = rng.integers(0, max(1, size // 2) + 1, size)
        if with_ids:
            more[f"{who}_ids"] = np.arange(size)
    return br.Scores(sample(rng, n[0]), sample(rng, n[1]), **more)


def frame_of(scores, **columns):
    """The rows of a set, clients first."""
    score = np.concatenate([scores.client, scores.impostor])
    label = np.repeat([1, 0], [scores.n_client, scores.n_impostor])
    return pd.DataFrame({"score": score, "label": label, **columns})


class Context:
    """What the calls of one set take, made when first asked for."""

    def __init__(self, rng):
        self.rng = rng
        self.scores = draw_scores(rng)

    def pick(self, *options):
        return options[int(self.rng.integers(len(options)))]

    @property
    def level(self):
        """A level, now and then an extreme one."""
        return float(self.pick(0.95, 0.5, 0.9999))

    @property
    def rate(self):
        return self.pick(0.5, 0.1, 1e-6, 0.0, 1.0, [0.0, 0.2, 1.0])

    @property
    def place(self):
        return self.pick(0.5, 0.0, 1.0, 1e-300, -np.inf, np.inf, np.nan, [0.1, 0.9])

    @property
    def other(self):
        """Scores of another system on as many trials."""
        return draw_scores(self.rng, (self.scores.n_client, self.scores.n_impostor))

    def fit(self, family=None):
        if family is None:
            family = self.pick(*SINGLE)
            if self.rng.random() < 0.3:
                family = (self.pick(*PAIRED), self.pick(*PAIRED))
        ruled = family in ("beta", "logit-normal", ("beta", "logit-normal"))
        rule = self.pick(*RULES) if ruled else {}
        tails = {"tails": self.pick("both", "upper", {"client": "lower"})}
        return br.fit(self.scores, family, **rule, **(tails if self.rng.random() < 0.05 else {}))

    def decision(self):
        """A threshold by any way, for any target."""
        target = self.pick({"far": 0.5}, {"frr": 0.4}, {"far": 0.01}, {"cost_fa": 2, "cost_fr": 1},
            {"eer": True})  # fmt: skip
        how = self.pick(None, None, "average", "model", "guaranteed", "tail")
        return br.decide(self.scores, **target, how=how, confidence=self.level)

    def bare(self, family):
        """The fitted distribution of a class, without point masses."""
        found = self.fit(family).client.distribution
        return found.base if isinstance(found, br.Inflated) else found

    def model(self):
        return self.fit().model

    def side(self):
        return self.pick(self.scores, draw_scores(self.rng), self.fit, self.model, self.summary)

    def summary(self):
        return br.summarize(frame_of(self.scores), bins=int(self.pick(16, 65536)))

    def epc(self, test=None, **options):
        """A curve of any criterion and measure."""
        criterion = self.pick(*CURVE_CRITERIA)
        alpha = None if criterion == "eer" else self.pick([0.5], [0.0, 0.3, 1.0])
        sides = [s() if callable(s) else s for s in (self.side(), self.side())]
        if test is not None:
            sides[1] = test
        given = {"criterion": criterion, "measure": self.pick(*MEASURES), "alpha": alpha}
        return br.epc(*sides, **(given | options))

    def comparison(self):
        """Of two systems on the same trials."""
        return br.compare(*self.curves(self.scores, self.other), **self.comparing())

    def systems(self):
        """Of two or three systems, two of them the same."""
        tests = [self.scores, self.other, self.other][: self.pick(2, 3)]
        named = dict(zip("ABC", self.curves(*tests), strict=False))
        return br.compare_systems(named, **self.comparing())

    def curves(self, *tests):
        """Of one criterion and measure, a system a test set."""
        options = {"criterion": self.pick(*CURVE_CRITERIA[:5]), "measure": self.pick(*MEASURES),
            "alpha": [0.2, 0.5]}  # fmt: skip
        return [br.epc(self.pick(self.scores, draw_scores(self.rng)), t, **options) for t in tests]

    def comparing(self):
        return {"resample": self.pick("both", "test"), "paired": bool(self.pick(True, False)),
            "level": self.level, "replicates": 20, "rng": 1}  # fmt: skip

    def band(self):
        return self.epc().band(self.level, resample=self.pick("both", "test"),
            replicates=20, rng=1, simultaneous=bool(self.pick(True, False)),
            method=self.pick("bootstrap", "delta", "exact"))  # fmt: skip

    def covariate_fit(self):
        n = self.scores.n_client + self.scores.n_impostor
        frame = frame_of(self.scores, age=self.rng.normal(size=n))
        if self.rng.random() < 0.8:
            frame["score"] = np.clip(frame["score"], 1e-300, 1.0 - 2.0**-53)
        return br.fit_covariates(frame, "age")

    def inclusion(self):
        frame, other = frame_of(self.scores).rename(columns={"score": "a"}), self.other
        frame["b"] = np.concatenate([other.client, other.impostor])
        return br.inclusion(frame, folds=2, level=self.level, rng=1)

    def analysis(self):
        """Of one set, at times with another."""
        test = self.pick(None, draw_scores(self.rng))
        return br.analyze(self.scores, test, family=self.pick("best", "auto", "normal"))

    def mixture(self):
        """A typed mixture whose components have the scores for shapes."""
        shapes = [(1e3 * abs(x) + 1e-3, 3.0 * abs(x) + 1e-2) for x in self.scores.client[:3]]
        return br.BetaMixture([1.0 / len(shapes)] * len(shapes), [br.Beta(*s) for s in shapes])

    def normal_mixture(self):
        """A typed mixture whose components have the scores for places and widths."""
        laws = [br.Normal(x, abs(x) + 1e-3) for x in self.scores.client[:3]]
        return br.NormalMixture([1.0 / len(laws)] * len(laws), laws)

    def families(self):
        """Of ten distinct scores a class, if they are distinct."""
        return br.compare_families(draw_scores(self.rng, (10, 10)),
            self.pick(None, ["beta", "normal"]))  # fmt: skip

    def forecast(self):
        return br.epc_forecast(self.fit(), n_client=10, n_impostor=10, alpha=self.pick(0.5, [0.1]))

    def target_forecast(self):
        return br.epc_forecast(self.fit(), n_client=int(self.pick(1, 10)),
            n_impostor=int(self.pick(1, 7)), alpha=self.pick([0.5], [0.0, 0.1, 1.0]),
            criterion=self.pick("far", "recall"))  # fmt: skip


class Wild(Context):
    """What arguments are drawn from: a small set of scores, its fits, typed models."""

    folder: str

    def chance(self, share):
        return bool(self.rng.random() < share)

    def strange(self):
        return STRANGE[int(self.rng.integers(len(STRANGE)))]

    def number(self):
        return self.pick(*NUMBERS)

    def unit(self):
        return self.pick(0.5, 0.05, 0.95, 0.3, self.number(), self.number())

    def shape(self):
        return float(np.exp(self.rng.uniform(*self.pick((-1, 2), (-7, 14), (-30, 30)))))

    def array(self, one):
        """A number, or some of them in a container."""
        n = int(self.pick(1, 2, 3, 5))
        many, kind = [one() for _ in range(n)], int(self.rng.integers(10))
        if kind < 4:
            return one()
        if kind < 7:
            return many
        if kind == 7:
            return tuple(many)
        try:
            plain = np.array(many, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            return many
        return self.pick(plain, plain[:, None], plain[::-1], plain.astype(">f8"),
            plain[:0], pd.Series(plain, index=plain), np.broadcast_to(plain, (2, n)),
            np.asfortranarray(np.tile(plain, (2, 2))))  # fmt: skip

    def sorted_unit(self):
        """Alphas as users give them, at times as they should not."""
        fine = [None, 0.5, [0.0, 0.5, 1.0], np.linspace(0, 1, 5), [0.5, 0.5], [1.0, 0.0], [1e-300]]
        return self.array(self.unit) if self.chance(0.3) else self.pick(*fine)

    def typed(self):
        kind, beta = self.rng.integers(10), br.Beta(self.shape(), self.shape())
        place = float(self.pick(0.0, 1.0, -1e3, 1e300, self.rng.normal()))
        normal = br.Normal(place, self.shape())
        if kind < 3:
            return beta
        if kind < 5:
            return normal
        if kind == 5:
            return self.pick(br.LogitNormal, br.LogNormal)(float(self.rng.normal(0, 30)),
                self.shape())  # fmt: skip
        if kind == 6:
            return br.Empirical(sample(self.rng, int(self.rng.integers(1, 11))))
        if kind == 7:
            return br.Inflated(beta, *self.pick((0.1, 0.2), (0.0, 1e-300), (0.5, 0.5), (0.9, 0.0)))
        if kind == 8:
            return br.Rejecting(self.pick(beta, normal), self.pick(0.0, 0.1, 0.999))
        return self.pick(lambda: br.BetaMixture((0.5, 0.5),
            (beta, br.Beta(self.shape(), self.shape()))),
            lambda: br.NormalMixture((1e-12, 1 - 1e-12), (normal, br.Normal(1.0, self.shape()))),
            lambda: br.Gamma(self.shape(), self.shape()), lambda: self.pick(br.SinhArcsinh,
            br.LogitSinhArcsinh)(place, self.shape(), float(self.rng.normal()), self.shape()),
            lambda: br.Spliced(beta, upper=br.ParetoTail(0.05, self.pick(-0.5, 0.0, 1.0), 0.5)),
            lambda: br.Shifted(normal, float(self.rng.normal()), self.shape()), lambda: br.Binned(
            [0.0, 0.1, 0.5, 1.0], self.rng.integers(0, 9, 3) + np.array([1, 0, 0])))()  # fmt: skip

    def model(self):
        if self.chance(0.4):
            found = self.fit().model
        else:
            prior = self.pick(0.5, 0.5, 0.0, 1.0, 1e-300)
            found = br.ScoreModel(self.typed(), self.typed(), prior=prior)
        return found.generic() if self.chance(0.1) else found

    def point(self):
        """The point of a statistic as keywords: none, one or two."""
        kinds = {"threshold": self.number, "far": self.unit, "frr": self.unit, "tpr": self.unit,
            "alpha": self.unit, "between": lambda: self.pick((0.0, 0.1), (0.5, 0.5),
            (self.unit(), self.unit())), "at": lambda: self.pick("eer", "min-hter",
            "crossing", "max-f1", "no such point")}  # fmt: skip
        names = list(kinds)
        return {n: kinds[n]() for n in {self.pick(*names) for _ in range(int(self.pick(1, 1, 2)))}}

    def asked(self):
        """A statistic and a point that it takes, most often."""
        stat = self.pick(*STATISTICS)
        points = STATISTICS[stat].points
        if self.chance(0.15):
            return {"stat": self.pick(stat, f"{stat}@far=0.1", "nothing", "auc@eer"),
                **self.point()}  # fmt: skip
        if not points:
            return {"stat": stat}
        chosen = self.pick(*points)
        values = {
            "threshold": self.number,
            "between": lambda: self.pick((0.0, 0.1), (0.3, 1.0), (0.1, 1e-3)),
            "at": lambda: self.pick("eer", "min-hter", "crossing", "max-f1"),
        }
        return {"stat": stat, chosen: values.get(chosen, self.unit)()}


def _interval(c):
    stat, point = c.pick(*ASKED)
    method = c.pick("delta", "delta", "bootstrap")
    return c.fit().interval(stat, **point, level=c.level, method=method, replicates=20, rng=1)


def _difference(c):
    stat, point = c.pick(*ASKED)
    one, other = c.pick((c.scores, c.scores), (c.fit(), c.fit()))
    paired, options = c.pick(True, False), {"level": c.level, "replicates": 20, "rng": 1}
    return br.difference(one, other, stat, **point, paired=paired, **options)


def _likelihood_ratio(c):
    restricted = c.fit(c.pick("dual-beta", "proper-beta", "beta"))
    return br.likelihood_ratio_test(restricted, c.fit(c.pick("beta", "beta-mixture")),
        replicates=19, rng=1)  # fmt: skip


def _species(c):
    kinds, impostor = ["a"] * 40 + ["b"] * 40, [k / 80 for k in range(80)]
    scores = br.Scores([0.7, 0.8, 0.9], impostor, impostor_strata=kinds)
    return br.decide(scores, far=c.pick(0.1, 0.2))


def _strata_fits(c):
    rng = np.random.default_rng(1)
    kinds = np.repeat(["a", "b"], 40)
    scores = br.Scores(rng.beta(5, 2, 50), rng.beta(2, 5, 80), impostor_strata=kinds)
    return br.fit(scores, c.pick("beta", "normal"), by="stratum")


def _strata_comparison(c):
    kinds, parts = np.repeat(["a", "b"], 40), np.random.default_rng(1).normal(size=(2, 130))
    systems = [br.Scores(x[:50] + 2, x[50:], impostor_strata=kinds) for x in parts]
    curves = [
        br.epc(s, s, over=c.pick("worst", {"a": 0.3, "b": 0.7}), alpha=[0.5]) for s in systems
    ]
    return br.compare(*curves, resample="test", replicates=20, rng=1).strata


#: How a value of each public class is come by.
NOUNS = {
    "Analysis": Context.analysis,
    "AucTest": lambda c: br.auc_test(c.scores, c.pick(c.scores, c.other), bool(c.pick(True, False)),
        level=c.level),
    "Difference": _difference, "Band": Context.band, "StrataTable": lambda c: _species(c).strata,
    "UnseenStrata": lambda c: _species(c).unseen, "StrataFits": _strata_fits,
    "StrataDifferences": _strata_comparison,
    "StrataMixture": lambda c: _strata_fits(c).model_over({"a": 0.3, "b": 0.7}).impostor,
    "WorstStratum": lambda c: _strata_fits(c).model_over("worst").impostor,
    "Confusion": lambda c: c.scores.confusion(c.place), "Beta": lambda c: c.bare("beta"),
    "BetaMixture": Context.mixture, "NormalMixture": Context.normal_mixture,
    "Binned": lambda c: br.fit(c.summary(), "empirical").model.client,
    "ClassSummary": lambda c: c.summary().client, "Comparison": Context.comparison,
    "SystemsComparison": Context.systems, "CovariateFit": Context.covariate_fit,
    "DistributionFit": lambda c: c.fit().client,
    "Empirical": lambda c: br.Empirical(c.scores.client, c.scores.client_weights),
    "Epc": Context.epc,
    "EpcAverage": lambda c: br.epc_average(*(s() if callable(s) else s
        for s in (c.side(), c.side())), pair=c.pick("far-frr", "precision-recall")),
    "EpcCv": lambda c: br.epc_cv(c.scores, folds=int(c.pick(2, 5)), criterion=c.pick(
        *CURVE_CRITERIA[:5]), measure=c.pick(*MEASURES), alpha=[0.1, 0.5], rng=1),
    "EpcForecast": Context.forecast, "FamilyComparison": Context.families,
    "FamilyRow": lambda c: c.families().of("client")[0], "Fit": Context.fit,
    "FitCheck": lambda c: br.check_fit(c.fit(), replicates=19, level=c.level, rng=1),
    "Fusion": lambda c: c.inclusion().fusion, "Decision": Context.decision,
    "DecisionCheck": lambda c: c.decision().check(c.scores),
    "ThresholdMethod": lambda c: c.decision().methods[0], "Inclusion": Context.inclusion,
    "Inflated": lambda c: br.Inflated(c.bare("beta"), 0.1, 0.2),
    "Rejecting": lambda c: br.Rejecting(c.bare("beta"), 0.1), "Interval": _interval,
    "LikelihoodRatioTest": _likelihood_ratio, "Gamma": lambda c: c.bare("gamma"),
    "LogNormal": lambda c: c.bare("log-normal"), "LogitNormal": lambda c: c.bare("logit-normal"),
    "LogitSinhArcsinh": lambda c: c.bare("logit-sinh-arcsinh"),
    "SinhArcsinh": lambda c: c.bare("sinh-arcsinh"),
    "Normal": lambda c: c.fit("normal").client.distribution,
    "ParetoTail": lambda c: br.ParetoTail(0.05, 0.0, 0.5),
    "OperatingPoint": lambda c: c.fit().at_far(c.rate),
    "Roc": lambda c: c.model().roc(c.pick("client", "impostor")),
    "SampleSize": lambda c: br.plan_sample_size("auc", model=c.model(), width=c.pick(0.1, 0.01),
        method=c.pick("delta", "empirical")),
    "ScoreModel": Context.model, "ScoreSummary": Context.summary, "Scores": lambda c: c.scores,
    "Spliced": lambda c: br.Spliced(c.bare("beta"), upper=br.ParetoTail(0.05, 0.0, 0.5)),
    "Shifted": lambda c: br.ScoreModel(c.bare("beta"), c.bare("beta")).shifted(0.3).client,
    "TargetCheck": lambda c: br.check_fit(c.fit(), far=0.4, replicates=9, rng=1).targets[0],
    "TargetForecast": Context.target_forecast,
    "Verdict": lambda c: next(iter(c.inclusion().verdict.values())),
}  # fmt: skip
SLOW = {"Analysis", "Inclusion", "Fusion", "Verdict", "FitCheck", "TargetCheck", "CovariateFit",
    "FamilyComparison", "FamilyRow", "LikelihoodRatioTest", "SampleSize"}  # fmt: skip


def _labels(c):
    n = int(c.pick(2, 5, 10))
    kinds = [[1, 0], ["a", "b"], [True, False], [1.0, -1.0], [1, 2], [1], ["é", "é "],
        [1, math.nan]]  # fmt: skip
    kind = c.pick(*range(len(kinds)))
    return [kinds[kind][int(i)] for i in c.rng.integers(0, len(kinds[kind]), n)]


def _values(c):
    """Scores of a class, at times no scores at all."""
    if c.chance(0.2):
        return c.array(c.number)
    given = sample(c.rng, int(c.rng.integers(1, 11)))
    kinds = (np.float64, np.float32, np.float16, np.longdouble, ">f4", np.int64, np.uint8)
    if c.chance(0.6):
        return given
    try:
        with np.errstate(all="ignore"):
            return np.array(given).astype(c.pick(*kinds))
    except ValueError:
        return given


def _weights(c):
    n = int(c.pick(c.scores.n_client, c.scores.n_impostor, 3))
    return c.pick(None, None, np.ones(n), [1e12] * n, [0] * n, c.rng.integers(0, 3, n), [TINY] * n,
        [1e308] * n, c.rng.random(n), c.array(c.number))  # fmt: skip


def _groups(c):
    n = int(c.pick(c.scores.n_client, c.scores.n_impostor, 3))
    return c.pick(None, None, [0] * n, list(range(n)), ["é"] * n, [math.nan] * n, [None] * n,
        c.rng.integers(0, 2, (n, 2)))  # fmt: skip


def _frame(c):
    frame = frame_of(c.scores)
    n = len(frame)
    frame = frame.assign(age=c.rng.normal(size=n), sex=c.rng.choice(["f", "m"], n),
        system=c.rng.choice(["a", "é"], n), b=c.rng.random(n), weight=1.0)  # fmt: skip
    odd = [frame, frame, frame, frame[:0], frame.assign(score="x"),
        frame.set_index("age"), frame.assign(label=math.nan), frame.drop(columns="score"),
        frame.to_dict("list")]  # fmt: skip
    return odd[int(c.rng.integers(len(odd)))]


def _path(c):
    return (Path(c.folder, c.pick("one.csv", "é θ.json", "none/here.csv", "."))
        if c.chance(0.8) else c.folder)  # fmt: skip


def _choices(*known):
    return lambda c: (c.pick(*known, c.pick("none of these", *STRANGE))
        if c.chance(0.15) else c.pick(*known))  # fmt: skip


def _flag(c):
    return bool(c.rng.integers(2))


def _number_in(*usual):
    return lambda c: c.number() if c.chance(0.25) else c.pick(*usual)


def _curve(c):
    if not hasattr(c, "_options"):
        c._options = {"criterion": c.pick(*CURVE_CRITERIA[:5]), "measure": c.pick(*MEASURES)}
    sides = (c.scores, c.other) if c.chance(0.5) else (c.side(), c.side())
    sides = tuple(s() if callable(s) else s for s in sides)
    return br.epc(*sides, alpha=[0.2, 0.5], **c._options)


def _data(c):
    found = c.pick(c.scores, c.scores, c.fit, c.model, c.summary, c.other)
    return found() if callable(found) else found


def _mean_log(c):
    return c.array(lambda: c.pick(-1.0, -0.7, -1e-9, -50.0, -1e308, -TINY, c.number()))


def _pair(c):
    return c.pick(None, None, (0.0, 1.0), (c.number(), c.number()), (1.0, 1.0), (None, 0.5))


PLACE = partial(lambda c: c.array(c.number))
RATE = partial(lambda c: c.array(c.unit))
COUNT = _number_in(1, 2, 5, 10)

#: How an argument is drawn: by function or method and name, or by name.
_DRAWN = (("t x threshold posterior.scores threshold_of logit_threshold", PLACE),
    ("scores analyze.dev auc_test.a", lambda c: c.scores),
    ("p at_far.x at_frr.x threshold_at_far.x threshold_at_frr.x fpr tpr probs tnr", RATE),
    ("alpha", Wild.sorted_unit), ("min_weighted_error.alpha weighted_error.alpha", Wild.unit),
    ("Comparison.alpha", lambda c: c.pick(None, 0.2, 0.5, c.number())), ("weight", _number_in(0.5,
    1.0, 0.0)), ("cost_fa", _number_in(1.0, 10, 0.0)), ("cost_fr", _number_in(1.0, 0.1, None)),
    ("prior", _number_in(None, 0.5, 0.0, 1.0)), ("level", _number_in(0.95, 0.5, 0.999999, 1e-9)),
    ("at_most", Wild.unit), ("confidence", _number_in(0.95, 0.5, 0.999999)), ("low", _number_in(
    None, 0.0, 0.1)), ("high", _number_in(None, 1.0, 0.2, 0.9)), ("replicates", lambda c: c.pick(19,
    20, 1, 2, 0, -1, 2.5, math.nan, "20") if c.chance(0.2) else 20), ("rng", lambda c: (c.pick(1, 1,
    1, 0, np.random.default_rng(1), np.random.SeedSequence(3), -1, 1.5, "x", 2**80) if c.chance(0.3)
    else 1)), ("groups simultaneous paired normalize normalized standardized extrapolate expected "
    "a_posteriori eer youden converged is_generic support", _flag), ("m", _number_in(None, 1, 5,
    100)), ("folds", _number_in(2, 5, 10)), ("bins", _number_in(16, 65536, 2)), ("components",
    _number_in(None, 1, 2, 3)), ("resolution", _number_in(None, None, 0.1, 0.01, 1.0)), ("boundary",
    _choices(None, None, "inflate", "error", "censor", "squeeze", "drop", "matlab")), ("family",
    lambda c: c.pick(*FAMILIES, (c.pick(*PAIRED), c.pick(*PAIRED)), c.pick("no family", *STRANGE))),
    ("families", lambda c: c.pick(None, ["beta", "normal"], [], ["beta", "beta"], "beta",
    ["nothing"], list(FAMILIES))), ("tails", _choices(None, None, None, "both", "upper", "lower",
    {"client": "lower"}, {"x": "upper"}, {})), ("tail_sizes", _choices(None, None, 2, [1, 3],
    [], 0, 10**6)), ("bounds exponents slopes", _pair), ("criterion", _choices(*CRITERIA)),
    ("measure", _choices(*MEASURES)), ("method", _choices(None, "delta", "bootstrap",
    "exact", "wald", "profile", "delong", "logit-delong", "newcombe", "nearest", "hull")),
    ("conf_int.method", _choices("profile", "wald")), ("eer.method", _choices("nearest", "hull")),
    ("band.method", _choices("bootstrap", "delta", "exact")), ("plan_sample_size.method",
    _choices("delta", "empirical")), ("plan_sample_size.measure", _choices(None, None, "hter")),
    ("plan_sample_size.strata", _choices(None, None, 3)),
    ("plan_sample_size.at_most", _choices(None, None, 0.5)),
    ("thresholds", _choices(None, None, "dev", "same")), ("resample", _choices("both", "test")),
    ("terms", _choices("biometric", "pad", "verification", "classification")), ("scale",
    _choices("linear", "log", "probit")), ("positive who", _choices("client", "impostor")),
    ("kind", _choices("roc", "pp", "qq", "densities")), ("scheme", _choices(None, 9, 16, 3)),
    ("weights client_weights impostor_weights", _weights), ("h_measure.weights",
    lambda c: c.pick("beta22", "prior", (2.0, 2.0), (c.number(), c.number()), "x")),
    ("client_groups impostor_groups client_ids impostor_ids ids from_labels.groups", _groups),
    ("client_strata impostor_strata strata", _groups), ("of", _choices("impostor", "client")),
    ("by", _choices(None, None, "stratum", "sex")),
    ("over", _choices(None, "pooled", "worst", {"0": 0.5, "1": 0.5})), ("stratum", _choices(None,
    None, "sex", "b")), ("Scores.client Scores.impostor y_score values sample", _values), ("y_true",
    _labels), ("name", _choices(None, "a", "é <b> & $x$ \n", "x" * 300)), ("n_client_rejected",
    _number_in(0, 1, 7)), ("n_impostor_rejected", _number_in(0, 2)), ("client_label", _choices(None,
    None, 1, "a", True)), ("counts", lambda c: c.array(lambda: c.pick(1, 0, 5, 2**53, c.number()))),
    ("Binned.counts", lambda c: c.pick([1, 2], [0, 0], [1.5, 2], [1], [-1, 2], [2**62, 1],
    [math.nan, 1])), ("edges", lambda c: c.pick([0.0, 0.5, 1.0], [0, 0, 1], [1, 0.5, 0],
    [0, math.nan, 1], [-math.inf, 0, math.inf], [0, 1])), ("a b sigma", lambda c: c.shape()
    if c.chance(0.5) else c.number()), ("mu location skewness border_below.threshold", Wild.number),
    ("tail_weight Gamma.shape", Wild.shape), ("mean_log mean_log1m", _mean_log), ("axis",
    _choices(-1, None, 0, 1)), ("mean_logs.x", lambda c: _values(c)), ("base body client impostor",
    Wild.typed), ("shifted.client Shifted.shift", _number_in(0.0, 0.3)), ("shifted.impostor",
    _number_in(0.0, -0.3)), ("shifted.scale Shifted.scale", _number_in(1.0, 2.0)), ("logit header",
    _choices(None, True, False)), ("Inflated.at_zero rejected", _number_in(0.0, 0.1)),
    ("Inflated.at_one", _number_in(0.0, 0.2)), ("BetaMixture.weights", lambda c: c.pick((0.5, 0.5),
    (1.0, 0.0), (0.3, 0.3), (c.number(), 0.5))), ("BetaMixture.components", lambda c: c.pick(
    (br.Beta(1.0, 2.0), br.Beta(c.shape(), c.shape())), (br.Beta(2.0, 2.0),), (), 3)),
    ("NormalMixture.weights", lambda c: c.pick((0.5, 0.5), (1.0, 0.0), (c.number(), 0.5))), (
    "NormalMixture.components", lambda c: c.pick((br.Normal(0.0, 1.0), br.Normal(1e300, c.shape())),
    (br.Normal(0.0, 1.0),), ())), ("mass", _number_in(0.05, 0.2)), ("ParetoTail.shape", _number_in(
    0.0, 0.3, -0.4)), ("ParetoTail.scale", _number_in(0.2, 1.0)), ("joint", _number_in(None, 0.9)),
    ("lower", lambda c: c.pick(None, None, br.ParetoTail(0.05, 0.1, 0.1))), ("upper",
    lambda c: c.pick(None, br.ParetoTail(0.05, 0.1, 0.1), br.ParetoTail(0.3, -0.5, 1e-3))), ("size",
    lambda c: c.pick(0, 1, 4, (2, 3), (), -1, 2.5, None, "4", (2, -1))), ("n", _number_in(1, 2, 8,
    100)), ("points.n points", _number_in(None, 2, 5)), ("n_client n_impostor", COUNT), ("far frr",
    lambda c: c.unit() if c.chance(0.6) else None), ("roc_band.far", lambda c: c.pick(None,
    [0.0, 0.1], c.array(c.unit))), ("check_fit.far", lambda c: c.pick(None, 0.3, c.array(c.unit))),
    ("check_fit.frr", lambda c: c.pick(None, None, c.array(c.unit))), ("how", _choices(None,
    "guaranteed", "average", "tail", "model", "counted")), ("pair", _choices("far-frr",
    "precision-recall", "sensitivity-specificity")), ("fit", lambda c: c.pick(c.fit, c.model)()),
    ("f", lambda c: c.fit()), ("restricted", lambda c: c.fit(c.pick("dual-beta", "proper-beta",
    "beta"))), ("general", lambda c: c.fit(c.pick("beta", "beta-mixture"))), ("dev test",
    lambda c: _data(c)), ("analyze.test", lambda c: c.pick(None, c.other, {"é": c.other})),
    ("inclusion.dev Study.model client_file impostor_file key key_id key_label ax band names "
    "source words library Scores.source block OperatingPoint.tpr OperatingPoint.tnr "
    "OperatingPoint.n_beyond", lambda c: None), ("epc_a epc_b", _curve),
    ("curves", lambda c: {n: _curve(c) for n in ("a", "é", "c")[: int(c.pick(1, 2, 3))]}),
    ("auc_test.b Decision.check.test", lambda c: c.pick(c.scores, c.other)),
    ("difference.a difference.b interval.x roc_band.x", _data), ("model", lambda c: c.model()),
    ("models", lambda c: {"a": c.model(), "é": c.model()}), ("correlation", _number_in(0.0, 0.5,
    None)), ("width", _number_in(0.1, 0.01, None)), ("power", _number_in(None, None, 0.8)),
    ("ratio", _number_in(1.0, 3.0)), ("tolerance", _number_in(0.05, 0.5)), ("auc", _number_in(None,
    0.8, 0.5, 0.99)), ("solve_pair.eer", _number_in(None, 0.2, 0.5)), ("shapes", _choices(None,
    ("U", "U"), ("bell", "J"), ("x", None))), ("crossing", _number_in(None, None, 0.5)),
    ("goals", _choices(None, None, {"auc": 0.8}, {"eer": 0.1}, {})), ("solve_pair.family", _choices(
    "beta", "normal", "logit-normal")), ("frame", _frame), ("frame_or_path", lambda c: _path(c)
    if c.chance(0.2) else _frame(c)), ("formula", _choices("age", "age + sex", "1", "", "age:sex",
    "nothing", "log(age)", "age +", "__import__('os')")), ("precision", _choices("1", "age")),
    ("client_formula", _choices(None, None, "sex")), ("score", _choices("score", "score", "b",
    "none")), ("label", _choices("label", "label", "sex")), ("group", _choices(None, None, "sex",
    ("sex", "system"))), ("id", _choices(None, None, "b")), ("from_frame.weight", _choices(None,
    "weight", "age")), ("missing", _choices("fail", "drop", "reject")), ("system", _choices(
    "system", "sex")), ("layout", _choices(None, "unit", (0.0, 1.0), (-5.0, 5.0), (1.0, 0.0))),
    ("systems", _choices(None, ["score", "b"], ["b"], [])), ("region", lambda c: c.pick((0, 1),
    (0.0, 0.2), (c.unit(), c.unit()))), ("nan_policy", _choices("raise", "omit")), ("ends",
    _number_in(0.1, 0.3)), ("statistics", _choices((), ["tpr@far=0.01"], "auc", ["nothing"], ["auc",
    "auc"])), ("target", _choices(None, {"far": 0.1}, {"eer": True}, {"far": -1}, "far=0.1")),
    ("path", _path), ("columns", _choices(None, None, ["score", "label"])), ("separator",
    _choices(None, ",", ";", "")), ("decimal", _choices(None, ".", ",")), ("format", _choices(None,
    "csv", "tsv", "4col", "x")), ("max_size", _number_in(None, 10**6)), ("max_rows", _number_in(
    None, 100)), ("text_or_path", lambda c: c.pick("{}", "[]", "", "null", "\0", "[" * 3000,
    '{"betaroc": "1", "format": 1, "kind": "beta"}', c.model().to_json, br.Beta(1.0, 2.0).to_json,
    c.folder)), ("levels", lambda c: c.pick({"a": [1, 2]}, {}, {"a": []}, {"a": c.number()},
    {1: [1]}, {"n": [10, 20], "é": "x"})), ("ranges", lambda c: c.pick({"a": (0.0, 1.0)},
    {"a": (1.0, 0.0)}, {}, {"a": (1.0, math.inf)}, {"a": c.number()}, {"a": (0.1, 1.0, "log")})),
    ("k", _number_in(0, 1, 2, [1, 2])), ("Design.names", lambda c: c.pick(("a",), ("a", "b"), (),
    "a")), ("Design.columns", lambda c: c.pick(((1, 2),), ((1, 2), (3,)), (), ((), ()))), ("excess",
    _number_in(0.01, 0.1)), ("stat", lambda c: c.pick(*STATISTICS)), ("Epc.interval.stat", _choices(
    "area", "average")), ("other", lambda c: c.model().roc()), ("gain.system", _choices("a", "b")),
    ("rule", _choices("mean-logit", "learned")), ("part", _choices("all", "low")),
    ("first", lambda c: {"age": c.number()}), ("second", lambda c: {"age": 1.0}),
    ("covariates", lambda c: c.pick(None, {"age": c.number()}, {}, {"x": 1})), ("histogram.bins",
    _number_in(5, 50)), ("sensitivity.resolution", _number_in(None, 0.01)), ("quantiles",
    _choices((0.5,))), ("precision_at.k", lambda c: c.array(lambda: c.pick(1, 2, 5, c.number()))),
    ("dtype", lambda c: c.pick(None, "float32", "x")), ("det.scale", _choices("probit", "linear")),
    ("Roc.plot.scale", _choices("linear", "log")), ("contrast.prior", _number_in(None, 0.5)),
    ("design", lambda c: br.Design.grid({"a": [1]})), ("folder", lambda c: c.folder),
    ("workers", lambda c: 1), ("progress extrapolated", lambda c: False), ("a_c b_c a_i b_i",
    lambda c: c.array(c.shape) if c.chance(0.7) else c.array(c.number)))  # fmt: skip
ARGUMENTS = {name: value for names, value in _DRAWN for name in names.split()}

#: Constructors of records that only calls make, the engine of studies, and what needs a terminal.
NOT_CALLED = {"Study": "runs processes: tests/studies",
    "Distribution": "the base of all distributions, which are called", "Shape": "a list of names",
    "StudyResult": "made by studies alone", "TailRow": "a record of numbers",
    "TargetCheck": "a record of numbers"}  # fmt: skip
BY_HAND = {"Beta", "BetaMixture", "Binned", "Design", "Empirical", "Gamma", "Inflated", "LogNormal",
    "LogitNormal", "LogitSinhArcsinh", "Normal", "NormalMixture", "OperatingPoint", "ParetoTail",
    "Rejecting", "Roc", "ScoreModel", "Scores", "Shifted", "Spliced"}  # fmt: skip


def members(kind):
    """Public methods and properties of a class, but for those of str, tuple and their like."""
    own = {n for base in kind.__mro__ if base.__module__ != "builtins" for n in vars(base)}
    kinds = FunctionType, property, classmethod, staticmethod, cached_property
    return [n for n in sorted(own) if n[0] != "_"
        and isinstance(inspect.getattr_static(kind, n), kinds)]  # fmt: skip


@contextmanager
def state(*, strict):
    """Foreign warnings are errors; numpy raises on every error of floating point if strict."""
    with warnings.catch_warnings(), np.errstate(**({"all": "raise"} if strict else {})):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", br.BetarocWarning)
        yield


CONSTRUCTORS = ("Scores.from_labels", "Scores.from_frame")


class Target(NamedTuple):
    """Something to call: its name, what makes its owner, its attribute."""

    name: str
    owner: Callable[[Any], Any] | None
    share: float


@cache
def targets():
    slow, found = SLOW, []
    for name in PUBLIC:
        value = getattr(br, name)
        if name in NOT_CALLED:
            continue
        if not inspect.isclass(value):
            found.append(Target(name, None, 1.0 if name in SLOW_CALLS else 6.0))
            continue
        if name in BY_HAND:
            found.append(Target(name, None, 6.0))
        noun = NOUNS.get(name)
        if noun is None:
            continue
        noun = PLAIN.get(name, noun)
        own = [n for n in members(value) if f"{name}.{n}" not in CONSTRUCTORS]
        share = 2.0 / (1 + len(own)) if name in slow else 0.7
        heavy = [m for m in own if _has_arguments(value, m)]
        found += [Target(f"{name}.{m}", noun, share * (3.0 if m in heavy else 0.5)) for m in own]
    found += [Target(f"Scores.{n}", None, 4.0) for n in ("from_labels", "from_frame")]
    found += [Target(f"Design.{n}", None, 2.0) for n in ("grid", "sobol", "latin_hypercube")]
    return tuple(found)


SLOW_CALLS = {"analyze", "inclusion", "check_fit",
    "compare_families", "likelihood_ratio_test", "fit_covariates"}  # fmt: skip


def _typed_or(noun, kind, c):
    """A typed value of a class, if one comes up in ten draws, else one of a fit."""
    typed = (c.typed() for _ in range(10))
    return next((value for value in typed if type(value) is kind), None) or noun(c)


#: Nouns of typed models rather than fits, most of the time.
PLAIN = {name: partial(_typed_or, NOUNS[name], getattr(br, name))
    for name in ("Beta", "Normal", "LogitNormal", "Empirical", "Inflated", "Rejecting",
    "BetaMixture", "LogNormal", "Gamma", "SinhArcsinh", "LogitSinhArcsinh", "NormalMixture",
    "Spliced", "Shifted", "Binned")}  # fmt: skip


def _has_arguments(kind, name):
    static = inspect.getattr_static(kind, name)
    return inspect.isfunction(static) and len(inspect.signature(static).parameters) > 1


def drawn(c, name, call):
    """Arguments of a callable: needed ones always, others one time in three."""
    signature, args, options = inspect.signature(call), [], {}
    for p in signature.parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        if p.default is not p.empty and not c.chance(0.35):
            continue
        value = c.strange() if c.chance(0.05) else _drawn(c, name, p.name)
        if p.kind is p.KEYWORD_ONLY or p.default is not p.empty:
            options[p.name] = value
        else:
            args.append(value)
    if "point" in signature.parameters and "stat" in signature.parameters:
        asked = c.asked()
        stat = asked.pop("stat")
        for k, p in enumerate(p for p in signature.parameters.values()
            if p.kind <= p.POSITIONAL_OR_KEYWORD):  # fmt: skip
            if p.name == "stat" and k < len(args):
                args[k] = stat
        options |= asked
    elif (
        "covariates" in signature.parameters
        and signature.parameters["covariates"].kind == inspect.Parameter.VAR_KEYWORD
    ):
        options["age"] = c.number()
    return args, options


def _drawn(c, name, parameter):
    return next(ARGUMENTS[key] for key in _keys(name, parameter) if key in ARGUMENTS)(c)


def _keys(name, parameter):
    """By what an argument is looked up, the most special first."""
    parts = name.split(".")
    return [*(f"{one}.{parameter}" for one in (name, parts[-1], parts[0])), parameter]


def arguments_without_values():
    """Arguments of which nobody said how they are drawn."""
    found = []
    for target in targets():
        owner, _, attribute = target.name.partition(".")
        call = getattr(br, owner)
        if attribute:
            static = inspect.getattr_static(call, attribute)
            if target.owner is not None and not inspect.isfunction(static):
                continue
            call = getattr(call, attribute)
        if not callable(call):
            continue
        for p in inspect.signature(call).parameters.values():
            if p.name == "self" or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                continue
            if not any(key in ARGUMENTS for key in _keys(target.name, p.name)):
                found.append(f"{target.name}: {p.name}")
    return found


#: Kinds of outcomes in which nothing is wrong.
IN_ORDER = ("done", "refused", "unmade")


class Outcome(NamedTuple):
    """Of one call: "done", "refused", "unmade" (no owner could be made), or what broke."""

    name: str
    kind: str
    what: str = ""
    where: str = ""
    call: str = ""


def _tried(make):
    """What is made by the first of four tries that is not refused; None without one."""
    for _ in range(4):
        with suppress(br.BetarocError):
            return make()
    return None


def _owned(rng, folder, target):
    """A context, and the owner of what is called."""
    c = Wild(rng)
    c.folder = folder
    return c, target.owner(c) if target.owner is not None else None


def one_call(seed, k, *, aloud=False, only=""):
    """The outcome of call k of a seed; what breaks is raised if aloud."""
    rng, every = np.random.default_rng([seed, k]), [t for t in targets() if only in t.name]
    shares = np.array([t.share for t in every])
    target = every[int(rng.choice(len(every), p=shares / shares.sum()))]
    text = target.name
    with tempfile.TemporaryDirectory() as folder, chdir(folder):  # "0.5" may be a path
        try:
            with state(strict=bool(rng.random() < 0.7)):
                owned = _tried(lambda: _owned(rng, folder, target))
                made = owned and _tried(lambda: prepared(owned[0], target, owned[1]))
                if made is None:
                    return Outcome(target.name, "unmade")
                call, args, options = made
                text = shown(target.name, args, options)
                try:
                    result = call(*args, **options)
                except br.BetarocError as error:
                    wrong = bad_message(error)
                    return Outcome(target.name, "message" if wrong else "refused", wrong, "", text)
                repr(result), str(result), getattr(result, "_repr_html_", str)()
                wrong = nonsense(result)
                return Outcome(target.name, "nonsense" if wrong else "done", wrong, "", text)
        except Exception as error:  # what is looked for
            if aloud:
                error.add_note(text)
                raise
            frames = traceback.extract_tb(error.__traceback__)
            own = [f for f in frames if f.filename.startswith(str(ROOT / "betaroc"))]
            last = (own or frames)[-1]
            place = f"{Path(last.filename).name}:{last.lineno}"
            what = f"{type(error).__name__}: {str(error)[:200]}"
            return Outcome(target.name, "broken", what, place, text)


def prepared(c, target, owner):
    """What is called and with what; a property is asked for."""
    *_, attribute = target.name.split(".")
    if target.owner is None:
        call = br
        for part in target.name.split("."):
            call = getattr(call, part)
    else:
        static = inspect.getattr_static(type(owner), attribute, None)
        if not inspect.isfunction(static):
            return (lambda: getattr(owner, attribute)), [], {}
        call = getattr(owner, attribute)
    return call, *drawn(c, target.name, call)


def shown(name, args, options):
    """The call, as it could be typed."""
    given = [repr(a)[:300] for a in args] + [f"{k}={repr(v)[:300]}" for k, v in options.items()]
    return f"{name}({', '.join(given)})"


def bad_message(error):
    """What is wrong with the message of an error of betaroc's own, if anything."""
    text = str(error)
    if len(text) < 20 or len(text) > 900:
        return f"{len(text)} characters: {text[:100]}"
    if not text.rstrip().endswith((".", "?", ")", "'", '"')):
        return f"no end: {text[-100:]}"
    if " object at 0x" in text or "\n\n\n" in text:
        return f"an address: {text[:200]}"
    return ""


def nonsense(result):
    """What cannot be true of a result, if anything."""
    if isinstance(result, br.OperatingPoint):
        for name in ("far", "frr", "tpr", "tnr"):
            rate = np.asarray(getattr(result, name), dtype=float)
            if np.any((rate < 0) | (rate > 1)):
                return f"{name} = {rate}"
    if isinstance(result, br.Interval) and result.low > result.high:
        return f"interval {result!r}"
    if type(result).__name__ in NOUNS and result != copy.copy(result):
        return "not equal to its copy"
    if isinstance(result, br.Band):
        low, high = np.asarray(result.low), np.asarray(result.high)
        if np.any(low > high):
            return f"band {low} {high}"
    return ""
