"""Thresholds, optima and end behaviour of two laws as JSON-ready values, in mpmath."""

from __future__ import annotations

from typing import Any

from _laws import (
    DIGITS,
    TINY,
    Beta,
    Normal,
    bracketed,
    level_points,
    log_sigmoids,
    quantile,
    root,
    text,
)
from mpmath import mp, mpf

LEVELS = (1e-1, 1e-3, 1e-10, 1e-30, 1e-100, 1e-300)
WEIGHTS = (0.01, 0.3, 0.5, 0.75, 0.999)
FIXED_Y = (-700.0, -40.0, -5.0, 0.25, 12.0, 300.0)
SPREADS = (-8.0, -2.0, 0.0, 1.0, 6.0)


def place(c: Any, i: Any, y: Any) -> dict[str, str]:
    """A threshold: logit, theta, 1 - theta (or the raw threshold of a binormal pair)."""
    if type(c) is Normal and type(i) is Normal:
        return {"threshold": text(y)}
    log_x, log_w = log_sigmoids(y)
    return {
        "logit": text(y),
        "theta": text(mp.exp(log_x), 20),
        "one_minus_theta": text(mp.exp(log_w), 20),
    }


def log_tails(law: Any, y: Any) -> tuple[Any, Any]:
    low, high = law.tails(y)
    log_low = mp.log(low) if low < 0.5 else mp.log1p(-high)
    return log_low, mp.log(high) if high < 0.5 else mp.log1p(-low)


def gap(c: Any, i: Any, y: Any) -> Any:
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


def eer(c: Any, i: Any) -> dict[str, Any]:
    def fun(y: Any) -> tuple[Any, Any]:
        lower, upper = c.tails(y)[0], i.tails(y)[1]
        hazards = mp.exp(c.logf(y)) / lower + mp.exp(i.logf(y)) / upper
        return mp.log(lower) - mp.log(upper), hazards

    y = bracketed(fun, (c.mode() + i.mode()) / 2)
    return {**place(c, i, y), "value": text(i.tails(y)[1])}


def break_even(c: Any, i: Any, prior: float) -> dict[str, Any]:
    """Precision = recall: prior FRR = (1 - prior) FAR."""
    shift = mp.log(mpf(prior)) - mp.log1p(-mpf(prior))

    def fun(y: Any) -> tuple[Any, Any]:
        lower, upper = c.tails(y)[0], i.tails(y)[1]
        hazards = mp.exp(c.logf(y)) / lower + mp.exp(i.logf(y)) / upper
        return shift + mp.log(lower) - mp.log(upper), hazards

    y = bracketed(fun, (c.mode() + i.mode()) / 2)
    return {"prior": prior, **place(c, i, y), "value": text(c.tails(y)[1])}


def ks(c: Any, i: Any, ends: tuple[Any, ...] = ()) -> dict[str, Any]:
    """One-sided maxima of F_i - F_c (youden) and F_c - F_i (reverse); ks is the larger."""
    best: dict[int, tuple[Any, Any]] = {}
    for y in [*level_points(c, i, mpf(0)), *ends]:
        value = gap(c, i, y)
        side = int(mp.sign(value))
        if side and (side not in best or abs(value) > best[side][0]):
            best[side] = (abs(value), y)
    rows = {
        name: {**place(c, i, best[side][1]), "value": text(best[side][0])} if side in best else None
        for name, side in (("youden", 1), ("reverse", -1))
    }
    values = [pair[0] for pair in best.values()]
    return {"value": text(max(values)) if values else "0.0", **rows}


def lowest(c: Any, i: Any, w: Any, ends: tuple[Any, ...] = ()) -> tuple[Any, str, Any, Any]:
    """Global minimum of w FAR + (1-w) FRR: value, kind, y, relative lead over the next best."""
    found = [(w, "accept-all", None), (1 - w, "reject-all", None)]
    for y in [*level_points(c, i, mp.log(w) - mp.log1p(-w)), *ends]:
        kind = "interior" if y not in ends else "at-zero" if y < 0 else "below-one"
        found.append((w * i.tails(y)[1] + (1 - w) * c.tails(y)[0], kind, y))
    found.sort(key=lambda row: row[0])
    return (*found[0], found[1][0] / found[0][0] - 1)


def weighted(c: Any, i: Any, alpha: float, ends: tuple[Any, ...] = ()) -> dict[str, Any]:
    value, kind, y, lead = lowest(c, i, mpf(alpha), ends)
    where = place(c, i, y) if y is not None else {}
    return {"alpha": alpha, "value": text(value), "kind": kind, **where, "lead": text(lead, 5)}


def max_f(c: Any, i: Any, weight: float, prior: float) -> dict[str, Any]:
    """Largest 1/(w/P + (1-w)/R) by Dinkelbach's steps, each a global weighted-error minimum."""
    w, kappa = mpf(weight), (1 - mpf(prior)) / mpf(prior)
    best = 1 / (1 + w * kappa)
    kind, y = "accept-all", None
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
    where = place(c, i, y) if y is not None else {}
    kind = "interior" if y is not None else "accept-all"
    return {
        "weight": weight,
        "prior": prior,
        "value": text(best),
        "kind": kind,
        **where,
        "lead": text(lead, 5),
    }


def crossing(c: Any, i: Any) -> dict[str, Any] | None:
    """The interior root of F_i = F_c, between the two points of equal density."""
    points = level_points(c, i, mpf(0))
    if len(points) != 2:
        return None
    low, high = points

    def fun(y: Any) -> tuple[Any, Any]:
        (lc, hc), (li, hi) = c.tails(y), i.tails(y)
        fc, fi = mp.exp(c.logf(y)), mp.exp(i.logf(y))
        if lc < hc:
            return mp.log(li) - mp.log(lc), fi / li - fc / lc
        return mp.log(hc) - mp.log(hi), fi / hi - fc / hc

    y = root(fun, low, high)
    miss, rate = log_tails(c, y)
    return {**place(c, i, y), "log_rate": text(rate), "log_miss": text(miss)}


def law_table(law: Any) -> dict[str, Any]:
    """[y, log F, log S, log density in theta] rows; logits of F = p and S = p."""
    spread = [float(law.mean_y() + k * law.sd_y()) for k in SPREADS]
    rows = []
    for y in sorted({*FIXED_Y, *(float(f"{y:.12g}") for y in spread)}):
        log_low, log_high = log_tails(law, mpf(y))
        density = law.logf(mpf(y)) - sum(log_sigmoids(mpf(y)))
        rows.append([y, text(log_low), text(log_high), text(density)])
    return {
        "rows": rows,
        "ppf": [text(quantile(law, p, True)) for p in LEVELS],
        "isf": [text(quantile(law, p, False)) for p in LEVELS],
    }


def far_target(c: Any, i: Any, far: float) -> dict[str, Any]:
    y = quantile(i, far, False)
    slope = c.logf(y) - i.logf(y)
    return {
        "far": far,
        **place(c, i, y),
        "log_tpr": text(log_tails(c, y)[1]),
        "log_slope": text(slope),
    }


def end_values(c: Beta, i: Beta) -> dict[str, Any]:
    """Power laws F_i ~ K F_c^rho at theta = 0 and FAR ~ K TPR^rho at theta = 1; dF_i/dF_c there."""
    log_ratio_b = c.log_beta() - i.log_beta()
    result: dict[str, Any] = {}
    for name, s1, s2 in (("at_zero", c.a, i.a), ("at_one", c.b, i.b)):
        rho = s2 / s1
        coefficient = rho * (mp.log(s1) + c.log_beta()) - mp.log(s2) - i.log_beta()
        slope = "inf" if s1 > s2 else "0.0" if s1 < s2 else text(mp.exp(log_ratio_b))
        result[name] = {
            "exponent": text(rho),
            "log_coefficient": text(coefficient),
            "semi_derivative": slope,
        }
    a, b = c.a - i.a, c.b - i.b
    result["shape"] = global_shape(a, b)
    result["inflection_logit"] = text(mp.log(a / b)) if a * b > 0 else None
    return result


def global_shape(a: Any, b: Any) -> str:
    if a == 0 and b == 0:
        return "chance"
    if a >= 0 >= b:
        return "proper"
    if a <= 0 <= b:
        return "below"
    return "hook-at-zero" if a < 0 else "hook-at-one"
