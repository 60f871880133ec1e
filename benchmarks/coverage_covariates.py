"""How often intervals at covariate values hold the true number, and tests of terms reject."""

from __future__ import annotations

import argparse
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pandas as pd
from _common import report, table
from scipy.special import expit

import betaroc as br

#: Intercept and slope of the logit mean and of the log precision; the third has no slope at all.
CASES = {
    "bell": ((0.6, 0.8, 1.5, 0.4), (-0.7, 0.5, 1.2, -0.3)),
    "U": ((0.5, 0.6, 0.0, 0.3), (-0.4, -0.6, -0.2, -0.3)),
    "no slope": ((0.6, 0.0, 1.5, 0.0), (-0.7, 0.0, 1.2, 0.0)),
}
SIZES = (30, 100)
STATISTICS: dict[str, tuple[str, dict[str, float]]] = {
    "auc": ("auc", {}),
    "tpr@far=0.1": ("tpr", {"far": 0.1}),
    "frr@threshold=0.4": ("frr", {"threshold": 0.4}),
    "threshold@far=0.1": ("threshold", {"far": 0.1}),
    "exponent-at-zero": ("exponent-at-zero", {}),
}
AT, FROM = {"x": 0.5}, {"x": -0.5}


def law(c: tuple[float, ...], x: float) -> br.Beta:
    """The true distribution at x."""
    phi = np.exp(c[2] + c[3] * x)
    return br.Beta(*(float(expit(side * (c[0] + c[1] * x)) * phi) for side in (1.0, -1.0)))


def truth(model: br.ScoreModel) -> list[float]:
    """The numbers whose intervals are counted."""
    ends = model.ends().at_zero.exponent
    tpr, frr = float(model.roc().tpr(0.1)), float(model.frr(0.4))
    return [model.auc(), tpr, frr, float(model.threshold_at_far(0.1)), ends]


def cell(job: tuple[str, int, int]) -> list[str]:
    """Shares of one case and size."""
    case, n, sets = job
    rng = np.random.default_rng([n, list(CASES).index(case)])
    true, other = (truth(br.ScoreModel(*(law(c, p["x"]) for c in CASES[case]))) for p in (AT, FROM))
    held, rejected = np.zeros(len(STATISTICS) + 1), 0
    for _ in range(sets):
        x = rng.uniform(-1.0, 1.0, 2 * n)
        laws = [law(CASES[case][int(k >= n)], v) for k, v in enumerate(x)]
        score = np.clip([rng.beta(w.a, w.b) for w in laws], 1e-300, 1.0 - 2.0**-53)
        frame = pd.DataFrame({"score": score, "label": np.repeat([1, 0], n), "x": x})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", br.BetarocWarning)
            fit = br.fit_covariates(frame, "x", precision="x")
            found = [fit.interval(s, **at, covariates=AT) for s, at in STATISTICS.values()]
            found.append(fit.contrast("auc", FROM, AT))
        numbers = [*true, true[0] - other[0]]
        held += [i.low < number < i.high for i, number in zip(found, numbers, strict=True)]
        rejected += fit.test("x").p_value < 0.05
    size = f"{rejected / sets:.3f}" if case == "no slope" else ""
    return [case, str(n), *(f"{share:.3f}" for share in held / sets), size]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=1000, help="score sets a cell")
    parser.add_argument("--write", action="store_true", help="write results/coverage_covariates.md")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    jobs = [(case, n, given.sets) for case in CASES for n in SIZES]
    with ProcessPoolExecutor(given.workers) as pool:
        rows = list(pool.map(cell, jobs))
    head = ["distributions", "n", *STATISTICS, "difference of auc", "test of x, size"]
    error = np.sqrt(0.05 * 0.95 / given.sets)
    body = (
        f"95 % intervals at x = 0.5, n trials and four coefficients a class (formula and"
        f" precision x), {given.sets} score sets a cell: Monte Carlo standard error {error:.4f} at"
        " .95. The difference is that between x = -0.5 and 0.5; the size is the share of true"
        f" hypotheses rejected at .05.\n\n{table(head, rows)}"
    )
    report("Coverage at covariate values", body, "coverage_covariates.md" if given.write else None)


if __name__ == "__main__":
    main()
