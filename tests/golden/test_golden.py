"""What commands and nouns show on shipped sets is as the golden files hold it.

A change is looked at, then written by ``python tests/helpers/golden.py`` and named in its commit.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import pytest

from helpers import golden
from helpers.golden import FOLDER

pytestmark = pytest.mark.simulation
#: Other targets and words, by night.
LATE = ("broken_target", "costs", "equal_error_rate", "no_test", "pad_words")
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")


@pytest.fixture(scope="module", autouse=True)
def _folder() -> Iterator[None]:
    with golden.working_folder():
        yield


def assert_same_text(now: str, kept: str) -> None:
    """The same words; numbers but for the last of their digits."""
    assert _NUMBER.sub("0", now) == _NUMBER.sub("0", kept)
    for one, two in zip(_NUMBER.findall(now), _NUMBER.findall(kept), strict=True):
        if one != two:
            digits = len(two.split("e")[0].partition(".")[2])
            unit = 10.0 ** (int(two.partition("e")[2] or 0) - digits)
            assert abs(float(one) - float(two)) <= max(1.01 * unit, 1e-6 * abs(float(two)))


def assert_same_value(now: Any, kept: Any, at: str = "") -> None:
    """The same document; numbers to 1e-9."""
    if isinstance(kept, dict):
        assert list(now) == list(kept), at
        for key, item in kept.items():
            assert_same_value(now[key], item, f"{at}.{key}")
    elif isinstance(kept, list):
        assert len(now) == len(kept), at
        for k, (one, two) in enumerate(zip(now, kept, strict=True)):
            assert_same_value(one, two, f"{at}[{k}]")
    elif isinstance(kept, float) and isinstance(now, float):
        assert math.isclose(now, kept, rel_tol=1e-9, abs_tol=1e-12), f"{at}: {now!r}, {kept!r}"
    else:
        assert now == kept, at


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[pytest.mark.nightly] * (name in LATE)) for name in golden.SITUATIONS
])  # fmt: skip
def test_situation(name: str) -> None:
    now = golden.situation(name)
    documents = {line: forms.pop("json") for line, forms in now.items() if "json" in forms}
    assert_same_value(documents, json.loads((FOLDER / f"{name}.json").read_text("utf-8")))
    assert_same_text(golden.text_of_forms(now), (FOLDER / f"{name}.txt").read_text("utf-8"))


def test_blocks_and_tables() -> None:
    assert_same_text(golden.blocks(), (FOLDER / "blocks.html").read_text("utf-8"))
    assert_same_text(golden.latex(), (FOLDER / "tables.tex").read_text("utf-8"))


def test_every_slot_is_filled() -> None:
    shown = (path for path in FOLDER.iterdir() if path.is_file() and path.suffix != ".py")
    texts = "".join(path.read_text("utf-8") for path in shown)
    # Slots lie in the last plane of characters, which JSON writes as pairs.
    assert not re.search("[\U00100000-\U0010ffff]|\\\\udb[c-f]", texts)
