"""A monitor of a threshold: evidence that a rate is above its limit, for any number of looks."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import AnyArray, FloatArray
from betaroc.core.errors import SameDataWarning, refusal
from betaroc.core.notices import warn
from betaroc.core.thresholds import mirror
from betaroc.core.vocabulary import ACCEPT, DISTANCE, FAR, FRR, SCORE, members, short_name, worded
from betaroc.data.labels import of_one_class
from betaroc.data.read import ScoresLike, as_scores
from betaroc.data.scores import require_scores
from betaroc.decision.threshold_methods import TARGET_RATES, checked_request, warn_of_dev
from betaroc.model.dataset_checks import check_sense
from betaroc.rendering import tree
from betaroc.rendering.nouns import Exportable
from betaroc.rendering.numbers import number, rounded, spaced

if TYPE_CHECKING:
    from betaroc.decision.decide import Decision

#: Rates that are bet on, as multiples of the limit.
TIMES = np.geomspace(1.25, 10.0, 6)
#: Bets after which a further process starts.
RESTART = 250
#: The class of each rate.
_CLASS = {"far": "impostor", "frr": "client"}
#: From exp(-40) on files that hold the same scores in one order do so by chance.
_BY_CHANCE = -40.0


def log_bets(
    outcomes: FloatArray, limit: float, start: Sequence[float], bets: int, restart: int = RESTART
) -> tuple[FloatArray, FloatArray]:
    """Log sums of the processes of each rate after the last bet, log evidence after every bet."""
    # A process multiplies 1 + (q - p)/(p (1 - p)) (X - p) for the limit p and a rate q, of X = 0 or
    # 1 the likelihood ratio of q and p. The j-th starts after (j - 1) `restart` bets, by its weight
    # 1/(j (j + 1)); the evidence holds the weights of those to come. `start` is of `bets` before.
    rates = np.minimum(TIMES * limit, 0.5 * (1.0 + limit))
    logs = np.log1p((rates - limit) / (limit * (1.0 - limit)) * (outcomes[:, None] - limit))
    last = np.asarray(start)
    for first in range(-(bets % restart), len(logs), restart):
        if first >= 0:
            j = (bets + first) // restart + 1
            last = np.logaddexp(last, -math.log(j * (j + 1)))
        block = slice(max(first, 0), first + restart)
        logs[block] = np.cumsum(np.vstack([last, logs[block]]), axis=0)[1:]
        last = logs[block][-1]
    to_come = -np.log((bets + np.arange(len(logs))) // restart + 2)
    return last, np.logaddexp(np.logaddexp.reduce(logs, axis=1) - math.log(TIMES.size), to_come)


@dataclass(frozen=True, eq=False, repr=False)
class Monitor(Exportable):
    """Evidence that a rate at a decided threshold is above its limit, made by `Decision.monitor`.

        M = mean_q sum_j w_j prod_k (1 + (q - p)/(p (1 - p)) (X_k - p)),   w_j = 1/(j (j + 1))

    with p the limit, q of 1.25 to 10 times p, X_k 1 for an error and 0 for none, of a group the
    share of its errors. The j-th product begins after 250 (j - 1) bets, and is 1 before. While the
    rate is at most p, M is a supermartingale from 1: it ever reaches 1/(1 - confidence) with a
    probability of at most 1 - confidence (Ville), for any number of looks.

    Parameters
    ----------
    threshold, confidence : float
        Of the decision.
    target, limit : str, float
        "far" or "frr", and the rate that is allowed.
    dev : str
        The digest of the scores that chose the threshold.
    log_wealth : tuple of float
        Logarithm of the sum over j for each q.
    evidence : float
        M as it is now.
    bets, trials : int
        Trials, or groups, that have been counted, and trials of these.
    total : float
        Sum of the outcomes.
    raised : int or None
        The bet at which the evidence first reached 1/(1 - confidence).
    passed : int
        Trials that were passed over, as their group had been counted.
    digests, sizes, persons : tuple
        The digest of the trials of each file in their order, how many; digests of groups.
    lower_is_client : bool
        Whether clients have the lower scores, as of distances.

    Notes
    -----
    Trials count in the order of the file, or, where some have no score, in a drawn one.

    References
    ----------
    Ville, J. (1939), Étude critique de la notion de collectif.
    Waudby-Smith, I. and Ramdas, A. (2024), Estimating means of bounded random variables by betting.

    Examples
    --------
    >>> import betaroc as br
    >>> decision = br.decide(br.Scores([20, 30, 40], range(30)), far=0.1)
    >>> monitor = decision.monitor().update(br.Scores([30, 50], range(60)))
    >>> monitor.bets, monitor.raised, monitor.alarm
    (60, 42, True)
    """

    threshold: float
    target: Literal["far", "frr"]
    limit: float
    confidence: float
    dev: str
    log_wealth: tuple[float, float, float, float, float, float]
    evidence: float = 1.0
    bets: int = 0
    trials: int = 0
    total: float = 0.0
    raised: int | None = None
    passed: int = 0
    digests: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    persons: tuple[str, ...] = ()
    lower_is_client: bool = False
    _extra_fields = ("log_wealth", "digests", "sizes", "persons", "lower_is_client")

    @property
    def alarm(self) -> bool:
        """Whether the evidence ever reached 1/(1 - confidence)."""
        return self.raised is not None

    @property
    def rate(self) -> float:
        """The observed rate, of groups the mean of theirs; nan before the first bet."""
        return self.total / self.bets if self.bets else math.nan

    def update(self, test: ScoresLike) -> Monitor:
        """Count further trials, in their order.

        Parameters
        ----------
        test : Scores, frame, (y_true, y_score) or path
            Trials that took no part in the choice; those of the class of the rate are enough. With
            groups, of one column, the trials of a group are one bet.

        Returns
        -------
        Monitor
            The same where all trials are counted already. Of a file that grew at its end only what
            is new counts; trials of a group that a file before had are passed over.

        Raises
        ------
        InputError
            If there is no trial of the class of the rate, there are weights, groups have two
            columns, some files have groups and others none, or a file that grew lacks scores.

        Warns
        -----
        SameDataWarning
            If trials are counted already, or are those that chose the threshold; if they agree
            with a file before in so few different scores that it may be by chance: they count.

        Examples
        --------
        >>> import betaroc as br
        >>> decision = br.decide(br.Scores([20, 30, 40], range(30)), far=0.1)
        >>> monitor = decision.monitor().update(([0, 0, 0], [15, 35, 25]))
        >>> monitor.trials, round(monitor.rate, 4)
        (3, 0.3333)
        """
        scores = of_one_class(lambda: as_scores(test, "test"))
        scores = require_scores(scores, "a monitor", rejected=True)
        check_sense(scores, "test", like=self)
        warn_of_dev(scores, self.dev)
        who, rows = _CLASS[self.target], scores._trials
        values, weights, groups = (getattr(rows, f"{who}{k}") for k in ("", "_weights", "_groups"))
        others, name = bool(self.persons) != (groups is not None), short_name(self.target)
        for wrong, rule, actual in (
            (not values.size, f"hold {members(who)}, whose rate {name} is", "none"),
            (weights is not None, "have no weights: a monitor counts trials in order", "some"),
            (np.ndim(groups) > 1, "have groups of one column, the persons who are drawn", "two"),
            (self.bets and others, "all have groups, or none", "others in the files before"),
        ):
            if wrong:
                raise refusal("the scores", rule, actual, "Name such a file.")
        ids, rejected = getattr(rows, f"{who}_ids"), bool(getattr(scores, f"n_{who}_rejected"))
        present = np.flatnonzero(values > -math.inf)
        names = _names([part[present] for part in (values, ids, groups) if part is not None])
        old = self._counted(names)
        if old and old < present.size and rejected:
            rule, remedy = "have a score for every trial of a file that grew", "Name the new ones."
            raise refusal("the scores", rule, "some without", remedy)
        if old:
            warn(f"{old} of {present.size} trials are counted already.", SameDataWarning)
            if old == present.size:
                return self
        values, groups = values[old:], groups if groups is None else groups[old:]
        digest, persons, n = _digest(names[old:]), self.persons, values.size
        threshold = mirror(self.threshold, self.lower_is_client)
        outcomes = ((values > threshold) == (self.target == "far")).astype(np.float64)
        if rejected:
            outcomes = np.random.default_rng(int(digest, 16)).permutation(outcomes)
        if groups is not None:
            outcomes, n, new = _by_person(outcomes, groups, {*persons})
            persons += new
        trials, passed = self.trials + n, self.passed + values.size - n
        result = replace(
            self, digests=(*self.digests, digest), sizes=(*self.sizes, names.size - old),
            persons=persons, trials=trials, passed=passed,
        )  # fmt: skip
        return result._bet(outcomes) if n else result

    def _counted(self, names: AnyArray) -> int:
        """How many trials a file begins with that files before, one after the other, had."""
        old = 0
        for digest, n in zip(self.digests, self.sizes, strict=True):
            part = names[old : old + n]
            if not n or _digest(part) != digest:
                continue
            copies = np.unique(part, return_counts=True)[1]
            if old or copies @ np.log(copies / n) < _BY_CHANCE:
                old += n
            else:
                words = f"begin with the {n} of a file before, perhaps by chance: they count"
                warn(f"These trials {words}.", SameDataWarning)
        return old

    def _follows(self) -> dict[str, Any]:
        sums = np.logaddexp.reduce(self.log_wealth) - math.log(TIMES.size)
        bets = max(self.bets, 0)
        log = np.logaddexp(sums, -math.log((bets - 1) // RESTART + 2))
        evidence = math.exp(min(float(log), 700.0))
        raised = self.raised if self.raised is None else min(max(self.raised, 1), bets)
        if raised is None and evidence * checks.complement(self.confidence, "confidence") > 1.0:
            raised = bets
        return {
            "evidence": evidence, "raised": raised, "bets": bets,
            "trials": max(self.trials, bets), "total": min(max(self.total, 0.0), float(bets)),
            "passed": max(self.passed, 0),
        }  # fmt: skip

    def _bet(self, outcomes: FloatArray) -> Monitor:
        last, logs = log_bets(outcomes, self.limit, self.log_wealth, self.bets)
        risk = checks.complement(self.confidence, "confidence")
        reached = np.flatnonzero(logs >= -math.log(risk))[:1].tolist()
        raised = self.raised or next((self.bets + k + 1 for k in reached), None)
        bets, total = self.bets + outcomes.size, self.total + math.fsum(outcomes)
        wealth, evidence = tuple(last.tolist()), math.exp(min(float(logs[-1]), 700.0))
        return replace(
            self, log_wealth=wealth, evidence=evidence, bets=bets, total=total, raised=raised
        )

    def _derived(self) -> dict[str, Any]:
        return {"alarm": self.alarm, "rate": self.rate}

    def _view(self) -> list[tree.Node]:
        return monitor_view(self)


def _names(parts: Sequence[AnyArray]) -> AnyArray:
    """What is known of each trial, score, id and group, as one text."""
    columns = (text for part in parts for text in np.atleast_2d(part.T).astype(str))
    return np.array(["\x1f".join(row) for row in zip(*columns, strict=True)], dtype=str)


def _digest(names: AnyArray) -> str:
    text = "\x1e".join(names.tolist()).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def _by_person(outcomes: FloatArray, groups: AnyArray, before: set[str]) -> tuple[Any, ...]:
    """The mean of each person who is new, as they first appear; all of their trials, digests."""
    names, first, code = np.unique(groups.astype(str), return_index=True, return_inverse=True)
    texts = (name.encode("utf-8", "surrogatepass") for name in names.tolist())
    keys = [hashlib.blake2b(text, digest_size=8).hexdigest() for text in texts]
    new = [k for k in np.argsort(first).tolist() if keys[k] not in before]
    sizes = np.bincount(code)
    means = np.bincount(code, outcomes) / sizes
    return means[new], int(np.sum(sizes[new])), tuple(keys[k] for k in new)


def monitor_of(d: Decision, state: Monitor | None, limits: Mapping[str, Any]) -> Monitor:
    """What `Decision.monitor` returns."""
    kind, limit, level = d.target, d.rate, d.confidence
    if any(value is not None for value in limits.values()):
        kind, limit, level, *_ = checked_request(**{"confidence": level, **limits})
    elif not isinstance(d.over, str):
        kind = "a mean of strata by weights"
    if kind not in TARGET_RATES:
        remedy = worded("State one: `far=` or `frr=`.")
        raise refusal("a monitor", f"have a limit of {FAR} or {FRR}", kind, remedy)
    start: Any = d.threshold, kind, limit, level, d.dev, (-math.inf,) * TIMES.size
    fresh = replace(Monitor(*start), lower_is_client=d.lower_is_client)
    state = checks.instance(state or fresh, Monitor, "state", "Decision.monitor()")
    for name in ("dev", "threshold", "target", "limit", "confidence"):
        if getattr(state, name) != getattr(fresh, name):
            remedy = "Begin a new one, or name its decision."
            raise refusal("state", "be of this decision", f"one of another {name}", remedy)
    return state


# ------------------------------------------------------------------------------- the view
def monitor_view(m: Monitor, *rows: tree.Row, broken: str = "") -> list[tree.Node]:
    """Whether there is an alarm, why, and the rates; `broken` is the colour of such a file."""
    name, most = short_name(m.target), f"{100.0 * m.limit:g} %"
    needed = 1.0 / checks.complement(m.confidence, "confidence")
    at = "" if m.raised is None else f", since {'group' if m.persons else 'trial'} {m.raised}"
    text = (
        f"Evidence that {name} is above {most}: {number(m.evidence, 3)} now, alarm from"
        f" {number(needed)} on{at}. While {name} is at most {most}, at most {100.0 / needed:g} %"
        " of monitors ever raise one, however often one looks; no alarm is no proof of it."
    )
    note = f"{spaced(m.trials)} {members(_CLASS[m.target])}"
    note += f" of {m.bets} groups, a bet each; {m.passed} later ones left out" * bool(m.persons)
    total = tree.Row((tree.Cell("all that are counted"), tree.rate_cell(m.rate, note=note)))
    verdict = "No alarm, but this file breaks the limit" if broken else "No alarm"
    verdict = f"Alarm: {name} is above {most}" if m.alarm else verdict
    lower, rule = m.lower_is_client, f"{ACCEPT} if {SCORE} is above"
    if lower:
        rule = f"{ACCEPT} if {DISTANCE} is below"
    shown = f"Threshold {rounded(m.threshold, up=(m.target == 'far') != lower, digits=6)}"
    kept = {key: [value] for key, value in m._metrics().items()}
    return [
        tree.Paragraph(f"{rule}; limit {name} {most}", "answer", shown),
        tree.Status("", verdict, "bad" if m.alarm else broken or "good"),
        tree.Paragraph(text),
        tree.Grid(("", f"{name} observed"), (*rows, total), kept=kept),
    ]
