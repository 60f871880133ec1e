"""AUC of beta pairs: ``python tests/reference/make_beta_auc.py`` (about ten minutes).

mpmath at 60 digits, AUC and 1 - AUC integrated separately over y = logit s to 28 digits
(``_laws.py``); they must add to 1. Shapes are random with fixed seeds, log-uniform in the
range that names the section, rounded to six digits; ``hard`` is a list of pairs at which
quadratures in s fail. ``check`` compares pairs of the first section with

    AUC = B(a_c + a_i, b_c) / (a_i B(a_c, b_c) B(a_i, b_i)) 3F2(a_i, 1 - b_i, a_c + a_i;
                                                        a_i + 1, a_c + b_c + a_i; 1)

summed by mpmath at 50 digits: the series of F_i integrated term by term.
"""

import json
import random
import sys
from pathlib import Path

import mpmath
from _laws import Beta, areas, text, write
from mpmath import mp

FILE = Path(__file__).with_name("beta_auc.json")

HARD = [
    (0.14, 1.12, 0.61, 0.27),
    (0.61, 0.27, 0.14, 1.12),
    (0.01, 0.02, 0.02, 0.01),
    (0.02, 0.01, 0.01, 0.02),
    (1e4, 1e4, 0.5, 0.5),
    (1.01e4, 1e4, 0.5, 0.4),
    (1e5, 9e4, 9e4, 1e5),
    (9e4, 1e5, 1e5, 9e4),
    (1e5, 9.99e4, 9.99e4, 1e5),
    (5.0, 0.001, 4.0, 0.002),
    (300.0, 0.05, 0.05, 300.0),
    (0.001, 1e6, 0.5, 0.001),
    (1e6, 1e6, 0.001, 0.002),
    (2.0, 3.0, 2.0, 3.0000001),
    (0.05, 50.0, 50.0, 0.05),
    (50.0, 50.0, 3.0, 40.0),
]


def drawn(seed, low, high, count):
    """Log-uniform shapes of six digits."""
    rng = random.Random(seed)

    def shape():
        return float(f"{low * (high / low) ** rng.random():.6g}")

    return [(shape(), shape(), shape(), shape()) for _ in range(count)]


SECTIONS = {
    "hard": HARD,
    "0.05 to 50": drawn(1, 0.05, 50.0, 300),
    "0.05 to 1000": drawn(2, 0.05, 1e3, 100),
    "0.001 to 1000000": drawn(3, 1e-3, 1e6, 60),
}


def row(shapes):
    a_c, b_c, a_i, b_i = shapes
    area, rest = areas(Beta(a_c, b_c), Beta(a_i, b_i))
    if abs(area + rest - 1) > mp.mpf(10) ** -25:
        raise ArithmeticError(f"{shapes}: AUC + (1 - AUC) - 1 = {area + rest - 1}")
    return {"shapes": list(shapes), "auc": text(area), "one_minus_auc": text(rest)}


def by_series(shapes):
    a_c, b_c, a_i, b_i = (mp.mpf(v) for v in shapes)
    factor = mp.beta(a_c + a_i, b_c) / (a_i * mp.beta(a_c, b_c) * mp.beta(a_i, b_i))
    return factor * mp.hyp3f2(a_i, 1 - b_i, a_c + a_i, a_i + 1, a_c + b_c + a_i, 1)


def check():
    """Worst relative disagreement with the series.

    Its terms fall as k^-(1 + b_c + b_i), those of the mirrored pair as k^-(1 + a_c + a_i);
    mpmath 1.4.1 sums it where that exponent lies between 1.5 and 17, not beyond.
    """
    worst, summed = mp.mpf(0), 0
    with mp.workdps(50):
        for entry in json.loads(FILE.read_text(encoding="utf-8"))["0.05 to 50"][:100]:
            a_c, b_c, a_i, b_i = entry["shapes"]
            if 0.5 < b_c + b_i < 16.0:
                value = by_series((a_c, b_c, a_i, b_i))
            elif 0.5 < a_c + a_i < 16.0:
                value = by_series((b_i, a_i, b_c, a_c))
            else:
                continue
            worst, summed = max(worst, abs(value / mp.mpf(entry["auc"]) - 1)), summed + 1
    print(f"{summed} pairs summed, worst disagreement {mpmath.nstr(worst, 2)}")


def main():
    made = {"made_with": {"mpmath": mpmath.__version__}}
    for name, pairs in SECTIONS.items():
        made[name] = [row(shapes) for shapes in pairs]
        print(name, len(pairs), flush=True)
    write(FILE, made, (", ", ": "))


if __name__ == "__main__":
    check() if sys.argv[1:] == ["check"] else main()
