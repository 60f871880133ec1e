"""Distances: what holds of minus the distances, in the distances' own scale. Whatever is decided,
estimated and drawn of scores s of which clients have the lower ones is that of -s, whose threshold
is minus theirs: a theorem, since P(s < t) = P(-s > -t) and no double is rounded by its sign."""

import json
import pickle

import numpy as np
import pytest

import betaroc as br
from helpers.commands import said
from helpers.files import write

pytestmark = pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")
RNG = np.random.default_rng(8)
DEV, TEST = ((RNG.beta(3, 11, n), np.round(RNG.beta(9, 4, 2 * n), 2)) for n in (150, 120))
SPECIES = {"impostor_strata": ["print", "replay"] * 150}


def both(client, impostor, **more):
    distances = br.Scores(client, impostor, lower_is_client=True, **more)
    return distances, br.Scores(-client, -impostor, **more)


def rates(point):
    return [getattr(point, name) for name in ("far", "frr", "tpr", "tnr")]


def mirrored(one, other):
    """Whether points, or curves, have one another's thresholds with the sign turned."""
    assert np.array_equal(one.threshold, -np.asarray(other.threshold))
    return all(map(np.array_equal, rates(one), rates(other)))


@pytest.mark.simulation
@pytest.mark.parametrize("asked", [
    {"far": 0.02}, {"frr": 0.05}, {"eer": True}, {"cost_fa": 9, "cost_fr": 1}, {"precision": 0.9},
    {"far": 0.001, "how": "model", "family": "beta", "bounds": (0, 1)},
    {"frr": 0.02, "how": "model", "family": "normal"}, {"far": 0.05, "over": "worst"},
])  # fmt: skip
def test_a_decision_is_that_of_minus_the_distances(asked):
    strata = SPECIES if "over" in asked else {}
    (d, s), (test, other) = both(*DEV, **strata), both(*TEST)
    turned = asked | ({"bounds": (-1, 0)} if "bounds" in asked else {})
    one, two = br.decide(d, **asked), br.decide(s, **turned)
    assert mirrored(one.expected, two.expected) or one.expected.far != one.expected.far
    assert one.threshold == -two.threshold == one.expected.threshold
    assert one.threshold_for_greater_equal == -two.threshold_for_greater_equal
    assert (one.interval, one.status) == (two.interval, two.status)
    places = np.append(TEST[0], [one.threshold, np.nan])
    assert np.array_equal(one.accept(places), two.accept(-places))
    if asked.get("how"):  # fits that nobody asked for know that distances lie in [0, 1]
        ways = zip(one.methods, two.methods, strict=True)
        assert all(a.threshold == -b.threshold for a, b in ways if a.possible)
    assert mirrored(one.check(test).point, two.check(other).point)
    if asked.keys() <= {"far", "how", "over", "family", "bounds"}:
        watched, like = one.monitor().update(test), two.monitor().update(other)
        assert (watched.evidence, watched.rate) == (like.evidence, like.rate)
        assert br.from_json(watched.to_json()).update(test).bets == watched.bets == like.bets
        assert "distance is below" in watched._repr_html_()
        with pytest.raises(br.InputError, match="clients have the lower ones"):
            watched.update(other)
    assert br.from_json(one.to_json()) == one == pickle.loads(pickle.dumps(one))
    assert f"accept if distance < {one.threshold!r}" in str(one)


def test_of_thirty_by_hand_and_what_is_shown():
    # 1 - 0.9^30 = 0.958: of 30 impostors none may be nearer than the threshold, the nearest one.
    decision = br.decide(br.Scores([0.5, 0.2], range(1, 31), lower_is_client=True), far=0.1)
    assert (decision.how, decision.threshold) == ("guaranteed", 1.0)
    assert decision.accept([0.99, 1.0, 1.5]).tolist() == [True, False, False]
    assert decision.threshold_for_greater_equal == np.nextafter(1.0, 0.0)
    counts = br.Scores([0.5, 0.2, 3], range(1, 31), lower_is_client=True).confusion(3)
    assert (counts.true_accepts, counts.false_accepts, counts.false_rejects) == (2, 2, 1)
    d = br.Scores([0.25, 0.5], [1.0, 0.75], lower_is_client=True)
    assert repr(d) == "Scores(client=[0.25, 0.5], impostor=[1.0, 0.75], lower_is_client=True)"
    assert (
        d == br.Scores.from_frame(d.to_frame(), lower_is_client=True) == br.from_json(d.to_json())
    )
    labels, scores = d.to_frame()["label"], d.to_frame()["score"]
    assert d == br.Scores.from_labels(labels, scores, lower_is_client=True)
    assert d != br.Scores([0.25, 0.5], [1.0, 0.75])
    assert json.loads(d.to_json())["client"] == [0.25, 0.5]
    ax = d.plot(bins=4)
    assert ax.get_xlabel() == "distance"
    assert sorted(bar.get_x() for bar in ax.patches) == [0, 0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75]


@pytest.mark.simulation
@pytest.mark.parametrize("family", ["normal", "beta"])
def test_fits_curves_and_intervals_are_those_of_minus_the_distances(family):
    (d, s), (test, other) = both(*DEV), both(*TEST)
    f = br.fit(d, family)  # distances in [0, 1] lie in [-1, 0] inside
    g = br.fit(s, family, **({"bounds": (-1, 0)} if family == "beta" else {}))
    assert f.params == g.params
    assert repr(f).startswith(f"<Fit {family} of -distance: client ")
    for name, of in (("at_far", [0.001, 0.1]), ("at_frr", [0.1]), ("eer", ()), ("youden", ())):
        one, two = (getattr(x, name)(*([of] if of else [])) for x in (f, g))
        assert mirrored(one, two)
    assert mirrored(f.at(0.3), g.at(-0.3))
    assert mirrored(f.model.roc().points(), g.model.roc().points())
    for x, y in ((d, s), (f, g)):
        one, two = (br.interval(i, "threshold", far=0.05) for i in (x, y))
        assert (one.low, one.estimate, one.high) == (-two.high, -two.estimate, -two.low)
        assert br.interval(x, "tpr", threshold=0.4) == br.interval(y, "tpr", threshold=-0.4)
    for sides in (((d, test), (s, other)), ((f, test), (g, other))):
        one, two = (br.epc(*pair) for pair in sides)
        assert np.array_equal(one.threshold, -two.threshold)
        assert np.array_equal(one.value, two.value)
        assert br.from_json(one.to_json()) == one
        theta = json.loads(one.to_json())["chosen"]["theta"]
        assert list(map(float, theta)) == one.threshold.tolist()
    cv, cv_other = br.epc_cv(d, folds=3), br.epc_cv(s, folds=3)
    assert np.array_equal(cv.threshold, -cv_other.threshold)
    assert br.from_json(f.to_json()) == f


def test_what_distances_cannot_be_is_refused(recwarn):
    d, s = both(*DEV)
    other = {"match": "lower ones; got lower_is_client=False"}
    for call in (lambda: br.decide(d, far=0.1).check(s), lambda: br.epc(d, s)):
        with pytest.raises(br.InputError, **other):
            call()
    for call in (
        lambda: br.bayes_error_curve(d), lambda: br.fit(d, "normal").plot("qq"),
        lambda: br.difference(d, d, "tpr", threshold=0.4), lambda: br.inclusion({"a": d, "b": d}),
    ):  # fmt: skip
        with pytest.raises(br.InputError, match="higher ones; got lower_is_client=True"):
            call()
    with pytest.raises(br.InputError, match=r"family must be of distances times -1; got 'gamma'"):
        br.fit(d, "gamma")
    with pytest.raises(br.InputError, match=r"bounds \(0, 0.5\)"):
        br.fit(d, "beta", bounds=(0, 0.5))
    with pytest.raises(br.InputTypeError, match="lower_is_client must be True or False"):
        br.Scores([0.1], [0.2], lower_is_client="yes")


@pytest.mark.filterwarnings("default::betaroc.BetarocWarning")
def test_wrong_senses_are_told():
    with pytest.warns(br.ScaleWarning, match="1 distances are negative"):
        br.Scores([-0.1, 0.2], [0.3], lower_is_client=True)
    with pytest.warns(br.ReversedScoresWarning, match="or lower by lower_is_client"):
        br.decide(br.Scores(DEV[1], DEV[0], lower_is_client=True), far=0.1)
    with pytest.warns(br.InfluenceWarning, match=r"a score is 99\.0"):
        br.fit(br.Scores(np.append(DEV[0], 99.0), DEV[1], lower_is_client=True), "normal")


@pytest.mark.simulation
def test_the_command_line_speaks_of_distances(tmp_path, capsys):
    for name, (client, impostor) in (("dev", DEV), ("test", TEST)):
        for sign, end in ((1, ""), (-1, "_other")):
            write(tmp_path / f"{name}{end}.csv", sign * client, sign * impostor)
    dev, test = str(tmp_path / "dev.csv"), str(tmp_path / "test.csv")
    ask = ["--far", ".05", "--lower-is-client", "--test", test]
    out = said(capsys, "threshold", dev, *ask)
    at = br.decide(br.Scores(*DEV, lower_is_client=True), far=0.05).threshold
    assert "accept if distance is below" in out
    assert "compares by distance <= threshold" in out
    assert float(said(capsys, "threshold", dev, *ask, "--print", "threshold")) == at
    manifest = tmp_path / "systems.toml"
    manifest.write_text(
        '[systems.distances]\ndev = "dev.csv"\ntest = "test.csv"\nlower_is_client = true\n'
        '[systems.scores]\ndev = "dev_other.csv"\ntest = "test_other.csv"\n'
    )
    systems = ["--systems", str(manifest)]
    one, two = json.loads(said(capsys, "threshold --far .05 --json", *systems))
    assert one["threshold"] == -two["threshold"] == at
    document = json.loads(said(capsys, "fit --json", dev, ask[2]))
    scores = br.read_scores(dev, lower_is_client=True)
    assert document["eer_threshold"] == br.fit(scores).eer().threshold
    error = said(capsys, "ensemble", dev, test, ask[2], code=2)
    assert "--lower-is-client must not stand beside an ensemble" in error
