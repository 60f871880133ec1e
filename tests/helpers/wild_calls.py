"""Calls of everything public with arguments drawn by their names: right, extreme and wrong ones;
then of the members of what comes back. Walk k of seed s draws from ``default_rng([s, k])`` alone,
so that one can be repeated."""

from __future__ import annotations

import copy
import inspect
import math
import tempfile
import warnings
from contextlib import chdir, contextmanager, suppress
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from types import FunctionType

import numpy as np
import pandas as pd

import betaroc as br
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES
from betaroc.model.statistics import STATISTICS
from helpers.points import VALUES
from helpers.public import PUBLIC
from helpers.sets import frame_of
from helpers.travellers import travellers

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
SPECIAL = (0.0, 1.0, 1e-300, BELOW_ONE)
FAMILIES = ("beta", "normal", "logit-normal", "beta-mixture", "proper-beta", "dual-beta", "best",
    "empirical", "sinh-arcsinh", "logit-sinh-arcsinh", "log-normal", "gamma", "auto",
    "normal-mixture", "equal-variance-normal", ("beta", "normal"),
    ("empirical", "gamma"))  # fmt: skip


class Draw:
    """What the arguments of one walk are drawn from."""

    def __init__(self, rng, folder):
        self.rng, self.folder = rng, folder
        self.options = {"criterion": self.pick(*CRITERIA), "measure": self.pick(*MEASURES)}

    def chance(self, share):
        return bool(self.rng.random() < share)

    def pick(self, *options):
        return options[int(self.rng.integers(len(options)))]

    def values(self, n):
        """Scores of one class: equal, at the ends, tied, of any range, concentrated or mixed."""
        kind = self.rng.integers(7)
        if kind == 0:
            return [self.pick(*SPECIAL, 0.5)] * n
        if kind == 1:
            return [self.pick(*SPECIAL) for _ in range(n)]
        if kind == 2:
            return np.round(self.rng.random(n), 1).tolist()
        if kind == 3:
            return self.rng.normal(self.rng.normal(), 2.0, n).tolist()
        if kind == 4:
            near = self.rng.random() + 10.0 ** -self.rng.uniform(1, 15) * self.rng.normal(size=n)
            return np.clip(near, 0.0, 1.0).tolist()
        mixed = self.rng.random(n).tolist()
        return [self.pick(*SPECIAL) if kind < 6 and self.chance(0.3) else x for x in mixed]

    def scores(self):
        """Of both classes, at times with weights, groups and ids."""
        more, beside = {}, {key: self.chance(0.2) for key in ("weights", "groups", "ids")}
        n = {who: int(self.rng.integers(1, 11)) for who in ("client", "impostor")}
        for who, size in n.items():
            whole = np.r_[1.0, self.rng.integers(0, 4, size - 1)]
            columns = {"weights": whole, "groups": whole.astype(int), "ids": np.arange(size)}
            more |= {f"{who}_{key}": columns[key] for key in beside if beside[key]}
        return br.Scores(*map(self.values, n.values()), **more)

    def fit(self):
        return br.fit(self.scores(), self.pick(*FAMILIES))

    def data(self):
        """Scores, a fit, a model, a summary."""
        named = [travellers()[name] for name in ("model", "generic", "fit", "summary", "grouped")]
        return self.pick(self.scores, self.scores, self.fit, lambda: self.pick(*named))()

    def curve(self):
        return br.epc(self.scores(), self.data(), alpha=[0.2, 0.5], **self.options)

    def number(self):
        return self.pick(*NUMBERS)

    def unit(self):
        return self.pick(0.5, 0.05, 0.95, 0.3, self.number())

    def shape(self):
        return self.number() if self.chance(0.3) else float(np.exp(self.rng.uniform(-7, 9)))

    def array(self):
        """Numbers in a container."""
        many = [self.number() for _ in range(int(self.pick(1, 2, 3, 5)))]
        try:
            plain = np.array(many, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            return many
        return self.pick(many, tuple(many), plain, plain[:, None], plain[::-1], plain[:0],
            plain.astype(">f8"), pd.Series(plain, index=plain), np.tile(plain, (2, 2)))  # fmt: skip

    def frame(self):
        frame = frame_of(self.scores())
        n = len(frame)
        frame = frame.assign(age=self.rng.normal(size=n), sex=self.rng.choice(["f", "m"], n),
            system=self.rng.choice(["a", "é"], n), b=self.rng.random(n), weight=1.0)  # fmt: skip
        return self.pick(frame, frame, frame[["score", "b", "label"]], frame[:0],
            frame.assign(score="x"), frame.drop(columns="score"),
            frame.to_dict("list"))  # fmt: skip

    def law(self):
        laws = [v for v in travellers().values() if isinstance(v, br.Distribution)]
        return self.pick(*laws, br.Beta(self.shape(), self.shape()))

    def point(self):
        """A statistic and a point that it takes, most often."""
        stat = self.pick(*STATISTICS)
        points = STATISTICS[stat].points if self.chance(0.85) else tuple(VALUES)
        name = self.pick(*points) if points else ""
        return stat, {} if not name else {name: self.pick(VALUES[name], self.unit())}


#: Words and values that an argument may take, by its name; other names take numbers.
WORDS = {
    "criterion": CRITERIA, "measure": MEASURES, "stat": STATISTICS, "family": FAMILIES,
    "method": ("delta", "bootstrap", "exact", "wald", "profile", "delong", "logit-delong",
        "newcombe", "nearest", "hull", "empirical"),
    "boundary": ("inflate", "error", "censor", "squeeze", "drop", "matlab"),
    "resolution": (0.1, 0.01), "tails": ("both", "upper", {"client": "lower"}, {"x": "upper"}),
    "resample": ("both", "test"), "thresholds": ("dev", "same"), "by": ("stratum", "sex"),
    "over": ("pooled", "worst", {"0": 0.5, "1": 0.5}), "of": ("impostor", "client"),
    "terms": ("biometric", "pad", "verification"), "scale": ("linear", "log", "probit", 2.0),
    "positive": ("client", "impostor"), "who": ("client", "impostor"), "scheme": (9, 16, 3),
    "kind": ("roc", "pp", "qq", "densities"), "how": ("guaranteed", "average", "tail", "model"),
    "pair": ("far-frr", "precision-recall"), "rule": ("mean-logit", "learned"),
    "part": ("all", "low"), "missing": ("fail", "drop", "reject"), "nan_policy": ("raise", "omit"),
    "format": ("csv", "tsv", "4col"), "separator": (",", ";"), "decimal": (".", ","),
    "formula": ("age", "age + sex", "1", "", "log(age)", "__import__('os')"), "precision": ("1",),
    "client_formula": ("sex",), "score": ("score", "b"), "label": ("label", "sex"),
    "group": ("sex", ("sex", "system")), "id": ("b",),
    "stratum": ("sex",), "systems": (["score", "b"], ["b"]), "families": (["beta", "normal"], []),
    "layout": ("unit", (0.0, 1.0), (1.0, 0.0)), "region": ((0, 1), (0.0, 0.2)), "axis": (-1, 0, 1),
    "statistics": (["tpr@far=0.01"], "auc", ["nothing"]), "goals": ({"auc": 0.8}, {"eer": 0.1}),
    "target": ({"far": 0.1}, {"eer": True}, {"far": -1}), "shapes": (("U", "U"), ("bell", "J")),
    "levels": ({"a": [1, 2]}, {"a": []}, {1: [1]}), "columns": (["score", "label"],),
    "ranges": ({"a": (0.0, 1.0)}, {"a": (1.0, 0.0)}, {"a": (0.1, 1.0, "log")}),
    "size": (0, 1, 4, (2, 3), (), -1, 2.5), "edges": ([0.0, 0.5, 1.0], [0, 0, 1]),
    "counts": ([1, 2], [0, 0], [2**62, 1]), "replicates": (20, 20, 20, 0, 2.5), "folds": (2, 5),
    "rng": (1, 1, np.random.default_rng(1), -1, 2**80), "name": ("a", "é <b> & $x$ \n"),
    "text_or_path": ("{}", "", "[" * 3000, '{"betaroc": "1", "format": 1, "kind": "beta"}'),
    "components": (1, 2, (br.Beta(1.0, 2.0), br.Beta(2.0, 2.0)), (br.Normal(0.0, 1.0),) * 2),
    "weights": ((0.5, 0.5), (1.0, 0.0), "beta22", [1e308, 1e308]), "n": (1, 2, 8, 100),
    "bins": (16, 50, 65536), "confidence": (0.95, 0.5), "level": (0.95, 0.5, 0.999999),
    "first": ({"age": 1.0},), "second": ({"age": 1.0},), "covariates": ({"age": 1.0}, {"x": 1}),
    "y_true": ([1, 0, 1, 0, 1], ["a", "b"], [1, 2, math.nan, 1, 1]), "low": (0.0, 0.1),
    "high": (1.0, 0.3), "system": ("a", "b"), "m": (1, 5, 100),
    "n_client": (1, 10), "n_impostor": (1, 7), "width": (0.1, 0.01),
    **dict.fromkeys(("ax", "source", "library", "n_beyond", "OperatingPoint.tpr"), (None,)),
    **dict.fromkeys(("groups", "simultaneous", "paired", "normalize", "normalized", "eer",
        "standardized", "extrapolate", "expected", "a_posteriori", "youden"), (True, False)),
}  # fmt: skip
#: What other arguments take: data, and numbers in whatever container.
DRAWN = {
    **dict.fromkeys(("dev", "test", "a", "b", "scores"), Draw.data),
    **dict.fromkeys(("fit", "f", "general", "restricted"), Draw.fit),
    **dict.fromkeys(("epc_a", "epc_b"), Draw.curve), **dict.fromkeys(("frame",), Draw.frame),
    **dict.fromkeys(("client", "impostor", "base", "body"), Draw.law),
    "frame_or_path": Draw.frame, "folder": lambda c: c.folder,
    "path": lambda c: Path(c.folder, c.pick("é θ.json", "none/a", ".")),
    "curves": lambda c: {"a": c.curve(), "é": c.curve()},
    "model": lambda c: br.ScoreModel(c.law(), c.law()), "other": lambda c: travellers()["roc"],
    "models": lambda c: {"a": travellers()["model"], "é": c.fit().model},
    **dict.fromkeys(("sample", "values", "y_score", "Scores.client", "Scores.impostor"),
        lambda c: c.values(5)),
    **dict.fromkeys(("roc_band.x", "interval.x"), Draw.data),
    **dict.fromkeys(("decision_curve.systems", "bayes_error_curve.systems"), Draw.data),
    **dict.fromkeys(("Beta.a", "Beta.b", "sigma", "tail_weight", "shape"), Draw.shape),
    **dict.fromkeys(("log_odds", "probability"), lambda c: c.pick(c.unit, c.array)()),
    **dict.fromkeys(("t", "x", "p", "threshold", "fpr", "tpr", "tnr", "thresholds"),
        lambda c: c.pick(c.unit, c.number, c.array)()),
    "alpha": lambda c: c.pick(None, 0.5, [0.0, 0.5, 1.0], [1.0, 0.0], c.array(), c.unit()),
}  # fmt: skip
#: Classes that only calls make, and studies, which run processes.
NOT_CALLED = {
    "Analysis",
    "Distribution",
    "Epc",
    "Fit",
    "Interval",
    "ScoreSummary",
    "Shape",
    "Study",
}


def members(kind):
    """Public methods and properties of a class, but for those of str, tuple and their like."""
    own = {n for base in kind.__mro__ if base.__module__ != "builtins" for n in vars(base)}
    kinds = FunctionType, property, cached_property, classmethod
    return [n for n in sorted(own) if n[0] != "_"
        and isinstance(inspect.getattr_static(kind, n), kinds)]  # fmt: skip


@cache
def targets():
    """By name functions and constructors."""
    found = {name: getattr(br, name) for name in br.__all__ if name not in NOT_CALLED}
    found |= {f"Scores.{n}": getattr(br.Scores, n) for n in ("from_labels", "from_frame")}
    found |= {f"Design.{n}": getattr(br.Design, n) for n in ("grid", "sobol", "latin_hypercube")}
    return found


@cache
def examples():
    """By class its values among the travellers."""
    found = {}
    for value in travellers().values():
        if type(value).__name__ in PUBLIC:
            found.setdefault(type(value).__name__, []).append(value)
    return found


@contextmanager
def state(*, strict):
    """Foreign warnings are errors; numpy raises on every error of floating point if strict."""
    with warnings.catch_warnings(), np.errstate(**({"all": "raise"} if strict else {})):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", br.BetarocWarning)
        yield


def argument(c, owner, name):
    if c.chance(0.03):
        return c.pick(*STRANGE)
    if name.endswith(("weights", "groups", "ids", "strata")) and name not in WORDS:
        return c.pick(None, None, [0] * 5, list(range(5)), [math.nan] * 5, c.array())
    for known in (f"{owner}.{name}", name):
        if known in WORDS:
            return c.pick(*WORDS[known])
        if known in DRAWN:
            return DRAWN[known](c)
    return c.unit()


def drawn(c, call):
    """Arguments of a callable: needed ones always, others one time in four."""
    signature, positional, options = inspect.signature(call), [], {}
    for p in signature.parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or p.name == "self":
            continue
        if p.default is not p.empty and p.name not in ("replicates", "far") and not c.chance(0.25):
            continue
        value = argument(c, call.__name__, p.name)
        if p.kind is p.KEYWORD_ONLY or p.default is not p.empty:
            options[p.name] = value
        else:
            positional.append(value)
    if {"stat", "point"} <= signature.parameters.keys():
        stat, point = c.point()
        place = list(signature.parameters).index("stat")
        if place < len(positional):
            positional[place] = stat
        options |= point
    return positional, options


def walk(seed, k, *, only=""):
    """Walk k of a seed: a call, and calls of what it gave; raises what is wrong with one."""
    rng, value = np.random.default_rng([seed, k]), None
    names = [name for name in (*targets(), *examples()) if only in name]
    with tempfile.TemporaryDirectory() as folder, chdir(folder):  # "0.5" may be a path
        c, name = Draw(rng, folder), names[int(rng.integers(len(names)))]
        if name not in targets() or (name in examples() and c.chance(0.7)):
            value = c.pick(*examples()[name])
        with state(strict=c.chance(0.7)), suppress(br.BetarocError):
            if value is None:
                value = told(targets()[name], *drawn(c, targets()[name]))
            for _ in range(2):
                if type(value).__name__ not in PUBLIC or not members(type(value)):
                    break
                name = c.pick(*members(type(value)))
                static = inspect.getattr_static(type(value), name)
                if isinstance(static, property | cached_property):
                    value = told(lambda v=value, n=name: getattr(v, n), [], {})
                else:
                    call = getattr(value, name)
                    value = told(call, *drawn(c, call))


def told(call, args, options):
    """What a call gives, which can be shown and makes sense; its error, which keeps to the rule."""
    try:
        result = call(*args, **options)
        repr(result), str(result), getattr(result, "_repr_html_", str)()
    except br.BetarocError as error:
        text = str(error)
        assert 20 <= len(text) <= 900, text
        assert text.rstrip().endswith((".", "?", ")", "'", '"')), text
        assert " object at 0x" not in text, text
        raise
    except Exception as error:  # what is looked for
        error.add_note(f"{getattr(call, '__qualname__', call)} {args!r:.900} {options!r:.900}")
        raise
    if isinstance(result, br.OperatingPoint):
        rates = np.array([result.far, result.frr, result.tpr, result.tnr])
        assert not np.any((rates < 0.0) | (rates > 1.0)), result
    if isinstance(result, br.Interval | br.results.Band):
        assert not np.any(np.asarray(result.low) > result.high), result
    if type(result).__name__ in PUBLIC:
        assert result == copy.copy(result), "not equal to its copy"
    return result
