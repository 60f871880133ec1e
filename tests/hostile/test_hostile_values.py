"""Hostile scores, labels and weights at every entry of the library that they can reach."""

import random
from contextlib import suppress
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest

import betaroc as br
import betaroc.sklearn as bs
from helpers.cases import case, some
from helpers.hostile import LABELS, OK, SCORES, VALUES, WEIGHTS, Y, pa, refused

MODEL = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))
TWO = br.Scores(OK, SCORES[Y == 0])
DECISION = br.decide(TWO, far=0.2, how="average")


def frame(**columns):
    """A frame of these columns, each of which is any container."""
    return pd.DataFrame(columns)


#: Entries of plain arrays, and what they call them.
ARRAYS = {
    "Scores, clients": ("client", lambda x: br.Scores(x, OK)),
    "Scores, impostors": ("impostor", lambda x: br.Scores(OK, x)),
    "Scores.from_labels": ("y_score", lambda x: br.Scores.from_labels(Y, x)),
    "fit_distribution": ("sample", lambda x: br.fit_distribution(x, "normal")),
    "Empirical": ("values", br.Empirical),
    "RocDisplay": ("y_score", lambda x: bs.RocDisplay.from_predictions(Y, x)),
}


@pytest.mark.parametrize("entry", ARRAYS)
def test_hostile_scores_of_a_class(entry):
    """An error comes alone: a warning before it would be an error of its own."""
    name, call = ARRAYS[entry]
    for known, one in VALUES.items():
        with case(known):
            assert refused(partial(call, one.given()), one.error, *one.words).startswith(name)


#: Entries of frames with a column of scores.
FRAMES = {
    "Scores.from_frame": br.Scores.from_frame,
    "summarize": br.summarize,
    "fit_many": lambda f: br.fit_many(f.assign(system="a"), family="normal"),
    "inclusion": lambda f: br.inclusion(
        f.assign(a=SCORES), systems=["a", "score"], family="normal"
    ),
    "fit_covariates": lambda f: br.fit_covariates(f.assign(z=SCORES), "z"),
}
#: What a frame makes numbers or texts of, and what is a column of numbers in it.
_NO_COLUMN = {"a memoryview", "B03 a signalling NaN", "B11 masked", "B26 sparse"}


def columns_of_scores():
    """Those that pandas takes for a column, as frames."""
    found = {}
    for known, one in VALUES.items():
        if known in _NO_COLUMN or known.startswith(("B19", "B27", "C07")):
            continue
        with suppress(ValueError, TypeError):  # pandas takes no such column
            made = frame(score=one.given(), label=Y)
            if len(made) == Y.size:
                found[known] = made
    return found


@pytest.mark.simulation
@pytest.mark.parametrize("entry", FRAMES)
def test_hostile_scores_in_a_frame(entry):
    cases = columns_of_scores()
    assert len(cases) > 20
    for known, given in cases.items():
        with case(known):
            refused(partial(FRAMES[entry], given), br.BetarocError, "score")


#: Entries of thresholds and rates, which may be nan or of any shape, but are numbers.
NUMBERS = {
    "ScoreModel.far": MODEL.far,
    "Beta.cdf": br.Beta(2, 3).cdf,
    "ScoreModel.at_far": MODEL.at_far,
    "Scores.confusion": TWO.confusion,
    "Decision.accept": DECISION.accept,
    "beta_mle": lambda x: br.beta_mle(x, x),
    "mean_logs": br.mean_logs,
    "alpha of epc": lambda x: br.epc(TWO, MODEL, alpha=x),
    "far of roc_band": lambda x: br.roc_band(TWO, far=x),
}
#: Of the values above those that are no numbers at all.
NO_NUMBERS = (
    "B02 booleans", "B03 a word", "B03 None", "B03 no repr", "B03 a large fraction", "B05 texts",
    "B10 complex", "B11 masked", "B25 dates", "B01 beyond float64", "B27 raises", "B27 no array",
    "C08 ragged", "records",
)  # fmt: skip


@pytest.mark.parametrize("entry", NUMBERS)
def test_what_is_no_number_is_no_threshold(entry):
    for known in NO_NUMBERS:
        with case(known):
            refused(partial(NUMBERS[entry], VALUES[known].given()), VALUES[known].error)


#: Entries of labels, what they call them, and whether they say all that is said of arrays: engines
#: group before they look, and scikit-learn looks first.
LABELLED = {
    "Scores.from_labels": ("y_true", True, lambda y: br.Scores.from_labels(y, SCORES)),
    "from_frame": ("'label'", True, lambda y: br.Scores.from_frame(frame(score=SCORES, label=y))),
    "fit_covariates": (
        "'label'", True, lambda y: br.fit_covariates(frame(score=SCORES, z=OK, label=y), "z")
    ),
    "summarize": ("'label'", False, lambda y: br.summarize(frame(score=SCORES, label=y))),
    "fit_many": (
        "'label'", False,
        lambda y: br.fit_many(frame(score=SCORES, label=y, system="a"), family="normal"),
    ),
    "RocDisplay": ("y_true", False, lambda y: bs.RocDisplay.from_predictions(y, SCORES)),
}  # fmt: skip


@pytest.mark.parametrize("entry", some(LABELLED, 5))
def test_hostile_labels(entry):
    name, exact, call = LABELLED[entry]
    for known, one in LABELS.items():
        if known == "masked" and name == "'label'":
            continue  # a frame holds it as missing
        missing = name == "'label'" and known.startswith(("B13", "a N"))
        words = () if missing or not exact else one.words
        with case(known):
            error = one.error if exact else br.BetarocError
            refused(partial(call, one.given()), error, name, *words)


def test_labels_of_another_length_or_order_or_in_the_place_of_scores():
    """C06, B14: both lengths; two indices."""
    call = br.Scores.from_labels
    refused(lambda: call(Y[:-1], SCORES), br.InputError, "39 labels", "40 scores")
    series = pd.Series(SCORES)
    refused(
        lambda: call(pd.Series(Y)[::-1], series), br.InputError,
        "pandas index", "they differ", ".to_numpy()", "y_score", "Align",
    )  # fmt: skip
    refused(lambda: br.Scores.from_labels(SCORES, Y), br.InputError, "swapped", "y_true")
    with pytest.raises(br.InputError, match="swap"):
        br.Scores.from_frame(frame(score=Y.astype(float), label=SCORES))
    for classes in ((SCORES, Y), (np.where(Y, 1, -1), SCORES)):
        refused(
            partial(br.Scores, *classes), br.InputError, "from_labels", "40 entries", "only labels"
        )


#: Labels that say which scores are the clients'.
TWO_KINDS = {
    "D01 {-1, 1}": (np.where(Y, 1, -1), None),
    "D09 floats": (np.where(Y, 1.0, -1.0).tolist(), None),
    "D09 booleans": (Y == 1, None),
    "D09 -0.0": (np.where(Y, 1.0, -0.0), None),
    "B13 Int64": (pd.array(Y, "Int64"), None),
    "B15 categories": (pd.Categorical(np.where(Y, "g", "i"), categories=["x", "i", "g"]), "g"),
    "B16 polars": (pl.Series(Y), None),
    "B16 polars, categories": (pl.Series(np.where(Y, "g", "i"), dtype=pl.Categorical), "g"),
    "B17 a dictionary": (pa.array(np.where(Y, "g", "i").tolist()).dictionary_encode(), "g"),
    "D02 {1, 2}": (Y + 1, 2),
    "D02 {0, 1} turned": (1 - Y, 0),
    "D04 decoded": (np.char.decode(Y.astype("S1"), "ascii"), "1"),
}


def test_labels_that_say_who_is_a_client():
    expected = br.Scores(SCORES[Y == 1], SCORES[Y == 0])
    for name, (labels, client_label) in TWO_KINDS.items():
        with case(name):
            assert br.Scores.from_labels(labels, SCORES, client_label=client_label) == expected
            if not name.startswith(("B16", "B17")):
                frame = pd.DataFrame({"score": SCORES, "label": labels})
                assert br.Scores.from_frame(frame, client_label=client_label) == expected
                counted = br.summarize(frame, client_label=client_label)
                assert (counted.n_client, counted.n_impostor) == (20, 20)


def test_i10_no_state_of_random_numbers_is_left():
    state, kept = np.random.get_state()[1].tobytes(), random.getstate()  # noqa: NPY002
    br.epc(TWO, br.Scores(OK[1:], TWO.impostor)).band(replicates=20, rng=1)
    br.Beta(2, 3).sample(3, rng=4)
    assert np.random.get_state()[1].tobytes() == state  # noqa: NPY002
    assert random.getstate() == kept


WEIGHED = {
    "Scores.from_labels": lambda w: br.Scores.from_labels(Y, SCORES, weights=w),
    "fit_distribution": lambda w: br.fit_distribution(OK, "beta", weights=w),
    "Empirical": lambda w: br.Empirical(OK, w),
    "Scores": lambda w: br.Scores(OK, OK[:5], client_weights=w),
}


@pytest.mark.parametrize("entry", WEIGHED)
def test_hostile_weights(entry):
    of_both = entry == "Scores.from_labels"
    for known, one in WEIGHTS.items():
        if known.startswith("E06") and not of_both:
            continue
        words = one.words if of_both else ()
        with case(known):
            refused(partial(WEIGHED[entry], one.given()), one.error, "weights", *words)
