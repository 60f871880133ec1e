"""Speed of AUC, EER and the corners of the ROC of scores, as ratios.

    python benchmarks/empirical.py [--write]

All cases are timed in turn, round after round; medians. Peers that are not installed are a line
that says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from _common import Goal, command, file_of, medians, table, version

import betaroc as br
from betaroc.core.arrays import FloatArray

Case = Callable[[], object]

CLIENTS, IMPOSTORS = 100_000, 900_000
#: Decimals that the scores are rounded to: most have equals in both classes.
DECIMALS = 4

OURS = "AUC, EER and corners, of Scores"
ROC_CURVE = "scikit-learn roc_curve"
ROC_AUC = "scikit-learn roc_auc_score"
BOTH = "roc_curve and roc_auc_score"
BOB = "bob.measure eer"
PEERS = (ROC_CURVE, ROC_AUC, BOB)
WHAT = "AUC, EER and corners of a million scores"

WHY_SORT = "where np.sort is fast the search of one class in the other counts"


def scores() -> tuple[FloatArray, FloatArray]:
    """Normal scores, one client in ten, rounded."""
    rng = np.random.default_rng(1)
    client, impostor = rng.normal(1.0, 1.0, CLIENTS), rng.normal(-1.0, 1.2, IMPOSTORS)
    return client.round(DECIMALS), impostor.round(DECIMALS)


def whole(given: br.Scores) -> tuple[float, float, int]:
    """AUC, EER and the number of corners, from a fit."""
    model = br.fit(given, "empirical").model
    return model.auc(), model.eer().hter, len(model.roc().corners())


def cases(client: FloatArray, impostor: FloatArray) -> dict[str, Case]:
    """Ours from Scores and from arrays, and what it is compared with."""
    given = br.Scores(client, impostor)
    everything = np.concatenate([client, impostor])
    label = np.concatenate([np.ones(client.size, dtype=int), np.zeros(impostor.size, dtype=int)])
    order = np.random.default_rng(2).permutation(label.size)
    y, s = label[order], everything[order]
    found: dict[str, Case] = {
        "np.sort": lambda: np.sort(s),
        OURS: lambda: whole(given),
        "the same from arrays": lambda: whole(br.Scores(client, impostor)),
        "every point of the ROC": lambda: br.fit(given, "empirical").model.roc().points(),
    }
    if version("scikit-learn"):
        from sklearn.metrics import roc_auc_score, roc_curve

        found[ROC_CURVE] = lambda: roc_curve(y, s)
        found[ROC_AUC] = lambda: roc_auc_score(y, s)
    if version("bob.measure"):
        import bob.measure

        found[BOB] = lambda: bob.measure.eer(impostor, client)
    return found


def agreement(client: FloatArray, impostor: FloatArray) -> str:
    """What the peers say of the same scores."""
    area, eer, corners = whole(br.Scores(client, impostor))
    said = [f"AUC {area!r}, EER {eer!r}, {corners} corners"]
    label = np.concatenate([np.ones(client.size, dtype=int), np.zeros(impostor.size, dtype=int)])
    everything = np.concatenate([client, impostor])
    if version("scikit-learn"):
        from sklearn.metrics import roc_auc_score, roc_curve

        far, tpr, _ = roc_curve(label, everything, drop_intermediate=False)
        points = br.fit(br.Scores(client, impostor), "empirical").model.roc().points()
        same = np.array_equal(points.far, far) and np.array_equal(points.tpr, tpr)
        said.append(f"points {'equal to' if same else 'other than'} scikit-learn's roc_curve")
        said.append(f"AUC less roc_auc_score {area - roc_auc_score(label, everything):.1g}")
    if version("bob.measure"):
        import bob.measure

        said.append(f"EER less bob.measure's {eer - bob.measure.eer(impostor, client):.1g}")
    return "; ".join(said)


def results() -> tuple[str, list[Goal]]:
    """The table, and its goals."""
    client, impostor = scores()
    seconds = medians(cases(client, impostor), rounds=9)
    if ROC_CURVE in seconds:
        seconds[BOTH] = seconds[ROC_CURVE] + seconds[ROC_AUC]
    sort, ours = seconds["np.sort"], seconds[OURS]
    goals = {OURS: Goal(WHAT, "np.sort", ours / sort, at_most=1.8, why=WHY_SORT)}
    for name, least in ((ROC_CURVE, 15.0), (BOTH, 30.0)):
        theirs = seconds.get(name, math.nan)
        why = f"np.sort alone is {theirs / sort:.1f} times faster"
        goals[name] = Goal(WHAT, name, theirs / ours, at_least=least, why=why)
    rows = [
        [
            name,
            f"{1e3 * value:.2f}",
            f"{value / sort:.2f}",
            f"{value / ours:.2f}",
            f"{goals[name].wanted}: {goals[name].verdict}" if name in goals else "",
        ]
        for name, value in seconds.items()
    ]
    rows += [[name, "not installed", "", "", ""] for name in PEERS if name not in seconds]
    text = table(["case", "ms", "over np.sort", "over ours", "goal of ours"], rows)
    return f"{text}\n\n{agreement(client, impostor)}.", list(goals.values())


def run() -> tuple[str, list[Goal]]:
    """The table with what it is of, and the goals."""
    text, goals = results()
    body = (
        f"{CLIENTS} client and {IMPOSTORS} impostor scores, rounded to {DECIMALS} decimals."
        f" np.sort: all scores in one array, a fresh copy.\n\n{text}"
    )
    return body, goals


def main(write: bool | None = None) -> list[Goal]:
    """Print the table."""
    return command(__doc__, "AUC, EER and ROC of scores: speed", file_of("empirical"), run, write)


if __name__ == "__main__":
    main()
