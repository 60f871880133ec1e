"""Reference values of two-law ROC functionals, made with mpmath. See README.md beside this file.

    python make_pairs.py SECTION [SECTION ...]    # or "all"

Nothing of betaroc is imported.
"""

import json
import math
import platform
import random
import sys
import time
from importlib.metadata import version
from pathlib import Path

import _laws
import mpmath
from _laws import DIGITS, LEVELS, WEIGHTS, Beta, Inflated, Normal, RawNormal, quantile, text
from mpmath import mp, mpf

OUT = Path(__file__).with_name("pairs.json")
FAR_END = mpf(3000)
ENDS = (-FAR_END, FAR_END)
FAR_RANGES = ((0.0, 0.1), (0.2, 0.7))


def beta_pair(shapes):
    c, i = Beta(*shapes[:2]), Beta(*shapes[2:])
    return {
        "client": list(shapes[:2]),
        "impostor": list(shapes[2:]),
        "client_law": _laws.law_table(c),
        "impostor_law": _laws.law_table(i),
        **common(c, i),
        **without_masses(c, i),
        "ends": _laws.end_values(c, i),
    }


def rounded(x):
    return float(f"{x:.6g}")


def random_pairs():
    """72 pairs, shapes log-spaced in [0.05, 1000]: 24 free, 24 with neighbouring laws, 24 with
    ties, mirror and other special relations."""
    rng = random.Random(20240607)

    def shape():
        return rounded(0.05 * 20000.0 ** rng.random())

    def near(x):
        return rounded(min(1e3, max(0.05, x * 2.718281828 ** rng.gauss(0, 0.5))))

    pairs = [(shape(), shape(), shape(), shape()) for _ in range(24)]
    for _ in range(24):
        a, b = shape(), shape()
        pairs.append((a, b, near(a), near(b)))
    for _ in range(2):
        a, b, c, d = shape(), shape(), shape(), shape()
        pairs += [(a, max(b, d), a, min(b, d)), (a, min(b, d), a, max(b, d))]
        pairs += [(max(a, c), b, min(a, c), b), (max(a, c), min(a, c), min(a, c), max(a, c))]
    return [
        *pairs,
        (2.5, 1.25, 1.25, 2.5), (3.5, 2.0, 2.0, 3.5), (0.75, 0.25, 0.25, 0.75),
        (4.0, 4.0, 2.0, 2.0), (0.5, 0.5, 3.0, 3.0), (6.0, 1.0, 1.0, 1.0), (1.0, 2.0, 1.0, 9.0),
        (0.05, 1000.0, 1000.0, 0.05), (0.3, 0.4, 0.3, 0.7), (0.6, 0.2, 0.2, 0.2),
        (0.6, 0.9, 0.2, 0.3), (0.2, 0.3, 0.6, 0.9), (0.5, 2.0, 0.3, 0.8), (2.0, 0.5, 0.4, 0.9),
        (0.3, 0.6, 0.9, 20.0), (1.0, 0.5, 0.5, 1.0),
    ]  # fmt: skip


HARD = [
    (0.02, 0.01, 0.01, 0.03), (0.01, 0.02, 0.03, 0.01), (0.03, 0.01, 0.01, 0.02),
    (0.01, 0.03, 0.02, 0.01), (0.01, 0.02, 0.02, 0.01), (0.02, 0.01, 0.01, 0.02),
    (1e5, 9e4, 9e4, 1e5), (9e4, 1e5, 1e5, 9e4), (0.43151467, 1.37466255, 0.43127542, 0.3501976),
    (5.0, 1e-3, 4.0, 2e-3), (2.0, 3.0, 2.0, 3.0000001), (2.0, 3.0, 2.0, 3.0),
    (300.0, 0.05, 0.05, 300.0),
]  # fmt: skip

TABLE1_CLIENTS = {
    "slr-cross": (0.47, 0.36), "slr-within": (3.27, 0.67), "ann-cross": (0.61, 0.27),
    "ann-within": (1.47, 0.29),
}  # fmt: skip
TABLE1_IMPOSTORS = {
    "slr-cross": {"imp0": (0.77, 1.91), "imp50": (0.22, 0.39)},
    "slr-within": {"imp0": (0.71, 5.04)},
    "ann-cross": {"imp5": (0.17, 1.38)},
    "ann-within": {"imp0": (0.24, 17.5), "imp50": (0.17, 1.79)},
}


def wide_pairs():
    """10 log-spaced pairs, shapes in [1e-3, 1e6]."""
    rng = random.Random(77)

    def shape():
        return rounded(1e-3 * 1e9 ** rng.random())

    pairs = [(shape(), shape(), shape(), shape()) for _ in range(5)]
    for _ in range(3):
        a, b = shape(), shape()
        pairs.append(
            (a, b, rounded(a * rng.uniform(0.8, 1.25)), rounded(b * rng.uniform(0.8, 1.25)))
        )
    return [*pairs, (1e6, 999000.0, 999000.0, 1e6), (0.001, 0.002, 0.0015, 0.0012)]


def progress(name, items, make):
    rows = []
    for k, item in enumerate(items):
        start = time.perf_counter()
        rows.append(make(item))
        print(f"{name} {k + 1}/{len(items)} {item} {time.perf_counter() - start:.1f} s", flush=True)
    return rows


def table1():
    rows = []
    for system, laws in TABLE1_IMPOSTORS.items():
        names = list(laws)
        made = progress("table1", [(*TABLE1_CLIENTS[system], *laws[n]) for n in names], beta_pair)
        rows += [{"name": f"{system} {n}", **row} for n, row in zip(names, made, strict=True)]
    return rows


def nan_cells():
    """Cells of a grid where scipy.special's betaincinv (lower) or betainccinv (upper) is NaN."""
    from scipy.special import betainccinv, betaincinv

    grid = [1e-3, 0.01, 0.05, 0.3, 1.0, 5.0, 30.0, 200.0, 1e3]
    levels = [1e-3, 1e-10, 1e-30, 1e-100, 1e-154, 1e-200, 1e-300]
    found = []
    for a in grid:
        for b in grid:
            for name, inverse in (("lower", betaincinv), ("upper", betainccinv)):
                bad = [p for p in levels if math.isnan(inverse(a, b, p))]
                found += [(a, b, name, p) for p in {bad[0], bad[-1]}] if bad else []
    return progress("nan_cells", sorted(set(found)), nan_cell)


def nan_cell(cell):
    a, b, tail, p = cell
    logit = text(quantile(Beta(a, b), p, tail == "lower"))
    return {"a": a, "b": b, "tail": tail, "p": p, "logit": logit}


BINORMAL = [
    (1.0, 1.0, 0.0, 1.0), (3.25, 0.5, 1.0, 0.5), (1.5, 2.0, -0.5, 1.0), (1.5, 0.75, -0.5, 1.25),
    (10.0, 1.0, 0.0, 1.5), (0.25, 3.0, 0.0, 0.5), (-2.0, 1.0, 1.0, 2.0), (40.0, 2.0, -5.0, 0.75),
]  # fmt: skip


def binormal(given):
    c, i = Normal(*given[:2]), Normal(*given[2:])
    sides = {"client": ["normal", *given[:2]], "impostor": ["normal", *given[2:]]}
    return {**sides, **common(c, i), **without_masses(c, i)}


def common(c, i, ends=(), both=None):
    auc, miss = both or both_areas(c, i)
    if abs(auc + miss - 1) > mpf(10) ** -25:
        raise ArithmeticError("AUC and 1 - AUC disagree")
    return {
        "auc": text(auc),
        "one_minus_auc": text(miss),
        "eer": _laws.eer(c, i),
        "ks": _laws.ks(c, i, ends),
        "weighted": [_laws.weighted(c, i, w, ends) for w in WEIGHTS],
    }


def both_areas(c, i):
    """Over the density of a law whose whole mass is on the axis."""
    if isinstance(c, RawNormal):
        return _laws.product_area(i, c, False), _laws.product_area(i, c, True)
    if isinstance(i, RawNormal):
        return _laws.product_area(c, i, True), _laws.product_area(c, i, False)
    return _laws.areas(c, i)


def without_masses(c, i):
    return {
        "far_targets": [_laws.far_target(c, i, p) for p in LEVELS],
        "partial_auc": [
            [low, high, text(_laws.partial_area(c, i, low, high))] for low, high in FAR_RANGES
        ],
        "max_f": [_laws.max_f(c, i, w, p) for w in (0.5, 0.25) for p in (0.5, 0.1)],
        "break_even": _laws.break_even(c, i, 0.1),
        "average_precision": [[p, text(_laws.average_precision(c, i, p), 20)] for p in (0.5, 0.1)],
    }


KINDS = {"beta": Beta, "normal": RawNormal, "logit-normal": Normal}
MIXED = [
    (("beta", 4.0, 2.0), ("normal", 0.3, 0.15)), (("beta", 0.6, 0.4), ("normal", 0.25, 0.2)),
    (("beta", 3.27, 0.67), ("normal", 0.125, 0.25)), (("beta", 2.0, 5.0), ("normal", -0.5, 1.0)),
    (("beta", 5.0, 1.5), ("logit-normal", -1.0, 1.5)),
    (("beta", 0.47, 0.36), ("logit-normal", -0.5, 1.0)),
    (("beta", 1.5, 1.5), ("logit-normal", -3.0, 2.5)),
    (("beta", 20.0, 30.0), ("logit-normal", -1.0, 0.5)),
    (("normal", 0.7, 0.2), ("logit-normal", -1.0, 1.0)),
    (("normal", 0.9, 0.5), ("logit-normal", 0.0, 2.0)),
    (("normal", 0.6, 0.05), ("logit-normal", -0.25, 0.5)),
    (("logit-normal", 1.0, 1.0), ("beta", 0.77, 1.91)),
    (("normal", 0.75, 0.125), ("beta", 2.0, 6.0)),
]  # fmt: skip


def mixed(given):
    c, i = (KINDS[kind](*rest) for kind, *rest in given)
    return {"client": list(given[0]), "impostor": list(given[1]), **common(c, i, ENDS)}


INFLATED = [
    ((0.8, 0.5, 0.03125, 0.25), (0.7, 2.5, 0.125, 0.015625)),
    ((4.0, 1.5, 0.0, 0.125), (2.0, 3.0, 0.0625, 0.0)),
    ((0.3, 0.2, 0.0625, 0.0), (0.25, 0.6, 0.25, 0.0)),
]


def inflated(given):
    """The AUC from the masses: P(C > I) + P(C = I)/2."""
    c, i = (Inflated(*row) for row in given)
    base, base_miss = _laws.areas(c.base, i.base)
    ties = (c.at_zero * i.at_zero + c.at_one * i.at_one) / 2
    auc = ties + c.at_one * (1 - i.at_one) + c.rest * i.at_zero + c.rest * i.rest * base
    miss = ties + i.at_one * (1 - c.at_one) + i.rest * c.at_zero + c.rest * i.rest * base_miss
    sides = zip(("client", "impostor"), given, strict=True)
    names = ("a", "b", "at_zero", "at_one")
    laws = {side: dict(zip(names, values, strict=True)) for side, values in sides}
    return {**laws, **common(c, i, ENDS, (auc, miss))}


SECTIONS = {
    "pairs": lambda: progress("pairs", random_pairs(), beta_pair),
    "hard": lambda: progress("hard", HARD, beta_pair),
    "nan_cells": nan_cells,
    "wide": lambda: progress("wide", wide_pairs(), beta_pair),
    "table1": table1,
    "binormal": lambda: progress("binormal", BINORMAL, binormal),
    "mixed": lambda: progress("mixed", MIXED, mixed),
    "inflated": lambda: progress("inflated", INFLATED, inflated),
}


def main(names):
    document = json.loads(OUT.read_text()) if OUT.exists() else {}
    versions = {"mpmath": mpmath.__version__, "backend": mpmath.libmp.BACKEND}
    versions |= {"python": platform.python_version(), "digits": DIGITS}
    for name in SECTIONS if names == ["all"] else names:
        mp.dps = DIGITS
        document[name] = SECTIONS[name]()
        if name == "nan_cells":
            versions["scipy_that_is_nan"] = version("scipy")
        document["made_with"] = document.get("made_with", {}) | versions
        kept = {key: document[key] for key in ("made_with", *SECTIONS) if key in document}
        _laws.write(OUT, kept)


if __name__ == "__main__":
    main(sys.argv[1:])
