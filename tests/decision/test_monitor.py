"""The monitor of a threshold: a supermartingale, one bet per person, files that go on."""

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest

import betaroc as br
from betaroc.decision.monitor import TIMES, log_bets

approx = pytest.approx
NEVER = [-math.inf] * TIMES.size
DEV = br.Scores([2.0, 3.0, 4.0], [k / 10 for k in range(30)])
DECISION = br.decide(DEV, far=0.1)


def impostors(*errors, groups=None):
    """Scores of impostors of whom these are accepted."""
    values = np.where(errors, 5.0, 1.0) + np.arange(len(errors)) / 1e4
    return br.Scores([9.0], values, impostor_groups=groups)


def drawn(n, rate, seed):
    return impostors(*(np.random.default_rng(seed).random(n) < rate))


@pytest.mark.parametrize(("chances", "n"), [
    ({0.0: 0.8, 1.0: 0.2}, 8),
    ({0.0: 0.5, 0.25: 0.4, 1.0: 0.1}, 6),  # means of persons, .1 + .1 in the mean
])  # fmt: skip
def test_at_the_limit_the_expected_evidence_is_1_after_every_bet(chances, n):
    mean, alarm = np.zeros(n), 0.0
    for path in itertools.product(chances, repeat=n):
        _, logs = log_bets(np.array(path), 0.2, NEVER, 0, restart=3)
        weight = math.prod(chances[x] for x in path)
        mean += weight * np.exp(logs)
        alarm += weight * (logs.max() >= -math.log(0.3))
    assert mean == approx(1.0, rel=1e-12)
    assert 0.0 < alarm <= 0.3  # Ville's inequality


def test_the_evidence_is_the_mixture_of_likelihood_ratios_by_hand():
    x, p, w = np.array([1.0, 0.0, 0.0, 1.0, 0.0]), 0.01, (1 / 2, 1 / 6, 1 / 12)
    rates = [1.25 * 8 ** (k / 5) * p for k in range(6)]

    def product(q, part):
        return math.prod(q / p if one else (1 - q) / (1 - p) for one in part)

    by_hand = sum(sum(wj * product(q, x[2 * j :]) for j, wj in enumerate(w)) for q in rates) / 6
    logs = log_bets(x, p, NEVER, 0, restart=2)[1]
    assert math.exp(logs[-1]) == approx(by_hand + 1 / 4)  # what has not started: 1/4
    # beyond half of the way to 1 no rate is bet on, so that no wealth is lost by one bet
    assert np.isfinite(log_bets(np.zeros(3), 0.9, NEVER, 0)[1]).all()


def test_two_files_are_one_of_both():
    errors = np.random.default_rng(1).random(700) < 0.1
    whole, first = impostors(*errors), impostors(*errors[:333])
    second = br.Scores([9.0], whole.impostor[333:])
    once, start = DECISION.monitor().update(whole), DECISION.monitor()
    twice = start.update(first).update(second)
    assert replace(twice, digests=(), sizes=()) == replace(once, digests=(), sizes=())
    # through a document; a file that grew, the same one again, and either of its parts
    state = br.from_json(start.update(first).to_json())
    assert state == start.update(first)
    with pytest.warns(br.SameDataWarning, match="333 of 700 trials are counted already"):
        grown = state.update(whole)
    assert grown == twice
    for again in (whole, first):
        with pytest.warns(br.SameDataWarning):
            assert grown.update(again) is grown
    with pytest.warns(br.SameDataWarning, match="dev's own"):
        start.update(DEV)


def test_files_that_agree_by_chance_count_and_a_file_that_grew_counts_once():
    """Of 20 trials with 4 scores, each 5 times, 4^-20 is e^-28; what grew is known in its order."""
    ratings = np.tile([0.0, 1.0, 5.0, 0.5], 25)
    parts = [br.Scores([9.0], ratings[:n]) for n in (20, 60, 100)]
    few = DECISION.monitor().update(parts[0])
    with pytest.warns(br.SameDataWarning, match="perhaps by chance: they count"):
        assert few.update(parts[0]).trials == 40
    state = DECISION.monitor().update(parts[1])
    with pytest.warns(br.SameDataWarning, match="60 of 100 trials"):
        state = state.update(parts[2])
    for part in parts[1:]:
        with pytest.warns(br.SameDataWarning):
            assert state.update(part) is state
    assert (state.trials, state.sizes) == (100, (60, 40))
    named = br.Scores([9.0], ratings[:20], impostor_groups=[f"p{k}" for k in range(20)])
    other = br.Scores([9.0], ratings[:20], impostor_groups=[f"q{k}" for k in range(20)])
    assert DECISION.monitor().update(named).update(other).bets == 40
    absent = [br.Scores([9.0], drawn(n, 0.1, 7).impostor, n_impostor_rejected=1) for n in (50, 80)]
    with pytest.raises(br.InputError, match="every trial of a file that grew"):
        DECISION.monitor().update(absent[0]).update(absent[1])


@pytest.mark.parametrize(("name", "value"), [
    ("raised", 0), ("raised", 90), ("bets", -1), ("trials", 3), ("total", 1e9), ("evidence", 0.5),
    ("passed", -1),
])  # fmt: skip
def test_a_state_whose_numbers_do_not_follow_is_refused(name, value):
    state = DECISION.monitor().update(drawn(50, 0.5, 3))
    assert state.alarm
    document = state.to_dict() | {name: value}
    with pytest.raises(br.FileFormatError, match=name):
        br.from_json(json.dumps(document))
    with pytest.raises(br.FileFormatError, match="raised"):
        br.from_json(json.dumps(state.to_dict() | {"raised": None}))


def test_an_alarm_stays_and_says_since_when():
    logs = log_bets(np.ones(3), 0.1, NEVER, 0)[1]
    first = int(np.argmax(logs >= math.log(20))) + 1
    bad = DECISION.monitor().update(impostors(1, 1, 1))
    assert (bad.alarm, bad.raised, bad.rate) == (True, first, 1.0)
    calm = bad.update(impostors(*[0] * 400))
    assert (calm.evidence < 20, calm.raised) == (True, first)
    assert not DECISION.monitor(confidence=0.99999, far=0.1).update(impostors(1, 1, 1)).alarm
    assert "since trial" in "".join(map(str, calm._view()))


def test_trials_of_a_person_are_one_bet_and_count_once():
    monitor = DECISION.monitor().update(impostors(1, 0, 0, 1, 1, groups=["b", "a", "b", "c", "b"]))
    means = [2 / 3, 0.0, 1.0]  # b, a, c as they appear
    assert monitor.evidence == approx(math.exp(log_bets(np.array(means), 0.1, NEVER, 0)[1][-1]))
    assert (monitor.bets, monitor.trials, monitor.rate) == (3, 5, approx(5 / 9))
    later = monitor.update(impostors(1, 0, 1, groups=["a", "d", "a"]))
    assert (later.bets, later.trials, later.passed) == (4, 6, 2)
    assert later == br.from_json(later.to_json())
    only_known = later.update(impostors(1, 1, groups=["a", "c"]))
    assert (only_known.bets, only_known.passed, only_known.evidence) == (4, 4, later.evidence)


def test_the_class_of_the_rate_is_enough():
    frr = DECISION.monitor(frr=0.2)
    monitor = frr.update(([1, 1, 1], [1.0, 5.0, 6.0]))
    assert (monitor.trials, monitor.rate, monitor.target) == (3, approx(1 / 3), "frr")
    assert DECISION.monitor(tpr=0.8) == frr
    with pytest.raises(br.InputError, match="hold impostors, whose rate FAR is; got none"):
        DECISION.monitor().update(([1, 1], [1.0, 2.0]))
    with pytest.raises(br.InputError, match="both classes"):
        br.Scores.from_labels([1, 1], [1.0, 2.0])  # elsewhere two are wanted, as ever
    # those without a score are rejected; they have no place in the file
    absent = br.Scores([5.0] * 900, [0.0], n_client_rejected=100)
    monitor = DECISION.monitor(frr=0.1).update(absent)
    assert (monitor.trials, monitor.rate, monitor.alarm) == (1000, 0.1, False)
    assert monitor == DECISION.monitor(frr=0.1).update(absent)


def test_what_has_no_limit_or_another_decision_is_refused():
    costs = br.decide(DEV, cost_fa=1, cost_fr=1)
    with pytest.raises(br.InputError, match=r"limit of FAR or FRR; got cost.*State one"):
        costs.monitor()
    assert costs.monitor(far=0.02).limit == 0.02
    state = DECISION.monitor().update(drawn(50, 0.1, 3))
    for other, what in (
        (br.decide(DEV, far=0.2), "threshold"), (br.decide(drawn(40, 0.5, 1), far=0.1), "dev"),
    ):  # fmt: skip
        with pytest.raises(br.InputError, match=f"of this decision; got one of another {what}"):
            other.monitor(state)
    with pytest.raises(br.InputError, match="another limit"):
        DECISION.monitor(state, far=0.3)
    assert DECISION.monitor(state) is state
    with pytest.raises(br.InputTypeError, match="must be a Monitor"):
        DECISION.monitor(DECISION)
    pairs, weights = [["a", "b"]] * 2, [1.0, 2.0]
    for scores, words in (
        (impostors(1, 0, groups=pairs), "one column"), (impostors(1, 0, groups=["a", "b"]), "all"),
        (br.Scores([9.0], [1.0, 2.0], impostor_weights=weights), "no weights"),
    ):  # fmt: skip
        with pytest.raises(br.InputError, match=words):
            state.update(scores)
    text = state.to_json()
    for old, new in (('"far"', '"cost"'), ('"log_wealth": [', '"log_wealth": [0.0, ')):
        with pytest.raises(br.FileFormatError, match=r"target|log_wealth"):
            br.from_json(text.replace(old, new))
