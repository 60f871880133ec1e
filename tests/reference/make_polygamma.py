"""Polynomials for digamma and trigamma: ``python tests/reference/make_polygamma.py``.

mpmath at 60 digits. The asymptotic series of digamma and trigamma are replaced, on the range of
z = 1/x^2 where they are used, by the polynomials that agree with the functions at Chebyshev's
nodes: nearly the best of their degree.

    phi    z P(z) = digamma(x) - log(x) + 1/(2x),                degree 6 on (0, 1/64]
    tau    T(z)/x^3 = trigamma(x) - 1/x - 1/(2x^2),              degree 6 on (0, 1/64]

``error`` is the largest one on 2000 points, relative to digamma(x) - log(x) and
trigamma(x) - 1/x, with the coefficients as stored.
"""

import json
from pathlib import Path

import mpmath as mp

mp.mp.dps = 60
HALF = mp.mpf(1) / 2


def phi(z):
    """P(z)."""
    x = 1 / mp.sqrt(z)
    return (mp.psi(0, x) - mp.log(x) + HALF / x) / z


def tau(z):
    """T(z)."""
    x = 1 / mp.sqrt(z)
    return (mp.psi(1, x) - 1 / x - HALF * z) * x**3


def interpolated(function, end, terms):
    """Coefficients, lowest first, of the polynomial through Chebyshev's nodes of (0, end)."""
    nodes = [end / 2 * (1 + mp.cos(mp.pi * (2 * k + 1) / (2 * terms))) for k in range(terms)]
    matrix = mp.matrix([[z**j for j in range(terms)] for z in nodes])
    return list(mp.lu_solve(matrix, mp.matrix([function(z) for z in nodes])))


def made():
    """Both polynomials, and the largest error relative to digamma - log and trigamma - 1/x."""
    end, found = mp.mpf(1) / 64, {}
    for name, function, share in (
        ("phi", phi, lambda z: z / (mp.psi(0, z**-HALF) - mp.log(z**-HALF))),
        ("tau", tau, lambda z: z**1.5 / (mp.psi(1, z**-HALF) - z**HALF)),
    ):
        terms = [float(t) for t in interpolated(function, end, 7)]
        grid = [end * k / 2000 for k in range(1, 2001)]
        off = max(abs((mp.polyval(terms[::-1], z) - function(z)) * share(z)) for z in grid)
        found[name] = {"terms": terms, "error": float(off)}
    return found


if __name__ == "__main__":
    path = Path(__file__).with_name("polygamma.json")
    path.write_text(json.dumps(made(), indent=1) + "\n", encoding="utf-8")
