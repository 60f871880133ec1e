"""Sweeps of single numbers: ``python tests/reference/make_accuracy.py``.

mpmath at 60 digits, on the axis y = logit(theta) with the laws of ``_laws.py``. ``accuracy.json``
holds blocks: what is computed (``check``), over which range (``region``), and rows of arguments,
doubles, followed by their values in 19 digits, also those that no double holds.
"""

import math
from fractions import Fraction
from functools import partial

import _laws
import mpmath
import numpy as np
from _blocks import write
from _laws import Beta, Normal, bracketed, quantile
from mpmath import mp, mpf

RNG = np.random.default_rng(20261126)
MODERATE, WIDE = (0.05, 1e3), (1e-3, 1e6)
text = partial(_laws.text, digits=19)


def short(value):
    """A double of few decimals, which JSON writes briefly."""
    return float(f"{value:.6g}")


def log_uniform(low, high):
    return short(math.exp(RNG.uniform(math.log(low), math.log(high))))


def logit(x):
    return mp.log(mpf(x) / (1 - mpf(x)))


def place(a, b):
    """A score: at either end, anywhere, or where the distribution has its mass."""
    kind = RNG.integers(4)
    if kind == 0:
        return log_uniform(1e-300, 0.5)
    if kind == 1:
        return 1.0 - max(2.0**-53, log_uniform(2.0**-53, 0.5))
    if kind == 2:
        return short(RNG.uniform(1e-3, 1.0 - 1e-3))
    mean, sd = a / (a + b), math.sqrt(a * b / (a + b + 1.0)) / (a + b)
    x = mean + sd * RNG.normal(0.0, 3.0)
    return x if 1e-300 < x < 1.0 - 2.0**-53 else log_uniform(1e-300, 0.5)


def six(law, x, y, log_jacobian):
    """pdf, cdf, sf and their logs."""
    with mp.extraprec(40):
        low, high = law.tails(y)
        density = law.logf(y) - log_jacobian
        logs = [density, mp.log(low), mp.log(high)]
        if low > 0.5:
            logs[1] = mp.log1p(-high)
        else:
            logs[2] = mp.log1p(-low)
        return [text(v) for v in (mp.exp(density), low, high, *logs)]


def unit_jacobian(x):
    return mp.log(mpf(x)) + mp.log(1 - mpf(x))


def beta_rows(low, high, count):
    rows = []
    edges = [(s, t) for s in (low, 1.0, high) for t in (low, 1.0, high)]
    for k in range(count):
        a, b = edges[k] if k < len(edges) else (log_uniform(low, high), log_uniform(low, high))
        x = place(a, b)
        rows.append([a, b, x, *six(Beta(a, b), x, logit(x), unit_jacobian(x))])
    return rows


def normal_rows(count, *, unit):
    rows = []
    for _ in range(count):
        sigma = log_uniform(0.1, 10.0) if unit else log_uniform(1e-3, 1e3)
        mu = short(RNG.normal(0.0, 3.0))
        z = RNG.uniform(-37.0, 37.0) if RNG.random() < 0.5 else RNG.normal()
        y = mu + sigma * z
        law = Normal(mu, sigma)
        if not unit:
            y = short(y)
            rows.append([mu, sigma, y, *six(law, y, mpf(y), 0)])
            continue
        x = float(mp.exp(y) / (1 + mp.exp(y)))
        if 1e-300 < x < 1.0:
            rows.append([mu, sigma, x, *six(law, x, logit(x), unit_jacobian(x))])
    return rows


class Mixture:
    """Laws with shares, which are doubles of sum 1 to rounding and are divided by their sum."""

    def __init__(self, weights, laws):
        total = mp.fsum(map(mpf, weights))
        self.shares = [mpf(w) / total for w in weights]
        self.laws = laws

    def tails(self, y):
        both = [law.tails(y) for law in self.laws]
        pairs = list(zip(self.shares, both, strict=True))
        return tuple(mp.fsum(w * tail[k] for w, tail in pairs) for k in (0, 1))

    def logf(self, y):
        parts = zip(self.shares, self.laws, strict=True)
        return mp.log(mp.fsum(w * mp.exp(law.logf(y)) for w, law in parts))


def shares(count):
    """Multiples of 1/64: their sum is exactly 1."""
    cuts = sorted(RNG.choice(np.arange(1, 64), count - 1, replace=False).tolist())
    return [(j - i) / 64 for i, j in zip([0, *cuts], [*cuts, 64], strict=True)]


def mixture_rows(count):
    rows = []
    for _ in range(count):
        k = int(RNG.integers(2, 4))
        weights = shares(k)
        shapes = [[log_uniform(*MODERATE), log_uniform(*MODERATE)] for _ in range(k)]
        x = place(*shapes[0])
        law = Mixture(weights, [Beta(*s) for s in shapes])
        rows.append([weights, shapes, x, *six(law, x, logit(x), unit_jacobian(x))])
    return rows


def normal_mixture_rows(count):
    rows = []
    for _ in range(count):
        weights = shares(2)
        parts = [[short(RNG.normal(0.0, 3.0)), log_uniform(0.1, 10.0)] for _ in range(2)]
        x = short(parts[0][0] + parts[0][1] * RNG.normal(0.0, 5.0))
        law = Mixture(weights, [Normal(*p) for p in parts])
        rows.append([weights, parts, x, *six(law, x, mpf(x), 0)])
    return rows


def level():
    kind = RNG.integers(3)
    if kind == 0:
        return log_uniform(1e-300, 1e-3)
    return short(RNG.uniform(1e-3, 0.999)) if kind == 1 else 1.0 - log_uniform(1e-15, 1e-3)


def inverse_rows(low, high, count):
    """The logit where the tail is p, and how steep the log of the tail is there."""
    rows = []
    while len(rows) < count:
        a, b, p = log_uniform(low, high), log_uniform(low, high), level()
        lower = bool(RNG.integers(2))
        law = Beta(a, b)
        try:
            y = quantile(law, p, lower)
        except ArithmeticError:
            continue
        steep = mp.exp(law.logf(y)) / mpf(p)
        if abs(mp.exp(mp.log(law.tails(y)[0 if lower else 1])) / mpf(p) - 1) < mpf(10) ** -30:
            rows.append([a, b, "ppf" if lower else "isf", p, text(y), text(steep)])
    return rows


def mixture_inverse_rows(count):
    rows = []
    for _ in range(count):
        weights = shares(2)
        shapes = [[log_uniform(0.1, 100.0), log_uniform(0.1, 100.0)] for _ in range(2)]
        law, p, lower = Mixture(weights, [Beta(*s) for s in shapes]), level(), bool(RNG.integers(2))
        which, target = (0 if lower else 1), mp.log(mpf(p))

        def off(y, law=law, which=which, target=target):
            tail = law.tails(y)[which]
            return mp.log(tail) - target, (-1) ** which * mp.exp(law.logf(y)) / tail

        y = bracketed(off, 0)
        steep = mp.exp(law.logf(y)) / mpf(p)
        rows.append([weights, shapes, "ppf" if lower else "isf", p, text(y), text(steep)])
    return rows


def normal_inverse_rows(count):
    """Standard scores; Newton on the log of the tail."""
    rows = []
    for _ in range(count):
        p, lower = level(), bool(RNG.integers(2))
        rows.append(["ppf" if lower else "isf", p, text(quantile(Normal(0.0, 1.0), p, lower))])
    return rows


def pareto(shape, scale, x):
    """-log G(x) and the log density."""
    u = x / scale
    depth = u if shape == 0 else mp.log1p(shape * u) / shape
    return depth, -mp.log(scale) - (1 + shape) * depth


def pareto_rows(count):
    rows = []
    while len(rows) < count:
        size = log_uniform(1e-18, 1.0)
        shape = float(RNG.choice([size, -size, 0.0], p=[0.45, 0.45, 0.1]))
        scale, depth = log_uniform(1e-3, 1e3), log_uniform(1e-6, 690.0)
        with mp.extraprec(100):
            x = short(float(mpf(scale) * (mp.expm1(mpf(shape) * depth) / mpf(shape)
                                          if shape else depth)))  # fmt: skip
            if not 0.0 < x < 1e300 or 1 + mpf(shape) * mpf(x) / mpf(scale) <= 0:
                continue
            log_rate = -mpf(short(depth))
            own, density = pareto(mpf(shape), mpf(scale), mpf(x))
            back = -log_rate if shape == 0 else mp.expm1(-mpf(shape) * log_rate) / mpf(shape)
            rows.append([shape, scale, x, float(log_rate), text(-own), text(density),
                         text(mpf(scale) * back)])  # fmt: skip
    return rows


def spliced_rows(count):
    """log P(S > x) of a beta body with an upper tail that begins where the body has its mass."""
    rows = []
    while len(rows) < count:
        a, b = log_uniform(0.2, 50.0), log_uniform(0.2, 50.0)
        mass, shape = log_uniform(0.005, 0.2), short(RNG.uniform(-0.4, 0.6))
        scale = log_uniform(0.05, 1.0)
        joint = quantile(Beta(a, b), mass, False)
        far = float(joint) + float(RNG.uniform(-2.0, 10.0))
        x = 1.0 / (1.0 + math.exp(-far))
        if not 1e-12 < x < 1.0:
            continue
        y = logit(x)
        if y > joint and 1 + mpf(shape) * (y - joint) / mpf(scale) <= 0:
            continue
        if y > joint:
            value = mp.log(mpf(mass)) - pareto(mpf(shape), mpf(scale), y - joint)[0]
        else:
            value = mp.log(Beta(a, b).tails(y)[1])
        rows.append([a, b, mass, shape, scale, x, text(value)])
    return rows


def log_beta_rows(low, high, count):
    pairs = [(log_uniform(low, high), log_uniform(low, high)) for _ in range(count)]
    return [[a, b, text(Beta(a, b).log_beta())] for a, b in pairs]


def log_beta_ratio_rows(count):
    """Of shapes that are nearly those of the other."""
    rows = []
    with mp.workdps(80):
        for _ in range(count):
            a, b = log_uniform(*MODERATE), log_uniform(*MODERATE)
            off, other = (log_uniform(1e-12, 0.1) * RNG.choice([-1.0, 1.0]) for _ in range(2))
            c, d = a * (1.0 + float(off)), b * (1.0 + float(other))
            ratio = mp.log(mp.beta(mpf(c), mpf(d))) - mp.log(mp.beta(mpf(a), mpf(b)))
            rows.append([c, d, a, b, text(ratio)])
    return rows


def polygamma_rows(low, high, count):
    """digamma(x) - log(x) and trigamma(x) - 1/x, digamma and trigamma."""
    rows = []
    with mp.workdps(80):
        for _ in range(count):
            x = log_uniform(low, high)
            own, second = mp.digamma(mpf(x)), mp.psi(1, mpf(x))
            values = (own - mp.log(mpf(x)), second - 1 / mpf(x), own, second)
            rows.append([x, *map(text, values)])
    return rows


def beta_mle_rows(count):
    """Scores, and shapes, covariance and log-likelihood by ``make_beta_mle.py``'s iteration."""
    from make_beta_mle import solve

    rows = []
    while len(rows) < count:
        a, b = log_uniform(*MODERATE), log_uniform(*MODERATE)
        n = int(RNG.choice([2, 3, 4, 6, 10, 20, 40]))
        scores = sorted({float(f"{v:.12g}") for v in RNG.beta(a, b, n)})
        if len(scores) < 2 or scores[0] < 1e-300 or scores[-1] > 1.0 - 2.0**-53:
            continue
        try:
            found_a, found_b, cov, loglik = solve(scores, [1] * len(scores), a, b)
        except ArithmeticError:
            continue
        if found_a + found_b < 1e11:
            spread = [text(cov[i, j]) for i, j in ((0, 0), (0, 1), (1, 1))]
            rows.append([scores, text(found_a), text(found_b), *spread, text(loglik)])
    return rows


def normal_mle_rows(count):
    """Scores far from 0 beside their spread too, where naive sums of squares lose all digits."""
    rows = []
    for _ in range(count):
        n = int(RNG.integers(3, 40))
        offset, spread = log_uniform(1e-3, 1e6), log_uniform(1e-3, 1e3)
        scores = [float(f"{v:.15g}") for v in offset + spread * RNG.normal(size=n)]
        exact = [Fraction(v) for v in scores]
        mean = sum(exact) / n
        square = sum((v - mean) ** 2 for v in exact) / n
        with mp.workdps(60):
            mu = mpf(mean.numerator) / mpf(mean.denominator)
            sigma = mp.sqrt(mpf(square.numerator) / mpf(square.denominator))
            rows.append([scores, text(mu), text(sigma)])
    return rows


def area_rows(count):
    """Areas with ties and DeLong's standard error (divisors n - 1), in fractions."""
    rows = []
    for _ in range(count):
        n, m = (int(v) for v in RNG.integers(5, 40, 2))
        grid = int(RNG.choice([10, 100, 10**6]))
        client = [int(v) / grid for v in np.ceil(RNG.beta(3, 2, n) * grid)]
        impostor = [int(v) / grid for v in np.floor(RNG.beta(2, 3, m) * grid)]

        def share(one, others, sign):
            beyond = sum(1 for v in others if sign * (one - v) > 0)
            return Fraction(2 * beyond + others.count(one), 2 * len(others))

        of_client = [share(v, impostor, 1) for v in client]
        of_impostor = [share(v, client, -1) for v in impostor]
        area = sum(of_client) / n
        variance = Fraction(0)
        for placed in (of_client, of_impostor):
            mean, k = sum(placed) / len(placed), len(placed)
            variance += sum((v - mean) ** 2 for v in placed) / ((k - 1) * k)
        if variance == 0:
            continue
        deviation = mp.sqrt(mpf(variance.numerator) / mpf(variance.denominator))
        rows.append([client, impostor, text(mpf(area.numerator) / area.denominator),
                     text(deviation)])  # fmt: skip
    return rows


def share_rows(count):
    """Clopper and Pearson's ends: quantiles of beta distributions."""
    rows = []
    for _ in range(count):
        n = round(log_uniform(1, 1e6))
        k = int(RNG.choice([0, n, RNG.integers(0, n + 1), min(n, RNG.integers(0, 20))]))
        tail = float(RNG.choice([0.05, 0.025, 0.005, 0.0005]))
        ends = [mpf(0), mpf(1)]
        for which, (a, b) in enumerate([(k, n - k + 1), (n - k, k + 1)]):
            if a > 0:
                y = quantile(Beta(float(a), float(b)), tail, True)
                ends[which] = 1 / (1 + mp.exp(-y if which == 0 else y))
        rows.append([k, n, tail, *map(text, ends)])
    return rows


def main():
    """Every block in turn."""
    mp.dps = 60
    moderate, wide = "shapes 0.05 to 1000", "shapes 0.001 to 1e6"
    made = [
        ("log-beta", moderate, log_beta_rows(*MODERATE, 150)),
        ("log-beta", wide, log_beta_rows(*WIDE, 150)),
        ("log-beta-ratio", "neighbouring shapes", log_beta_ratio_rows(120)),
        ("polygamma", "x 1e-8 to 1e3", polygamma_rows(1e-8, 1e3, 150)),
        ("polygamma", "x 1e3 to 1e12", polygamma_rows(1e3, 1e12, 60)),
        ("beta-tails", moderate, beta_rows(*MODERATE, 800)),
        ("beta-tails", wide, beta_rows(*WIDE, 500)),
        ("normal-tails", "within 37 sigma", normal_rows(150, unit=False)),
        ("logit-normal-tails", "within 37 sigma", normal_rows(200, unit=True)),
        ("beta-mixture-tails", moderate, mixture_rows(150)),
        ("normal-mixture-tails", "within 15 sigma", normal_mixture_rows(80)),
        ("pareto-tail", "shape 0 and 1e-18 to 1, either sign", pareto_rows(300)),
        ("spliced", "beta with an upper tail", spliced_rows(80)),
        ("beta-inverse", moderate, inverse_rows(*MODERATE, 400)),
        ("beta-inverse", wide, inverse_rows(*WIDE, 250)),
        ("mixture-inverse", "shapes 0.1 to 100", mixture_inverse_rows(80)),
        ("normal-inverse", "1e-300 to 1 - 1e-15", normal_inverse_rows(150)),
        ("beta-mle", "2 to 40 scores", beta_mle_rows(30)),
        ("normal-mle", "3 to 40 scores", normal_mle_rows(30)),
        ("empirical-area", "5 to 40 scores a class, ties", area_rows(30)),
        ("binomial-ends", "1 to 1e6 trials", share_rows(150)),
    ]
    write(__file__, mpmath, made)
    print({f"{check}, {region}": len(rows) for check, region, rows in made})


if __name__ == "__main__":
    main()
