"""Generated calls of everything public; the same answers whatever numpy's error state, thread,
process and hash seed are."""

import inspect
import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

import numpy as np
import pytest

import betaroc as br
from helpers import answers, wild_calls
from helpers.cases import case
from helpers.places import ROOT
from helpers.public import PUBLIC


def broken(seed, first, last):
    found = (wild_calls.one_call(seed, k) for k in range(first, last))
    return [one for one in found if one.kind not in wild_calls.IN_ORDER]


def test_every_public_name_is_called_or_listed_with_a_reason():
    called = {target.name.partition(".")[0] for target in wild_calls.targets()}
    for name in PUBLIC:
        value = getattr(br, name)
        if inspect.isclass(value) and issubclass(value, Exception):
            continue
        assert (name in called) != (name in wild_calls.NOT_CALLED), name


def test_every_argument_has_values_of_its_own():
    assert wild_calls.arguments_without_values() == []


def test_what_is_looked_for_is_seen(monkeypatch):
    monkeypatch.setattr(br, "statistics", lambda: 1 / 0)
    found = wild_calls.one_call(0, 0, only="statistics")
    assert (found.kind, found.what) == ("broken", "ZeroDivisionError: division by zero")


SHARES = [pytest.param(0, 0, 80, marks=pytest.mark.simulation)]
for part in range(20):
    bounds = 1000 * part, 1000 * (part + 1)
    SHARES.append(pytest.param(2026, *bounds, marks=pytest.mark.nightly))


@pytest.mark.parametrize(("seed", "first", "last"), SHARES)
def test_generated_calls(seed, first, last):
    """A few here, 20 000 at night."""
    assert broken(seed, first, last) == []


#: Functions that are done at once; with all methods and the others at night.
QUICK = [n for n in answers.NAMES if n[:1].islower() and n not in wild_calls.SLOW_CALLS]
SOME = pytest.param([*QUICK[::2], *answers.NAMES[20::60]], id="some")
EVERY = pytest.param(answers.NAMES, id="every", marks=pytest.mark.nightly)


@cache
def alone(name):
    """The answer in this thread, with numpy as it comes."""
    return answers.digest(name)


def differing(found):
    return [name for name, digest in found.items() if digest != alone(name)]


@pytest.mark.simulation
@pytest.mark.parametrize("names", [SOME, EVERY])
def test_whatever_the_error_state_of_numpy(names):
    with np.errstate(all="raise"):
        assert differing(answers.digests(names)) == []


@pytest.mark.nightly
@pytest.mark.parametrize("names", [SOME, EVERY])
def test_four_threads_at_once(names):
    one = partial(answers.digest, answered=answers.unfiltered)
    with answers.filtered(), ThreadPoolExecutor(4) as pool:
        found = dict(zip(names, pool.map(one, names), strict=True))
    assert differing(found) == []


@pytest.mark.simulation
def test_results_are_pickled_whole():
    for name in QUICK[::2]:
        with case(name):
            value = answers.answer(name)
            assert answers.told(pickle.loads(pickle.dumps(value))) == answers.told(value)


@pytest.mark.nightly
@pytest.mark.parametrize("names", [SOME, EVERY])
@pytest.mark.parametrize("seed", ["0", "1", "random"])
def test_whatever_the_hash_seed(seed, names):
    run = subprocess.run(
        [sys.executable, "-m", "helpers.answers", *names], cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "tests")},
        check=True, capture_output=True,
    )  # fmt: skip
    assert differing(json.loads(run.stdout)) == []
