"""DeLong's variance against its definition, the jackknife and simulation."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest

import betaroc as br

Z95 = statistics.NormalDist().inv_cdf(0.975)


def tied(seed: int, clients: int, impostors: int) -> br.Scores:
    rng = np.random.default_rng(seed)
    return br.Scores(
        np.round(rng.normal(0.7, 1, clients), 1), np.round(rng.normal(0, 1, impostors), 1)
    )


def kernel(c: float, i: float) -> Fraction:
    return Fraction(1) if c > i else Fraction(1, 2) if c == i else Fraction(0)


def by_definition(a: br.Scores, b: br.Scores) -> tuple[Fraction, Fraction, Fraction]:
    """Both areas and the covariance of DeLong's (4) to (7), in fractions."""
    m, n = a.n_client, a.n_impostor
    areas, rows, columns = [], [], []
    for s in (a, b):
        table = [[kernel(c, i) for i in s.impostor] for c in s.client]
        areas.append(sum(map(sum, table)) / Fraction(m * n))
        rows.append([sum(row) / Fraction(n) for row in table])
        columns.append([sum(column) / Fraction(m) for column in zip(*table, strict=True)])
    covariance = Fraction(0)
    for values, size in ((rows, m), (columns, n)):
        products = sum(
            (v - areas[0]) * (w - areas[1]) for v, w in zip(values[0], values[1], strict=True)
        )
        covariance += products / Fraction((size - 1) * size)
    return areas[0], areas[1], covariance


@pytest.mark.parametrize(("clients", "impostors"), [(2, 2), (7, 12), (30, 9)])
def test_the_interval_is_the_definition(clients: int, impostors: int) -> None:
    for seed in range(5):
        scores = tied(seed, clients, impostors)
        area, _, variance = by_definition(scores, scores)
        found = br.auc_interval(scores)
        reach = Z95 * math.sqrt(variance)
        assert found.estimate == pytest.approx(float(area), rel=1e-15)
        assert found.low == pytest.approx(max(float(area) - reach, 0.0), rel=1e-13, abs=1e-15)
        assert found.high == pytest.approx(min(float(area) + reach, 1.0), rel=1e-13)


def test_the_paired_difference_is_the_definition() -> None:
    for seed in range(5):
        a, b = tied(seed, 9, 14), tied(seed + 50, 9, 14)
        b = br.Scores(0.5 * a.client + b.client, 0.5 * a.impostor + b.impostor)
        area, other, covariance = by_definition(a, b)
        variance = by_definition(a, a)[2] + by_definition(b, b)[2] - 2 * covariance
        found = br.auc_test(a, b)
        z = float(area - other) / math.sqrt(variance)
        assert found.statistic == pytest.approx(z, rel=1e-12)
        assert found.p_value == pytest.approx(math.erfc(abs(z) / math.sqrt(2.0)), rel=1e-11)
        swapped = br.auc_test(b, a)
        assert swapped.statistic == pytest.approx(-z, rel=1e-12)


def test_the_unpaired_difference_adds_the_variances() -> None:
    a, b = tied(1, 9, 14), tied(2, 20, 6)
    parts = [by_definition(s, s) for s in (a, b)]
    z = float(parts[0][0] - parts[1][0]) / math.sqrt(parts[0][2] + parts[1][2])
    assert br.auc_test(a, b, paired=False).statistic == pytest.approx(z, rel=1e-12)


def test_weights_are_copies() -> None:
    plain = br.Scores([2, 2, 2, 3, 5], [0, 1, 1, 2.5, 3.5, 3.5])
    weighted = br.Scores(
        [2, 3, 5], [0, 1, 2.5, 3.5], client_weights=[3, 1, 1], impostor_weights=[1, 2, 1, 2]
    )
    one, two = br.auc_interval(plain), br.auc_interval(weighted)
    assert [one.low, one.high] == pytest.approx([two.low, two.high], rel=1e-14)


def test_the_logit_interval_is_the_image_of_the_plain_one_on_that_scale() -> None:
    scores = tied(3, 30, 40)
    area, _, variance = by_definition(scores, scores)
    a = float(area)
    reach = Z95 * math.sqrt(variance) / (a * (1 - a))
    found = br.auc_interval(scores, method="logit-delong")
    ends = [1 / (1 + math.exp(-(math.log(a / (1 - a)) + side * reach))) for side in (-1, 1)]
    assert [found.low, found.high] == pytest.approx(ends, rel=1e-12)


def test_class_swap_mirrors_and_increasing_maps_change_nothing() -> None:
    scores = tied(4, 12, 17)
    found = br.auc_interval(scores)
    mirrored = br.auc_interval(br.Scores(scores.impostor, scores.client))
    assert mirrored.estimate == pytest.approx(1 - found.estimate, rel=1e-14)
    assert mirrored.low == pytest.approx(1 - found.high, abs=1e-14)
    mapped = br.Scores(np.exp(scores.client), np.exp(scores.impostor))
    assert br.auc_interval(mapped) == found


def test_coverage_and_size() -> None:
    # Binormal, A = Phi(1/sqrt 2) = 0.760. 1500 sets: a share of 0.95 moves by 0.0056 (one sd).
    rng = np.random.default_rng(11)
    area = statistics.NormalDist().cdf(1 / math.sqrt(2))
    inside, rejected = {"delong": 0, "logit-delong": 0}, 0
    for _ in range(1500):
        common = rng.normal(0, 1, (2, 50))
        a, b = (
            br.Scores(1 + (common[0] + rng.normal(0, 1, 50)) / math.sqrt(2),
                      (common[1] + rng.normal(0, 1, 50)) / math.sqrt(2))
            for _ in range(2)
        )  # fmt: skip
        for method in inside:
            interval = br.auc_interval(a, method=method)
            inside[method] += interval.low <= area <= interval.high
        rejected += br.auc_test(a, b).p_value < 0.05
    assert 0.93 <= inside["delong"] / 1500 <= 0.96
    assert 0.935 <= inside["logit-delong"] / 1500 <= 0.965
    assert 0.035 <= rejected / 1500 <= 0.065


def test_separated_classes_have_no_width() -> None:
    found = br.auc_interval(br.Scores([3, 4], [1, 2]))
    assert (found.estimate, found.low, found.high) == (1.0, 1.0, 1.0)
    same = br.auc_test(br.Scores([3, 4], [1, 2]), br.Scores([3, 4], [1, 2]))
    assert math.isnan(same.statistic)
    assert same.p_value == 1.0
    other = br.auc_test(br.Scores([3, 4], [1, 2]), br.Scores([1, 2], [3, 4]))
    assert other.p_value == 0.0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda s: br.auc_interval(s, level=95), br.InputError, "Did you mean 0.95"),
        (lambda s: br.auc_interval(s, method="hanley"), br.InputError, "method must be one of"),
        (lambda s: br.auc_interval([1, 2]), br.InputTypeError, "must be Scores; got list"),
        (lambda s: br.auc_interval(br.Scores([1], [0, 2])), br.InputError, "got 1 client trials"),
        (
            lambda s: br.auc_test(s, br.Scores([1, 2, 3], [0, 1.5])), br.InputError,
            "a has 2 client scores, b 3",
        ),
        (
            lambda s: br.auc_test(
                br.Scores([1, 2], [0, 1.5], client_ids=["x", "y"], impostor_ids=[1, 2]),
                br.Scores([1, 2], [0, 1.5], client_ids=["x", "z"], impostor_ids=[1, 2]),
            ),
            br.InputError, "1 of 2 client ids differ, first 'y' and 'z' at index 1",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(call, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call(br.Scores([1, 2], [0, 1.5]))
