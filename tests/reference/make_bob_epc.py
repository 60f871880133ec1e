"""Expected performance curves of bob.measure: ``python tests/reference/make_bob_epc.py``.

    bob.measure.epc(
        dev_negatives, dev_positives, test_negatives, test_positives, n_points, False, True
    )

of bob.measure 6.1.1 on simulated scores without ties: alpha FAR + (1 - alpha) FRR is minimal on
dev, accept iff score >= threshold, of equal minima the last; thresholds are midpoints, the smallest
dev score to accept all, the double above the largest to reject all. Its second row is the HTER on
test. Sets are drawn by ``random.Random(seed).random()``: negatives, positives of dev, then of test;
a negative is the least of k uniform numbers, a positive the largest of m. `sums` are the sums of
the four samples, to see that the same scores came out.

pip install numba numpy click clapper exposed && pip install --no-deps bob.measure==6.1.1
(its pins ask for an older numpy; it imports and runs without its other dependencies).
"""

import importlib.metadata
import math
import random
from pathlib import Path

import bob.measure
import numpy as np
from _laws import write

OUT = Path(__file__).with_name("bob_epc.json")

# seed, sizes (dev negatives, dev positives, test negatives, test positives), k, m, points
SETS = [
    (1, (25, 15, 30, 20), 2, 2, 21),
    (2, (13, 27, 200, 150), 1, 3, 101),
    (3, (60, 143, 150, 61), 2, 2, 101),
    (4, (307, 101, 211, 89), 2, 2, 101),
    (5, (500, 500, 400, 600), 3, 1, 101),
    (6, (701, 1299, 1301, 699), 2, 3, 101),
    (7, (1987, 13, 1979, 21), 2, 2, 101),
    (8, (997, 1003, 1000, 1000), 1, 1, 101),
    (9, (11, 1989, 17, 1983), 3, 2, 101),
]


def draw(seed, sizes, k, m):
    uniform = random.Random(seed).random
    of_class = [(min, k), (max, m), (min, k), (max, m)]
    return [
        np.array([pick([uniform() for _ in range(count)]) for _ in range(size)])
        for size, (pick, count) in zip(sizes, of_class, strict=True)
    ]


def main():
    rows = []
    for seed, sizes, k, m, points in SETS:
        samples = draw(seed, sizes, k, m)
        alpha, hter, threshold = bob.measure.epc(*samples, points, False, True)
        if np.unique(np.concatenate(samples)).size != sum(sizes):
            raise ArithmeticError(f"tied scores in set {seed}")
        answers = {"alpha": alpha, "threshold": threshold, "hter": hter}
        drawn = {"seed": seed, "sizes": sizes, "k": k, "m": m, "sums": [*map(math.fsum, samples)]}
        rows.append(drawn | {name: values.tolist() for name, values in answers.items()})
    made = {name: importlib.metadata.version(name) for name in ("bob.measure", "numba", "numpy")}
    call = (
        "bob.measure.epc(dev_negatives, dev_positives, test_negatives, test_positives,"
        " n_points, False, True)"
    )
    write(OUT, {"made_with": made, "call": call, "sets": rows})


if __name__ == "__main__":
    main()
