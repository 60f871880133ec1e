"""Errors know their argument, and their sentences where they mention one."""

import copy
import pickle

import pytest

import betaroc as br
from betaroc.core import vocabulary as voc
from betaroc.core.notices import collected, forward_warnings, warn

SCORES = br.Scores([0.6, 0.7, 0.8, 0.55, 0.9, 0.65], [0.1, 0.2, 0.3, 0.45, 0.35, 0.62])
OTHER = br.Scores([0.5, 0.7, 0.8], [0.1, 0.2, 0.6])
ADVICE = 'Use `family="beta"`, or leave `resolution=` out.'


@pytest.mark.parametrize(("call", "argument"), [
    (lambda: br.fit(SCORES, boundary="x"), "boundary"),
    (lambda: br.fit(SCORES, ("beta", "dual-beta")), "family"),
    (lambda: br.fit([0.1, 0.2]), "scores"),
    (lambda: br.Scores.from_labels([1, 0, 2], [0.1, 0.2, 0.3]), "y_true"),
    (lambda: br.epc(SCORES, OTHER, alpha=2), "alpha"),
    (lambda: br.summarize(SCORES, layout=(0.0, float("nan"))), "layout"),  # names layout[1]
    (lambda: br.read_scores("no such file"), "path"),
    (lambda: br.fit(br.Scores([0.5, 0.5], [0.1, 0.2])), None),
])  # fmt: skip
def test_errors_know_their_argument(call, argument):
    with pytest.raises(br.BetarocError) as caught:
        call()
    assert caught.value.argument == argument


@pytest.mark.parametrize("kind", [br.InputError, br.FitError, br.ScoreFileNotFoundError])
def test_errors_are_pickled_and_copied_whole(kind):
    error = kind.about("level")("level must be 1. " + voc.worded(ADVICE))
    if isinstance(error, br.FitError):
        error.result = (1, 2)
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(other) is kind
        assert type(str(other)) is str
        assert str(other) == 'level must be 1. Use family="beta", or leave resolution= out.'
        assert other.argument == "level"
        assert other.template == error.template
        assert getattr(other, "result", None) == getattr(error, "result", None)
    again = error.reworded("dev: " + error.template)
    assert str(again) == f"dev: {error}"
    assert again.argument == "level"
    assert kind("only this").argument is None


def test_what_is_no_name_is_no_argument():
    assert br.InputError("wrong", argument="the number of replicates").argument is None
    assert br.InputError("wrong", argument="'dev.csv', scores").argument is None
    assert br.InputError("wrong", argument="weights[3]").argument == "weights"


def test_templates_know_their_arguments_at_another_door_and_for_readers():
    said = f"dev: `x`; {voc.worded(ADVICE)} {voc.AN_IMPOSTOR} is {voc.FAR}."
    sentence = voc.Sentence(said)
    assert sentence == (
        'dev: `x`; Use family="beta", or leave resolution= out. an impostor is FAR.'
    )
    for other in (pickle.loads(pickle.dumps(sentence)), copy.deepcopy(sentence)):
        assert (other, other.template) == (sentence, said)
    text = voc.with_arguments(said, lambda term: f"--{term.partition('=')[0]}")
    assert "Use --family, or leave --resolution out." in text
    with collected() as notices, forward_warnings("dev: "):
        warn(voc.worded(ADVICE), br.ScaleWarning)
    ((_, message),) = notices
    assert voc.template_of(message) == "dev: " + voc.worded(ADVICE)
    told = "3 scores are 1. " + voc.worded('Say `family="empirical"`, or more. Look.')
    assert voc.for_readers(told) == "3 scores are 1. Look."
    assert voc.for_readers("as it is. Take it=1.") == "as it is. Take it=1."


def test_randomness_is_checked_alike_everywhere():
    curve = br.epc(SCORES, OTHER, alpha=[0.5])
    calls = [
        lambda rng: curve.band(resample="test", method="delta", rng=rng),
        lambda rng: br.compare(curve, curve, replicates=5, rng=rng),
        lambda rng: br.epc_average(SCORES, OTHER, replicates=5, rng=rng),
        lambda rng: br.Beta(2, 1).sample(2, rng=rng),
    ]
    for call in calls:
        for wrong, error in ((-1, br.InputError), (True, br.InputTypeError)):
            with pytest.raises(error, match=r"rng must be .*an int >= 0"):
                call(wrong)
