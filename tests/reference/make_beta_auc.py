"""AUC of beta pairs: ``python tests/reference/make_beta_auc.py`` (about ten minutes).

mpmath at 60 digits, AUC and 1 - AUC integrated separately over y = logit s to 28 digits
(``_laws.py``); they must add to 1. Shapes are random with fixed seeds, log-uniform in the
range that names the section, rounded to six digits; ``hard`` is a list of pairs at which
quadratures in s fail.
"""

import random
from pathlib import Path

import mpmath
from _laws import Beta, areas, text, write
from mpmath import mp

FILE = Path(__file__).with_name("beta_auc.json")

HARD = [
    (0.14, 1.12, 0.61, 0.27), (0.61, 0.27, 0.14, 1.12), (0.01, 0.02, 0.02, 0.01),
    (0.02, 0.01, 0.01, 0.02), (1e4, 1e4, 0.5, 0.5), (1.01e4, 1e4, 0.5, 0.4), (1e5, 9e4, 9e4, 1e5),
    (9e4, 1e5, 1e5, 9e4), (1e5, 9.99e4, 9.99e4, 1e5), (5.0, 0.001, 4.0, 0.002),
    (300.0, 0.05, 0.05, 300.0), (0.001, 1e6, 0.5, 0.001), (1e6, 1e6, 0.001, 0.002),
    (2.0, 3.0, 2.0, 3.0000001), (0.05, 50.0, 50.0, 0.05), (50.0, 50.0, 3.0, 40.0),
]  # fmt: skip


def drawn(seed, low, high, count):
    """Log-uniform shapes of six digits."""
    random_number = random.Random(seed).random
    return [
        tuple(float(f"{low * (high / low) ** random_number():.6g}") for _ in range(4))
        for _ in range(count)
    ]


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


def main():
    made = {"made_with": {"mpmath": mpmath.__version__}}
    for name, pairs in SECTIONS.items():
        made[name] = [row(shapes) for shapes in pairs]
        print(name, len(pairs), flush=True)
    write(FILE, made, (", ", ": "))


if __name__ == "__main__":
    main()
