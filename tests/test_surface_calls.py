"""Generated calls of everything public; the same answers whatever numpy's error state, thread,
process and hash seed are."""

import inspect
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from helpers import wild_calls
from helpers.cases import case
from helpers.files import STUDY
from helpers.hostile import NoRepr
from helpers.places import ROOT

WALKS = [pytest.param(0, 0, 300, marks=pytest.mark.simulation)]
WALKS += [pytest.param(2026, 1000 * k, 1000 * (k + 1), marks=pytest.mark.nightly)
          for k in range(20)]  # fmt: skip


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(("seed", "first", "last"), WALKS)
def test_generated_calls(seed, first, last):
    """A few here, 20 000 at night."""
    for k in range(first, last):
        with case(f"walk {k}"):
            wild_calls.walk(seed, k)


#: What no argument takes.
THINGS = {"an object": object(), "no repr": NoRepr(), "complex": 1j, "bytes": b"x", "class": dict}
#: Fields that only calls fill.
FILLED = {("OperatingPoint", "n_beyond"), ("Scores", "source")}


@pytest.mark.usefixtures("few")
@pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")
@pytest.mark.simulation
@pytest.mark.parametrize("thing", [pytest.param(name, marks=[pytest.mark.nightly] * often)
    for name, often in zip(THINGS, (1, 0, 1, 1, 1), strict=True)])  # fmt: skip
def test_what_no_argument_takes_is_refused_as_every_argument(thing, tmp_path, monkeypatch):
    """Beside others that are drawn, which may be wrong as well."""
    monkeypatch.chdir(tmp_path)
    tried = 0
    for k, (name, call) in enumerate(wild_calls.targets().items()):
        signature = inspect.signature(call)
        for j, p in enumerate(signature.parameters.values()):
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or (name, p.name) in FILLED:
                continue
            c = wild_calls.Draw(np.random.default_rng([7, k, j]), tmp_path)
            with suppress(br.BetarocError):  # some arguments cannot be made as they were drawn
                values, options = wild_calls.drawn(c, call)
                bound = signature.bind_partial(*values, **options)
                bound.arguments[p.name] = THINGS[thing]
                tried += 1
                with case((name, p.name)):
                    wild_calls.told(call, bound.args, bound.kwargs)
                    pytest.fail("it was taken")
    assert tried > 280


def answers():
    """Of sound scores, by calls that suppress warnings, sort or iterate over sets."""
    rng = np.random.default_rng(1)
    dev, test = (br.Scores(rng.beta(4, 2, 40), rng.beta(2, 4, 40)) for _ in range(2))
    fit, curve = br.fit(dev), br.epc(dev, test, alpha=[0.2, 0.5])
    found = (
        fit, br.compare_families(dev, ["beta", "normal"]), curve, br.decide(dev, far=0.1),
        br.interval(dev, "eer"), br.difference(dev, test, "auc", paired=False),
        br.compare(curve, curve, replicates=20, rng=1),
        br.plan_sample_size("auc", model=fit.model, width=0.1),
    )  # fmt: skip
    return [value.to_json() for value in found]


quiet = pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")


@quiet
@pytest.mark.nightly
def test_the_same_answers_in_threads_and_with_an_error_state_of_numpy():
    wanted = answers()
    with np.errstate(all="raise"):
        assert answers() == wanted
    with ThreadPoolExecutor(2) as pool:
        assert all(one == wanted for one in pool.map(lambda _: answers(), range(2)))


@quiet
@pytest.mark.nightly
@pytest.mark.parametrize("seed", ["0", "1"])
def test_whatever_the_hash_seed(seed):
    code = "import json, test_surface_calls as t; print(json.dumps(t.answers()))"
    run = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, cwd=ROOT / "tests",
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert json.loads(run.stdout) == answers()


#: No UTF-8 by any of Python's own remedies.
ASCII = {"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "ascii"}
ASCII |= {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
READ = "--score Wërt --label klasse --client-label é"
CALLS = {
    "fit": f"'dév θ.csv' {READ}",
    "report": f"--dev 'dév θ.csv' --test 'tést 中.csv' {READ} --target far=0.1 -o bericht_ß.html",
    "study": "studie_é.toml --folder ergebnis_é",
    "ensemble": "'dév θ.csv' --label klasse --client-label é --systems Wërt zweiter_é"
    " -o bild_é.svg --html seite_é.html",
}


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(1)
    where = tmp_path / "ordner_é"
    where.mkdir()
    for name in ("dév θ.csv", "tést 中.csv"):
        frame = pd.DataFrame({"Wërt": np.r_[rng.beta(4, 2, 60), rng.beta(2, 4, 60)]})
        frame["klasse"] = ["é"] * 60 + ["ü"] * 60
        frame["zweiter_é"] = np.clip(frame["Wërt"] + rng.normal(0, 0.1, 120), 0.01, 0.99)
        frame.to_csv(where / name, index=False, encoding="utf-8")
    (where / "studie_é.toml").write_text(f"seed = 1\n{STUDY}", encoding="utf-8")
    return where


@pytest.mark.simulation
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n == "fit" else pytest.mark.nightly) for n in CALLS]
)
def test_ascii_alone(folder, name):
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "betaroc", name, *shlex.split(CALLS[name])],
        cwd=folder, env={**os.environ, **ASCII}, capture_output=True, timeout=300,
    )  # fmt: skip
    said = (run.stdout + run.stderr).decode("ascii")
    assert run.returncode in (0, 1), said
    assert "Traceback" not in said, said
    assert said, name
