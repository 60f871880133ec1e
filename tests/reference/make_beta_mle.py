"""Certified maximum-likelihood beta shapes: ``python tests/reference/make_beta_mle.py``.

mpmath at 60 digits; scores are the doubles stored as hex. Newton's iteration on the score equations
in (log a, log b), until the step is below 1e-45. Also stored: the covariance and log-likelihood;
shapes under the censored and the cell likelihood of scores of 0 and 1 (numerical derivatives);
digamma(x) - log(x) and trigamma(x) - 1/x on a grid.
"""

import json
from pathlib import Path

import mpmath as mp
import numpy as np

mp.mp.dps = 60
RNG = np.random.default_rng(20240501)


def _log_gamma_draw(shape, size):
    return np.log(RNG.gamma(shape + 1.0, size=size)) + np.log(RNG.random(size)) / shape


def draw(a, b, n):
    """Beta scores through logits, so that tiny shapes reach 1e-300; clipped into (0, 1)."""
    logit = _log_gamma_draw(a, n) - _log_gamma_draw(b, n)
    with np.errstate(over="ignore", under="ignore"):
        x = 1.0 / (1.0 + np.exp(-logit))
        x = np.where(logit < -30.0, np.exp(logit), x)
    return np.clip(x, 1e-300, 1.0 - 2.0**-53)


def solve(x, w, a, b):
    """Shapes, covariance and log-likelihood to about 45 digits."""
    values, weights = [mp.mpf(float(v)) for v in x], [mp.mpf(float(v)) for v in w]
    total = mp.fsum(weights)
    g1 = mp.fsum(k * mp.log(v) for v, k in zip(values, weights, strict=True)) / total
    g2 = mp.fsum(k * mp.log(1 - v) for v, k in zip(values, weights, strict=True)) / total
    a, b = mp.mpf(a), mp.mpf(b)
    for _ in range(200):
        s = a + b
        r = mp.matrix([mp.digamma(a) - mp.digamma(s) - g1, mp.digamma(b) - mp.digamma(s) - g2])
        t = mp.psi(1, s)
        info = mp.matrix([[mp.psi(1, a) - t, -t], [-t, mp.psi(1, b) - t]])
        step = -(info**-1) * r
        la, lb = step[0] / a, step[1] / b
        size = max(abs(la), abs(lb))
        if size < mp.mpf(10) ** -45:
            break
        cut = min(1, 1 / size)
        a, b = a * mp.exp(la * cut), b * mp.exp(lb * cut)
    else:
        raise ArithmeticError((x, a, b))
    cov = (info**-1) / total
    loglik = total * ((a - 1) * g1 + (b - 1) * g2 - mp.log(mp.beta(a, b)))
    return a, b, cov, loglik


def moments(x, w):
    m = np.average(x, weights=w)
    s = m * (1 - m) / np.average((x - m) ** 2, weights=w) - 1
    return s * m, s * (1 - m)


def sets():
    """Name, scores, weights (or None), starting shapes (or None for moments)."""
    shapes = [
        (0.02, 0.02), (0.02, 5.0), (5.0, 0.02), (0.02, 1e5), (1e5, 0.02), (0.05, 0.3), (0.13, 1.2),
        (0.47, 0.36), (0.5, 0.5), (0.61, 0.27), (1.0, 1.0), (1.0, 3.0), (7.0, 2.75), (2.5, 40.0),
        (300.0, 0.4), (50.0, 70.0), (1e3, 1.0), (1.0, 1e5), (1e3, 2e3), (1e5, 1e5), (1e5, 30.0),
        (3e4, 1e5),
    ]  # fmt: skip
    sizes = [3, 10, 30, 100, 200, 5, 20, 500]
    for i, (a, b) in enumerate(shapes):
        n = sizes[i % len(sizes)]
        yield f"beta({a:g}, {b:g}) n={n}", draw(a, b, n), None, (a, b)
    for a, b in [(1e6, 2e6), (1e8, 1e8), (5e9, 1e10), (3e11, 2e11), (2e3, 4e11)]:
        x = RNG.normal(a / (a + b), np.sqrt(a * b) / (a + b) ** 1.5, 40)
        yield f"concentrated a+b={a + b:g} n=40", x, None, None
    yield "two scores", np.array([0.4, 0.6]), None, None
    yield "two close scores", np.array([0.3, 0.300003]), None, None
    yield "two ends", np.array([1e-300, 1.0 - 2.0**-53]), None, (0.01, 0.1)
    yield "two scores near 1", np.array([1.0 - 2.0**-53, 1.0 - 2.0**-40]), None, (1e12, 0.1)
    yield "a denormal and 0.3", np.array([5e-324, 0.3]), None, (0.01, 0.1)
    yield "three, two equal", np.array([0.25, 0.25, 0.75]), None, None
    ordinary = draw(7.0, 2.75, 199)
    yield "one denormal among 200", np.append(ordinary, 5e-324), None, (0.2, 0.3)
    yield "one at 1 - 2^-53 among 200", np.append(ordinary, 1.0 - 2.0**-53), None, (4.0, 1.0)
    yield "one 1e-300 among 30", np.append(draw(2.0, 2.0, 29), 1e-300), None, (0.2, 0.5)
    yield "two points, 50 each", np.repeat([0.001, 0.999], 50), None, (0.1, 0.1)
    yield "ties on a grid", np.round(np.clip(draw(2.0, 3.0, 120), 0.01, 0.99), 2), None, (2.0, 3.0)
    yield "weights 1..5", draw(0.6, 2.0, 25), RNG.integers(1, 6, 25), (0.6, 2.0)
    yield "fractional weights", draw(3.0, 0.8, 40), RNG.random(40) + 0.05, (3.0, 0.8)
    yield "huge weights", draw(0.3, 0.3, 12), RNG.integers(1, 10**6, 12), (0.3, 0.3)
    yield "weights, concentrated", draw(4e4, 9e4, 30), RNG.integers(1, 9, 30), None
    yield "uniform grid", np.arange(1, 100) / 100.0, None, (1.0, 1.0)
    yield "all near 1", 1.0 - draw(0.05, 1e4, 20).clip(2.0**-53), None, (1e4, 0.05)


ENDS = [0.0, 0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.35, 0.5, 0.6, 0.75, 0.9, 1.0]


def censored_log_likelihood(low, high):
    """Log-likelihood of ENDS with F(low) for the zeros and 1 - F(high) for the one."""
    inside = [mp.mpf(v) for v in ENDS if 0.0 < v < 1.0]
    zeros, ones = ENDS.count(0.0), ENDS.count(1.0)
    g1, g2 = mp.fsum(map(mp.log, inside)), mp.fsum(mp.log(1 - v) for v in inside)

    def at(a, b):
        body = (a - 1) * g1 + (b - 1) * g2 - len(inside) * mp.log(mp.beta(a, b))
        below = mp.log(mp.betainc(a, b, 0, low, regularized=True))
        above = mp.log(mp.betainc(b, a, 0, 1 - high, regularized=True))
        return body + zeros * below + ones * above

    return at


def cell_log_likelihood(step):
    """Log-likelihood of ENDS, rounded to multiples of ``step`` (a double)."""
    step = mp.mpf(step)
    cells = [int(mp.nint(mp.mpf(v) / step)) for v in ENDS]
    edges = {
        k: (max((k - mp.mpf("0.5")) * step, 0), min((k + mp.mpf("0.5")) * step, 1)) for k in cells
    }

    def at(a, b):
        cell = {k: mp.betainc(a, b, *edges[k], regularized=True) for k in edges}
        return mp.fsum(mp.log(cell[k]) for k in cells)

    return at


def maximum(log_likelihood, start):
    """The stationary point in (log a, log b), and the observed covariance of (a, b)."""

    def f(u, v):
        return log_likelihood(mp.exp(u), mp.exp(v))

    def score(u, v):
        return [mp.diff(f, (u, v), (1, 0)), mp.diff(f, (u, v), (0, 1))]

    u, v = mp.findroot(score, tuple(map(mp.log, start)), tol=1e-50, maxsteps=50)
    h = mp.matrix(2, 2)
    for i, j, order in ((0, 0, (2, 0)), (0, 1, (1, 1)), (1, 1, (0, 2))):
        h[i, j] = h[j, i] = -mp.diff(f, (u, v), order)
    inverse, a, b = h**-1, mp.exp(u), mp.exp(v)
    cov = [inverse[0, 0] * a * a, inverse[0, 1] * a * b, inverse[1, 1] * b * b]
    found = {"a": mp.nstr(a, 25), "b": mp.nstr(b, 25), "cov": [mp.nstr(c, 20) for c in cov]}
    return found | {"log_likelihood": mp.nstr(f(u, v), 25)}


def at_the_ends():
    mp.mp.dps = 40
    edges = mp.mpf(2) ** -511, 1 - mp.mpf(2) ** -53
    censored = censored_log_likelihood
    for rule, step, likelihood, start in (
        ("censor", 1e-3, censored(mp.mpf(1e-3), mp.mpf(1.0 - 1e-3)), (0.1, 0.2)),
        ("censor", 1e-6, censored(mp.mpf(1e-6), mp.mpf(1.0 - 1e-6)), (0.1, 0.2)),
        ("matlab", None, censored(*edges), (0.01, 0.1)),
        (None, 0.05, cell_log_likelihood(0.05), (0.4, 0.5)),
    ):
        yield {"boundary": rule, "resolution": step, **maximum(likelihood, start)}


def polygamma():
    for x in [*np.logspace(-8, 12, 41), 0.5, 1.0, 1.4616321449683622, 7.999999, 8.0, 8.000001]:
        value = mp.mpf(float(x))
        phi, tau = mp.digamma(value) - mp.log(value), mp.psi(1, value) - 1 / value
        yield [float(x).hex(), mp.nstr(phi, 25), mp.nstr(tau, 25)]


def main():
    rows = []
    for name, x, w, start in sets():
        weights = np.ones(len(x)) if w is None else np.asarray(w, dtype=np.float64)
        a, b, cov, loglik = solve(x, weights, *(start or moments(x, weights)))
        scores, copies = ([float(v).hex() for v in column] for column in (x, weights))
        row = {"name": name, "scores": scores, "weights": None if w is None else copies}
        spread = [mp.nstr(v, 30) for v in (cov[0, 0], cov[0, 1], cov[1, 1])]
        row |= {"a": mp.nstr(a, 30), "b": mp.nstr(b, 30), "cov": spread}
        rows.append(row | {"log_likelihood": mp.nstr(loglik, 30)})
        print(f"{name:32s} a = {mp.nstr(a, 12)}  b = {mp.nstr(b, 12)}")
    where = Path(__file__).with_name("beta_mle.json")
    table = {
        "made_by": "make_beta_mle.py",
        "sets": rows,
        "polygamma": list(polygamma()),
        "ends": {"scores": ENDS, "fits": list(at_the_ends())},
    }
    where.write_text(json.dumps(table, indent=0) + "\n")


if __name__ == "__main__":
    main()
