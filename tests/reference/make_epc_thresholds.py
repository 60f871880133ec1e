"""Thresholds of smooth EPCs: ``python tests/reference/make_epc_thresholds.py``.

mpmath at 60 digits, on the axis y = logit theta of beta pairs, the raw axis of normal ones; laws,
roots and quantiles are those of _laws.py. Precision meets alpha where log S_c/S_i = logit alpha -
logit prior, of several places the one with the least FAR + FRR; where there is none, the nearest of
the points where it turns and accept-all. alpha P + (1 - alpha) R is greatest at a zero of its
derivative or at accept-all. Both are scanned on a mesh of 1/16 (1/64 for normal laws); zeros are
bisected to 1e-45. An entry: criterion, alpha, kind ("limit": the supremum lies at the upper end,
where no threshold attains it; `precision` is the limit there), the threshold as `y`, `lead`, the
relative distance to the second best candidate.
"""

from itertools import pairwise
from pathlib import Path

import mpmath
from _laws import Beta, Normal, max_f, quantile, root, text, weighted, write
from mpmath import mp, mpf

OUT = Path(__file__).with_name("epc_thresholds.json")
ALPHAS = (0.01, 0.1, 0.3, 0.5, 0.75, 0.9, 0.99)
FAMILIES = {"beta": Beta, "normal": Normal}

# family, client, impostor, prior: no alpha, where accept-all has that precision exactly
PAIRS = [
    ("beta", (4.0, 2.0), (2.0, 4.0), 0.35),
    ("beta", (0.47, 0.36), (0.77, 1.91), 0.45),  # U against reverse-J: two roots of the ratio
    ("beta", (6.0, 5.0), (2.0, 3.0), 0.12),  # hook
    ("beta", (30.0, 10.0), (12.0, 25.0), 0.45),
    ("beta", (3.0, 0.45), (0.6, 2.5), 0.05),
    ("beta", (0.2, 0.1), (0.1, 0.3), 0.4),
    ("beta", (250.0, 150.0), (150.0, 200.0), 0.2),
    ("beta", (1.5, 1.0), (1.0, 1.0), 0.7),
    ("beta", (2.0, 4.0), (4.0, 2.0), 0.45),  # reversed
    ("normal", (1.0, 1.0), (-1.0, 1.3), 0.2),
    ("normal", (1.0, 2.0), (0.0, 1.0), 0.45),
    ("normal", (2.0, 1.0), (0.0, 1.0), 0.85),
]


class Table:
    """Both laws on a mesh, and the places where a function of them changes its sign."""

    def __init__(self, family, client, impostor, prior):
        self.client, self.impostor, self.prior = client, impostor, mpf(prior)
        step = 16 if family == "beta" else 64
        reach = 80 if family == "beta" else 12
        self.mesh = [mpf(k) / step for k in range(-reach * step, reach * step + 1)]
        self.rows = [self.row(y) for y in self.mesh]

    def row(self, y):
        """S_c, S_i, f_c, f_i."""
        c, i = self.client, self.impostor
        return c.tails(y)[1], i.tails(y)[1], mp.exp(c.logf(y)), mp.exp(i.logf(y))

    def zeros(self, function):
        signs = (mp.sign(function(*row)) for row in self.rows)
        points = pairwise(zip(self.mesh, signs, strict=True))
        ends = [(low, high) for (low, before), (high, after) in points if before * after < 0]
        return [root(lambda y: (function(*self.row(y)), 0), low, high) for low, high in ends]

    def precision(self, y):
        accepted = self.prior * self.client.tails(y)[1]
        return accepted / (accepted + (1 - self.prior) * self.impostor.tails(y)[1])

    def top(self):
        """The limit of the precision at the upper end: seen at the end of the mesh."""
        return self.precision(self.mesh[-1])

    def best(self, criterion, alpha, ranked, lead):
        _, kind, y = ranked[0]
        made = entry(criterion, alpha, kind, y, lead)
        return made | ({"precision": text(self.top())} if kind == "limit" else {})


def entry(criterion, alpha, kind, y=None, lead=None):
    made = {"criterion": criterion, "alpha": alpha, "kind": kind}
    if y is not None:
        made["y"] = text(y)
    if lead is not None:
        made["lead"] = text(lead, 5)
    return made


def copied(criterion, alpha, made):
    kept = {key: made[key] for key in ("kind", "lead")}
    place = made.get("logit", made.get("threshold"))
    return {"criterion": criterion, "alpha": alpha, **kept, **({"y": place} if place else {})}


def precision(table, alpha):
    level = mp.log(mpf(alpha)) - mp.log1p(-mpf(alpha))
    level -= mp.log(table.prior) - mp.log1p(-table.prior)
    ratio = mp.exp(level)
    found = table.zeros(lambda sc, si, fc, fi: sc - ratio * si)
    if found:
        total = [table.impostor.tails(y)[1] + table.client.tails(y)[0] for y in found]
        ranked = sorted(zip(total, found, strict=True))
        lead = ranked[1][0] / ranked[0][0] - 1 if len(ranked) > 1 else None
        return entry("precision", alpha, "interior", ranked[0][1], lead)
    turns = table.zeros(lambda sc, si, fc, fi: fi * sc - fc * si)
    gaps = [(abs(table.precision(y) - alpha), "interior", y) for y in turns]
    gaps += [(abs(table.prior - alpha), "accept-all", None)]
    gaps += [(abs(table.top() - alpha), "limit", None)]
    gaps.sort(key=lambda row: row[0])
    return table.best("precision", alpha, gaps, gaps[1][0] / gaps[0][0] - 1)


def precision_recall(table, alpha):
    a, p = mpf(alpha), table.prior

    def slope(sc, si, fc, fi):
        called = p * sc + (1 - p) * si
        return a * p * (1 - p) * (fi * sc - fc * si) - (1 - a) * fc * called**2

    found = [
        (a * table.precision(y) + (1 - a) * table.client.tails(y)[1], "interior", y)
        for y in table.zeros(slope)
    ]
    found += [(a * p + 1 - a, "accept-all", None), (a * table.top(), "limit", None)]
    found.sort(key=lambda row: -row[0])
    lead = 1 - found[1][0] / found[0][0]
    return table.best("weighted-precision-recall", alpha, found, lead)


def main():
    pairs = []
    for family, client, impostor, prior in PAIRS:
        c, i = FAMILIES[family](*client), FAMILIES[family](*impostor)
        table = Table(family, c, i, prior)
        rows = []
        for alpha in ALPHAS:
            rows.append(copied("weighted-error", alpha, weighted(c, i, alpha)))
            rows.append(entry("far", alpha, "interior", quantile(i, alpha, False)))
            rows.append(entry("frr", alpha, "interior", quantile(c, alpha, True)))
            rows.append(precision(table, alpha))
            rows.append(copied("f-measure", alpha, max_f(c, i, alpha, prior)))
            rows.append(precision_recall(table, alpha))
        sides = {"family": family, "client": client, "impostor": impostor}
        pairs.append({**sides, "prior": prior, "entries": rows})
    made = {"mpmath": mpmath.__version__, "digits": mp.dps}
    write(OUT, {"made_with": made, "pairs": pairs})


if __name__ == "__main__":
    main()
