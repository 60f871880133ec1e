"""How often the verdict of br.inclusion foretells whether a classifier helps an ensemble.

Usage: python studies/verdict.py [--tables FOLDER] [--work FOLDER] [--workers K] [--quick]

Three predictors are scored. The verdict joins the gain measured in a learned fusion with the ends
of the classifier's own ROC; those ends alone say on which side of the diagonal it lies near low
and near high FARs; and AUC alone says whether it is above one half. Each predicts, from the trials
at hand, whether fusing with the classifier is better than without it: in the learned fusion and
by six fixed rules. The gain is observed on other trials, with weights and thresholds from those
at hand.

1. synthetic: a candidate (beta distributions at a Sobol sequence of shapes, AUC from 0.4 to 0.9)
   and three fixed mates, on the same trials, dependent by a Gaussian copula; verdict, weights and
   thresholds from n trials a class, gain on 4000 others a class.
2. real: detectors of machine-written text, probabilities of a linear discriminant, liveness
   classifiers under attack; every classifier is the candidate once, from one half of the trials
   to the other and back.

Writes, of every rule and part, how many predictions each predictor makes and how many are right.
docs/validation.md reads the tables.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import betaroc as br

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
LIVENESS = HERE.parent / "examples" / "data"
SEED = 20261122
TEST = 4000
#: The mates: bell, U and J against reverse-J; AUC 0.73, 0.72 and 0.77.
MATES = {
    "bell": ((3.0, 2.2), (2.2, 3.2)),
    "U": ((0.8, 0.5), (0.5, 0.9)),
    "J": ((1.3, 0.8), (0.7, 1.4)),
}
CORRELATIONS = (0.0, 0.5, 0.9)
SIZES = (100, 1000)
#: What a verdict predicts at each part of the curve: +1 a gain, -1 none, 0 nothing.
PREDICTS = {
    "include": {"all": 1, "strict": 1, "lax": 1},
    "adds nothing": {"all": -1, "strict": -1, "lax": -1},
    "leave out": {"all": -1, "strict": -1, "lax": -1},
    "exclude": {"all": -1, "strict": -1, "lax": -1},
    "only at strict thresholds": {"all": 0, "strict": 1, "lax": -1},
    "only at lax thresholds": {"all": 0, "strict": -1, "lax": 1},
    "cannot tell": {"all": 0, "strict": 0, "lax": 0},
}
#: In area: what a learned fusion gains beyond this is a gain, less is none.
MATTERS = 0.005
#: Predictors and the columns that they go by.
PREDICTORS = {"verdict": "verdict", "ends": "marginal", "auc": "auc"}


# ------------------------------------------------------------------------------ synthetic
def candidates(n: int) -> br.Design:
    """Candidates of a Sobol sequence with an AUC from 0.4 to 0.9."""
    names = ("a_c", "b_c", "a_i", "b_i")
    drawn = br.Design.sobol(dict.fromkeys(names, (0.2, 5.0, "log")), n, rng=SEED)
    shapes = np.array(drawn.columns)
    area = br.beta_auc(*shapes)
    kept = (area > 0.4) & (area < 0.9)
    return br.Design(names, tuple(map(tuple, shapes[:, kept].tolist())))


def synthetic(n: int, *, work: Path, workers: int) -> pd.DataFrame:
    design = candidates(n) * br.Design.grid({"correlation": CORRELATIONS, "trials": SIZES})
    study = br.Study(
        design, judged, model=candidate, folder=work / "verdict", workers=workers, rng=SEED
    )
    result = study.run()
    if result.failed:
        sys.exit(f"{result.failed} trials failed: see the column error in {work / 'verdict'}")
    return long_table(result.to_frame())


def candidate(cell: dict[str, Any]) -> br.ScoreModel:
    return br.ScoreModel(br.Beta(cell["a_c"], cell["b_c"]), br.Beta(cell["a_i"], cell["b_i"]))


def judged(trial: Any) -> dict[str, Any]:
    """The verdict on n trials, the gain on others."""
    models = {"candidate": trial.model}
    models |= {name: br.ScoreModel(br.Beta(*c), br.Beta(*i)) for name, (c, i) in MATES.items()}
    cell = trial.cell

    def drawn(n: int) -> pd.DataFrame:
        return br.sample_systems(models, n, n, correlation=cell["correlation"], rng=trial.rng)

    known = drawn(cell["trials"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        verdict = br.inclusion(known).verdict["candidate"]
        gains = observed(br.inclusion(drawn(TEST), dev=known))
    clients = known["label"] == 1
    scores = br.Scores(known["candidate"][clients], known["candidate"][~clients])
    found = {"verdict": verdict.word, "marginal": verdict.marginal, "truth": true_word(trial.model)}
    found |= {"auc": br.auc_interval(scores).estimate}
    for row in gains[gains["system"] == "candidate"].to_dict("records"):
        found |= {f"{row['rule']}|{row['part']}|{what}": row[what] for what in ("gain", "sign")}
    return found


def observed(result: br.Inclusion) -> pd.DataFrame:
    """Gain, and its sign as far as its interval goes, of every rule and part.

    Of the learned fusion +1 where the gain is clear of 0 and MATTERS at least, -1 where it is
    surely below that.
    """
    fixed = result.fusion.table
    fixed["sign"] = np.sign(fixed["gain"]) * (fixed["low"] * fixed["high"] > 0)
    learned = result.learned.assign(rule="learned", part="all").rename(columns={"estimate": "gain"})
    gained = (learned["low"] > 0) & (learned["gain"] >= MATTERS)
    learned["sign"] = np.where(gained, 1.0, np.where(learned["high"] < MATTERS, -1.0, 0.0))
    columns = ["rule", "system", "part", "gain", "sign"]
    return pd.concat([learned[columns], fixed[columns]], ignore_index=True)


def true_word(model: br.ScoreModel) -> str:
    """The verdict on the true pair."""
    sides = model.ends().at_one.side, model.ends().at_zero.side
    return {
        ("above", "above"): "include", ("below", "below"): "exclude",
        ("above", "below"): "only at strict thresholds",
    }.get(sides, "only at lax thresholds")  # fmt: skip


def long_table(frame: pd.DataFrame) -> pd.DataFrame:
    """A row a trial, rule and part."""
    frame = frame.rename(columns=lambda name: name.removeprefix("judged."))
    known = ["correlation", "trials", "verdict", "marginal", "truth", "auc"]
    gains = [name.removesuffix("|gain") for name in frame if name.endswith("|gain")]
    tables = []
    for name in gains:
        rule, part = name.split("|")
        rows = frame[["cell", *known]].assign(rule=rule, part=part)
        rows["gain"], rows["sign"] = frame[f"{name}|gain"], frame[f"{name}|sign"]
        tables.append(rows)
    return pd.concat(tables, ignore_index=True)


# ----------------------------------------------------------------------------------- real
def real(sets: Iterable[tuple[str, str, pd.DataFrame]]) -> pd.DataFrame:
    tables = []
    for group, name, frame in sets:
        halves = [frame[half].reset_index(drop=True) for half in in_halves(frame["label"])]
        for known, other in (halves, halves[::-1]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", br.BetarocWarning)
                verdicts = br.inclusion(known).verdict
                rows = observed(br.inclusion(other, dev=known))
            clients = known["label"] == 1
            areas = {
                system: br.auc_interval(br.Scores(known[system][clients], known[system][~clients]))
                for system in verdicts
            }
            tables.append(rows.assign(
                group=group, set=name, auc=[areas[s].estimate for s in rows["system"]],
                verdict=[verdicts[s].word for s in rows["system"]],
                marginal=[verdicts[s].marginal for s in rows["system"]],
            ))  # fmt: skip
    return pd.concat(tables, ignore_index=True)


def in_halves(label: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Every other trial of each class, and the rest."""
    even = label.groupby(label).cumcount() % 2 == 0
    return even, ~even


def real_sets() -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Group, name, and a frame of label and classifiers."""
    yield from text()
    yield from discriminant()
    yield from liveness()


def text() -> Iterator[tuple[str, str, pd.DataFrame]]:
    for path in sorted((DATA / "textdetect_xsum").glob("*.csv.gz")):
        yield "text", path.name.removesuffix(".csv.gz"), pd.read_csv(path)


def discriminant() -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Each class against the rest: its own log odds, and those against each other class."""
    table = pd.read_csv(DATA / "hpc_cv" / "hpc_cv.csv.gz")
    classes = ["VF", "F", "M", "L"]
    odds = np.log(table[classes]) - np.log1p(-table[classes])
    for target in classes:
        frame = -odds.drop(columns=target).add_prefix("not ")
        frame[target] = table[target]
        frame["label"] = (table["class"] == target).astype(int)
        yield "hpc", target, frame


def liveness() -> Iterator[tuple[str, str, pd.DataFrame]]:
    for protocol in ("within", "cross"):
        for amount in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
            columns = {}
            for name in ("logreg", "mlp", "forest", "svmdecision"):
                folder = LIVENESS / f"liveness_{protocol}_{name}"
                table = pd.read_csv(folder / f"test_sharpen{amount:.2f}.csv")
                columns["label"], columns[name] = table["label"], table["score"]
            yield "liveness", f"{protocol} {amount:g}", pd.DataFrame(columns)


# ------------------------------------------------------------------------------ the tables
def predicted(frame: pd.DataFrame) -> pd.DataFrame:
    """What each predictor says: +1, -1, or 0 for nothing."""
    says = {
        f"{who}_says": [PREDICTS[w][p] for w, p in zip(frame[by], frame["part"], strict=True)]
        for who, by in PREDICTORS.items()
        if who != "auc"
    }
    return frame.assign(**says, auc_says=np.where(frame["auc"] > 0.5, 1, -1))


def hit_rates(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """How many predictions are right, of those on candidates whose gain has a sign beyond chance.

    A prediction of a gain is right where there is one, one of none where there is a loss (of the
    learned fusion: no gain that matters). `gains` counts gains among the same candidates: the more
    frequent sign is the base rate. What AUC says is counted on all of them, and on those of whom
    the verdict and the ends say something.
    """
    rows = []
    for key, part in predicted(frame).groupby(by, sort=False):
        sure = part[part["sign"] != 0]
        row = dict(zip(by, key, strict=True), cases=len(part), sure=len(sure))
        row |= {"gains": int((sure["sign"] > 0).sum()), "auc_right": right(sure, "auc")}
        for who in ("verdict", "ends"):
            told = sure[sure[f"{who}_says"] != 0]
            row |= {
                f"{who}_told": len(told), f"{who}_right": right(told, who),
                f"{who}_gains": int((told["sign"] > 0).sum()),
                f"{who}_auc_right": right(told, "auc"),
            }  # fmt: skip
        rows.append(row)
    return pd.DataFrame(rows)


def right(frame: pd.DataFrame, who: str) -> int:
    return int((frame[f"{who}_says"] == frame["sign"]).sum())


def outcomes(frame: pd.DataFrame, by: list[str], word: str) -> pd.DataFrame:
    """Gains, losses and neither after each verdict, or each word of the own ROC."""
    found = frame["sign"].map({1.0: "gain", 0.0: "neither", -1.0: "loss"})
    table = pd.crosstab([frame[name] for name in [*by, word]], found).reset_index()
    return table.reindex(columns=[*by, word, "gain", "neither", "loss"], fill_value=0)


def false_verdicts(frame: pd.DataFrame) -> pd.DataFrame:
    """How often the own ROC tells, and tells other than that of the true pair."""
    once = frame.drop_duplicates(["cell"])
    decided = once["marginal"] != "cannot tell"
    table = once.assign(decided=decided, wrong=decided & (once["marginal"] != once["truth"]))
    return table.groupby("trials")[["decided", "wrong"]].mean().assign(
        candidates=once.groupby("trials").size()
    ).reset_index()  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Does the verdict foretell the measured gain?")
    parser.add_argument("--tables", type=Path, default=HERE / "results")
    parser.add_argument("--work", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = chosen.work or Path(temporary)
        drawn = synthetic(4 if chosen.quick else 256, work=work, workers=chosen.workers)
    found = real(itertools.islice(text(), 1) if chosen.quick else real_sets())
    chosen.tables.mkdir(parents=True, exist_ok=True)
    tables = {
        "synthetic_rates": hit_rates(drawn, ["correlation", "trials", "rule", "part"]),
        "synthetic_outcomes": outcomes(drawn, ["rule", "part"], "verdict"),
        "synthetic_ends": outcomes(drawn, ["rule", "part"], "marginal"),
        "synthetic_verdicts": false_verdicts(drawn),
        "real_rates": hit_rates(found, ["group", "rule", "part"]),
        "real_outcomes": outcomes(found, ["group", "rule", "part"], "verdict"),
        "real_cases": found[found["rule"].isin(["learned", "mean-logit"])],
    }
    for name, table in tables.items():
        table.to_csv(chosen.tables / f"verdict_{name}.csv", index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
