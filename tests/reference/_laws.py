"""Two laws on the axis y = logit(theta), in mpmath: their quantiles, optima, areas and ends."""

import json
import math
from itertools import pairwise

import mpmath
from mpmath import mp, mpf

DIGITS = 60
mp.dps = DIGITS
TINY = mpf(10) ** -45
LEVELS = (1e-1, 1e-3, 1e-10, 1e-30, 1e-100, 1e-300)
WEIGHTS = (0.01, 0.3, 0.5, 0.75, 0.999)
FIXED_Y = (-700.0, -40.0, -5.0, 0.25, 12.0, 300.0)
SPREADS = (-8.0, -2.0, 0.0, 1.0, 6.0)


def text(x, digits=22):
    return str(mpmath.nstr(x, digits, strip_zeros=True))


def write(file, document, separators=(",", ":")):
    """A key per line, and of lists an item per line."""
    parts = []
    for key, value in document.items():
        if isinstance(value, list):
            body = ",\n".join(json.dumps(row, separators=separators) for row in value)
            parts.append(f"{json.dumps(key)}: [\n{body}\n]")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value)}")
    file.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


class Beta:
    """Beta(a, b) with its density and both tails on the axis y = logit(theta)."""

    def __init__(self, a, b):
        self.a, self.b = mpf(a), mpf(b)
        self._log_beta = {}

    def log_beta(self):
        if mp.prec not in self._log_beta:
            with mp.extraprec(64):
                a, b = self.a, self.b
                value = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
            self._log_beta[mp.prec] = value
        return self._log_beta[mp.prec]

    def logf(self, y):
        return self.logf_of(self.a, self.b, y)

    def slope(self, y):
        return self.a - (self.a + self.b) / (1 + mp.exp(-y))

    def tails(self, y):
        """F and S, each with small relative error: the one on its side of the mean by a
        series of positive terms, the other as its complement."""
        if y <= mp.log(self.a) - mp.log(self.b):
            low = self._lower(self.a, self.b, y)
            return low, 1 - low
        high = self._lower(self.b, self.a, -y)
        return 1 - high, high

    def _lower(self, a, b, y):
        x = float(1 / (1 + mp.exp(-y))) if y > -700 else 0.0
        w = float(1 / (1 + mp.exp(y))) if y < 700 else 0.0
        ratio = max(x, (float(a) + float(b)) / (float(a) + 1) * x)
        direct = 150 / max(1 - ratio, 1e-300)
        if b > 1:
            direct = min(direct, 25 * math.sqrt(float(a + b) / max(1e-300, w)) + 300)
        if 200 + 3.5 * float(a) * w < direct and x > 0.5:
            extra = 80 + int(1.6 * float(a) * w)
            while True:
                with mp.extraprec(extra):
                    high = mp.exp(self.logf_of(a, b, y)) / b * series(b, a, -y)
                    low = 1 - high
                    lost = -mp.log(low, 2) if low > 0 else mpf(extra)
                if lost < extra - 40:
                    return +low
                extra *= 2
        return mp.exp(self.logf_of(a, b, y)) / a * series(a, b, y)

    def logf_of(self, a, b, y):
        log_x, log_w = log_sigmoids(y)
        return a * log_x + b * log_w - self.log_beta()

    def mean_y(self):
        return mp.digamma(self.a) - mp.digamma(self.b)

    def sd_y(self):
        return mp.sqrt(mp.psi(1, self.a) + mp.psi(1, self.b))

    def mode(self):
        return mp.log(self.a) - mp.log(self.b)


class Normal:
    """Normal law on its own axis: of raw scores, or (as logit-normal) of y = logit(theta)."""

    def __init__(self, mu, sigma):
        self.mu, self.sigma = mpf(mu), mpf(sigma)

    def logf(self, y):
        z = (y - self.mu) / self.sigma
        return -z * z / 2 - mp.log(2 * mp.pi) / 2 - mp.log(self.sigma)

    def slope(self, y):
        return -(y - self.mu) / self.sigma**2

    def tails(self, y):
        z = (y - self.mu) / self.sigma / mp.sqrt(2)
        return mp.erfc(-z) / 2, mp.erfc(z) / 2

    def mean_y(self):
        return self.mu

    def sd_y(self):
        return self.sigma

    mode = mean_y


class RawNormal(Normal):
    """Normal law of raw scores seen on the axis y = logit(theta): its mass outside (0, 1) is
    beyond the two ends of that axis."""

    def logf(self, y):
        log_x, log_w = log_sigmoids(y)
        return super().logf(mp.exp(log_x)) + log_x + log_w

    def slope(self, y):
        x = 1 / (1 + mp.exp(-y))
        return super().slope(x) * x * (1 - x) + 1 - 2 * x

    def tails(self, y):
        return super().tails(1 / (1 + mp.exp(-y)))


class Inflated:
    """Point masses at 0 and 1 beside a beta law; beyond the two ends of the axis y they count."""

    def __init__(self, a, b, at_zero, at_one):
        self.base, self.at_zero, self.at_one = Beta(a, b), mpf(at_zero), mpf(at_one)
        self.rest = 1 - self.at_zero - self.at_one
        self.slope, self.mode = self.base.slope, self.base.mode

    def logf(self, y):
        return mp.log(self.rest) + self.base.logf(y)

    def tails(self, y):
        low, high = self.base.tails(y)
        return self.at_zero + self.rest * low, self.at_one + self.rest * high


def log_sigmoids(y):
    """log theta and log(1 - theta)."""
    tail = mp.log1p(mp.exp(-abs(y)))
    return (-tail, -y - tail) if y > 0 else (y - tail, -tail)


def series(a, b, y):
    """2F1(1, a+b; a+1; x) at x = sigma(y): positive terms, in fixed point."""
    prec = mp.prec + 40
    x = 1 / (1 + mp.exp(-y))
    z = int(mp.floor(mp.ldexp(x, prec)))
    one = 1 << 90
    top, bottom = int(mp.ldexp(a + b, 90)), int(mp.ldexp(a + 1, 90))
    term = total = 1 << prec
    while term > 4:
        term = (term * top // bottom) * z >> prec
        total += term
        top += one
        bottom += one
    return mp.ldexp(mpf(total), -prec)


def root(fun, low, high):
    """Safeguarded Newton for fun(y) -> (value, slope) with a change of sign on [low, high]."""
    low, high = mpf(low), mpf(high)
    sign = mp.sign(fun(low)[0])
    y, last = (low + high) / 2, high - low
    for _ in range(2000):
        value, slope = fun(y)
        if value == 0:
            return y
        if mp.sign(value) == sign:
            low = y
        else:
            high = y
        step = -value / slope if slope else mp.inf
        new = y + step
        if not low < new < high or abs(step) > last * 0.7:
            new = (low + high) / 2
        last, y = abs(new - y), new
        if last <= TINY * max(1, abs(y)):
            return y
    raise ArithmeticError("no convergence")


def bracketed(fun, start, step=1):
    """Root of a monotone function on the line, bracketed by doubling steps from start."""
    left, right, width = mpf(start), mpf(start), mpf(step)
    while mp.sign(fun(left)[0]) == mp.sign(fun(right)[0]):
        left, right, width = left - width, right + width, 2 * width
    return root(fun, left, right)


def quantile(law, p, lower):
    """y with F(y) = p or S(y) = p: Newton on the concave log tail, monotone from its far side."""
    target = mp.log(mpf(p))
    y = law.mode()
    for _ in range(400):
        tail = law.tails(y)[0 if lower else 1]
        hazard = mp.exp(law.logf(y)) / tail
        step = (target - mp.log(tail)) / hazard
        y = y + step if lower else y - step
        if abs(step) <= TINY * max(1, abs(y)):
            return y
    raise ArithmeticError("no convergence")


def level_points(c, i, t):
    """All y with log f_c/f_i = t, ascending."""
    if isinstance(c, Beta) and isinstance(i, Beta):
        return beta_level_points(c, i, t)
    if type(c) is Normal and type(i) is Normal:
        return normal_level_points(c, i, t)

    def fun(y):
        return c.logf(y) - i.logf(y) - t, c.slope(y) - i.slope(y)

    grid = [mpf(k) / 16 for k in range(-1600, 1601)]
    signs = [fun(y)[0] > 0 for y in grid]
    return [root(fun, grid[k], grid[k + 1]) for k in range(3200) if signs[k] != signs[k + 1]]


def beta_level_points(c, i, t):
    a, b = c.a - i.a, c.b - i.b
    log_c = i.log_beta() - c.log_beta()

    def fun(y):
        log_x, log_w = log_sigmoids(y)
        return a * log_x + b * log_w + log_c - t, a - (a + b) / (1 + mp.exp(-y))

    if a == 0 and b == 0:
        return []
    if a == 0 or b == 0:
        exists = (log_c - t) * (a if b == 0 else b) > 0
        return [bracketed(fun, 0)] if exists else []
    if (a > 0) != (b > 0):
        return [bracketed(fun, (t - log_c) / (a - b))]
    top = mp.log(a) - mp.log(b) if a > 0 else mp.log(-a) - mp.log(-b)
    side = mp.sign(a)
    if side * fun(top)[0] <= 0:
        return []
    found = []
    for width in (mpf(-1), mpf(1)):
        while side * fun(top + width)[0] > 0:
            width *= 2
        found.append(root(fun, *sorted((top, top + width))))
    return found


def normal_level_points(c, i, t):
    half = (1 / i.sigma**2 - 1 / c.sigma**2) / 2
    linear = c.mu / c.sigma**2 - i.mu / i.sigma**2
    rest = (i.mu / i.sigma) ** 2 / 2 - (c.mu / c.sigma) ** 2 / 2 + mp.log(i.sigma / c.sigma) - t
    if half == 0:
        return [-rest / linear] if linear else []
    disc = linear**2 - 4 * half * rest
    if disc <= 0:
        return []
    return sorted((-linear + s * mp.sqrt(disc)) / (2 * half) for s in (1, -1))


class TooCoarseError(ArithmeticError):
    """The halved steps do not agree yet."""


def trapezoid(g, low, high, digits, step=0.25):
    """Sum of g over a grid that is halved until two sums agree to `digits` digits."""
    h = mpf(step)
    first, last = int(mp.floor(low / h)), int(mp.ceil(high / h))
    total = mp.fsum(g(k * h) for k in range(first, last + 1))
    for _ in range(9):
        old = total * h
        first, last, h = 2 * first, 2 * last, h / 2
        total += mp.fsum(g(k * h) for k in range(first + 1, last, 2))
        if abs(total * h - old) <= abs(old) * mpf(10) ** -digits:
            return total * h
    raise TooCoarseError(f"trapezoid: {mpmath.nstr(abs(total * h / old - 1), 3)} after 9 halvings")


def reach(fun, start, side, drop):
    """Distance from start at which the log-concave exp(fun) has fallen by exp(-drop)."""
    top, width = fun(start), mpf(1)
    while fun(start + side * width) < top - drop:
        width /= 2
    while fun(start + side * width) > top - drop:
        width *= 2
    near, far = width / 2, width
    for _ in range(5):
        middle = (near + far) / 2
        near, far = (middle, far) if fun(start + side * middle) > top - drop else (near, middle)
    return far


def whole_line(log_g, peak, scale, left, right, digits):
    """Integral of exp(log_g) over [left, right] through y = peak + scale sinh t."""

    def g(t):
        return mp.exp(log_g(peak + scale * mp.sinh(t))) * scale * mp.cosh(t)

    return trapezoid(g, mp.asinh((left - peak) / scale), mp.asinh((right - peak) / scale), digits)


def segment(log_g, left, right, digits):
    """Integral of exp(log_g) over a finite interval through y = middle + half tanh(pi/2 sinh t)."""
    middle, half = (left + right) / 2, (right - left) / 2

    def g(t):
        u = mp.pi / 2 * mp.sinh(t)
        jacobian = half * mp.pi / 2 * mp.cosh(t) / mp.cosh(u) ** 2
        return mp.exp(log_g(middle + half * mp.tanh(u))) * jacobian

    return trapezoid(g, mpf(-4), mpf(4), digits)


def in_pieces(log_g, cuts, left, right, digits):
    """Integral over [left, right] cut at the knees of the two laws."""
    inner = sorted(y for y in {mpf(y) for y in cuts} if left < y < right)
    points = [left, *inner, right]
    return mp.fsum(segment(log_g, p, q, digits) for p, q in pairwise(points))


def product_area(law, other, lower):
    """Integral of f_law times a tail of other (its F if lower, else S)."""
    which = 0 if lower else 1

    def log_g(y):
        return law.logf(y) + mp.log(other.tails(y)[which])

    def score(y):
        hazard = mp.exp(other.logf(y)) / other.tails(y)[which]
        return law.slope(y) + (hazard if lower else -hazard)

    with mp.workdps(30):
        low, high, width = law.mode() - 1, law.mode() + 1, mpf(1)
        while score(low) < 0:
            low, width = low - width, 2 * width
        width = mpf(1)
        while score(high) > 0:
            high, width = high + width, 2 * width
        while high - low > min(law.sd_y(), other.sd_y()) / 20:
            middle = (low + high) / 2
            low, high = (middle, high) if score(middle) > 0 else (low, middle)
        peak = (low + high) / 2
        scale = min(reach(log_g, peak, side, 1) for side in (-1, 1))
        left, right = (peak + side * reach(log_g, peak, side, 90) for side in (-1, 1))
    try:
        return whole_line(log_g, peak, scale, left, right, 28)
    except TooCoarseError:
        return in_pieces(log_g, [peak, law.mode(), other.mode()], left, right, 28)


def areas(c, i):
    """AUC and 1 - AUC, each a positive integral over the narrower law's density."""
    if c.sd_y() <= i.sd_y():
        return product_area(c, i, True), product_area(c, i, False)
    return product_area(i, c, False), product_area(i, c, True)


def average_precision(c, i, prior):
    """Integral of precision over recall."""
    kappa = (1 - mpf(prior)) / mpf(prior)

    def log_g(y):
        accept = c.tails(y)[1]
        return c.logf(y) - mp.log1p(kappa * i.tails(y)[1] / accept)

    with mp.workdps(20):
        narrow = c if c.sd_y() <= i.sd_y() else i
        peak = narrow.mode()
        scale = min(reach(narrow.logf, peak, side, 1) for side in (-1, 1))
        left, right = (c.mode() + side * reach(c.logf, c.mode(), side, 80) for side in (-1, 1))
    try:
        return whole_line(log_g, peak, scale, left, right, 17)
    except TooCoarseError:
        return in_pieces(log_g, [c.mode(), i.mode()], left, right, 17)


def partial_area(c, i, low, high):
    """Area under TPR(FAR) for FAR in [low, high]."""
    left = quantile(i, high, False)

    def log_g(y):
        return i.logf(y) + mp.log(c.tails(y)[1])

    if low > 0:
        right = quantile(i, low, False)
    else:  # where the log-concave integrand has fallen by exp(-85)
        width, best = mpf(2) ** -30, log_g(left)
        while (value := log_g(left + width)) >= best - 85:
            width, best = width * mpf("1.5"), max(best, value)
        right = left + width
    return in_pieces(log_g, [c.mode(), i.mode()], left, right, 26)


def place(c, i, y):
    """A threshold: its logit, or the raw one of a binormal pair."""
    return {"threshold" if type(c) is Normal and type(i) is Normal else "logit": text(y)}


def log_tails(law, y):
    low, high = law.tails(y)
    log_low = mp.log(low) if low < 0.5 else mp.log1p(-high)
    return log_low, mp.log(high) if high < 0.5 else mp.log1p(-low)


def gap(c, i, y):
    """F_i - F_c, digits raised until the difference keeps 30 of them."""
    for digits in (DIGITS, 4 * DIGITS, 16 * DIGITS):
        with mp.workdps(digits):
            (lc, hc), (li, hi) = c.tails(y), i.tails(y)
            small = max(lc, li) < max(hc, hi)
            value = li - lc if small else hc - hi
            size = max(lc, li) if small else max(hc, hi)
            if abs(value) > size * mpf(10) ** (30 - digits):
                return +value
    return value


def eer(c, i):
    y = balance(c, i, mpf(1) / 2)
    return {**place(c, i, y), "value": text(i.tails(y)[1])}


def break_even(c, i, prior):
    """Precision = recall."""
    y = balance(c, i, mpf(prior))
    return {"prior": prior, **place(c, i, y), "value": text(c.tails(y)[1])}


def balance(c, i, prior):
    """Where prior FRR = (1 - prior) FAR."""
    shift = mp.log(prior) - mp.log1p(-prior)

    def fun(y):
        lower, upper = c.tails(y)[0], i.tails(y)[1]
        hazards = mp.exp(c.logf(y)) / lower + mp.exp(i.logf(y)) / upper
        return shift + mp.log(lower) - mp.log(upper), hazards

    return bracketed(fun, (c.mode() + i.mode()) / 2)


def ks(c, i, ends=()):
    """max abs(F_i - F_c)."""
    sizes = [abs(gap(c, i, y)) for y in [*level_points(c, i, mpf(0)), *ends]]
    return {"value": text(max(sizes, default=mpf(0)))}


def lowest(c, i, w, ends=()):
    """Global minimum of w FAR + (1-w) FRR: value, kind, y, relative lead over the next best."""
    found = [(w, "accept-all", None), (1 - w, "reject-all", None)]
    for y in [*level_points(c, i, mp.log(w) - mp.log1p(-w)), *ends]:
        kind = "interior" if y not in ends else "at-zero" if y < 0 else "below-one"
        found.append((w * i.tails(y)[1] + (1 - w) * c.tails(y)[0], kind, y))
    found.sort(key=lambda row: row[0])
    return (*found[0], found[1][0] / found[0][0] - 1)


def weighted(c, i, alpha, ends=()):
    value, kind, y, lead = lowest(c, i, mpf(alpha), ends)
    where = place(c, i, y) if y is not None else {}
    return {"alpha": alpha, "value": text(value), "kind": kind, **where, "lead": text(lead, 5)}


def max_f(c, i, weight, prior):
    """Largest 1/(w/P + (1-w)/R) by Dinkelbach's steps, each a global weighted-error minimum."""
    w, kappa = mpf(weight), (1 - mpf(prior)) / mpf(prior)
    best = 1 / (1 + w * kappa)
    for _ in range(200):
        cost = best * w * kappa
        _, kind, y, lead = lowest(c, i, cost / (1 - w * best + cost))
        if kind == "interior":
            recall, far = c.tails(y)[1], i.tails(y)[1]
            new = recall / (1 - w + w * recall + w * kappa * far)
        else:
            new = 1 / (1 + w * kappa)
        if new <= best * (1 + TINY):
            break
        best = new
    where = {"kind": "accept-all"} if y is None else {"kind": "interior", **place(c, i, y)}
    lead = text(lead, 5)
    return {"weight": weight, "prior": prior, "value": text(best), **where, "lead": lead}


def law_table(law):
    """[y, log F, log S, log density in theta] rows; logits of F = p and S = p."""
    spread = [float(law.mean_y() + k * law.sd_y()) for k in SPREADS]
    rows = []
    for y in sorted({*FIXED_Y, *(float(f"{y:.12g}") for y in spread)}):
        log_low, log_high = log_tails(law, mpf(y))
        density = law.logf(mpf(y)) - sum(log_sigmoids(mpf(y)))
        rows.append([y, text(log_low), text(log_high), text(density)])
    ppf, isf = ([text(quantile(law, p, lower)) for p in LEVELS] for lower in (True, False))
    return {"rows": rows, "ppf": ppf, "isf": isf}


def far_target(c, i, far):
    y = quantile(i, far, False)
    log_tpr, log_slope = log_tails(c, y)[1], c.logf(y) - i.logf(y)
    return {"far": far, **place(c, i, y), "log_tpr": text(log_tpr), "log_slope": text(log_slope)}


def end_values(c, i):
    """Power laws F_i ~ K F_c^rho at theta = 0 and FAR ~ K TPR^rho at theta = 1; dF_i/dF_c there."""
    log_ratio_b = c.log_beta() - i.log_beta()
    result = {}
    for name, s1, s2 in (("at_zero", c.a, i.a), ("at_one", c.b, i.b)):
        rho = s2 / s1
        coefficient = rho * (mp.log(s1) + c.log_beta()) - mp.log(s2) - i.log_beta()
        slope = "inf" if s1 > s2 else "0.0" if s1 < s2 else text(mp.exp(log_ratio_b))
        logs = {"exponent": text(rho), "log_coefficient": text(coefficient)}
        result[name] = {**logs, "semi_derivative": slope}
    return result
