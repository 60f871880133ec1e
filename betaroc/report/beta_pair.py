"""The pair of one beta distribution a class, as the paper has it, beside whatever was fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from betaroc.core.errors import BetarocError
from betaroc.core.notices import quietly
from betaroc.core.text import sentence
from betaroc.core.value import Value
from betaroc.core.vocabulary import for_readers
from betaroc.estimation.families import has_shapes
from betaroc.fits.check import FitCheck, check_fit
from betaroc.fits.family_choice import MARGIN
from betaroc.fits.fit import Fit, fit, law_rows
from betaroc.rendering.numbers import number
from betaroc.rendering.tree import Bullets, Grid, Group, Node, Row, Section, Words
from betaroc.report.curve_words import confidence_numbers, shape_sentences
from betaroc.report.numbers import fit_numbers
from betaroc.report.quality import distances
from betaroc.report.score_set import ScoreSet

#: Two-sided 5 % point of the standard normal distribution.
_Z = 1.959963984540054
#: Score sets simulated for its check, of which only the word is said.
_REPLICATES = 99
_SAME = "The numbers above are of this pair."


@dataclass(frozen=True, eq=False, repr=False)
class BetaPairFit(Value):
    """One beta distribution a class fitted to dev, and whether that suffices.

    Parameters
    ----------
    fit : Fit or None
        None where there is none, for the reason in `reason`.
    same : bool
        Whether the numbers of the analysis are of this pair.
    suffices : str
        "yes", "no" or "cannot tell".
    reason : str
        By what: the held-out scores of each class and the check of this fit.
    level : float
        Confidence level of the tests of the ends.
    """

    fit: Fit | None
    same: bool
    suffices: str
    reason: str
    level: float


def beta_pair_of(
    dev: ScoreSet, options: Mapping[str, Any], level: float, rng: Any
) -> BetaPairFit | None:
    """The plain beta pair of dev; None where scores lie outside [0, 1]."""
    spans = [dev.extremes(who) for who in ("client", "impostor")]
    if min(low for low, _ in spans) < 0.0 or max(high for _, high in spans) > 1.0:
        return None
    same = dev.fit is not None and has_shapes(dev.fit.family)
    made = dev.fit if same else None
    try:
        with quietly():
            made = made or fit(dev.given, **{**options, "family": "beta"})
    except BetarocError as error:
        why = f"not fitted: {for_readers(error.template)}"
        return BetaPairFit(None, False, "cannot tell", why, level)
    checked = dev.quality.check if same and dev.quality is not None else None
    if not same and dev.summary is None:
        checked = _checked(made, level, rng)
    suffices, reason = _judged(dev, checked)
    return BetaPairFit(made, same, suffices, reason, level)


def _checked(made: Fit, level: float, rng: Any) -> FitCheck | None:
    try:
        with quietly():
            return check_fit(made, replicates=_REPLICATES, level=level, rng=rng)
    except BetarocError:
        return None


def _judged(dev: ScoreSet, check: FitCheck | None) -> tuple[str, str]:
    """By each class's held-out scores, and by the check of the ROC."""
    found = None if dev.quality is None else dev.quality.families
    said, doubts = [], []
    for who in ("client", "impostor"):
        rows = () if found is None else found.of(who)
        row = next((row for row in rows if has_shapes(row.family)), None)
        if row is None:
            continue
        away, best = -row.held_out_z, rows[0].family
        if away <= MARGIN:
            own = "has the best held-out score"
            near = f"is within half a standard error of the best held-out score, {best}'s"
            said.append(f"for {who}s it {own if row is rows[0] else near}")
            doubts.append(0)
        else:
            said.append(f"for {who}s {best} is better by {number(away, 2)} standard errors")
            doubts.append(2 if away > _Z else 1)
    if not said:
        why = "" if dev.quality is None else dev.quality.uncompared
        said.append(f"families were not compared: {why.rstrip('.')}")
        doubts.append(1)
    if check is not None:
        said.append(f"check of its ROC: {check.verdict}")
        said += [
            f"{one.name} is poor: {one.expected:.4g} scores expected, {one.observed:.6g} observed"
            for one in check.targets
            if one.verdict == "poor"
        ][:1]
        doubts.append({"good": 0, "poor": 2}.get(check.status, 1))
    return ("yes", "cannot tell", "no")[max(doubts)], "; ".join(said)


_WORD = {
    "yes": "One beta distribution a class suffices",
    "no": "One beta distribution a class does not suffice",
    "cannot tell": "Whether one beta distribution a class suffices, these scores cannot tell",
}


def beta_pair_section(found: BetaPairFit, dev: ScoreSet) -> Section:
    """The word on it, parameters and what its curve does where the numbers are of another pair."""
    made = found.fit
    words = sentence(f"{_WORD[found.suffices]}: {found.reason}")
    told: list[Node] = [Words(f"{words} {_SAME}" if found.same else words)]
    if made is not None and not found.same:
        laws = (("client", made.client), ("impostor", made.impostor))
        rows = [row for who, law in laws for row in law_rows(who, law)]
        # Standard errors alone: intervals are those of the fit that the numbers are of.
        shown = [row if isinstance(row, Group) else Row(row[:4]) for row in rows]
        head = ("class of dev", "parameter", "estimate", "standard error")
        told.append(Grid(head, tuple(shown), (1,)))
        plain = replace(dev, fit=made, distances=distances(made._scored, dev.scored.empirical))
        told.append(Bullets(tuple(shape_sentences(plain))))
    return Section("One beta distribution a class", tuple(told))


def beta_pair_numbers(found: BetaPairFit | None) -> dict[str, Any] | None:
    """The same for JSON."""
    if found is None:
        return None
    return {
        "suffices": found.suffices,
        "reason": found.reason,
        "same": found.same,
        "fit": None if found.fit is None else fit_numbers(found.fit),
        "confidence": None if found.fit is None else confidence_numbers(found.fit, found.level),
    }
