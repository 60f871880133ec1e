"""Values of every kind by the types of their fields, for property tests."""

import math
import types
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
from hypothesis import reject

import betaroc as br
from betaroc.core.value import Value
from betaroc.decision.threshold_methods import ThresholdMethod
from betaroc.distributions.base import Distribution
from betaroc.estimation.estimate import Estimate
from betaroc.model.statistics import StatisticSpec, parse_statistic
from betaroc.rendering.document import LOW_ENDS, also_of, hints_of, span_of, unaliased
from betaroc.report.documents import kinds
from helpers import laws

UNIT = st.floats(0.0, 1.0)
REAL = st.floats(-1e300, 1e300)
SHAPE = st.floats(1e-3, 1e6)
WARNINGS = [kind for kind in vars(br.errors).values()
    if isinstance(kind, type) and issubclass(kind, br.BetarocWarning)]  # fmt: skip
SIMPLE = {float: st.floats(), int: st.integers(-(2**70), 2**70), bool: st.booleans(), str: st.text(
    max_size=4) | st.sampled_from(["inf", "nan", "null", "kind"]), type(None): st.none(),
    Any: st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)}  # fmt: skip


def arrays(dtype, elements=None):
    shapes = hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3)
    return hnp.arrays(dtype, shapes, elements=elements)


ARRAYS = {np.float64: arrays(np.float64), np.signedinteger: arrays(np.int64), np.bool_: arrays(
    np.bool_), np.str_: arrays("U4", st.text("aé中\U0001f600", max_size=4)), Any: arrays(np.int64)
    | arrays(np.float32) | arrays("U2", st.text("ab", max_size=2))}  # fmt: skip


@cache
def of(hint):
    if hint in SIMPLE:
        return SIMPLE[hint]
    hint = unaliased(hint)
    origin, given = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(of, given))
    if origin is tuple and given[-1] is Ellipsis:
        return st.lists(of(given[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(of, given))
    if origin is np.ndarray:
        (scalar,) = get_args(given[1])
        return ARRAYS[get_origin(scalar) or scalar]
    if origin is Literal:
        return st.sampled_from(given)
    if origin is type:
        return st.sampled_from(WARNINGS)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return st.dictionaries(st.text(max_size=3), of(given[1]), max_size=1)
    if hint is dict:
        return st.dictionaries(st.text(max_size=3), SIMPLE[Any], max_size=2)
    if hint is StatisticSpec:
        return st.sampled_from(["auc", "tpr@far=0.01", "threshold@eer"]).map(parse_statistic)
    if issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    return st.deferred(lambda: of_class(hint))


def of_class(kind):
    """Values of a class, of its subclasses where it has none of its own."""
    if kind in CHECKED:
        return CHECKED[kind]()
    if getattr(kind, "__abstractmethods__", None):
        return st.one_of(*(of(one) for one in kinds().values() if issubclass(one, kind)))
    if issubclass(kind, Value):
        return by_parts(kind)
    return st.fixed_dictionaries({k: of(hint) for k, hint in hints_of(kind).items()}).map(
        lambda parts: followed(kind(**in_range(kind, parts))))  # fmt: skip


def in_range(kind, held):
    """The parts with numbers where their names say, ends in order, arrays of one length."""
    alike = getattr(kind, "_same_length", ()) or (held if "alpha" in held else ())
    for name, part in held.items():
        low, high = span_of(name)
        if isinstance(part, np.ndarray) and part.dtype.kind in "fiU":
            if name in (*alike, "lowest", "highest") and not name.endswith("_folds"):
                part = np.resize(part if part.size else np.zeros(1, part.dtype), 2)
            kept = np.clip(part, low, high) if part.dtype.kind == "f" else part
            kept = np.clip(part, 0, 2**40) if part.dtype.kind == "i" and low == 0.0 else kept
            held[name] = np.asarray(kept)
        elif isinstance(part, int | float) and not isinstance(part, bool) and part == part:
            held[name] = type(part)(max(part, low) if part < low else min(part, high))
    if "chosen" in held:
        t = held["chosen"]
        held["chosen"] = type(t)(*(np.full(2, float(x.size)) for x in (t.theta, t.logit, t.logit)))
    for name, upper in ((n, f"{n.removesuffix('low')}high") for n in LOW_ENDS & held.keys()):
        if held[name] is not None and held.get(upper) is not None:
            below = np.resize(held[name], np.shape(held[upper]))
            lower = np.where(np.greater(below, held[upper]), held[upper], below)
            held[name] = lower if isinstance(held[name], np.ndarray) else lower.item()
    return held


def followed(made):
    """The value with what follows from its other parts."""
    follows = getattr(made, "_follows", dict)()
    if isinstance(made, tuple):
        return made._replace(**follows)
    for name in follows:
        object.__setattr__(made, name, follows[name])
    first, *others = getattr(made, "_same_length", ()) or ("",)
    for name in others if first in follows else ():
        object.__setattr__(made, name, np.resize(getattr(made, name), follows[first].size))
    return made


def by_parts(kind, **special):
    """Values of a class of fields that need nothing of each other."""
    also = also_of(kind) - {"notices", "library", "differences", "evidence"}
    parts = {k: of(hint) for k, hint in hints_of(kind).items() if k not in also}
    return st.fixed_dictionaries(parts | special).map(lambda held: restored(kind, held))


def restored(kind, held):
    try:
        return followed(kind._restored(in_range(kind, held)))
    except br.BetarocError:
        reject()


def pair(kind, **others):
    name = st.none() | st.text(max_size=5)
    return st.builds(kind, laws.distributions(), laws.distributions(), prior=UNIT, name=name,
        is_generic=st.booleans(), **others)  # fmt: skip


def mixtures(kind, part):
    share = st.floats(0.01, 0.99)
    return st.builds(lambda w, a, b: kind((w, 1.0 - w), (a, b)), share, part, part)


def operating_points():
    number = st.floats()

    def made(n, values, prior, beyond):
        t, far, frr = values[0], abs(math.tanh(values[1])), abs(math.tanh(values[2]))
        given = (t, far, frr)
        if n is not None:
            given = tuple(np.full(n, one) for one in given)
        held = (given[1], given[2]) if beyond else None
        return br.OperatingPoint(*given, prior, n_beyond=held)

    sizes, values = st.none() | st.integers(0, 40), st.tuples(number, REAL, REAL).map(list)
    return st.builds(made, sizes, values, UNIT, st.booleans())


def scores():
    label = st.integers(-(2**63), 2**63 - 1) | st.text(max_size=3)

    @st.composite
    def made(draw):
        n = draw(st.integers(1, 5)), draw(st.integers(1, 5))
        wide = draw(st.booleans())
        values = st.floats(allow_nan=False, allow_infinity=False, width=(64 if wide else 32))
        given = {}
        for who, size in zip(("client", "impostor"), n, strict=True):
            listed = draw(st.lists(values, min_size=size, max_size=size))
            given[who] = np.array(listed, dtype=np.float64 if wide else np.float32)
            for key, of_key in (("weights", st.floats(0.5, 9.0)), ("groups", label),
                ("ids", label)):  # fmt: skip
                if draw(st.booleans()):
                    given[f"{who}_{key}"] = draw(st.lists(of_key, min_size=size, max_size=size))
        try:
            return br.Scores(**given, name=draw(st.none() | st.text(max_size=5)))
        except br.BetarocError:
            reject()

    return made()


def estimates(kind):
    number = st.floats()

    @st.composite
    def made(draw):
        names = draw(st.lists(st.text(max_size=3), unique=True, max_size=2))
        rows = np.array([[draw(number) for _ in names] for _ in names])
        params = {name: draw(number) for name in names}
        return draw(by_parts(kind, params=st.just(params), cov=st.just(rows)))

    return made()


def decisions():
    """Decisions, one of whose ways is the one that was taken."""
    one_of = {
        "target": ["far", "frr", "cost", "eer"],
        "status": ["can be relied on", "not enough evidence", "do not rely on it"],
        "dtype": ["float64", "float32", "float16"],
    }

    @st.composite
    def made(draw):
        ways = draw(st.lists(of(ThresholdMethod), min_size=1, max_size=3))
        how = draw(st.sampled_from(["guaranteed", "average", "tail", "model", "counted"]))
        taken = replace(ways[0], how=how, threshold=draw(REAL))
        ways = draw(st.permutations([taken, *ways[1:]]))
        given = {"methods": tuple(ways), "how": how, "threshold": taken.threshold}
        parts = {key: st.just(value) for key, value in given.items()}
        known = {key: st.sampled_from(values) for key, values in one_of.items()}
        known |= dict.fromkeys(("rate", "confidence"), st.floats(0.01, 0.99))
        known["expected"] = st.builds(br.OperatingPoint, REAL, UNIT, UNIT, UNIT)
        return draw(by_parts(br.Decision, **parts, **known))

    return made()


CHECKED = {
    br.Beta: laws.betas, br.Normal: laws.normals, br.LogitNormal: laws.logit_normals,
    br.LogNormal: laws.log_normals, br.Gamma: laws.gammas, br.SinhArcsinh: laws.sinh_arcsinhs,
    br.LogitSinhArcsinh: lambda: laws.sinh_arcsinhs(br.LogitSinhArcsinh),
    br.Empirical: lambda: st.builds(br.Empirical, st.lists(REAL, min_size=1, max_size=40)),
    br.Binned: lambda: st.builds(br.Binned, st.just([0.0, 0.1, 1.0]),
        st.lists(st.floats(0.5, 9.0), min_size=2, max_size=2)),
    br.BetaMixture: lambda: mixtures(br.BetaMixture, laws.betas()),
    br.NormalMixture: lambda: mixtures(br.NormalMixture, laws.normals()),
    br.results.StrataMixture: lambda: mixtures(br.results.StrataMixture, laws.betas()),
    br.Inflated: laws.inflated, br.Spliced: laws.spliced,
    br.Rejecting: lambda: st.builds(br.Rejecting, laws.betas(), st.floats(0.0, 0.4)),
    br.Shifted: lambda: st.builds(br.Shifted, laws.normals(), UNIT, SHAPE),
    br.ParetoTail: lambda: st.builds(br.ParetoTail, st.floats(0.001, 0.4), UNIT, SHAPE),
    br.ScoreModel: lambda: pair(br.ScoreModel),
    br.Roc: lambda: pair(br.Roc, positive=st.sampled_from(["client", "impostor"])),
    br.OperatingPoint: operating_points, br.Scores: scores, br.Decision: decisions,
    br.Design: lambda: st.builds(lambda a, b: br.Design(("x", "é"), (tuple(a), tuple(b))),
        st.lists(st.integers(-(2**53), 2**53), min_size=2, max_size=2, unique=True), st.lists(
        st.text("ab", min_size=1, max_size=3), min_size=2, max_size=2, unique=True)),
    br.Confusion: lambda: by_parts(br.Confusion,
        **dict.fromkeys(br.Confusion._same_length, st.integers(0, 9))),
    br.Inclusion: lambda: by_parts(br.Inclusion, evidence=st.just({})),
    Distribution: laws.distributions, Estimate: lambda: estimates(Estimate),
    br.DistributionFit: lambda: estimates(br.DistributionFit),
}  # fmt: skip
