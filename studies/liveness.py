"""Scores of classifiers of digit images and recaptures of them: those of examples/data/liveness_*.

Usage: python studies/liveness.py sets [FOLDER] [--check]
       python studies/liveness.py images FILE

A client is an 8 x 8 image of a digit, an impostor a recapture of one: blurred, in 17 grey levels.
Both pass through a camera of random defocus, gain and noise. Classifiers are trained on the
texture of both; attackers sharpen (unsharp mask) the images of test. "within": the digits of test
are those of training; "cross": training and dev are the digits 0 to 4, test is 5 to 9.

All 56 files are written, into a folder that is thrown away where none is named; --check compares
them with those that are kept. "images" draws three digits as clients and as impostors, sharpened
by rising amounts (Fig. 1 of Omar and Ivrissimtzis). liveness_atlas.py studies the same pipeline
all over its parameters.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.ndimage import gaussian_filter
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

HERE = Path(__file__).resolve().parent
SHIPPED = HERE.parent / "examples" / "data"
SEED = 20240601

# -------------------------------------------------------------------------- the pipeline
blurred = partial(gaussian_filter, mode="nearest")


@lru_cache
def digits() -> tuple[np.ndarray, np.ndarray]:
    """Images of 17 grey levels, and what they show."""
    bunch = load_digits()
    return bunch.images, bunch.target


def recapture(images: np.ndarray, blur: float = 0.45) -> np.ndarray:
    """Photographs of crude prints: blurred, in 17 grey levels."""
    return np.rint(blurred(images, (0, blur, blur)))


def unsharp(images: np.ndarray, amount: float) -> np.ndarray:
    """Sharpened images: the difference from a blurred one, so many times more."""
    return np.clip(images + amount * (images - blurred(images, (0, 0.7, 0.7))), 0.0, 16.0)


def camera(images: np.ndarray, rng: Any, noise: float = 0.5) -> np.ndarray:
    """Captures: random defocus and gain of each image, and noise of each pixel."""
    size = (len(images), 1, 1)
    low = blurred(images, (0, 0.6, 0.6))
    defocus, gain = rng.uniform(0.0, 0.6, size), rng.uniform(0.85, 1.0, size)
    seen = gain * ((1 - defocus) * images + defocus * low)
    return np.clip(seen + rng.normal(0.0, noise, images.shape), 0.0, 16.0)


def texture(images: np.ndarray) -> np.ndarray:
    """Gradients, energies of differences of Gaussians, and grey levels, of each image."""
    finer = blurred(images, (0, 0.5, 0.5))
    bands = images - finer, finer - blurred(images, (0, 1.0, 1.0))
    across, down, fine, coarse = (
        part.reshape(len(images), -1)
        for part in (np.diff(images, axis=2), np.diff(images, axis=1), *bands)
    )
    grey = images.reshape(len(images), -1)
    features = [
        np.abs(across).mean(1), np.abs(down).mean(1), across.std(1), down.std(1),
        np.abs(fine).mean(1), fine.std(1), np.abs(coarse).mean(1), coarse.std(1),
        (grey == 0).mean(1), (grey >= 15.5).mean(1), grey.mean(1), grey.std(1),
    ]  # fmt: skip
    return np.stack(features, 1)


def trained(model: Any, clients: np.ndarray, attacks: np.ndarray) -> Callable[..., np.ndarray]:
    """Train on captures of both classes; what it returns scores captures."""
    x = np.vstack([texture(clients), texture(attacks)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(x, np.repeat([1, 0], [len(clients), len(attacks)]))
    if hasattr(model, "predict_proba"):
        return lambda captures: model.predict_proba(texture(captures))[:, 1]
    return lambda captures: model.decision_function(texture(captures))


# ----------------------------------------------------------------------- the shipped sets
AMOUNTS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "logreg": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)),
    "forest": lambda: RandomForestClassifier(100, random_state=SEED),
    "mlp": lambda: make_pipeline(
        StandardScaler(), MLPClassifier((16,), max_iter=1000, random_state=SEED)
    ),
    "svmdecision": lambda: make_pipeline(StandardScaler(), SVC()),
}


def halves(rows: np.ndarray, share: float, seed: int) -> list[np.ndarray]:
    """Two parts of images, each with all digits."""
    known = digits()[1][rows]
    return train_test_split(rows, train_size=share, stratify=known, random_state=seed)


def shipped_set(protocol: str, classifier: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Scores of clients and impostors, by the name of their file."""
    images, known = digits()
    if protocol == "within":
        train, rest = halves(np.arange(len(known)), 0.4, SEED)
        dev, test = halves(rest, 0.5, SEED + 1)
    else:
        train, dev = halves(np.flatnonzero(known < 5), 0.6, SEED)
        test = np.flatnonzero(known >= 5)
    parts = [halves(rows, 0.5, SEED + 2) for rows in (train, dev, test)]

    def clients(part: int) -> np.ndarray:
        return camera(images[parts[part][0]], np.random.RandomState(SEED + 10 + part))

    def attacks(part: int, amount: float = 0.0) -> np.ndarray:
        shown = unsharp(recapture(images[parts[part][1]]), amount)
        return camera(shown, np.random.RandomState(SEED + 20 + part))

    score = trained(CLASSIFIERS[classifier](), clients(0), attacks(0))
    files = {"dev": (score(clients(1)), score(attacks(1)))}
    of_clients = score(clients(2))
    return files | {f"test_sharpen{k:.2f}": (of_clients, score(attacks(2, k))) for k in AMOUNTS}


def write_set(folder: Path, protocol: str, classifier: str) -> None:
    """Write the files of a set as those that are shipped."""
    place = folder / f"liveness_{protocol}_{classifier}"
    place.mkdir(parents=True, exist_ok=True)
    for name, (client, impostor) in shipped_set(protocol, classifier).items():
        rows = [*((1, s) for s in client.tolist()), *((0, s) for s in impostor.tolist())]
        text = "label,score\n" + "".join(f"{label},{score!r}\n" for label, score in rows)
        (place / f"{name}.csv").write_text(text, encoding="utf-8", newline="\n")


def differences(folder: Path) -> pd.DataFrame:
    """Each file of a folder beside the shipped one.

    `agrees`: the same labels, and scores within 1e-6; of a forest, whose scores are shares of 100
    trees, the order of scores that lie 0.05 or more apart.
    """
    rows = []
    for path in sorted(folder.glob("liveness_*/*.csv")):
        kept = SHIPPED / path.parent.name / path.name
        new, old = (np.loadtxt(p, delimiter=",", skiprows=1) for p in (path, kept))
        apart, agrees = np.inf, np.array_equal(new[:, 0], old[:, 0])
        if agrees:
            a, b = new[:, 1], old[:, 1]
            apart = np.max(np.abs(a - b))
            swaps = np.any((b[:, None] - b >= 0.05) & (a[:, None] <= a))
            agrees = not swaps if path.parent.name.endswith("forest") else apart <= 1e-6
        same = path.read_bytes() == kept.read_bytes()
        rows.append([f"{path.parent.name}/{path.name}", same, apart, agrees])
    return pd.DataFrame(rows, columns=["file", "same_bytes", "largest_difference", "agrees"])


def draw_images(path: Path) -> None:
    images, amounts = digits()[0][:3], (0.0, 0.2, 0.6, 1.0)
    columns = {"client": images}
    for amount in amounts:
        title = f"sharpened by {amount:g}" if amount else "impostor"
        columns[title] = unsharp(recapture(images), amount)
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots(len(images), len(columns))
    for column, (title, of_kind) in zip(axes.T, columns.items(), strict=True):
        column[0].set_title(title)
        seen = camera(of_kind, np.random.default_rng(SEED))  # with the same camera
        for ax, image in zip(column, seen, strict=True):
            ax.imshow(image, cmap="gray", vmin=0, vmax=16)
            ax.set_axis_off()
    figure.savefig(path, dpi=80, metadata={"Software": None})


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the shipped liveness sets again.")
    parser.add_argument("what", choices=["sets", "images"])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--check", action="store_true")
    chosen = parser.parse_args()
    if chosen.what == "images":
        draw_images(chosen.folder or Path("liveness_images.png"))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.folder or Path(temporary)
        for protocol, classifier in itertools.product(("within", "cross"), CLASSIFIERS):
            write_set(folder, protocol, classifier)
        if chosen.check:
            table = differences(folder)
            same, agree = table["same_bytes"].sum(), table["agrees"].sum()
            words = f"{len(table)} files: {same} the same in every byte, {agree} agree"
            sys.stdout.write(f"{table.to_string(index=False)}\n{words}\n")
            sys.exit(int(agree < len(table)))


if __name__ == "__main__":
    main()
