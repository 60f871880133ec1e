"""Studies whose scores a function makes: values by hand, systems, failures, workers."""

import concurrent.futures
import contextlib
import functools
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.core.notices import suppress_warnings

ASKED = ["fit.auc", "empirical.auc", "test.frr@threshold=0.5", "fit.client-shape"]
DESIGN = {"gap": [0.5, 2.0, 4.0], "n": [40, 60]}


def content(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def pair(cell, rng):
    """A development and a test sample."""
    client, impostor = rng.beta(2.0 + cell["gap"], 2.0, cell["n"]), rng.beta(2.0, 3.0, cell["n"])
    return br.Scores(client, impostor), br.Scores(client / 2.0, impostor)


def test_each_trial_has_the_numbers_of_its_scores():
    frame = br.Study(DESIGN, ASKED, generator=pair, replicates=2, rng=7).run().to_frame()
    assert frame["status"].eq("ok").all()
    for row in frame.to_dict("records"):
        key = row["cell"], row["replicate"]
        rng = np.random.default_rng(np.random.SeedSequence(7, spawn_key=key))
        dev, test = pair(row, rng)
        fitted = br.fit(dev)
        assert row["fit.auc"] == pytest.approx(fitted.model.auc(), rel=1e-12)
        order = dev.client[:, None] - dev.impostor
        assert row["empirical.auc"] == pytest.approx(np.mean(order > 0.0), abs=1e-15)
        assert row["test.frr@threshold=0.5"] == np.mean(test.client < 0.5)
        assert row["fit.client-shape"] == fitted.model.client.shape.value


def test_the_threshold_of_dev_is_met_on_test():
    """Impostors 1, 2, 3 and clients 4, 5, 6 part at 3.5, where test has FAR 1/2 and FRR 1/4."""
    dev, test = br.Scores([4, 5, 6], [1, 2, 3]), br.Scores([3, 4, 5, 6], [1, 4])
    study = br.Study({"k": 1}, ["epc-empirical.value"], generator=lambda cell, rng: (dev, test))
    assert study.run().to_frame()["epc-empirical.value"].tolist() == [0.375]


def test_systems_by_name_and_in_a_frame_have_columns_of_their_own():
    def named(cell, rng):
        sides = pair(cell, rng)
        return {"a": sides, "b": sides[0]} if cell["gap"] > 1.0 else {"a": sides}

    def framed(cell, rng):
        rows = [
            pd.DataFrame({"system": name, "label": label, "score": scores})
            for name, sample in named(cell, rng).items()
            for sample in [sample[0] if isinstance(sample, tuple) else sample]
            for label, scores in enumerate((sample.impostor, sample.client))
        ]
        return pd.concat(rows)

    frames = [
        br.Study(DESIGN, ["fit.auc", "fit.client-shape"], generator=f, rng=1).run().to_frame()
        for f in (named, framed)
    ]
    columns = ["a.fit.auc", "b.fit.auc", "a.fit.client-shape"]
    assert frames[0][columns].equals(frames[1][columns])
    assert frames[0]["b.fit.auc"].isna().tolist() == [True, True, False, False, False, False]
    assert frames[0]["a.fit.auc"][2] == frames[0]["b.fit.auc"][2]


LAWS = np.random.default_rng(1).beta([[5.0], [2.0]], 2.0, (2, 12))


@pytest.mark.parametrize(
    "scores",
    [
        br.Scores(*LAWS, client_weights=np.arange(1.0, 13.0)),
        br.Scores(*LAWS[::-1], lower_is_client=True),
        br.Scores(np.round(LAWS[0], 1), LAWS[1]),  # ties, some of them 1
        br.Scores(*(9.0 * LAWS)),  # "auto" is normal
        br.Scores(*(0.6 + 1e-4 * LAWS)),  # two sums hold too little
    ],
)
def test_what_has_no_two_sums_is_fitted_by_itself(scores):
    study = br.Study({"k": 1}, ["fit.auc"], generator=lambda cell, rng: scores)
    with suppress_warnings():
        expected = br.fit(scores).model.auc()
    assert study.run().to_frame()["fit.auc"][0] == expected


BAD = {
    "raises": (lambda cell, rng: 1 / 0, "ZeroDivisionError"),
    "hangs": (lambda cell, rng: time.sleep(60.0), "return within 0.2 s, its timeout"),
    "nan": (lambda cell, rng: br.Scores([0.5, np.nan], [0.1]), "client must be finite"),
    "one class": (lambda cell, rng: br.Scores([0.5], []), "impostor must hold at least one"),
    "nothing": (lambda cell, rng: None, "must be a frame"),
    "tries again": (lambda cell, rng: stubborn(), "return within 0.2 s, its timeout"),
    "leaves": (lambda cell, rng: sys.exit(3), "SystemExit: 3"),
    "no systems": (lambda cell, rng: {}, "the scores of a system; got none"),
    "columns": (lambda cell, rng: pd.DataFrame({"s": [1.0]}), "must name a column"),
    "three": (lambda cell, rng: (1, 2, 3), "with 3 parts"),
    "no test": (lambda cell, rng: pair(cell, rng)[0], r"return \(dev, test\)"),
    "true pair": (lambda cell, rng: pair(cell, rng), "the true pair must be known"),
}


def stubborn():
    while True:
        with contextlib.suppress(Exception):
            time.sleep(60.0)


def of_true_pair(trial):
    return trial.test.auc() if trial.cell["bad"] != "true pair" else trial.model.auc()


@pytest.mark.simulation
def test_a_cell_that_fails_is_named_and_the_others_go_on():
    def generator(cell, rng):
        return BAD[cell["bad"]][0](cell, rng) if cell["bad"] in BAD else pair(cell, rng)

    design = {"bad": ["", *BAD, "fine"], "gap": 1.0, "n": 30}
    study = br.Study(design, {"x": of_true_pair}, generator=generator, timeout=0.2, rng=1)
    frame = study.run().to_frame()
    assert frame["status"].tolist() == ["ok", *["failed"] * len(BAD), "ok"]
    for name, (_, words) in BAD.items():
        assert frame.loc[frame["bad"] == name, "error"].str.contains(words).all(), name


@pytest.mark.simulation
@pytest.mark.parametrize(
    "engine", [concurrent.futures.ThreadPoolExecutor, concurrent.futures.ProcessPoolExecutor]
)
def test_every_executor_gives_the_same_bytes(engine, tmp_path):
    options = {"generator": pair, "rng": 1, "replicates": 5, "block": 4}
    br.Study(DESIGN, ASKED, folder=tmp_path / "plain", **options).run()
    with engine(2) as workers:
        br.Study(DESIGN, ASKED, folder=tmp_path / "other", workers=workers, **options).run()
    assert content(tmp_path / "plain") == content(tmp_path / "other")


def test_names_maps_and_limits_that_are_refused():
    def named(cell, rng):
        return {"a": list(pair({"gap": 1.0, "n": 20}, rng))}

    for name, words in (("a.fit.auc", "no parameter begins; got 'a'"), ("b.fit.auc", "")):
        error = br.Study({name: 1.0}, ["fit.auc"], generator=named).run().to_frame()["error"][0]
        assert words in error
        assert bool(words) == bool(error)

    class Client:
        def map(self, function, *arguments):
            return [object()]

    for workers, timeout, words in [
        (Client(), None, "have a map of results"),
        (concurrent.futures.ThreadPoolExecutor(1), 1.0, "timeout must be left out"),
    ]:
        options = {"generator": pair, "workers": workers, "timeout": timeout}
        with pytest.raises(br.BetarocError, match=words):
            br.Study(DESIGN, ASKED, **options).run()


@functools.lru_cache
def cached(gap):
    return 2.0 + gap


def of_cached(cell, rng):
    return br.Scores(rng.beta(cached(cell["gap"]), 2.0, 20), rng.beta(2.0, 3.0, 20))


def test_another_generator_does_not_continue_a_folder(tmp_path, monkeypatch):
    br.Study(DESIGN, "fit.auc", generator=of_cached, folder=tmp_path, rng=1).run()
    before = content(tmp_path)
    changed = functools.lru_cache(lambda gap: 3.0 + gap)
    monkeypatch.setitem(globals(), "cached", changed)
    with pytest.raises(br.StudyError, match=r"what differs.* generator \("):
        br.Study(DESIGN, "fit.auc", generator=of_cached, folder=tmp_path, rng=1).run()
    assert content(tmp_path) == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"generator": 3}, "generator must be a function of the cell"),
        ({"generator": pair, "model": pair}, "model must be left out beside generator"),
        ({"timeout": 1.0, "model": pair}, "timeout must be left out without a generator"),
        ({"generator": pair, "timeout": 0.0}, "timeout must be a finite number > 0"),
        ({"generator": pair, "statistics": ["true.auc"]}, "no source 'true'"),
    ],
)
def test_what_is_refused(options, words):
    options = {"statistics": ["fit.auc"]} | options
    with pytest.raises((br.InputError, br.InputTypeError), match=words):
        br.Study(DESIGN, **options)
