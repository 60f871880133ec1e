"""Table 1 of Omar and Ivrissimtzis: its distributions, which 02 and 03 draw, and their ROCs."""

from __future__ import annotations

import re
from collections.abc import Iterable

import betaroc as br

#: Columns of Table 1: the client's (a, b), then the impostors' with sharpening 0, 1, 5, 50.
TABLE_1 = {
    "SLR cross": [(0.47, 0.36), (0.77, 1.91), (0.59, 1.36), (0.34, 0.70), (0.22, 0.39)],
    "SLR within": [(3.27, 0.67), (0.71, 5.04), (0.57, 5.39), (0.30, 4.26), (0.13, 1.39)],
    "ANN cross": [(0.61, 0.27), (0.18, 1.66), (0.18, 1.63), (0.17, 1.38), (0.14, 1.12)],
    "ANN within": [(1.47, 0.29), (0.24, 17.5), (0.23, 17.8), (0.21, 14.2), (0.17, 1.79)],
}
SHARPENING = (0, 1, 5, 50)


def models(classifier: str) -> dict[int, br.ScoreModel]:
    """The four client-impostor pairs of one column, by sharpening."""
    client, *impostors = (br.Beta(a, b) for a, b in TABLE_1[classifier])
    pairs = zip(SHARPENING, impostors, strict=True)
    return {amount: br.ScoreModel(client, impostor) for amount, impostor in pairs}


def typeset(cell: object) -> str:
    text = re.sub(r"([A-Za-z])_(fp|fn|c|i)\b", r"\1<sub>\2</sub>", str(cell))
    return re.sub(r"\^([\d.]+|ρ)", r"<sup>\1</sup>", text)


def print_row(cells: Iterable[object]) -> None:
    print(f"| {' | '.join(map(typeset, cells))} |")


def whole_curve(model: br.ScoreModel) -> str:
    crossings, shape = model.diagonal_crossings(), model.global_shape()
    if len(crossings) == 0:
        return shape
    # The deepest point below the diagonal is the best that the reversed decision can do.
    depth = br.ScoreModel(model.impostor, model.client).youden().youden
    place = f"θ = {crossings.threshold[0]:.3g}, FAR = {crossings.far[0]:.4f}"
    return f"{shape}: crosses at {place}; {depth:.2g} deep"


def print_pairs() -> None:
    """What the sixteen ROCs do, as docs/papers.md shows it."""
    print_row(
        ("pair", "client (a, b)", "impostor", "shapes, client / impostor", "slope at 0",
         "F_i near 0", "slope at 1", "FAR near 1", "AUC", "whole curve")
    )  # fmt: skip
    print_row(["---"] * 10)
    for classifier in TABLE_1:
        for amount, model in models(classifier).items():
            ends = model.ends()
            shapes = [f"{law.a:g}, {law.b:g}" for law in (model.client, model.impostor)]
            sides = ((ends.at_zero, "F_c"), (ends.at_one, "TPR"))
            slopes = [f"{end.semi_derivative:.3g}".replace("inf", "∞") for end, _ in sides]
            powers = [f"{end.coefficient:.3g} {rate}^{end.exponent:.3g}" for end, rate in sides]
            print_row(
                (f"{classifier}, {amount}", *shapes, " / ".join(model.shape_category()), slopes[0],
                 powers[0], slopes[1], powers[1], f"{model.auc():.4f}", whole_curve(model))
            )  # fmt: skip


if __name__ == "__main__":
    print_pairs()
