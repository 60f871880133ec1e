"""Notices: kept by results, warned once at the caller's line, alike in every thread and state."""

import copy
import inspect
import pickle
import threading
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import matplotlib as mpl
import numpy as np
import pytest

import betaroc as br
from betaroc.core import notices as core, vocabulary as voc
from betaroc.core.notices import Notice, collect_warnings, collected, forward_warnings, warn
from betaroc.rendering.files import draw_svg
from helpers.public import PUBLIC


def few():
    """Scores of which a fit warns: impostors score higher, and there are nine clients."""
    rng = np.random.default_rng(0)
    return br.Scores(rng.beta(2, 5, 9), rng.beta(5, 2, 40))


@collect_warnings
def says(*messages):
    """A call that warns of each message."""
    for message in messages:
        warn(message, br.ScaleWarning)
    return br.Scores([0.6, 0.7], [0.1, 0.2])


@collect_warnings
def calls(*messages):
    """A public call within a public call."""
    warn("mine", br.ScaleWarning)
    says(*messages)
    return says(*messages)


def test_a_result_keeps_what_was_warned_of_at_the_callers_line_and_is_the_same():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = br.fit(few())
    assert {w.filename for w in caught} == {__file__}
    assert fit.notices == tuple(Notice(w.category, str(w.message)) for w in caught)
    assert {n.category for n in fit.notices} == {br.SmallSampleWarning, br.ReversedScoresWarning}
    with pytest.warns(br.PrecisionWarning):
        rough = br.Empirical(np.float16([0.25, 0.5]))
    exact = br.Empirical([0.25, 0.5])
    assert (rough, hash(rough), repr(rough)) == (exact, hash(exact), repr(exact))
    assert pickle.loads(pickle.dumps(rough)).notices == rough.notices != exact.notices == ()


def test_a_call_warns_once_and_where_it_fails():
    with pytest.warns(br.ScaleWarning) as caught:
        found = calls("a", "b")
    assert [str(w.message) for w in caught] == ["mine", "a", "b"]
    assert [n.message for n in found.notices] == ["a", "b"]  # of the call that made it

    @collect_warnings
    def fails():
        warn("a", br.ScaleWarning)
        raise br.InputError("b")

    with pytest.warns(br.ScaleWarning, match="a"), pytest.raises(br.InputError, match="b"):
        fails()


def test_blocks_collect_prefix_and_leave_out():
    with core.collected() as notices:
        with forward_warnings("dev: "):
            warn("a", br.ScaleWarning)
        with forward_warnings(but=(br.ScaleWarning,)):
            warn("b", br.ScaleWarning)
            warn("c", br.TargetWarning)
        with core.suppress_warnings():
            warn("d", br.ScaleWarning)
    assert notices == [Notice(br.ScaleWarning, "dev: a"), Notice(br.TargetWarning, "c")]


@pytest.mark.simulation
def test_whatever_warns_carries_its_notices():
    """One call of each kind of result: what it warns of is what the result keeps."""
    half = np.float16([0.2, 0.4, 0.7])
    scores = br.Scores([0.5, 0.6, 0.7, 0.9], [0.1, 0.2, 0.3, 0.55])
    fit = br.fit(br.Scores(np.linspace(0.3, 0.9, 40), np.linspace(0.1, 0.7, 40)), "normal")
    curve = br.epc(fit, br.Scores([0.8, 0.9, 0.95], [0.01, 0.05, 0.1]), alpha=[0.5])
    model = br.ScoreModel(br.Normal(3, 1), br.Normal(-3, 1))
    calls = [
        lambda: br.Scores(half, [0.1]),
        lambda: br.fit(few()),
        lambda: fit.at_far(1e-6),
        lambda: fit.interval("tpr", far=1e-6),
        lambda: br.epc(fit, scores, criterion="far", alpha=[1e-6]),
        lambda: curve.band(resample="test", replicates=50, rng=1),
        lambda: br.plan_sample_size("auc", model=model, width=0.5, method="delta"),
        lambda: br.inclusion({"a": scores, "b": scores}, folds=2, alpha=[0.5]),
    ]
    for number, call in enumerate(calls):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            result = call()
        assert said, number
        assert [n.message for n in result.notices] == [str(w.message) for w in said], number


def test_every_public_function_is_an_edge():
    functions = [getattr(br, name) for name in PUBLIC]
    functions = [f for f in functions if inspect.isfunction(f)]
    assert len(functions) > 20
    assert [f.__name__ for f in functions if f.__code__.co_name != "inner"] == []


def in_threads(work, count=4):
    """The results of so many threads that begin together."""
    start = threading.Barrier(count)
    with ThreadPoolExecutor(count) as pool:
        jobs = [pool.submit(lambda: (start.wait(), work())[1]) for _ in range(count)]
        return [job.result() for job in jobs]


def a_picture_and_fits():
    rng = np.random.default_rng(3)
    scores = br.Scores(rng.beta(2, 5, 9), rng.beta(5, 2, 25))
    best = br.fit(scores, "best")
    return draw_svg(lambda: best.model.roc().plot(), "threads"), br.fit(scores), best


@pytest.mark.simulation
def test_threads_neither_hear_nor_silence_each_other():
    filters, settings = list(warnings.filters), dict(mpl.rcParams)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        alone = a_picture_and_fits()
    once = Counter((w.category, str(w.message)) for w in caught)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        inside = list(warnings.filters)
        together = in_threads(a_picture_and_fits)
        assert list(warnings.filters) == inside
    assert Counter((w.category, str(w.message)) for w in caught) == Counter(
        {key: 4 * count for key, count in once.items()}
    )
    for found in together:
        assert found == alone
    assert list(warnings.filters) == filters
    assert dict(mpl.rcParams) == settings


@pytest.mark.simulation
def test_a_picture_of_the_page_does_not_depend_on_the_users_settings():
    model = br.ScoreModel(br.Beta(3, 1), br.Beta(1, 2))
    plain = draw_svg(lambda: model.roc().plot(), "salt")
    loud = {"font.size": 22.0, "lines.linewidth": 7.0, "svg.fonttype": "path", "axes.grid": True}
    with mpl.rc_context(loud):
        assert draw_svg(lambda: model.roc().plot(), "salt") == plain


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
