"""Digits of single numbers beside their references, and of scipy and statsmodels on the same rows.

    python benchmarks/accuracy.py [--write]

The references are the files of ``tests/reference`` (mpmath at 60 digits, beta tails enclosed by
Arb); what is computed of a row, and how an error is measured, is what ``betaroc selftest`` does
with fewer of them. Two minutes. ``results/accuracy.json`` holds every number of every region,
``results/accuracy.md`` a row a region.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _common import RESULTS, report, table

from betaroc.distributions.beta import Beta

REFERENCES = Path(__file__).parents[1] / "tests" / "reference"
sys.path.insert(0, str(REFERENCES))
from checks import CHECKS, Check, digits_of, errors_of_row  # noqa: E402

#: What reliability asks of a region where it is not what the package promises there.
GOALS = {("pareto-tail", "next to its end"): 12}
Compute = Callable[..., Sequence[float | None]]


# ---------------------------------------------------------------------------------- peers
def _six_of(kind: str) -> Compute:
    def compute(a: float, b: float, x: float) -> list[float]:
        from scipy import stats

        law = getattr(stats, kind)
        names = ("pdf", "cdf", "sf", "logpdf", "logcdf", "logsf")
        return [float(getattr(law, name)(x, a, b)) for name in names]

    return compute


def _logit_normal(mu: float, sigma: float, x: float) -> list[float]:
    from scipy.stats import norm

    y = math.log(x) - math.log1p(-x)
    rise = -math.log(x) - math.log1p(-x)
    log = float(norm.logpdf(y, mu, sigma)) + rise
    rest = (norm.logcdf(y, mu, sigma), norm.logsf(y, mu, sigma))
    values = (math.exp(log), norm.cdf(y, mu, sigma), norm.sf(y, mu, sigma), log, *rest)
    return [float(v) for v in values]


def _log_beta(a: float, b: float) -> list[float]:
    from scipy.special import betaln

    return [float(betaln(a, b))]


def _log_beta_ratio(a: float, b: float, c: float, d: float) -> list[float]:
    return [_log_beta(a, b)[0] - _log_beta(c, d)[0]]


def _polygamma(x: float) -> list[float]:
    from scipy.special import digamma, polygamma

    first, second = float(digamma(x)), float(polygamma(1, x))
    return [first - math.log(x), second - 1.0 / x, first, second]


def _pareto(shape: float, scale: float, x: float, log_rate: float) -> list[float]:
    from scipy.stats import genpareto

    law = genpareto(shape, scale=scale)
    return [float(law.logsf(x)), float(law.logpdf(x)), float(law.isf(math.exp(log_rate)))]


def _beta_inverse(a: float, b: float, which: str, p: float) -> list[float]:
    from scipy.stats import beta

    x = float(getattr(beta, which)(p, a, b))
    back = float((beta.cdf if which == "ppf" else beta.sf)(x, a, b))
    return [math.log(x) - math.log1p(-x) if 0.0 < x < 1.0 else math.nan, abs(back / p - 1.0)]


def _normal_inverse(which: str, p: float) -> list[float]:
    from scipy.stats import norm

    return [float(getattr(norm, which)(p))]


def _beta_fit(scores: list[float], weights: Any) -> list[float | None]:
    from scipy.stats import beta

    if weights is not None:
        return [None] * 6
    a, b, _, _ = beta.fit(scores, floc=0, fscale=1)
    return [float(a), float(b), None, None, None, float(np.sum(beta.logpdf(scores, a, b)))]


def _beta_regression(scores: list[float], weights: Any) -> list[float | None]:
    from statsmodels.othermod.betareg import BetaModel

    if weights is not None:
        return [None] * 6
    x = np.array(scores)
    found = BetaModel(x, np.ones((x.size, 1))).fit(disp=0)
    mean, total = 1.0 / (1.0 + math.exp(-found.params[0])), math.exp(found.params[1])
    return [mean * total, (1.0 - mean) * total, None, None, None, float(found.llf)]


def _normal_fit(scores: list[float]) -> list[float]:
    from scipy.stats import norm

    return [float(v) for v in norm.fit(scores)]


def _mixture_fit(kind: str, scores: list[float], components: int) -> list[float | None]:
    from sklearn.mixture import GaussianMixture

    if kind != "normal-mixture":
        return [None] * 17
    x = np.array(scores)
    found = GaussianMixture(components, n_init=10, random_state=0).fit(x[:, None])
    order = np.argsort(found.means_[:, 0])
    own = np.stack([found.means_[:, 0], np.sqrt(found.covariances_[:, 0, 0])], axis=1)[order]
    values = [*found.weights_[order][:-1].tolist(), *own.ravel().tolist()]
    none: list[float | None] = [None] * (8 - len(values))
    return [*values, *none, *([None] * 8), float(found.score(x[:, None])) * x.size]


def _area(client: list[float], impostor: list[float]) -> list[float | None]:
    from scipy.stats import mannwhitneyu

    found = mannwhitneyu(client, impostor).statistic
    return [float(found) / (len(client) * len(impostor)), None]


def _binomial(k: int, n: int, tail: float) -> list[float]:
    from scipy.stats import binomtest

    ends = binomtest(k, n).proportion_ci(1.0 - 2.0 * tail, "exact")
    return [float(ends.low), float(ends.high)]


def _binomial_statsmodels(k: int, n: int, tail: float) -> list[float]:
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(k, n, 2.0 * tail, method="beta")
    return [float(low), float(high)]


def _auc(client: Any, impostor: Any) -> list[float | None]:
    """By quadrature, of beta pairs."""
    from scipy.integrate import quad
    from scipy.special import betaincc, betaln, xlog1py, xlogy

    if not all(isinstance(one, list) and not isinstance(one[0], str) for one in (client, impostor)):
        return [None, None]

    def by(one: Any, other: Any) -> float:
        a, b = other
        log = float(betaln(a, b))

        def rise(x: float) -> float:
            return float(betaincc(*one, x) * np.exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - log))

        return float(quad(rise, 0.0, 1.0)[0])

    return [by(client, impostor), by(impostor, client)]


def _roc(client: Any, impostor: Any, far: float) -> list[float | None]:
    from scipy.stats import beta

    if isinstance(client[0], str):
        return [None] * 4
    x = float(beta.isf(far, *impostor))
    place = math.log(x) - math.log1p(-x) if 0.0 < x < 1.0 else math.nan
    slope = float(beta.logpdf(x, *client) - beta.logpdf(x, *impostor))
    return [place, float(beta.sf(x, *impostor)), float(beta.logsf(x, *client)), slope]


PEERS: dict[str, dict[str, Compute]] = {
    "beta-tails": {"scipy": _six_of("beta")}, "normal-tails": {"scipy": _six_of("norm")},
    "logit-normal-tails": {"scipy": _logit_normal}, "log-beta": {"scipy": _log_beta},
    "log-beta-ratio": {"scipy": _log_beta_ratio}, "polygamma": {"scipy": _polygamma},
    "pareto-tail": {"scipy": _pareto}, "beta-inverse": {"scipy": _beta_inverse},
    "normal-inverse": {"scipy": _normal_inverse},
    "beta-mle": {"scipy": _beta_fit, "statsmodels": _beta_regression},
    "normal-mle": {"scipy": _normal_fit}, "mixture-mle": {"scikit-learn": _mixture_fit},
    "empirical-area": {"scipy": _area},
    "binomial-ends": {"scipy": _binomial, "statsmodels": _binomial_statsmodels},
    "auc": {"scipy": _auc}, "roc": {"scipy": _roc},
}  # fmt: skip


# ----------------------------------------------------------------------------- comparison
def of_rows(check: Check, rows: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """Count, worst and median of every number; how often there was none, and which row is worst."""
    found: dict[str, list[tuple[float, int]]] = {}
    failed = 0
    for place, row in enumerate(rows):
        try:
            errors = list(errors_of_row(check, row))
        except Exception:  # noqa: BLE001  a peer may raise anything
            failed += 1
            continue
        for one in errors:
            found.setdefault(one.number, []).append((one.value, place))
    return {
        name: {
            "count": len(errors),
            "worst": max(value for value, _ in errors),
            "median": statistics.median(value for value, _ in errors),
            "no number": sum(math.isinf(value) for value, _ in errors) + failed,
            "row": max(errors, key=lambda pair: pair[0])[1],
        }
        for name, errors in found.items()
    }


def by_peer(check: Check, compute: Compute, rows: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """The same of a peer; what it does not compute has no reference."""

    def some(*arguments: Any) -> list[float]:
        return [math.nan if v is None else v for v in compute(*arguments)]

    asked = []
    for row in rows:
        arguments, values = row[: check.arguments], row[check.arguments :]
        try:
            there = [v is not None for v in compute(*arguments)]
        except Exception:  # noqa: BLE001
            there = [True] * len(values)
        asked.append(arguments + [v if t else None for v, t in zip(values, there, strict=True)])
    return of_rows(check._replace(compute=some), asked)


def measured() -> list[dict[str, Any]]:
    """Every region in turn."""
    from _blocks import blocks

    order = list(CHECKS)
    found = []
    for block in sorted(blocks(), key=lambda one: order.index(one["check"])):
        check, rows = CHECKS[block["check"]], block["rows"]
        peers = {
            name: by_peer(check, compute, rows)
            for name, compute in PEERS.get(block["check"], {}).items()
        }
        found.append(
            {
                "check": block["check"],
                "title": check.title,
                "region": block["region"],
                "promised": block["digits"],
                "goal": GOALS.get((block["check"], block["region"]), block["digits"]),
                "numbers": of_rows(check, rows),
                "peers": {name: own for name, own in peers.items() if own},
            }
        )
        print(check.title, block["region"], file=sys.stderr)
    return found


def not_a_number() -> dict[str, int]:
    """How many of a million random places have a tail or density that is none."""
    rng = np.random.default_rng(20261126)
    bad = count = 0
    for a, b in np.exp(rng.uniform(math.log(1e-3), math.log(1e6), (2000, 2))):
        x = np.concatenate([np.exp(rng.uniform(math.log(1e-300), 0.0, 200)), rng.random(100)])
        x = np.concatenate([x, 1.0 - np.exp(rng.uniform(math.log(2.0**-53), 0.0, 200))])
        law = Beta(float(a), float(b))
        values = [
            getattr(law, name)(x) for name in ("pdf", "cdf", "sf", "logpdf", "logcdf", "logsf")
        ]
        bad += int(np.isnan(values).any(axis=0).sum())
        count += x.size
    return {"places": count, "without a number": bad}


# --------------------------------------------------------------------------------- tables
def _digits(numbers: dict[str, Any], key: str) -> str:
    if not numbers:
        return ""
    values = [one[key] for one in numbers.values()]
    return (
        f"{max(0.0, digits_of(max(values) if key == 'worst' else statistics.median(values))):.1f}"
    )


def lines(found: Sequence[dict[str, Any]], checks: Sequence[str]) -> str:
    """A row a region: digits of the worst number and of the median one, beside the peers'."""
    head = ["number", "for", "n", "goal", "worst", "median", "peer", "worst", "median", "none"]
    rows = []
    for block in found:
        if block["check"] not in checks:
            continue
        numbers = block["numbers"]
        met = digits_of(max(one["worst"] for one in numbers.values())) >= block["goal"]
        own = [
            block["title"], block["region"], str(sum(one["count"] for one in numbers.values())),
            str(block["goal"]), _digits(numbers, "worst") + ("" if met else " \\*"),
            _digits(numbers, "median"),
        ]  # fmt: skip
        for name, peer in (block["peers"] or {"": {}}).items():
            none = sum(one["no number"] for one in peer.values())
            rows.append([*own, name, _digits(peer, "worst"), _digits(peer, "median"),
                         str(none) if peer else ""])  # fmt: skip
            own = [""] * len(own)
    return table(head, rows)


#: Tables by their headings.
TABLES = {
    "Special functions": ("log-beta", "log-beta-ratio", "polygamma"),
    "Distributions": (
        "beta-tails", "normal-tails", "logit-normal-tails", "beta-mixture-tails",
        "normal-mixture-tails", "pareto-tail", "spliced",
    ),
    "Inverses": ("beta-inverse", "mixture-inverse", "normal-inverse"),
    "Pairs": (
        "auc", "roc", "partial-auc", "eer", "ks", "weighted-error", "max-f", "break-even",
        "average-precision", "ends", "epc",
    ),
    "Fits and counts": (
        "beta-mle", "normal-mle", "mixture-mle", "tail-mle", "empirical-area", "binomial-ends",
    ),
}  # fmt: skip


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write results/accuracy.*")
    write = parser.parse_args().write
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peers'
        found, places = measured(), not_a_number()
    tables = [f"## {title}\n\n{lines(found, checks)}" for title, checks in TABLES.items()]
    total = sum(one["count"] for block in found for one in block["numbers"].values())
    head = (
        f"{total} numbers beside their references. Correct decimal digits, 16 at most, of the worst"
        " number of a row and of the median one (LRE); a star where the goal is missed; *none*: how"
        " often a peer has no number at all, or none that is finite. Of"
        f" {places['places']} random places of beta distributions, shapes 1e-3 to 1e6,"
        f" {places['without a number']} have a tail or a density that is not a number."
    )
    report("Accuracy", "\n\n".join([head, *tables]), "accuracy.md" if write else None)
    if write:
        text = json.dumps({"regions": found, "random": places}, indent=1, default=str)
        (RESULTS / "accuracy.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
