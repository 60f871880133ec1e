"""Estimates of one class or of a pair, with their warnings."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, Self, cast

import numpy as np

from betaroc.core import errors
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.checks import check_entries, count, finite
from betaroc.core.notices import Notice, keep, warn
from betaroc.core.tables import Library, Tabular
from betaroc.core.text import format_list
from betaroc.core.thresholds import mirror
from betaroc.core.value import Named, Result
from betaroc.core.vocabulary import CLASS_SLOTS, CLIENTS, IMPOSTORS, worded
from betaroc.data.scores import ScoreData, Scores, tell_of_scored
from betaroc.data.summary import ScoreSummary
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import Empirical, is_counted
from betaroc.distributions.inflated import MASSES, REJECTED, Rejecting, base_of
from betaroc.distributions.pairs import pair_of
from betaroc.distributions.shifted import Shifted, moved_law
from betaroc.estimation import contract
from betaroc.estimation.contract import BoundaryRule, Data, Family, Matrix, MleResult, Sample
from betaroc.estimation.families import FAMILIES, check_within, named
from betaroc.estimation.tails import Tails
from betaroc.model.model import ScoreModel
from betaroc.rendering.numbers import number

SMALL_SAMPLE = 10
#: So many scores of which most are tied were rounded, fewer may be so by chance.
_TIES_TELL = 30

#: A Newton step of this size calls for a fit without the score.
_STEP = 0.2
#: A value is far outside beyond this many times the distance of any other from the median, ...
_FAR = 5.0
#: ... where an end like that of the next scores has such a gap with this probability, ...
_LEVEL, _NEXT = 0.0025, 20
#: ... or beyond this many times, whatever they are like.
_VERY_FAR = 50.0

_ODD = worded(": check it; if it was rounded, pass `resolution=`")
_ADVICE: dict[type[errors.BetarocWarning], str] = {
    errors.BoundaryWarning:
        worded('Other choices: `boundary="error"`, "censor", "squeeze", "drop".'),
    errors.SmallSampleWarning:
        "Estimates from so few are biased and their standard errors too small.",
    errors.DiscretenessWarning:
        "A continuous distribution is fitted; if scores were rounded, pass "
        + worded('`resolution=`, with a family of one density such as "beta" or "normal".'),
    errors.MisfitWarning: "Look at br.check_fit and br.compare_families, or"
        + worded(' count: `family="empirical"`.'),
}  # fmt: skip


def give(notices: Iterable[Notice]) -> None:
    """One warning per category."""
    grouped: dict[type[errors.BetarocWarning], list[str]] = {}
    for category, text in notices:
        grouped.setdefault(category, []).append(text)
    for category, texts in grouped.items():
        warn(f"{'; '.join(texts)}. {_ADVICE.get(category, '')}".rstrip(), category)


def few_scores(name: str, total: float) -> list[Notice]:
    """Fewer than ten scores."""
    if total >= SMALL_SAMPLE:
        return []
    text = f"{name}: only {total:g} score{'s' * (total != 1)}, fewer than {SMALL_SAMPLE}"
    return [Notice(errors.SmallSampleWarning, text)]


def inflated(
    sample: Data, rule: BoundaryRule, params: Mapping[str, float], family: str,
    range_: tuple[float, float],
) -> list[Notice]:  # fmt: skip
    """Point masses that nobody asked for."""
    counted, shares = (rule.n_zero, rule.n_one), (params[name] for name in MASSES)
    met = [end for end in zip(range_, counted, shares, strict=True) if end[1]]
    counts = " and ".join(f"{count} exactly {end!r}" for end, count, _ in met)
    masses = " and ".join(f"{mass:.4g}" for _, _, mass in met)
    where = sample.ends().where
    text = (
        f"{sample.name}: of {sample.n} scores {counts}{f' ({where})' if where else ''}; fitted as"
        f" point mass {masses} beside a {family} distribution"
    )
    return [Notice(errors.BoundaryWarning, text)]


def influence(
    sample: Data, top: MleResult, estimate: Callable[[Data], MleResult],
    range_: tuple[float, float],
) -> list[Notice]:  # fmt: skip
    """The lowest or highest score, where it alone moves a parameter far.

    Where one Newton step exceeds a fifth the class is fitted again without the score; moves are
    said from 1 on (60/n of fewer than 60 scores), without a second fit from 1/2 on.
    """
    law, total = base_of(top.distribution), sample.total
    if total < SMALL_SAMPLE or len(law._scales) != 2:
        return []
    ends, cov = (sample.low, sample.high), (top.covariance[:2, :2] / top.total).tolist()
    scores = list(zip(*law._scores_of(ends), strict=True))  # floats: faster than arrays of four
    rooms = [
        getattr(law, name) if scale == "log" else math.sqrt(cov[k][k] * total)
        for k, (name, scale) in enumerate(law._scales)
    ]
    rows = list(zip(cov, rooms, strict=True))
    steps = [(row[0] * a + row[1] * b) / room for row, room in rows for a, b in scores]
    k, end = divmod(max(range(4), key=lambda place: abs(steps[place])), 2)
    step, score, (name, scale) = steps[2 * k + end], ends[end], law._scales[k]
    if not (abs(step) > _STEP and all(map(math.isfinite, steps))):
        return []
    after = getattr(law, name)
    before = after * math.exp(-step) if scale == "log" else after - rooms[k] * step
    moved, least, most = abs(step), 0.5, 10.0
    if isinstance(sample, Sample) and sample.weights is None:
        left = np.arange(sample.n) != (np.argmax if end else np.argmin)(sample.values)
        with contextlib.suppress(errors.FitError):
            before = getattr(estimate(sample.keep(left)).distribution, name)
            moved, least, most = abs(after - before) / rooms[k], 1.0, 60.0
            if scale == "log":
                moved = math.expm1(abs(math.log(after / before)))
    if not moved > max(least, most / total):
        return []
    score = range_[0] + (range_[1] - range_[0]) * score
    text = f"{sample.name}: the score {score!r} alone moves {name} from {before:.4g}"
    return [Notice(errors.InfluenceWarning, f"{text} to {after:.4g}{_ODD}")]


def outliers(scores: Scores) -> list[Notice]:
    """Values far outside the others of their class, such as a code for a missing score.

    By the gap to the next value in log distances from the median, over the mean excess of the next
    20 (Hill), with p-value (1 + gap/20)^-20.
    """
    texts = []
    for who, law in zip(CLASSES, scores._distributions, strict=True):
        places, copies = law._steps
        middle = places[np.searchsorted(np.cumsum(copies), 0.5 * law.total)]
        for value, side in ((places[0], slice(None)), (places[-1], slice(None, None, -1))):
            far = np.abs(0.5 * places - 0.5 * middle)
            if places.size < 3 or (value in (0.0, 1.0) and places[0] >= 0.0 and places[-1] <= 1.0):
                continue
            if not _is_outside(far[side], copies[side]):
                continue
            values = getattr(scores, who)
            first, n = int(np.argmax(values == value)), int(np.sum(values == value))
            with np.errstate(over="ignore", divide="ignore"):  # the others within 1e-308
                times = far[side][0] / np.max(far[places != value])
            shown = mirror(value, scores.lower_is_client)
            texts.append(
                f"{who}: {f'{n} scores are' if n > 1 else 'a score is'} {float(shown)!r} (index"
                f" {first}{' first' * (n > 1)}), {times:.3g} times as far from the median as"
                " any other. If that is a code for a missing score, leave it out, or leave it empty"
                + worded(' and read with `missing="drop"`')
            )
    return [Notice(errors.InfluenceWarning, text) for text in texts]


def _is_outside(far: FloatArray, copies: FloatArray) -> bool:
    largest = float(np.max(far[1:]))
    if not far[0] > _FAR * largest:
        return False
    inward = slice(1, 1 + int(np.argmin(far[1:])))  # the same side of the median
    beyond = np.cumsum(copies[inward])
    k = min(_NEXT, int(beyond[-1] // 2)) if beyond.size else 0
    if far[0] > _VERY_FAR * largest or not k:
        return bool(far[0] > _VERY_FAR * largest)
    counted = np.clip(k - (beyond - copies[inward]), 0.0, copies[inward])
    least = far[inward][np.searchsorted(beyond, k, side="right")]
    excess = float(counted @ (np.log(far[inward]) - np.log(least))) / k
    return math.log(far[0]) - math.log(far[1]) > excess * k * math.expm1(-math.log(_LEVEL) / k)


def tied(name: str, values: FloatArray, *, on_unit: bool) -> list[Notice]:
    """Fewer distinct scores than half of them."""
    inner = values[(values != 0.0) & (values != 1.0)] if on_unit else values
    distinct = np.unique(inner).size
    if inner.size < _TIES_TELL or 2 * distinct >= inner.size:
        return []
    text = f"{name}: only {distinct} distinct values among {inner.size} scores"
    text += " inside the scale" * on_unit
    return [Notice(errors.DiscretenessWarning, text)]


def reversed_scores(client: Distribution, impostor: Distribution) -> None:
    """Warn if the counted AUC is below one half."""
    auc = pair_of(client, impostor).auc()
    if auc < 0.5:
        warn(
            f"{IMPOSTORS} and {CLIENTS} are the wrong way round: the empirical AUC is {auc:.4g} <"
            f" 0.5. Scores are taken as the call says: higher for {CLIENTS}, or lower by"
            + worded(" `lower_is_client`. Turn that round, or check which label is which."),
            errors.ReversedScoresWarning,
        )


# ----------------------------------------------------------------------
# What was estimated, as data: one distribution with its precision, and a pair of them.
@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Tabular):
    """The fields of :class:`betaroc.DistributionFit`."""

    family: str
    distribution: Distribution
    names: tuple[str, ...]
    values: tuple[float, ...]
    cov: FloatArray
    log_likelihood: float
    n: int
    total_weight: float
    converged: bool = True
    iterations: int = 0
    gradient_norm: float = 0.0
    boundary: BoundaryRule | None = None
    fixed: tuple[str, ...] = ()
    tied: tuple[str, ...] = ()
    tails: tuple[Tails, ...] = ()

    def __post_init__(self) -> None:
        matrix = np.array(self.cov, dtype=np.float64).reshape([len(self.names)] * 2)
        matrix.flags.writeable = False
        object.__setattr__(self, "cov", matrix)

    @classmethod
    def _document_types(cls) -> dict[str, Any]:
        types = super()._document_types()
        del types["names"], types["values"]
        return {"family": types.pop("family"), "params": Mapping[str, float], **types}

    @classmethod
    def _restored(cls, content: dict[str, Any]) -> Self:
        names, values = tuple(content["params"]), tuple(content["params"].values())
        rest = {name: value for name, value in content.items() if name != "params"}
        shape = np.shape(rest["cov"])
        if shape != (len(names), len(names)) and (names or 0 not in shape):
            rule = f"have a row and a column for each of {len(names)} params"
            raise errors.refusal("cov", rule, f"an array of shape {shape}", "Give all.")
        return super()._restored(rest | {"names": names, "values": values})

    @property
    def params(self) -> Mapping[str, float]:
        """The parameters, in order, read-only."""
        return Named(zip(self.names, self.values, strict=True))

    @property
    def std_errors(self) -> Mapping[str, float]:
        """Square roots of the diagonal of `cov`, by name."""
        return Named(zip(self.names, map(math.sqrt, self.cov.diagonal().tolist()), strict=True))

    def _with_absent(self, change: int) -> Self:
        """With more, or fewer, trials without a score."""
        if not change:
            return self
        law, names, values, cov = self.distribution, self.names, self.values, self.cov
        n, total, absent = self.n + change, self.total_weight + change, abs(change)
        if is_counted(law):
            weights = None if law.weights is None else np.append(law.weights, np.ones(absent))
            more = np.append(law.values, np.full(absent, -np.inf))
            law = law._scored if change < 0 else Empirical(more, weights)
            return replace(self, distribution=law, n=n, total_weight=total)
        trials = max(total, self.total_weight)
        share = absent / trials
        likelihood = absent * math.log(share) + (trials - absent) * math.log1p(-share)
        if change > 0:
            law, names, values = Rejecting(law, share), (*names, REJECTED), (*values, share)
            cov = np.pad(cov, (0, 1))
            cov[-1, -1] = share * (1.0 - share) / total
        else:
            law, names, values = cast(Rejecting, law).base, names[:-1], values[:-1]
            cov, likelihood = cov[:-1, :-1], -likelihood
        return replace(
            self, distribution=law, names=names, values=values, cov=cov, n=n, total_weight=total,
            log_likelihood=self.log_likelihood + likelihood,
        )  # fmt: skip

    @property
    def n_free(self) -> int:
        """Parameters that were estimated: a mass nobody had is none."""
        absent = [n for n in MASSES if self.params.get(n) == 0.0]
        return len(self.names) - len(absent) - len(self.fixed)

    @property
    def aic(self) -> float:
        """2 k - 2 log-likelihood, k parameters."""
        return 2.0 * self.n_free - 2.0 * self.log_likelihood

    @property
    def bic(self) -> float:
        """k log(total weight) - 2 log-likelihood."""
        return self.n_free * math.log(self.total_weight) - 2.0 * self.log_likelihood


@dataclass(frozen=True, eq=False, repr=False)
class PairEstimate(Result):
    """The fields of :class:`betaroc.Fit`."""

    model: ScoreModel
    scores: ScoreData
    client: Estimate
    impostor: Estimate
    family: str | tuple[str, str]
    _extra_fields = ("reason",)
    reason: str = field(default="", compare=False)
    shared_cov: Matrix | None = None
    tied: tuple[str, ...] = ()

    def _follows(self) -> dict[str, Any]:
        laws = {who: getattr(self, who).distribution for who in CLASSES}
        return {"model": replace(self.model, **laws)}

    def _rejecting(self, scores: Scores) -> Self:
        """The same of all trials."""
        return self._with_absent(scores, scores.n_client_rejected, scores.n_impostor_rejected)

    @property
    def _scored(self) -> Self:
        scores = self.scores
        if not (isinstance(scores, Scores) and scores.has_rejected):
            return self
        absent = scores.n_client_rejected, scores.n_impostor_rejected
        result = self._with_absent(scores._scored, *(-n for n in absent))
        keep(result, self.notices)
        return result

    def _with_absent(self, scores: Scores, of_client: int, of_impostor: int) -> Self:
        client = self.client._with_absent(of_client)
        impostor, cov = self.impostor._with_absent(of_impostor), self.shared_cov
        if cov is not None:  # shares without a score covary with nothing
            wide = np.zeros((len(client.names), len(impostor.names)))
            rows, columns = np.minimum(wide.shape, np.shape(cov))
            wide[:rows, :columns] = np.array(cov)[:rows, :columns]
            cov = contract.as_rows(wide)
        laws = client.distribution, impostor.distribution
        model = replace(self.model, client=laws[0], impostor=laws[1], prior=scores.prior)
        return replace(self, model=model, scores=scores, client=client, impostor=impostor,
                       shared_cov=cov)  # fmt: skip

    def _tell_misfit(self) -> None:
        for notice in self.notices:
            if notice.category is errors.MisfitWarning:
                warn(notice.message, notice.category)

    def _told_scored(self, noun: str) -> Self:
        tell_of_scored(self.scores, noun)
        return self._scored

    @cached_property
    def _kept(self) -> dict[tuple[str, bool], Any]:
        return {}

    @property
    def library(self) -> Library | None:
        return self.scores.library

    @property
    def log_likelihood(self) -> float:
        """Sum over the classes."""
        return self.client.log_likelihood + self.impostor.log_likelihood

    @property
    def n_free(self) -> int:
        """Parameters that were estimated: a shared one counts once."""
        return self.client.n_free + self.impostor.n_free - len(self.tied)

    @property
    def aic(self) -> float:
        """Sum over the classes; a shared parameter counts once."""
        return self.client.aic + self.impostor.aic - 2.0 * len(self.tied)

    @property
    def bic(self) -> float:
        """Sum over the classes, by the weight behind each parameter."""
        weights = self.client.total_weight, self.impostor.total_weight
        charged = math.log(sum(weights)) - sum(map(math.log, weights))
        return self.client.bic + self.impostor.bic + len(self.tied) * charged

    @property
    def converged(self) -> bool:
        """Whether both are at their maximum."""
        return self.client.converged and self.impostor.converged


# ----------------------------------------------------------------------
# From scores to estimates: one class, or both as a pair.
Bounds = tuple[float, float]


class Options(NamedTuple):
    """What a fit takes beside the family."""

    boundary: str | None = None
    resolution: float | None = None
    components: int | None = None
    bounds: Bounds | None = None
    lower: bool | None = False


_NO_OPTIONS = Options()


class Task(NamedTuple):
    """What one class is fitted with."""

    family: str
    row: Family
    policy: str | None
    resolution: float | None
    #: The range of the scores, where it is not that of the family.
    bounds: Bounds | None
    #: Whether the scores are -s of those of the call.
    lower: bool = False

    @classmethod
    def of(cls, name: str, options: Options) -> Task:
        """The options checked."""
        row, components, step = FAMILIES[name], options.components, options.resolution
        bounds = None if options.bounds == (0.0, 1.0) else options.bounds
        if bounds is not None and step is not None and row.on_unit:
            step = finite(step, "resolution") / (bounds[1] - bounds[0])
        step = contract.check_request(options.boundary, step, name, row)
        if components is not None:
            components = count(components, "components", 2)
            if not row.sized:
                rule = worded(f'be left out for `family="{name}"`')
                remedy = "It belongs to mixtures."
                raise errors.refusal("components", rule, str(components), remedy)
            row = replace(row, estimate=partial(row.estimate, count=components))
        return cls(name, row, options.boundary, step, bounds, bool(options.lower))

    @classmethod
    def pair(cls, names: tuple[str, str], options: Options) -> tuple[Task, Task]:
        if names[0] == names[1]:
            task = cls.of(names[0], options)
            return task, task
        rows = [FAMILIES[name] for name in names]
        on_unit = [row.on_unit for row in rows]
        rounded = on_unit if options.boundary is not None else [row.of_density for row in rows]
        sized = [row.sized for row in rows]
        taken = {"boundary": on_unit, "resolution": rounded, "components": sized}

        def options_of(k: int) -> Options:
            unused = (name for name, takes in taken.items() if any(takes) and not takes[k])
            return options._replace(**dict.fromkeys(unused))

        return cls.of(names[0], options_of(0)), cls.of(names[1], options_of(1))

    def run(
        self, name: str, values: FloatArray, weights: FloatArray | None,
        extremes: tuple[float, float] | None = None,
    ) -> tuple[Estimate, list[Notice]]:  # fmt: skip
        """The estimate of one sample, and notices."""
        return self.finished(*self.estimated(Sample.of(name, values, weights, extremes)))

    def finished(
        self, sample: Data, top: MleResult, ties: tuple[str, ...] = ()
    ) -> tuple[Estimate, list[Notice]]:
        """The record of a maximum, and notices."""
        result, rule = self._result(top, ties), top.rule
        shown = mirror(self._ends[0], self.lower), mirror(self._ends[1], self.lower)
        notices = few_scores(sample.name, sample.total)
        masses = rule is not None and rule.policy == "inflate" and rule.n_zero + rule.n_one > 0
        if rule is not None and masses and self.policy is None:
            # Nobody has asked for point masses.
            notices += inflated(sample, rule, result.params, self.family, shown)
        if self.row.of_density and (rule is None or rule.policy in contract.SUMMED_POLICIES):
            inside = sample.inside() if rule is not None and rule.n_zero + rule.n_one else sample
            notices += influence(inside, top, self.row.estimate, shown)
        return result, notices

    def estimated(self, sample: Data) -> tuple[Data, MleResult]:
        if self.bounds is not None:
            rows = sample.rows()
            ends = sorted(mirror(end, self.lower) for end in self.bounds)
            check_within(rows.name, mirror(rows.values, self.lower), (ends[0], ends[1]))
            if self.row.on_unit:
                low, high = self.bounds
                sample = rows.replace(np.clip((rows.values - low) / (high - low), 0.0, 1.0))
        try:
            return sample, self._estimate(sample)
        except errors.FitError as error:
            if isinstance(error.result, MleResult):
                error.result = self._result(error.result.resting_on(sample), ())
            raise

    def _estimate(self, sample: Data) -> MleResult:
        row, step = self.row, self.resolution if self.policy is None else None
        if sample.name == "impostor" and row.impostor is not None:
            row = replace(row, estimate=row.impostor)
        if row.positive and self.lower:
            rule, remedy = "be of distances times -1", 'Take "normal" or "sinh-arcsinh".'
            raise errors.refusal("family", rule, repr(self.family), remedy)
        if row.positive and (sample.low < 0.0 or (sample.low == 0.0 and step is None)):
            values, rule = sample.rows().values, worded(f'be above 0 for `family="{self.family}"`')
            remedy = "Use" + worded(' `family="sinh-arcsinh"` or "normal".')
            check_entries(values, values <= 0.0, sample.name, rule, remedy)
        if row.on_unit and (sample.low < 0.0 or sample.high > 1.0):
            many, which = sample.outside()
            percent = sample.low >= 0.0 and 2.0 < sample.high <= 100.0
            hint = "They look like percentages: divide by 100. " * percent
            raise errors.InputError(
                worded(f'{sample.name} must lie in [0, 1] for `family="{self.family}"`; got')
                + f" {many} of {sample.n} outside (min {sample.low:.6g}, max"
                f" {sample.high:.6g}){which}. {hint}Otherwise fit"
                + worded(' `family="normal"`, or map both classes into [0, 1] by one function.')
            )
        if step is not None:
            return contract.estimate_in_cells(sample.rows(), row, step)
        if not row.on_unit:
            return row.estimate(sample).resting_on(sample)
        return contract.estimate_on_unit(sample, row, self.policy or "inflate", self.resolution)

    @property
    def _ends(self) -> Bounds:
        return self.bounds if self.bounds is not None and self.row.on_unit else (0.0, 1.0)

    def _result(self, top: MleResult, ties: tuple[str, ...]) -> Estimate:
        law, likelihood, rule = top.distribution, top.log_likelihood, top.rule
        if self._ends != (0.0, 1.0):
            low, width = self._ends[0], self._ends[1] - self._ends[0]
            law = moved_law(law, low, width, logit=False)
            if rule is not None and rule.resolution is not None:  # cells have no density
                rule = replace(rule, resolution=rule.resolution * width)
            else:
                likelihood -= top.weight * math.log(width)
        parameters = law._parameters()
        names, values = tuple([p.name for p in parameters]), tuple([p.value for p in parameters])
        return Estimate(
            self.family, law, names, values, np.asarray(top.covariance) / top.total,
            likelihood, top.n, top.total, top.converged, top.iterations, top.gradient_norm, rule,
            top.fixed, ties,
        )  # fmt: skip


# ------------------------------------------------------------------------ one class, or both
def estimate_class(
    who: str, values: FloatArray, weights: FloatArray | None, name: str, *,
    near: Distribution | None = None, components: int | None = None,
    resolution: float | None = None, bounds: Bounds | None = None,
) -> Estimate:  # fmt: skip
    """A class without warnings; the search starts at `near`."""
    task = Task.of(name, Options(None, resolution, components, bounds))
    near = near.base if isinstance(near, Shifted) else near
    if near is not None and task.row.near:
        search = partial(task.row.estimate, near=near)
        task = task._replace(row=replace(task.row, estimate=search))
    return task.run(who, values, weights)[0]


def estimate_pair(
    scores: ScoreData, names: tuple[str, str], options: Options = _NO_OPTIONS, reason: str = ""
) -> tuple[PairEstimate, list[Notice]]:
    """Both classes by named families, and notices."""
    tasks = Task.pair(names, options._replace(lower=scores.lower_is_client))
    if isinstance(scores, ScoreSummary):
        for task in tasks:
            if not task.row.summed:
                summed = [name for name, row in FAMILIES.items() if row.summed]
                raise errors.InputError.about("family")(
                    worded(f'`family="{task.family}"` must have every score; got a summary, which')
                    + " keeps sums and counts in bins only. "
                    + worded("`Fit Scores (all rows, or a random part of them)`, or")
                    + f" one of {format_list(summed)}."
                )
        data: list[Data] = [contract.summed_class(scores, who) for who in CLASSES]
    else:
        data = [
            Sample.of(who, getattr(scores, who), getattr(scores, f"{who}_weights"))
            for who in CLASSES
        ]
    samples, tops = zip(*(t.estimated(d) for t, d in zip(tasks, data, strict=True)), strict=True)
    join = tasks[0].row.join if names[0] == names[1] else None
    joined = None if join is None else join(*tops)
    ties = () if joined is None else joined.tied
    (client, notices), (impostor, more) = (
        t.finished(sample, top, ties)
        for t, sample, top in zip(tasks, samples, joined[:2] if joined else tops, strict=True)
    )
    laws = client.distribution, impostor.distribution
    model = ScoreModel(*laws, prior=scores.prior, name=scores.name, lower_is_client=tasks[0].lower)
    shared = None if joined is None else joined.shared_cov
    result = PairEstimate(model, scores, client, impostor, named(names), reason, shared, ties)
    return result, notices + more


def warn_of_test(value: ScoreData) -> None:
    """What test scores give away: reversed classes, few scores."""
    scores = value._as_scores()
    few = [
        f"only {number(total)} {CLASS_SLOTS[who][0]} score{'s' * (total != 1)}, fewer than"
        f" {SMALL_SAMPLE}: a rate counted on them moves in steps of 1/{number(total)}"
        for who, total in (("client", scores.client_total), ("impostor", scores.impostor_total))
        if total < SMALL_SAMPLE
    ]
    reversed_scores(*value._distributions)
    if few:
        warn(f"{'; '.join(few)}. Give more scores.", errors.SmallSampleWarning)
