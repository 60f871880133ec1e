"""Decisions on samples by enumeration in exact fractions."""

import math
from fractions import Fraction
from functools import cache
from typing import NamedTuple


class Row(NamedTuple):
    """One threshold with exact rates."""

    threshold: float
    far: Fraction
    frr: Fraction


def middle(low, high):
    """Midpoint of a gap, the lower score where it rounds onto the upper."""
    value = float((Fraction(low) + Fraction(high)) / 2)
    return value if low < value < high else low


@cache
def enumerate_thresholds(model):
    """All distinct decisions: -inf, the middle of each gap, the largest score."""

    def masses(law):
        weights = [1] * len(law.values) if law.weights is None else law.weights.tolist()
        total = sum(Fraction(w) for w in weights)
        mass = {}
        for v, w in zip(law.values.tolist(), weights, strict=True):
            if w > 0:
                mass[v] = mass.get(v, Fraction(0)) + Fraction(w) / total
        return mass

    client, impostor = masses(model.client), masses(model.impostor)
    scores = sorted({*client, *impostor})
    places = [-math.inf, *map(middle, scores, scores[1:]), scores[-1]]
    return [
        Row(
            t,
            sum((m for v, m in impostor.items() if v > t), Fraction(0)),
            sum((m for v, m in client.items() if v <= t), Fraction(0)),
        )
        for t in places
    ]


def first_best(rows, criterion):
    """Smallest criterion, then smallest HTER, then lowest threshold; None is left out."""
    known = [(c, r.far + r.frr, r.threshold, r) for r in rows if (c := criterion(r)) is not None]
    return min(known, key=lambda k: k[:3])[3]


def decimal(x):
    return Fraction(x).limit_denominator(10**9)


def weighted(alpha):
    a = decimal(alpha)
    return lambda r: a * r.far + (1 - a) * r.frr


def precision(r, prior):
    called = prior * (1 - r.frr) + (1 - prior) * r.far
    return prior * (1 - r.frr) / called if called else None


def minus_f(weight, prior):
    def value(r):
        true, called = prior * (1 - r.frr), prior * (1 - r.frr) + (1 - prior) * r.far
        whole = decimal(weight) * called + (1 - decimal(weight)) * prior
        return -true / whole if whole else Fraction(0)

    return value


def imbalance(prior):
    def value(r):
        p = precision(r, prior)
        # Precision = recall = 0 wherever no client is accepted: that is no balance.
        return None if p is None or r.frr == 1 else abs(p - (1 - r.frr))

    return value
