"""From scores to estimates: one class, or both as a pair."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.checks import count, finite
from betaroc.core.errors import FitError, InputError
from betaroc.core.notices import Notice
from betaroc.core.sentences import worded
from betaroc.data.scores import ScoreData
from betaroc.data.summary import ScoreSummary
from betaroc.distributions.base import Distribution
from betaroc.distributions.shifted import Shifted, moved_law
from betaroc.estimation.boundary import (
    Request,
    Ruled,
    check_request,
    estimate_in_cells,
    estimate_on_unit,
)
from betaroc.estimation.contract import ClassMaximum, Data, Family, Maximum, Sample
from betaroc.estimation.families import FAMILIES, check_within, named, needs_rows
from betaroc.estimation.notices import few_scores, inflated, influence
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.estimation.summed import summed_class
from betaroc.model.model import ScoreModel

#: Rules under which a score counts by the density where it lies.
_MEASURED = ("inflate", "error", "drop")


Bounds = tuple[float, float]


class Options(NamedTuple):
    """What a fit may be told beside the family."""

    boundary: str | None = None
    resolution: float | None = None
    components: int | None = None
    bounds: Bounds | None = None


_NO_OPTIONS = Options()


class _Class(NamedTuple):
    """One class on its way to an estimate."""

    sample: Data
    ruled: Ruled

    @property
    def total(self) -> float:
        """The weight whose trials the covariance is of."""
        rule = self.ruled.rule
        dropped = rule is not None and rule.policy == "drop"
        return self.ruled.base_total if dropped else self.sample.total

    @property
    def seen(self) -> ClassMaximum:
        return ClassMaximum(self.ruled.estimate, self.ruled.base_total, self.total)

    def replaced(self, estimate: Maximum) -> _Class:
        return self._replace(ruled=self.ruled._replace(estimate=estimate))


class Task(NamedTuple):
    """What one class is fitted with."""

    family: str
    row: Family
    request: Request
    components: int | None
    #: The range of the scores, where it is not that of the family.
    bounds: Bounds | None

    @classmethod
    def of(cls, name: str, options: Options) -> Task:
        """The options checked."""
        row, components = FAMILIES[name], options.components
        bounds = None if options.bounds == (0.0, 1.0) else options.bounds
        step = options.resolution
        if bounds is not None and step is not None and row.on_unit:
            step = finite(step, "resolution") / (bounds[1] - bounds[0])
        request = check_request(options.boundary, step, name, row)
        if components is not None:
            components = count(components, "components", 2)
            if row.sized is None:
                raise InputError.about("components")(
                    worded(f'components must be left out for `family="{name}"`; got')
                    + worded(f' {components}. It belongs to `family="beta-mixture"` and')
                    + worded(' `"normal-mixture"`.')
                )
        return cls(name, row, request, components, bounds)

    @classmethod
    def pair(cls, names: tuple[str, str], options: Options) -> tuple[Task, Task]:
        """Of both classes; of two families each takes the options that it has."""
        if names[0] == names[1]:
            task = cls.of(names[0], options)
            return task, task
        rows = [FAMILIES[name] for name in names]
        ruled = [row.on_unit for row in rows]
        rounded = ruled if options.boundary is not None else [row.of_density for row in rows]
        sized = [row.sized is not None for row in rows]
        taken = {"boundary": ruled, "resolution": rounded, "components": sized}

        def options_of(k: int) -> Options:
            unused = (name for name, takes in taken.items() if any(takes) and not takes[k])
            return options._replace(**dict.fromkeys(unused))

        return cls.of(names[0], options_of(0)), cls.of(names[1], options_of(1))

    def run(
        self,
        name: str,
        values: FloatArray,
        weights: FloatArray | None,
        extremes: tuple[float, float] | None = None,
    ) -> tuple[Estimate, list[Notice]]:
        """The estimate of one sample and what there is to say about it."""
        return self.finished(self.estimated(Sample.of(name, values, weights, extremes)))

    def finished(self, one: _Class, ties: tuple[str, ...] = ()) -> tuple[Estimate, list[Notice]]:
        """The record of a maximum and what there is to say about it."""
        result = self._result(one, ties)
        sample, ruled = one
        notices = few_scores(sample.name, sample.total)
        rule = ruled.rule
        masses = rule is not None and rule.policy == "inflate" and rule.n_zero + rule.n_one > 0
        if rule is not None and masses and self.request.policy is None:
            # Nobody has asked for point masses.
            notices += inflated(sample, rule, result.params, self.family, self._ends)
        if self.row.of_density and (rule is None or rule.policy in _MEASURED):
            inside = sample.inside() if rule is not None and rule.n_zero + rule.n_one else sample
            plain = self._plain_result(one, ties)
            notices += influence(inside, plain, self.row.estimate, self._back)
        return result, notices

    def estimated(self, sample: Data) -> _Class:
        """The maximum of a sample; the error of a failed one carries a record."""
        if self.bounds is not None:
            rows = sample.rows()
            check_within(rows.name, rows.values, self.bounds)
            if self.row.on_unit:
                low, high = self.bounds
                sample = rows.replace(np.clip((rows.values - low) / (high - low), 0.0, 1.0))
        try:
            return _Class(sample, self._estimate(sample))
        except FitError as error:
            if isinstance(error.result, Maximum):
                ruled = Ruled(error.result, None, sample.total, sample.n)
                error.result = self._result(_Class(sample, ruled))
            raise

    def _estimate(self, sample: Data) -> Ruled:
        row = self._row(sample.name)
        step = self.request.resolution if self.request.policy is None else None
        if row.positive and (sample.low < 0.0 or (sample.low == 0.0 and step is None)):
            raise _not_positive(sample.rows(), self.family)
        if row.on_unit and (sample.low < 0.0 or sample.high > 1.0):
            raise _outside(sample, self.family)
        if step is not None:
            return estimate_in_cells(sample.rows(), row, step)
        if not row.on_unit:
            return Ruled(row.estimate(sample), None, sample.total, sample.n)
        return estimate_on_unit(sample, row, self.request)

    @property
    def _ends(self) -> Bounds:
        """What a family on [0, 1] takes for 0 and 1."""
        return self.bounds if self.bounds is not None and self.row.on_unit else (0.0, 1.0)

    def _back(self, u: float) -> float:
        low, high = self._ends
        return low + (high - low) * u

    def _row(self, who: str) -> Family:
        """The estimator of one class."""
        if who == "impostor" and self.row.impostor is not None:
            return replace(self.row, estimate=self.row.impostor)
        sized, size = self.row.sized, self.components
        if sized is not None and size is not None:
            return replace(self.row, estimate=lambda sample: sized(sample, size))
        return self.row

    def _result(self, one: _Class, ties: tuple[str, ...] = ()) -> Estimate:
        plain = self._plain_result(one, ties)
        if self._ends == (0.0, 1.0):
            return plain
        low, width = self._ends[0], self._ends[1] - self._ends[0]
        law, rule = moved_law(plain.distribution, low, width, logit=False), plain.boundary
        if rule is not None and rule.resolution is not None:  # cells have no density
            rule = replace(rule, resolution=rule.resolution * width)
            return replace(plain, distribution=law, boundary=rule)
        likelihood = plain.log_likelihood - one.ruled.base_total * math.log(width)
        return replace(plain, distribution=law, log_likelihood=likelihood)

    def _plain_result(self, one: _Class, ties: tuple[str, ...]) -> Estimate:
        """The record as if the family's range were that of the scores."""
        e, ruled = one.ruled.estimate, one.ruled
        cov = np.array([[value / one.total for value in row] for row in e.covariance])
        return Estimate(
            self.family, e.distribution, e.names, e.values, cov,
            e.log_likelihood, ruled.n, one.total, e.converged, e.iterations, e.gradient_norm,
            ruled.rule, e.fixed, ties,
        )  # fmt: skip


def _not_positive(sample: Sample, family: str) -> InputError:
    wrong = np.flatnonzero(sample.values <= 0.0)
    first = int(wrong[0])
    return InputError(
        worded(f'{sample.name} must be above 0 for `family="{family}"`; got {wrong.size} of')
        + f" {sample.n} that are not, first at index {sample.place(first)}:"
        f" {float(sample.values[first])!r}. Use" + worded(' `family="sinh-arcsinh"` or "normal".')
    )


def _outside(sample: Data, family: str) -> InputError:
    percent = sample.low >= 0.0 and 2.0 < sample.high <= 100.0
    hint = "They look like percentages: divide by 100. " if percent else ""
    return InputError(
        worded(f'{sample.name} must lie in [0, 1] for `family="{family}"`; got')
        + f" {sample.n_outside()} of {sample.n} outside (min {sample.low:.6g}, max"
        f" {sample.high:.6g}){sample.outside_words()}. {hint}Otherwise fit"
        + worded(' `family="normal"`, or map both classes into [0, 1] by one fixed function')
        + " first."
    )


# ------------------------------------------------------------------------ one class, or both
def estimate_class(
    who: str,
    values: FloatArray,
    weights: FloatArray | None,
    name: str,
    *,
    near: Distribution | None = None,
    components: int | None = None,
    resolution: float | None = None,
    bounds: Bounds | None = None,
) -> Estimate:
    """One class by one family, without warnings; `near` is the distribution of nearly the same."""
    task = Task.of(name, Options(None, resolution, components, bounds))
    near = near.base if isinstance(near, Shifted) else near
    if near is not None and task.row.near is not None:
        search = task.row.near
        task = task._replace(row=replace(task.row, estimate=lambda sample: search(sample, near)))
    return task.run(who, values, weights)[0]


def estimate_pair(
    scores: ScoreData, names: tuple[str, str], options: Options = _NO_OPTIONS, reason: str = ""
) -> tuple[PairEstimate, list[Notice]]:
    """Both classes by named families, and what there is to say about them."""
    tasks = Task.pair(names, options)
    classes = [t.estimated(d) for t, d in zip(tasks, _data(scores, tasks), strict=True)]
    join = tasks[0].row.join if names[0] == names[1] else None
    joined = None if join is None else join(*(c.seen for c in classes))
    if joined is not None:
        classes = [c.replaced(e) for c, e in zip(classes, joined[:2], strict=True)]
    ties = () if joined is None else joined.tied
    (client, said), (impostor, more) = (
        t.finished(one, ties) for t, one in zip(tasks, classes, strict=True)
    )
    model = ScoreModel(
        client.distribution, impostor.distribution, prior=scores.prior, name=scores.name
    )
    shared = None if joined is None else joined.shared_cov
    found = PairEstimate(model, scores, client, impostor, named(names), reason, shared, ties)
    return found, said + more


def _data(scores: ScoreData, tasks: tuple[Task, Task]) -> list[Data]:
    """Both classes as estimators see them."""
    if isinstance(scores, ScoreSummary):
        for task in tasks:
            if not task.row.summed:
                raise needs_rows(task.family)
        return [summed_class(scores, who) for who in CLASSES]
    return [
        Sample.of(who, getattr(scores, who), getattr(scores, f"{who}_weights")) for who in CLASSES
    ]
