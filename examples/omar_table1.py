"""Which beta distributions stand in Table 1 of Omar and Ivrissimtzis (02 and 03 draw them)."""

from __future__ import annotations

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


if __name__ == "__main__":
    for classifier in TABLE_1:
        for amount, model in models(classifier).items():
            shapes = " / ".join(model.shape_category())
            print(f"{classifier:10}  {amount:2}  {shapes:13}  AUC {model.auc():.4f}")
