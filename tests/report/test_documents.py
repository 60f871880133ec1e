"""Results travel: every kind is written, read back equal, and refused where it is broken."""

import copy
import json
import math
import re
from dataclasses import replace
from functools import cache, reduce
from operator import getitem
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import betaroc as br
from betaroc.core.value import REPR_LIMIT
from betaroc.rendering.nouns import Exportable
from betaroc.report import documents
from betaroc.report.documents import kinds
from helpers.kumaraswamy import Kumaraswamy
from helpers.public import PUBLIC
from helpers.schema import schema
from helpers.travellers import grouped, scores, travellers


@cache
def nouns():
    """Not while tests are collected: they take a second to make."""
    return {name: value for name, value in travellers().items() if isinstance(value, Exportable)}


#: Public classes without `to_json`: folders of files, a text, and rows of what has one.
STAY = {"Study", "StudyResult", "Shape", "TargetCheck", "Verdict", "ThresholdMethod"}


@pytest.mark.simulation
def test_what_is_read_is_what_was_written_of_every_public_class():
    for name, value in nouns().items():
        text = value.to_json()
        again = br.from_json(text)
        assert type(again) is type(value), name
        assert again == value, name
        # What no comparison sees is there too: notices, libraries, what dev is drawn again from.
        assert again.to_json() == text, name
    classes = {name for name in PUBLIC if isinstance(getattr(br, name), type)}
    abstract = {name for name in classes if getattr(br, name).__dict__.get("__abstractmethods__")}
    tried = {type(value).__name__ for value in nouns().values()}
    assert classes - abstract - STAY <= tried <= kinds().keys()
    assert {name for name in STAY if issubclass(getattr(br, name), Exportable)} == set()


@pytest.mark.simulation
def test_every_bit_of_a_number_travels():
    odd = [5e-324, 0.1 + 0.2, 1.0 - 2.0**-53, 1.7976931348623157e308, -0.0, 2.0**-1074 * 3]
    client = br.from_json(br.Scores(odd, [0.5]).to_json()).client
    assert client.tobytes() == np.array(odd).tobytes()
    point = br.OperatingPoint([math.nan, math.inf, -math.inf], [0.0, 0.5, 1.0], [1.0, 0.5, 0.0])
    document = point.to_dict()
    assert document["threshold"] == [None, "inf", "-inf"]
    assert br.from_json(json.dumps(document)) == point
    one = br.interval(scores(), "auc")
    undefined = replace(one, n_beyond=math.nan)
    assert undefined.to_dict()["n_beyond"] == {"float": "nan"}  # null is None there
    assert math.isnan(br.from_json(undefined.to_json()).n_beyond)
    odd = {"all": {"alpha": [math.inf, math.nan, "inf", None, True, 1, 5e-324]}}
    made = replace(travellers()["fusion"], parts=odd)
    again = br.from_json(made.to_json())
    assert repr(again.parts) == repr(odd)
    assert again.to_json() == made.to_json()


def test_arrays_keep_their_dtype_and_stand_once():
    given_, again = grouped(), br.from_json(grouped().to_json())
    assert again.dtype == given_.dtype == "float32"
    assert again.client_groups.shape == (30, 2)
    assert again.client_ids.dtype == given_.client_ids.dtype == np.int64
    text = br.fit(scores(), "empirical").to_json() or ""
    assert text.count(repr(scores().client[0].item())) == 1
    assert '"same as": "model.client.values"' in text
    # Without scores inside (0, 1) the extremes of these are 2 and -1.
    summary = br.summarize(br.Scores([1.5, 2.5, 3.0], [-1.0, -2.0, 3.3]).to_frame())
    assert br.from_json(summary.to_json()) == summary


@pytest.mark.simulation
def test_a_result_that_was_read_computes_as_the_one_that_was_written():
    dev = scores()
    curve = br.epc(dev, scores(seed=1), alpha=[0.25, 0.75])
    again = br.from_json(curve.to_json())
    assert again.band(replicates=50, rng=1) == curve.band(replicates=50, rng=1)
    analysis = travellers()["analysis"]
    read = br.from_json(analysis.to_json())
    assert (read.summary(), read.notices) == (analysis.summary(), analysis.notices)


def test_documents_are_read_from_files(tmp_path):
    law, path = br.Beta(2.0, 3.0), tmp_path / "law é.json"
    assert law.to_json(path) is None
    for given_ in (path, str(path), f"\ufeff\n {path.read_text()}"):
        assert br.from_json(given_) == law
    before = path.read_bytes()
    with pytest.raises(br.InputTypeError, match="Kumaraswamy"):
        br.ScoreModel(Kumaraswamy(2.0, 3.0), law).to_json(path)
    assert path.read_bytes() == before


FIT = br.fit(scores())
BETA = br.Beta(2.0, 3.0).to_dict()


def part_at(document, at):
    return reduce(getitem, at, document)


def at(path, value):
    """The document of a fit with something else at a place, or without it."""
    document = copy.deepcopy(FIT.to_dict())
    *above, last = path.split(".")
    place = part_at(document, above)
    place[last] = value
    if value is None:
        del place[last]
    return document


BROKEN = {
    "wrong number": (at("client.params.a", "two"), r"client\.params\.a must be a number"),
    "missing": (at("client.log_likelihood", None), r"client\.log_likelihood must be there"),
    "of another class": (at("scores", BETA), r"scores\.kind must be one of Score"),
    "constructor": (at("model.client.a", -1.0), r"^model\.client: a must be"),
    "in an array": (at("scores.client", [0.5, "x"]), r"scores\.client\[1\] must be a number"),
    "length": (at("scores.client_groups", ["a"]), r"^scores: client_groups must have"),
    "no array there": (at("scores.client", {"same as": "nowhere"}), r"client\.same as must be"),
    "a part alone": (BETA | {"kind": "TargetCheck"}, "kind must be one of betaroc's"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_documents_are_refused_with_the_place(name):
    document, words = BROKEN[name]
    with pytest.raises(br.FileFormatError, match=words):
        br.from_json(json.dumps(document))


@pytest.mark.parametrize(("text", "words"), [
    ('{"kind": "Beta", "a": 1', "must be JSON; got an error at line 1, column"),
    ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested far deeper"),
    ('{"kind": "Beta", "format": 1, "a": 1.0, "a": 2.0, "b": 1.0}', "got 'a' twice"),
    ('{"kind": "Beta", "format": 1, "a": NaN, "b": 1.0}', "undefined must be written null"),
    ('{"kind": "Beta", "format": 1, "a": ' + "9" * 5000 + "}", "of ordinary length"),
    ('{"kind": "Beta", "format": 1, "a": ' + "9" * 400 + ', "b": 1.0}', "doubles can hold"),
])  # fmt: skip
def test_texts_that_leave_something_in_doubt_are_refused(text, words):
    with pytest.raises(br.FileFormatError, match=words):
        br.from_json(text)


def with_other(document, at, value):
    """The text of a document with another value at a place."""
    changed = copy.deepcopy(document)
    part_at(changed, at[:-1])[at[-1]] = value
    return json.dumps(changed)


#: By kind places and what cannot stand there: what follows from other parts (a number is moved
#: by 1e-6 for ...), ranges, and arrays of other lengths.
WRONG = {
    "interval": {"sparse": True, "level": 1.5, "low": 0.99}, "auc test": {"p_value": 1.5},
    "decision": {"status": "not enough evidence", "needed": 7, "interval.low": ...,
                 "expected.far": ...},
    "costs": {"interval.high": ...},
    "decision check": {"verdict": "kept", "observed": ..., "point.far": ...},
    "check": {"verdict": "good", "targets.0.verdict": "poor"},
    "families": {"rows.0.aic": ...}, "fusion": {"gains.0.gain": ...}, "systems": {"first.0": 1},
    "fit": {"model.client.a": ...},
    "inclusion": {"verdict.good_%.word": "leave out", "verdict.good_%.gain.estimate": ...},
    "class summary": {"n": 61, "counts.0": 2},
    "band": {"low.0": 1.0, "estimate": [0.5], "replicates": -1},
    "comparison": {"low": [0.0]}, "epc": {"alpha": [0.5]}, "epc cv": {"far.0": 1.5},
    "forecast": {"least": [0.5]}, "distribution fit": {"total_weight": -2.0},
}  # fmt: skip


@pytest.mark.simulation
@pytest.mark.parametrize("name", WRONG)
def test_numbers_that_cannot_be_or_do_not_follow_are_refused(name):
    document = nouns()[name].to_dict()
    for path, other in WRONG[name].items():
        at = [int(step) if step.isdigit() else step for step in path.split(".")]
        other = part_at(document, at) + 1e-6 if other is ... else other
        with pytest.raises(br.FileFormatError, match="must"):
            br.from_json(with_other(document, at, other))


@pytest.mark.simulation
def test_reprs_are_one_short_line_and_metrics_flat_and_finite():
    names = {"nan": math.nan, "inf": math.inf} | {name: getattr(br, name) for name in PUBLIC}
    for name, value in travellers().items():
        text = repr(value)
        assert len(text) <= REPR_LIMIT, name
        assert "\n" not in text, name
        if name != "labels" and text[0] != "<" and type(value).__name__ in names:
            assert eval(text, dict(names)) == value, name
    long = "n" * 500
    for value in (br.Scores([1.0], [0.0], name=long), br.Design.grid({long: [1, 2]})):
        assert len(repr(value)) <= REPR_LIMIT, type(value)
    for name, value in nouns().items():
        for key, number in value.metrics().items():
            assert re.fullmatch(r"[0-9A-Za-z_./-]+", key), (name, key)
            assert type(number) is float, (name, key)
            assert math.isfinite(number), (name, key)
    assert FIT.metrics()["auc"] == FIT.model.auc()


@pytest.mark.parametrize("shape", [[2**40, 2**40], [0, 2**30, 2**30], [-1, -3], [2]])
def test_shapes_that_overflow_are_refused(shape):
    values = [] if shape[0] == 0 else [1.0, 2.0, 3.0]
    array = {"values": values, "dtype": "float64", "shape": shape}
    with pytest.raises(br.FileFormatError, match=r"values\.shape must be the shape of its values"):
        br.from_json(json.dumps({"kind": "Empirical", "format": 1, "values": array}))


def test_what_is_no_document_or_too_deep_is_refused(tmp_path):
    inner = '{"kind": "Beta", "a": 1.0, "b": 1.0}'
    for _ in range(200):
        inner = f'{{"kind": "Shifted", "base": {inner}, "shift": 0.0, "scale": 1.0}}'
    with pytest.raises(br.FileFormatError, match="nested at most"):
        br.from_json(inner[:-1] + ', "format": 1}')
    with pytest.raises(br.ScoreFileNotFoundError, match="there is no"):
        br.from_json(tmp_path / "none.json")
    with pytest.raises(br.InputTypeError, match="text or a path"):
        br.from_json(BETA)


@pytest.mark.simulation
def test_the_schema_is_that_of_the_classes_and_of_their_documents():
    known = json.loads(Path(documents.__file__).with_name("schema.json").read_text("utf-8"))
    assert schema() == known
    validator = jsonschema.Draft202012Validator(known)
    validator.check_schema(known)
    for name, value in nouns().items():  # of small ones the choice among all kinds too
        own = {"$ref": f"#/$defs/{type(value).__name__}", "$defs": known["$defs"]}
        check = validator if name in {"beta", "interval"} else validator.evolve(schema=own)
        assert [error.message for error in check.iter_errors(value.to_dict())] == [], name
    for name in BROKEN.keys() - {"constructor", "length", "no array there"}:
        assert not validator.is_valid(BROKEN[name][0]), name


def test_documents_of_older_versions_are_read_by_the_names_of_today():
    """What that version wrote of 30 impostors 0, .1, ..., 2.9 and a FAR of 10 %."""
    old = {
        "betaroc": "0.2.0", "format": 1, "kind": "GuaranteedThreshold", "threshold": 2.9,
        "target": "far", "rate": 0.1, "confidence": 0.95, "achieved": 0.9576088417247838,
        "far": 0.0, "frr": 0.3333333333333333, "n": 30, "k": 1, "n_needed": 29,
        "model_threshold": None, "n_beyond": 3.0, "extrapolated": False,
    }  # fmt: skip
    read = br.from_json(json.dumps(old))
    scores = br.Scores([2, 3, 4], [k / 10 for k in range(30)])
    assert read.method == br.decide(scores, far=0.1, how="guaranteed").method
    assert (read.status, read.k) == ("not enough evidence", 1)
    # What was written when a `ThresholdMethod` was a "Way" and a `SampleSupport` "Evidence".
    decision, curve = json.loads(Path(__file__).with_name("format_1.json").read_text("utf-8"))
    read, e = br.from_json(json.dumps(decision)), br.from_json(json.dumps(curve))
    scores = br.Scores([7, 9], range(4))
    assert read == br.decide(scores, cost_fa=1, cost_fr=1, how="counted", family="normal")
    with pytest.warns(br.errors.BetarocWarning):
        assert e == br.epc(br.fit(scores, "normal"), scores, alpha=[0.2, 0.8])
    with pytest.raises(br.errors.FileFormatError, match="kind must be one of"):
        br.from_json(json.dumps(decision["ways"][0] | {"format": 2}))
