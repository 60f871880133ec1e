"""Maxima of mixtures and of Pareto tails: ``python tests/reference/make_fits.py``.

mpmath at 50 digits. From the parameters that the scores were drawn with a simplex in doubles, then
Newton's method on the score equations, until the step is below 1e-30; a tail's penalised
likelihood, -k log s - (1 + 1/shape) sum log(1 + shape x/s) - shape^2/(2 0.25^2), likewise from the
best point of a grid. Values: the parameters, of mixtures the diagonal of the inverse of minus the
Hessian, the log-likelihood.
"""

import mpmath as mp
import numpy as np
from _blocks import write
from mpmath import mpf
from scipy import optimize, stats

mp.mp.dps = 50
RNG = np.random.default_rng(20261127)
STEP = mpf(10) ** -18


def text(value):
    return str(mp.nstr(value, 25, strip_zeros=False))


def curvature(slope, at):
    """The Hessian, by differences of the gradient: about 30 digits."""
    columns = []
    for k in range(len(at)):
        ends = [[v + (sign * STEP if j == k else 0) for j, v in enumerate(at)] for sign in (1, -1)]
        up, down = map(slope, ends)
        columns.append([(u - d) / (2 * STEP) for u, d in zip(up, down, strict=True)])
    size = len(at)
    return mp.matrix(
        [[(columns[i][j] + columns[j][i]) / 2 for i in range(size)] for j in range(size)]
    )


def newton(slope, start):
    """A zero of the gradient with a negative definite Hessian, and that Hessian's negative."""
    at = [mpf(float(v)) for v in start]
    for _ in range(60):
        hessian = curvature(slope, at)
        step = mp.lu_solve(hessian, -mp.matrix(slope(at)))
        at = [v + d for v, d in zip(at, step, strict=True)]
        if max(abs(d) for d in step) < mpf(10) ** -30:
            information = -curvature(slope, at)
            mp.cholesky(information)  # raises where this is no maximum
            return at, information
    raise ArithmeticError(at)


def log_beta_density(a, b):
    log = mp.log(mp.beta(a, b))
    return lambda x: (a - 1) * mp.log(x) + (b - 1) * mp.log(1 - x) - log


def beta_slopes(a, b):
    one, two = mp.digamma(a) - mp.digamma(a + b), mp.digamma(b) - mp.digamma(a + b)
    return lambda x: [mp.log(x) - one, mp.log(1 - x) - two]


def log_normal_density(mu, sigma):
    log = mp.log(sigma * mp.sqrt(2 * mp.pi))
    return lambda x: -(((x - mu) / sigma) ** 2) / 2 - log


def normal_slopes(mu, sigma):
    return lambda x: [(x - mu) / sigma**2, ((x - mu) ** 2 / sigma**2 - 1) / sigma]


KINDS = {
    "beta-mixture": (log_beta_density, beta_slopes, stats.beta),
    "normal-mixture": (log_normal_density, normal_slopes, stats.norm),
}


def parts_of(at):
    """Share and both parameters of each component; the last share is what is left."""
    count = (len(at) + 1) // 3
    shares = [*at[: count - 1], 1 - sum(at[: count - 1])]
    own = at[count - 1 :]
    return [(shares[k], own[2 * k], own[2 * k + 1]) for k in range(count)]


def mixture_slope(kind, scores):
    density, slopes, _ = KINDS[kind]

    def slope(at):
        parts = parts_of(at)
        logs, own = [density(p, q) for _, p, q in parts], [slopes(p, q) for _, p, q in parts]
        total = [mpf(0)] * len(at)
        last = len(parts) - 1
        for x in scores:
            heights = [mp.exp(log(x)) for log in logs]
            whole = mp.fsum(w * h for (w, _, _), h in zip(parts, heights, strict=True))
            for k, (share, _, _) in enumerate(parts):
                if k < last:
                    total[k] += (heights[k] - heights[last]) / whole
                for j, rise in enumerate(own[k](x)):
                    total[last + 2 * k + j] += share * heights[k] / whole * rise
        return total

    return slope


def mixture_value(kind, scores, at):
    density = KINDS[kind][0]
    parts = [(w, density(p, q)) for w, p, q in parts_of(at)]
    return mp.fsum(mp.log(mp.fsum(w * mp.exp(log(x)) for w, log in parts)) for x in scores)


def by_search(kind, scores, true):
    """The maximum in doubles that a simplex finds from the true parameters."""
    law = KINDS[kind][2]

    def loss(at):
        parts = parts_of(at)
        if min(min(w, q, p if kind == "beta-mixture" else 1.0) for w, p, q in parts) <= 0.0:
            return np.inf
        return -np.sum(np.log(sum(w * law.pdf(scores, p, q) for w, p, q in parts)))

    options = {"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-10, "fatol": 1e-12}
    return optimize.minimize(loss, true, method="Nelder-Mead", options=options).x


def drawn(kind, true, n):
    """n scores of 12 digits, as near to the shares as whole numbers are."""
    law, parts = KINDS[kind][2], parts_of(true)
    counts = [round(w * n) for w, _, _ in parts[:-1]]
    counts.append(n - sum(counts))
    every = [
        law.rvs(p, q, size=m, random_state=RNG) for (_, p, q), m in zip(parts, counts, strict=True)
    ]
    found = np.array([float(f"{v:.12g}") for v in np.sort(np.concatenate(every))])
    if kind == "beta-mixture":
        found = found[(found > 1e-300) & (found < 1.0 - 2.0**-53)]
    return found


TRUTHS = {
    "beta-mixture": [
        [0.6, 2, 8, 9, 3], [0.3, 0.5, 6, 4, 0.7], [0.8, 20, 60, 60, 20], [0.5, 1, 30, 30, 1],
        [0.25, 5, 5, 200, 20], [0.7, 0.3, 3, 50, 50], [0.4, 0.5, 1.2, 300, 200],
        [0.3, 0.4, 0.4, 3, 20, 60, 60, 10],
    ],
    "normal-mixture": [
        [0.6, -2, 1, 2, 0.5], [0.5, 0, 1, 3.5, 1], [0.2, 1000, 1, 1005, 1.5], [0.9, 0, 1, 6, 0.3],
        [0.5, -1e-3, 3e-4, 2e-3, 5e-4], [0.7, -1, 2, 0.1, 0.05], [0.3, 0.4, -4, 1, 0, 0.5, 5, 1.5],
    ],
}  # fmt: skip


def ordered(kind, at):
    """Whether the components stand in the order of their means."""
    means = [p / (p + q) if kind == "beta-mixture" else p for _, p, q in parts_of(at)]
    return means == sorted(means)


def mixture_rows(kind, sizes):
    rows = []
    for true in TRUTHS[kind]:
        for n in sizes:
            scores = drawn(kind, true, n)
            exact = [mpf(float(v)) for v in scores]
            slope = mixture_slope(kind, exact)
            at, information = newton(slope, by_search(kind, scores, list(map(float, true))))
            assert ordered(kind, at), (true, at)
            spread = information**-1
            none = [None] * (8 - len(at))
            own, variances = map(text, at), (text(spread[k, k]) for k in range(len(at)))
            values = [*own, *none, *variances, *none, text(mixture_value(kind, exact, at))]
            rows.append([kind, scores.tolist(), (len(true) + 1) // 3, *values])
    return rows


def tail_value(excesses, at):
    shape, scale = at[0], mp.exp(at[1])
    if shape == 0:
        loss = mp.fsum(excesses) / scale
    else:
        loss = (1 + 1 / shape) * mp.fsum(mp.log1p(shape * x / scale) for x in excesses)
    return -len(excesses) * at[1] - loss - (shape / mpf("0.25")) ** 2 / 2


def tail_slope(excesses):
    def slope(at):
        shape, scale = at[0], mp.exp(at[1])
        logs = mp.fsum(mp.log1p(shape * x / scale) for x in excesses)
        shares = mp.fsum((x / scale) / (1 + shape * x / scale) for x in excesses)
        of_shape = logs / shape**2 - (1 + 1 / shape) * shares - shape / mpf("0.25") ** 2
        return [of_shape, -len(excesses) + (1 + shape) * shares]

    return slope


def tail_start(excesses):
    best, place = -np.inf, [0.1, 0.0]
    for shape in np.arange(-0.9, 1.5, 0.0501):
        for log_scale in np.log(excesses.mean()) + np.linspace(-1.5, 1.5, 61):
            z = 1.0 + shape * excesses * np.exp(-log_scale)
            if z.min() <= 0.0:
                continue
            found = -excesses.size * log_scale - (1.0 + 1.0 / shape) * np.log(z).sum()
            found -= 8.0 * shape**2
            if found > best:
                best, place = found, [float(shape), float(log_scale)]
    return place


def tail_rows(count):
    rows = []
    while len(rows) < count:
        shape, scale = float(RNG.uniform(-0.5, 0.8)), float(10.0 ** RNG.uniform(-3, 2))
        n = int(RNG.choice([20, 30, 50, 100]))
        values = stats.genpareto.rvs(shape, scale=scale, size=n, random_state=RNG)
        excesses = np.unique([float(f"{v:.12g}") for v in values])
        exact = [mpf(float(v)) for v in excesses]
        at, _ = newton(tail_slope(exact), tail_start(excesses))
        found = [at[0], mp.exp(at[1]), tail_value(exact, at)]
        rows.append([excesses.tolist(), *map(text, found)])
    return rows


def main():
    mixtures = [row for kind in TRUTHS for row in mixture_rows(kind, (60, 200))]
    blocks = [
        ("mixture-mle", "two and three components, 40 to 200 scores", mixtures),
        ("tail-mle", "20 to 100 scores, shapes -0.5 to 0.8", tail_rows(40)),
    ]
    write(__file__, mp, blocks)


if __name__ == "__main__":
    main()
