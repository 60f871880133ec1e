"""Families of clients and of impostors: "auto", pairs, and everything that a pair goes through."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import betaroc as br

approx = pytest.approx


def scores(seed=1, n=400):
    """Clients of one beta law, impostors of two."""
    rng = np.random.default_rng(seed)
    hard = rng.random(n) < 0.25
    return br.Scores(rng.beta(6, 3, n), np.where(hard, rng.beta(8, 4, n), rng.beta(2, 12, n)))


@pytest.fixture(scope="module")
def pair():
    return br.fit(scores(), ("beta", "beta-mixture"))


def test_auto_by_the_range_of_the_scores():
    inside = br.Scores([0.2, 0.5, 0.7, 0.9] * 3, [0.0, 0.1, 0.3, 0.4] * 3)
    with pytest.warns(br.BoundaryWarning):
        made = br.fit(inside)
    assert (made.family, made.reason) == ("beta", "chosen because all 24 scores lie in [0, 1]")
    with pytest.warns(br.BoundaryWarning):
        assert made == br.fit(inside, "beta")  # how a family came is no part of a fit
    made = br.fit(br.Scores([0.2, 1.5, 3.0] * 5, [-0.2, -0.5, 0.1] * 5))
    assert (made.family, made.client.family) == ("normal", "normal")
    assert made.reason == "chosen because 20 of 30 scores lie outside [0, 1]"
    percent = br.fit(br.Scores(100.0 * np.arange(1, 21) / 21, np.arange(1, 21) / 0.3))
    assert percent.reason == "chosen because 40 of 40 scores lie outside [0, 1]"
    assert br.fit_distribution(np.arange(1, 21) / 21).family == "beta"
    assert br.fit_distribution(np.arange(1, 21) / 10).family == "normal"
    assert br.fit_distribution([1, 2, 3, 4, 5] * 3).family == "normal"
    rng = np.random.default_rng(2)
    client = rng.beta(5, 2, 100)
    client[[17, 60]] = 1.02, 1.5
    found = br.Scores(client, rng.beta(2, 5, 100))
    words = (
        r'^2 of 200 scores lie outside \[0, 1\], first client at index 17: 1.02; so family="auto"'
        r" takes normal distributions\. If they belong in \[0, 1\], correct those outside; else"
        r" name a family\.$")  # fmt: skip
    with pytest.warns(br.ScaleWarning, match=words) as caught:
        assert br.fit(found).family == "normal"
    assert len(caught) == 1
    with pytest.warns(br.ScaleWarning, match='so family="best" takes normal'):
        assert br.fit(found, "best").family == ("normal", "gamma")
    with pytest.warns(br.ScaleWarning, match="first score at index 17"):
        assert br.fit_distribution(client).family == "normal"
    assert br.fit(found, "normal").reason == ""  # named: nothing to say
    summary = br.summarize(pd.DataFrame({"score": np.concatenate([client, found.impostor]),
        "label": [1, 0] * 100}))  # fmt: skip
    with pytest.warns(br.ScaleWarning, match=r"2 of 200 scores lie outside \[0, 1\]; so"):
        assert br.fit(summary).family == "normal"
    with pytest.raises(br.InputError, match=r"boundary must be left out .* 2 of 200 scores"):
        br.fit(found, boundary="drop")
    client[:12] = 1.5  # more than 5 %: a scale of their own
    assert br.fit(br.Scores(client, found.impostor)).family == "normal"
    rng = np.random.default_rng(4)
    given = br.Scores(rng.normal(1.2, 0.5, 300), [*rng.beta(2, 5, 298), 0.0, 0.0])
    made = br.fit(given, ("normal", "beta"), boundary="inflate")
    assert made.impostor.params["at_zero"] == 2 / 300
    mu, sigma = made.client.params["mu"], made.client.params["sigma"]
    a, b = made.impostor.params["a"], made.impostor.params["b"]
    inner = stats.beta(a, b).expect(lambda x: stats.norm.sf(x, mu, sigma), epsabs=1e-12)
    auc = 2 / 300 * stats.norm.sf(0, mu, sigma) + 298 / 300 * inner
    assert made.model.auc() == approx(auc, rel=1e-8)
    with pytest.raises(br.InputError, match="client must lie in"):
        br.fit(given, ("beta", "normal"))


def test_many_systems_have_one_family():
    rng = np.random.default_rng(3)
    one = br.Scores(rng.beta(5, 2, 50), rng.beta(2, 5, 50), name="one")
    two = br.Scores(rng.normal(1, 1, 50), rng.normal(-1, 1, 50), name="two")
    frame = pd.concat([pd.DataFrame({"system": s.name, "label": label, "score": getattr(s, who)})
        for s in (one, two) for who, label in (("client", 1), ("impostor", 0))])  # fmt: skip
    for source in ({"one": one, "two": two}, frame):
        table = br.fit_many(source)
        assert set(table["client_family"]) == set(table["impostor_family"]) == {"normal"}
        assert "of 200 scores lie outside [0, 1]" in table["family_reason"][0]
        assert table["client_mu"][0] == approx(np.mean(one.client), rel=1e-12)
    for source in ({"one": one}, frame[frame["system"] == "one"]):
        assert set(br.fit_many(source)["client_family"]) == {"beta"}
    table = br.fit_many({"one": one}, family=("beta", "logit-normal"))
    made = br.fit(one, ("beta", "logit-normal"))
    assert table["client_a"][0] == made.client.params["a"]
    assert table["impostor_mu"][0] == made.impostor.params["mu"]
    assert table["auc"][0] == made.model.auc()
    families = table[["client_family", "impostor_family", "family_reason"]]
    assert families.values.tolist() == [["beta", "logit-normal", ""]]
    with pytest.raises(br.InputError, match="of a frame only sums are collected"):
        br.fit_many(frame, family=("beta", "logit-normal"))


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
@pytest.mark.simulation
def test_a_pair_is_each_class_by_its_own_family(pair):
    given = scores()
    alone = (br.fit_distribution(given.client, "beta"),
        br.fit_distribution(given.impostor, "beta-mixture"))  # fmt: skip
    assert (pair.family, (pair.client, pair.impostor)) == (("beta", "beta-mixture"), alone)
    assert pair.log_likelihood == sum(one.log_likelihood for one in alone)
    assert pair.aic == approx(2 * 7 - 2 * pair.log_likelihood)
    assert br.fit(given, ["beta", "beta-mixture"]) == pair
    assert br.fit(given, ("beta", "beta")) == br.fit(given, "beta")
    assert br.fit(given, ("beta", "beta")).family == "beta"
    assert "beta (clients), beta-mixture (impostors)" in str(pair.summary())
    assert pair.to_frame()["family"].tolist() == ["beta"] * 2 + ["beta-mixture"] * 5
    three = br.fit(given, ("beta", "beta-mixture"), components=3)
    assert len(three.impostor.distribution.components) == 3
    joint = pair.joint_cov()
    assert np.array_equal(joint[:2, :2], pair.client.cov)
    assert np.array_equal(joint[2:, 2:], pair.impostor.cov)
    assert not joint[:2, 2:].any()
    found = pair.interval("auc")
    assert found.low < pair.model.auc() < found.high
    ends = pair.conf_int()
    assert ends["client"] == br.fit(scores(), "beta").conf_int()["client"]
    assert {one.method for one in ends["client"].values()} == {"profile"}
    assert ends["impostor"] == br.fit(scores(), "beta-mixture").conf_int(method="wald")["impostor"]
    two = br.fit(scores(), "beta-mixture")
    with pytest.raises(br.InputError, match="profile"):
        two.conf_int()
    check = br.check_fit(pair, replicates=39, rng=1)
    one = br.check_fit(br.fit(scores(), "beta"), replicates=39, rng=1)
    two = br.check_fit(br.fit(scores(), "beta-mixture"), replicates=39, rng=1)
    assert check.ad.client.statistic == one.ad.client.statistic
    assert check.ad.impostor.statistic == two.ad.impostor.statistic
    assert one.ad.impostor.p_value <= 0.025 < check.ad.impostor.p_value


@pytest.mark.parametrize(("family", "options", "text"), [
    (("beta",), {}, "a pair of names .*; got 1"),
    (("auto", "beta"), {}, '"auto" chooses the families of both classes and must stand alone'),
    (("beta", "proper-beta"), {}, 'proper-beta" is a family of both classes and must stand'),
    ("gaussian", {}, "Did you mean 'normal'?"),
    (("beta", "normal"), {"components": 3}, "components must be left out"),
    (("normal", "empirical"), {"boundary": "drop"}, "boundary must be left out"),
])  # fmt: skip
def test_what_is_no_pair(family, options, text):
    with pytest.raises(br.InputError, match=text):
        br.fit(scores(), family, **options)
    with pytest.raises(br.InputError, match="be of one class alone"):
        br.fit_distribution([0.1, 0.2, 0.3], ("beta", "normal"))


def test_tests_that_a_pair_has_not_name_its_families(pair):
    words = r"beta \(clients\), beta-mixture \(impostors\)"
    for refused in (pair.end_tests, pair.curve_test, pair.shape_probabilities, pair.sensitivity):
        with pytest.raises(br.InputError, match=words):
            refused()


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
def test_likelihood_ratios_of_pairs(pair):
    one, two = br.fit(scores(), "beta"), br.fit(scores(), "beta-mixture")
    found = br.likelihood_ratio_test(one, pair, replicates=19, rng=1)
    assert found.statistic == approx(2 * (pair.log_likelihood - one.log_likelihood))
    assert (found.p_value, found.general) == (0.05, ("beta", "beta-mixture"))
    assert br.likelihood_ratio_test(pair, two, replicates=19, rng=1).p_value > 0.05
    with pytest.raises(br.InputError, match=r"got beta \(clients\), normal \(impostors\) in"):
        br.likelihood_ratio_test(br.fit(scores(), ("beta", "normal")), pair, replicates=19)
    with pytest.raises(br.InputError, match="other order"):
        br.likelihood_ratio_test(pair, one, replicates=19)


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
@pytest.mark.parametrize("name", ["proper-beta", "dual-beta"])
def test_a_family_of_both_classes_is_named_alone_or_twice(name):
    """Twice as `compare_families` recommends it, which `fit` takes back."""
    assert br.fit(scores(), (name, name)) == br.fit(scores(), name)
    with pytest.raises(br.InputError, match='or "beta" in its place'):
        br.fit(scores(), ("beta", name))


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
@pytest.mark.parametrize("family", [("empirical", "beta"), ("beta", "empirical")])
def test_a_class_that_is_its_scores_has_no_errors(family):
    """What is said names the class, and no test scores, of which there are none."""
    made, who = br.fit(scores(), family), ("client", "impostor")[family.index("empirical")]
    assert made.interval("auc").method == br.interval(scores(), "auc").method
    for ask in (lambda: made.interval("auc", method="delta"),
        lambda: made.roc_band(method="delta")):  # fmt: skip
        with pytest.raises(br.InputError, match=f"none of the {who} family 'empirical'") as e:
            ask()
        assert "test scores" not in str(e.value)
        assert "br.interval(scores" in str(e.value)
        assert len(str(e.value)) <= 400
