"""Simulated coverage of the intervals of a fit, recovery of its parameters, sizes of its tests.

    python benchmarks/coverage_intervals.py [--quick] [--write] [--workers 2]

Twelve pairs of beta distributions, four sizes. A cell draws its score sets, fits them and counts
how many 95 % intervals hold the true number. To afford all cells the numbers are computed for all
score sets at once (_beta_numbers.py); the rules that make intervals of them (degrees of
freedom, bias, corrections) are the library's, and with 30 scores a class, where doubles can hold
them, the intervals of one set are compared with those of Fit.interval. Seeds are fixed; the number
of workers changes nothing.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import _beta_numbers as numbers
import numpy as np
from _common import report, table
from _recovery import recovery_jobs, recovery_text, size_jobs, size_text
from scipy.special import betaln, expit, log_expit, logit, ndtr, ndtri, polygamma, psi
from scipy.stats import chi2

import betaroc as br
from betaroc.core.arrays import FloatArray
from betaroc.core.options import IntervalOptions
from betaroc.inference.delta import (
    SmallSample,
    freedom_of,
    shape_bias,
    shape_corrections,
    student,
)

Array = FloatArray

LEVEL = 0.95
FAR = 0.1
#: Shapes (a, b) of the client and of the impostor distribution.
LAWS: dict[str, tuple[float, float, float, float]] = {
    "U .5": (0.5, 0.5, 0.5, 0.5),
    "J .53": (1.05, 0.95, 0.95, 1.05),
    "bell .5": (3.0, 3.0, 6.0, 6.0),
    "U .9": (0.95, 0.283671, 0.283671, 0.95),
    "J .9": (2.0, 0.763711, 0.763711, 2.0),
    "bell .9": (4.034412, 2.0, 2.0, 4.034412),
    "U .99": (0.95, 0.0770209, 0.0770209, 0.95),
    "J .99": (2.0, 0.247693, 0.247693, 2.0),
    "bell .99": (6.359831, 2.0, 2.0, 6.359831),
    "U .999": (0.95, 0.0233355, 0.0233355, 0.95),
    "J .999": (3.0, 0.194238, 0.194238, 3.0),
    "bell .999": (8.466907, 2.0, 2.0, 8.466907),
}
SIZES = ((10, 10), (30, 30), (100, 100), (30, 3000))
#: Where the bootstrap is tried.
DRAWN_LAWS = ("U .9", "J .9", "bell .9", "J .99")
DRAWN_SIZES = ((10, 10), (30, 30), (30, 3000))
#: The size at which intervals of the first score set are compared with the library's.
CHECKED = (30, 30)
STEP = 0.01
BAND = np.linspace(0.02, 0.98, 17)
#: Statistics whose truth lies on the border of what they can be, at chance.
FOLDED = ("HTER", "KS", "H-measure")


class Scale(NamedTuple):
    """A statistic of `Fit.interval`, and how it is computed for many pairs at once."""

    stat: str
    point: dict[str, Any]
    #: Whether it is corrected for bias.
    shifted: bool


STATISTICS = {
    "AUC": Scale("auc", {}, False),
    "partial AUC to FAR .1": Scale("partial-auc", {"between": (0.0, FAR)}, False),
    "EER": Scale("eer", {}, False),
    "TPR at FAR .1": Scale("tpr", {"far": FAR}, False),
    "HTER": Scale("min-hter", {}, False),
    "KS": Scale("ks", {}, False),
    "H-measure": Scale("h-measure", {}, False),
    "EER threshold": Scale("threshold", {"at": "eer"}, True),
    "threshold at FAR .1": Scale("threshold", {"far": FAR}, True),
    "exponent at 0": Scale("exponent-at-zero", {}, True),
    "exponent at 1": Scale("exponent-at-one", {}, True),
    "coefficient at 0": Scale("coefficient-at-zero", {}, True),
    "coefficient at 1": Scale("coefficient-at-one", {}, True),
}


def places(s: Array, prior: float, only: tuple[str, ...] = ()) -> dict[str, Array]:
    """Every statistic on the scale on which its interval is made."""
    far = np.asarray(FAR)
    found: dict[str, Callable[[], Any]] = {
        "AUC": lambda: -ndtri(numbers.missed_area(s)),
        "partial AUC to FAR .1": lambda: -ndtri((2.0 - FAR) * numbers.missed_partial_area(s, FAR)),
        "TPR at FAR .1": lambda: ndtri(numbers.tpr_at(far, s)),
        "H-measure": lambda: ndtri(numbers.h_measure(s, prior)),
        "threshold at FAR .1": lambda: numbers.upper_place(far, s[2], s[3]),
        "exponent at 0": lambda: np.log(s[2] / s[0]),
        "exponent at 1": lambda: np.log(s[3] / s[1]),
    }
    values = {name: value() for name, value in found.items() if not only or name in only}
    if not only or "EER" in only:
        values["EER threshold"], rate = numbers.equal_error(s)
        values["EER"] = ndtri(rate)
    if not only:
        up, down = numbers.best_gaps(s)
        values["HTER"], values["KS"] = ndtri(0.5 * (1.0 - up)), ndtri(np.maximum(up, down))
        values["coefficient at 0"], values["coefficient at 1"] = numbers.log_coefficients(s)
    return values


# ------------------------------------------------------------------------------ many fits
class Fits(NamedTuple):
    """Fits of many score sets."""

    logs: Array  # (4, k): log a_c, log b_c, log a_i, log b_i
    roots: Array  # (k, 4, 4), a row a root, with the divisor n
    bias: Array  # (4, k)
    logits: tuple[Array, Array]


def fits_of(law: str, n: tuple[int, int], k: int, rng: np.random.Generator) -> Fits:
    """Fit `k` score sets of a cell, from the logarithms of the scores."""
    shapes = LAWS[law]
    logs, bias, roots, logits = [], [], np.zeros((k, 4, 4)), []
    for c in (0, 1):
        y = numbers.draw(shapes[2 * c], shapes[2 * c + 1], (k, n[c]), rng)
        while True:
            a, b, converged = br.beta_mle(log_expit(y).mean(axis=1), log_expit(-y).mean(axis=1))
            lost = np.flatnonzero(~np.asarray(converged))
            if not lost.size:
                break
            # Scores too alike to have a fit are drawn again.
            y[lost] = numbers.draw(shapes[2 * c], shapes[2 * c + 1], (lost.size, n[c]), rng)
        logs += [np.log(a), np.log(b)]
        place = slice(2 * c, 2 * c + 2)
        roots[:, place, place] = _roots(a, b, n[c])
        errors = np.sqrt(np.sum(roots[:, place, place] ** 2, axis=1)).T
        shift = np.array([shape_bias(*one, ("a", "b")) for one in zip(a, b, strict=True)]).T / n[c]
        bias.append(np.clip(shift, -errors, errors))
        logits.append(y)
    return Fits(np.array(logs), roots, np.concatenate(bias), (logits[0], logits[1]))


def _roots(a: Array, b: Array, n: int) -> Array:
    """Roots of the covariance of (log a, log b), a row each."""
    common = polygamma(1, a + b)
    own, other = polygamma(1, a) - common, polygamma(1, b) - common
    information = np.array([[own, -common], [-common, other]])
    shapes = np.stack([a, b])
    covariance = np.linalg.inv(np.moveaxis(information, (0, 1), (-2, -1)) * n)
    covariance /= (shapes[:, None] * shapes[None, :]).transpose(2, 0, 1)
    return np.swapaxes(np.linalg.cholesky(covariance), 1, 2)


def small_of(n: tuple[int, int]) -> tuple[SmallSample, Array]:
    """Degrees of freedom of a cell and what roots are stretched by."""
    freedom = tuple(freedom_of(float(m)) for m in n)
    stretch = np.sqrt([(f + 1.0) / f for f in freedom])
    owner = np.array([0, 0, 1, 1])
    return SmallSample(np.eye(4), owner, freedom, np.zeros(4)), stretch[owner]


# ------------------------------------------------------------------------------- coverage
class Cell(NamedTuple):
    """What one job does."""

    law: str
    n: tuple[int, int]
    sets: int
    drawn: int  # sets with a bootstrap interval
    seed: int


def cell(job: Cell) -> dict[str, float]:
    """Coverage of every interval in a cell; nan where it was not tried."""
    rng = np.random.default_rng([job.seed, *job.n])
    fits = fits_of(job.law, job.n, job.sets, rng)
    truth = np.array(LAWS[job.law])
    with np.errstate(all="ignore"):
        hits = _of_shapes(fits, truth, job.n) | _of_model(job, fits, truth)
        hits |= _of_band(fits, truth, job.n) | _of_ranks(fits, truth)
        if job.drawn:
            hits |= _of_draws(job, fits, truth, rng)
    return hits


def _of_shapes(fits: Fits, truth: Array, n: tuple[int, int]) -> dict[str, float]:
    found = {}
    for c, who in enumerate(("client", "impostor")):
        own = slice(2 * c, 2 * c + 2)
        a, b = np.exp(fits.logs[own])
        corrections = np.array([shape_corrections(*one) for one in zip(a, b, strict=True)])
        errors = np.sqrt(np.sum(fits.roots[:, own, own] ** 2, axis=1))
        away = fits.logs[own] - np.log(truth[own])[:, None]
        freedom = freedom_of(float(n[c]))
        reach = student(freedom, LEVEL) * np.sqrt((freedom + 1.0) / freedom)
        for k, name in enumerate("ab"):
            fall = chi2.ppf(LEVEL, 1) * (1.0 + corrections[:, k] / n[c])
            own_shapes = (a, b) if k == 0 else (b, a)
            deviance = n[c] * _profile_deviance(*own_shapes, float(truth[2 * c + k]))
            found[f"{who} {name}, profile"] = float(np.mean(deviance <= fall))
            found[f"{who} {name}, Wald"] = float(np.mean(np.abs(away[k]) <= reach * errors[:, k]))
    return found


def _profile_deviance(a: Array, b: Array, at: float) -> Array:
    """Twice the fall per score of the log-likelihood, maximised over b, at this a."""
    mean_log, mean_log1m = psi(a) - psi(a + b), psi(b) - psi(a + b)
    low, high = np.log(b) - 12.0, np.log(b) + 12.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        up = psi(np.exp(middle)) - psi(at + np.exp(middle)) > mean_log1m
        low, high = np.where(up, low, middle), np.where(up, middle, high)
    best = np.exp(0.5 * (low + high))
    gain = (a - at) * mean_log + (b - best) * mean_log1m
    return np.asarray(2.0 * (gain - betaln(a, b) + betaln(at, best)))


def _moved(fits: Fits) -> Array:
    """Shapes at the estimates, then a step either way along each root; on a last axis."""
    points = [fits.logs]
    for k in range(4):
        points += [fits.logs + STEP * fits.roots[:, k].T, fits.logs - STEP * fits.roots[:, k].T]
    return np.exp(np.stack(points, axis=-1))


def _slopes(value: Array) -> Array:
    return np.asarray((value[..., 1::2] - value[..., 2::2]) / (2.0 * STEP))


def _of_model(job: Cell, fits: Fits, truth: Array) -> dict[str, float]:
    prior = job.n[0] / sum(job.n)
    small, stretch = small_of(job.n)
    true = places(truth, prior)
    found = {}
    # The bias in terms of the roots.
    along = np.linalg.solve(np.swapaxes(fits.roots, 1, 2), fits.bias.T[..., None])[..., 0]
    checked = _interval_of_library(job, fits)
    for name, value in places(_moved(fits), prior).items():
        slopes = _slopes(value)
        shift = np.sum(slopes * along, axis=1) if STATISTICS[name].shifted else 0.0
        slopes = slopes * stretch
        away = small.reach(slopes, LEVEL) * np.sqrt(np.sum(slopes**2, axis=1))
        low, high = value[:, 0] - shift - away, value[:, 0] - shift + away
        found[name] = float(np.mean((low <= true[name]) & (true[name] <= high)))
        for k, own in enumerate(checked.get(name, ())):
            ends = np.array([low[k], high[k]])
            ends = ends if STATISTICS[name].shifted else ndtr(ends)
            if np.max(np.abs(ends - own)) > 0.005 * (own[1] - own[0]):
                raise AssertionError(f"{job} {name}: {ends} but the library {own}")
    return found


def _interval_of_library(job: Cell, fits: Fits, sets: int = 1) -> dict[str, list[list[float]]]:
    """The same intervals by Fit.interval, where doubles hold the scores."""
    found: dict[str, list[list[float]]] = {}
    if job.n != CHECKED or any(np.max(np.abs(y[:sets])) > 30.0 for y in fits.logits):
        return found
    for k in range(sets):
        fit = fit_of(br.Scores(*(expit(y[k]) for y in fits.logits)))
        for name, (stat, point, _) in STATISTICS.items():
            if name in FOLDED and ".5" in job.law:
                continue
            own = fit.interval(stat, **point, level=LEVEL, method="delta")
            ends = np.array([own.low, own.high])
            if "threshold" in name:
                ends = logit(ends)
            elif STATISTICS[name].shifted:
                ends = np.log(ends)
            elif stat == "partial-auc":
                ends = 1.0 - (2.0 - FAR) * (1.0 - ends)
            found.setdefault(name, []).append(ends.tolist())
    return found


def fit_of(scores: br.Scores, **options: Any) -> br.Fit:
    """A fit, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        return br.fit(scores, **options)


def _of_band(fits: Fits, truth: Array, n: tuple[int, int]) -> dict[str, float]:
    small, stretch = small_of(n)
    sets = min(400, fits.logs.shape[1])
    part = Fits(fits.logs[:, :sets], fits.roots[:sets], fits.bias[:, :sets], fits.logits)
    value = numbers.tpr_probit(BAND[:, None, None], _moved(part)[:, None])
    slopes = np.moveaxis(_slopes(value) * stretch, 0, 1)
    error = np.sqrt(np.sum(slopes**2, axis=2))
    away = np.abs(value[..., 0].T - numbers.tpr_probit(BAND, truth[:, None]))
    one = away <= small.reach(slopes, LEVEL) * error
    options = [IntervalOptions(LEVEL, replicates=1000, rng=k) for k in range(sets)]
    reach = [small.largest(s, o) for s, o in zip(slopes, options, strict=True)]
    whole = np.all(away <= np.array(reach)[:, None] * error, axis=1)
    return {
        "ROC band, pointwise": float(np.mean(one)),
        "ROC band, simultaneous": float(np.mean(whole)),
    }


def _of_ranks(fits: Fits, truth: Array) -> dict[str, float]:
    area = 1.0 - float(numbers.missed_area(truth))
    methods = {"DeLong": "delong", "logit DeLong": "logit-delong", "Newcombe": "newcombe"}
    hits = dict.fromkeys(methods, 0)
    for client, impostor in zip(*fits.logits, strict=True):
        scores = br.Scores(client, impostor)
        for name, method in methods.items():
            found = br.auc_interval(scores, LEVEL, method)
            hits[name] += found.low <= area <= found.high
    return {f"empirical AUC, {name}": hits[name] / fits.logs.shape[1] for name in methods}


def _of_draws(
    job: Cell, fits: Fits, truth: Array, rng: np.random.Generator, draws: int = 300
) -> dict[str, float]:
    """Fit.interval(method="bootstrap") of some statistics: quantiles at drawn parameters."""
    only = ("AUC", "TPR at FAR .1", "EER", "threshold at FAR .1", "exponent at 0")
    small, stretch = small_of(job.n)
    prior = job.n[0] / sum(job.n)
    true = places(truth, prior, only)
    hits = dict.fromkeys(true, 0)
    for k in range(job.drawn):
        roots = fits.roots[k] * stretch[:, None]
        drawn = SmallSample(roots, small.owner, small.freedom, fits.bias[:, k]).draw(rng, draws)
        for name, value in places(np.exp(fits.logs[:, k] + drawn).T, prior, only).items():
            low, high = np.quantile(value, [0.5 * (1.0 - LEVEL), 0.5 * (1.0 + LEVEL)])
            hits[name] += bool(low <= true[name] <= high)
    return {f"{name}, bootstrap": value / job.drawn for name, value in hits.items()}


# --------------------------------------------------------------------------------- tables
def goal(n: tuple[int, int]) -> tuple[float, float]:
    """Where the coverage of a 95 % interval should be."""
    return (0.92, 0.98) if min(n) == 10 else (0.935, 0.965)


def sets_of(name: str, sets: int) -> int:
    """Score sets behind a share."""
    if name.endswith("bootstrap"):
        return sets // 10
    return min(400, sets) if "band" in name else sets


def shown(value: float, name: str, n: tuple[int, int], sets: int) -> str:
    """A share; one star where it misses the goal, two where by more than chance explains."""
    low, high = goal(n)
    if np.isnan(value):
        return ""
    edge = min(max(value, low), high)
    chance = 2.0 * np.sqrt(edge * (1.0 - edge) / sets_of(name, sets))
    if low <= value <= high:
        return f"{value:.3f}"
    return f"{value:.3f} " + ("\\*" if low - chance <= value <= high + chance else "\\*\\*")


def size_words(n: tuple[int, int]) -> str:
    """Words for the number of scores of the classes."""
    return f"{n[0]} scores a class" if n[0] == n[1] else f"{n[0]} client, {n[1]} impostor scores"


def coverage_text(found: dict[tuple[str, tuple[int, int]], dict[str, float]], sets: int) -> str:
    """All tables of coverage."""
    rows = list(dict.fromkeys(name for hits in found.values() for name in hits))
    summary = []
    for name in rows:
        line = [name]
        for n in SIZES:
            values = [found[law, n].get(name, np.nan) for law in LAWS]
            known = [v for v in values if not np.isnan(v)]
            low, high = goal(n)
            inside = sum(low <= v <= high for v in known)
            line.append(
                f"{inside}/{len(known)} ({min(known):.3f} to {max(known):.3f})" if known else ""
            )
        summary.append(line)
    error = np.sqrt(0.05 * 0.95 / sets)
    parts = [
        f"95 % intervals, {sets} score sets a cell (Monte Carlo standard error {error:.4f} at .95),"
        f" {min(400, sets)} for the bands ({np.sqrt(0.05 * 0.95 / min(400, sets)):.4f}; pointwise"
        f" averaged over {BAND.size} FARs), {sets // 10} for the bootstrap"
        f" ({np.sqrt(0.05 * 0.95 / (sets // 10)):.4f}). Goal: .92 to .98 with 10 scores a class,"
        " else .935 to .965; what misses it has a star, and a second one if it misses it by"
        " more than two standard errors.\n\n"
        "Distributions are named by the shape of both densities (J: J v reverse-J) and their AUC: "
        + "; ".join(f"{k} ({a:g}, {b:g}) v ({c:g}, {d:g})" for k, (a, b, c, d) in LAWS.items())
        + ".\n\n### Distributions inside the goal, and the range of their coverage\n\n"
        + table(["interval", *map(size_words, SIZES)], summary)
    ]
    for n in SIZES:
        lines = []
        for name in rows:
            values = [found[law, n].get(name, np.nan) for law in LAWS]
            lines.append([name, *(shown(v, name, n, sets) for v in values)])
        lines = [line for line in lines if any(line[1:])]
        parts.append(f"### {size_words(n).capitalize()}\n\n{table(['interval', *LAWS], lines)}")
    return "\n\n".join(parts)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="60 sets a cell: two minutes")
    parser.add_argument("--sets", type=int, default=1000, help="score sets a cell")
    parser.add_argument("--write", action="store_true", help="write results/coverage_intervals.md")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    sets = 60 if given.quick else given.sets
    start = time.perf_counter()
    jobs = [
        Cell(law, n, sets, sets // 10 if law in DRAWN_LAWS and n in DRAWN_SIZES else 0, seed)
        for seed, law in enumerate(LAWS)
        for n in SIZES
    ]
    with ProcessPoolExecutor(given.workers) as pool:
        others = [
            [pool.submit(run, law, count) for run, law, count in jobs_of(sets)]
            for jobs_of in (size_jobs, recovery_jobs)
        ]
        cells = dict(zip(((j.law, j.n) for j in jobs), pool.map(cell, jobs), strict=True))
        sizes, recovered = ([row for job in group for row in job.result()] for group in others)
    parts = [
        f"## Coverage\n\n{coverage_text(cells, sets)}",
        f"## Sizes of tests\n\n{size_text(sizes)}",
        f"## Recovery\n\n{recovery_text(recovered, sets)}",
    ]
    minutes = (time.perf_counter() - start) / 60
    parts.insert(0, f"{minutes:.0f} minutes with {given.workers} worker(s).")
    file = "coverage_intervals.md" if given.write else None
    report("Coverage, sizes and recovery", "\n\n".join(parts), file)


if __name__ == "__main__":
    main()
