"""Families of clients and of impostors: "auto", pairs, and everything that a pair goes through."""

import numpy as np
import pandas as pd
import pytest

import betaroc as br

approx = pytest.approx
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*do not describe these scores:betaroc.MisfitWarning"
)


def scores(seed=1, n=400):
    """Clients of one beta law, impostors of two."""
    rng = np.random.default_rng(seed)
    hard = rng.random(n) < 0.25
    return br.Scores(rng.beta(6, 3, n), np.where(hard, rng.beta(8, 4, n), rng.beta(2, 12, n)))


@pytest.fixture(scope="module")
def pair():
    return br.fit(scores(), ("beta", "beta-mixture"))


@pytest.fixture(scope="module")
def alone():
    """The families of the pair, each for both classes."""
    return br.fit(scores(), "beta"), br.fit(scores(), "beta-mixture")


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
    assert br.fit_distribution(np.arange(1, 21) / 21).family == "beta"
    assert br.fit_distribution(np.arange(1, 21) / 10).family == "normal"
    rng = np.random.default_rng(2)
    client = rng.beta(5, 2, 100)
    client[[17, 60]] = 1.02, 1.5
    found = br.Scores(client, rng.beta(2, 5, 100))
    words = (
        r"^2 of 200 scores lie outside \[0, 1\], first client at index 17: 1.02; so"
        r' family="auto" takes normal distributions\. If they belong in \[0, 1\], correct'
    )
    with pytest.warns(br.ScaleWarning, match=words) as caught:
        assert br.fit(found).family == "normal"
    assert len(caught) == 1
    assert br.fit(found, "normal").reason == ""  # named: nothing to say
    summary = br.summarize(pd.DataFrame({"score": np.concatenate([client, found.impostor]),
        "label": [1, 0] * 100}))  # fmt: skip
    with pytest.warns(br.ScaleWarning, match=r"2 of 200 scores lie outside \[0, 1\]; so"):
        assert br.fit(summary).family == "normal"
    with pytest.raises(br.InputError, match=r"boundary must be left out .* 2 of 200 scores"):
        br.fit(found, boundary="drop")
    client[:12] = 1.5  # more than 5 %: a scale of their own
    assert br.fit(br.Scores(client, found.impostor)).family == "normal"


@pytest.mark.simulation
def test_many_systems_have_one_family():
    rng = np.random.default_rng(3)
    one = br.Scores(rng.beta(5, 2, 50), rng.beta(2, 5, 50))
    two = br.Scores(rng.normal(1, 1, 50), rng.normal(-1, 1, 50))
    table = br.fit_many({"one": one, "two": two})
    assert set(table["client_family"]) == set(table["impostor_family"]) == {"normal"}
    assert "of 200 scores lie outside [0, 1]" in table["family_reason"][0]
    assert table["auc"][0] == approx(br.fit(one, "normal").model.auc(), rel=1e-12)
    table = br.fit_many({"one": one}, family=("beta", "logit-normal"))
    made = br.fit(one, ("beta", "logit-normal"))
    assert table["client_a"][0] == made.client.params["a"]
    assert table["impostor_mu"][0] == made.impostor.params["mu"]


@pytest.mark.parametrize(("family", "options", "text"), [
    (("beta",), {}, "a pair of names .*; got 1"),
    (("auto", "beta"), {}, '"auto" chooses the families of both classes and must stand alone'),
    (("beta", "proper-beta"), {}, 'must stand.* or "beta" in its place'),
    ("gaussian", {}, "Did you mean 'normal'?"),
    (("beta", "normal"), {"components": 3}, "components must be left out"),
    (("normal", "empirical"), {"boundary": "drop"}, "boundary must be left out"),
])  # fmt: skip
def test_what_is_no_pair(family, options, text):
    with pytest.raises(br.InputError, match=text):
        br.fit(scores(), family, **options)
    with pytest.raises(br.InputError, match="be of one class alone"):
        br.fit_distribution([0.1, 0.2, 0.3], ("beta", "normal"))


@pytest.mark.simulation
def test_a_pair_is_each_class_by_its_own_family(pair, alone):
    one, two = alone
    assert (pair.family, pair.client, pair.impostor) == (("beta", "beta-mixture"), one.client,
        two.impostor)  # fmt: skip
    assert pair.log_likelihood == one.client.log_likelihood + two.impostor.log_likelihood
    assert pair.aic == approx(2 * 7 - 2 * pair.log_likelihood)
    assert br.fit(scores(), ("beta", "beta")) == one
    twice = br.fit(scores(), ("dual-beta", "dual-beta"))  # as `compare_families` recommends it
    assert twice == br.fit(scores(), "dual-beta")
    assert "beta (clients), beta-mixture (impostors)" in str(pair.summary())
    three = br.fit(scores(), pair.family, components=3)
    assert len(three.impostor.distribution.components) == 3
    joint = pair.joint_cov()
    assert np.array_equal(joint[:2, :2], pair.client.cov)
    assert np.array_equal(joint[2:, 2:], pair.impostor.cov)
    assert not joint[:2, 2:].any()
    ends = pair.conf_int()
    assert ends["client"] == one.conf_int()["client"]
    assert {end.method for end in ends["client"].values()} == {"profile"}
    assert ends["impostor"] == two.conf_int(method="wald")["impostor"]
    with pytest.raises(br.InputError, match="profile"):
        two.conf_int()
    checks = [br.check_fit(fit, replicates=39, rng=1).ad for fit in (pair, one, two)]
    assert checks[0].client.statistic == checks[1].client.statistic
    assert checks[0].impostor.statistic == checks[2].impostor.statistic
    assert checks[1].impostor.p_value <= 0.025 < checks[0].impostor.p_value


@pytest.mark.nightly
def test_likelihood_ratios_of_pairs(pair, alone):
    one, two = alone
    found = br.likelihood_ratio_test(one, pair, replicates=19, rng=1)
    assert found.statistic == approx(2 * (pair.log_likelihood - one.log_likelihood))
    assert (found.p_value, found.general) == (0.05, ("beta", "beta-mixture"))
    assert br.likelihood_ratio_test(pair, two, replicates=19, rng=1).p_value > 0.05
    with pytest.raises(br.InputError, match=r"got beta \(clients\), normal \(impostors\) in"):
        br.likelihood_ratio_test(br.fit(scores(), ("beta", "normal")), pair, replicates=19)
    with pytest.raises(br.InputError, match="other order"):
        br.likelihood_ratio_test(pair, one, replicates=19)


def test_a_class_that_is_its_scores_has_no_errors_and_tests_name_families():
    """What is said names the class, and no test scores, of which there are none."""
    made = br.fit(scores(), ("beta", "empirical"))
    assert made.interval("auc").method == br.interval(scores(), "auc").method
    with pytest.raises(br.InputError, match="none of the impostor family 'empirical'") as e:
        made.interval("auc", method="delta")
    assert "test scores" not in str(e.value)
    assert "br.interval(scores" in str(e.value)
    pair = br.fit(scores(), ("beta", "normal"))
    for refused in (pair.end_tests, pair.curve_test, pair.shape_probabilities, pair.sensitivity):
        with pytest.raises(br.InputError, match=r"beta \(clients\), normal \(impostors\)"):
            refused()
