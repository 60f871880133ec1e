"""Does the interval of an audit's optimism cover? Simulated dev and test sets.

Usage: python benchmarks/audit.py [--draws N] [--out FILE]

The optimism is the a posteriori number of a test set less what all trials of its laws give at
dev's threshold, which is computed from the laws.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import pandas as pd
from scipy import stats

import betaroc as br

SEED = 20261130
#: Clients and impostors: normal, heavy-tailed, of two kinds, skewed.
LAWS = {
    "normal": (stats.norm(2.0), stats.norm(0.0)),
    "t5": (stats.t(5, loc=2.0), stats.t(5)),
    "gamma": (stats.gamma(6.0), stats.gamma(2.0)),
}
MEASURES = {
    "hter": lambda far, frr, share: 0.5 * (far + frr),
    "accuracy": lambda far, frr, share: 1.0 - (1.0 - share) * far - share * frr,
    "f1": lambda far, frr, share: 2.0 / (1.0 + (1.0 + (1.0 / share - 1.0) * far) / (1.0 - frr)),
}  # fmt: skip


def main(draws: int, out: str | None) -> int:
    """Coverage and width by law, shift, number of scores and measure."""
    rows = []
    for name, (client, impostor) in LAWS.items():
        for shift in (0.0, 0.7):
            for n in (200, 2000):
                rng = np.random.default_rng([SEED, list(LAWS).index(name), n, int(10 * shift)])
                inside, widths = dict.fromkeys(MEASURES, 0), dict.fromkeys(MEASURES, 0.0)
                for _ in range(draws):
                    dev, test = (
                        br.Scores(client.rvs(n, random_state=rng) + by,
                                  impostor.rvs(3 * n, random_state=rng) + by)
                        for by in (0.0, shift)
                    )  # fmt: skip
                    for measure, of in MEASURES.items():
                        a = br.audit(dev, test, measure)
                        t = a.threshold - shift
                        truth = of(impostor.sf(t), client.cdf(t), 0.25)
                        sign = -1.0 if measure == "hter" else 1.0
                        optimism = sign * (a.a_posteriori - truth)
                        inside[measure] += a.optimism.low <= optimism <= a.optimism.high
                        widths[measure] += (a.optimism.high - a.optimism.low) / draws
                for measure in MEASURES:
                    rows.append({
                        "law": name, "shift": shift, "n": n, "measure": measure, "draws": draws,
                        "covered": round(inside[measure] / draws, 3),
                        "width": round(widths[measure], 4),
                    })  # fmt: skip
                    print(rows[-1], flush=True)
    if out:
        pd.DataFrame(rows).to_csv(out, index=False)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--out")
    arguments = parser.parse_args()
    sys.exit(main(arguments.draws, arguments.out))
