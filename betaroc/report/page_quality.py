"""Whether fits can be believed: checks, tails, families, sensitivity, a section each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from betaroc.core.text import capital, sentence
from betaroc.fits.check import VERDICTS, FitStatus
from betaroc.fits.family_choice import families_grid
from betaroc.fits.target_checks import targets_grid
from betaroc.rendering.numbers import level_words, number, percent
from betaroc.rendering.tree import (
    Bullets,
    Figure,
    Figures,
    Grid,
    Node,
    Row,
    Section,
    Words,
    few,
)
from betaroc.report.score_set import Named, ScoreSet, is_modelled
from betaroc.report.summary import CHECKED_SCORED, alone, family_tails, family_words, statuses

_OF_COUNTS = (
    "No P–P and Q–Q pictures and no p-values: they need every score, which a summary does not keep."
    " The verdicts above rest on the distance of the curves and on the counts at thresholds."
)
_Drawn = Mapping[str, Sequence[Figure]]


def worst(found: Sequence[FitStatus]) -> tuple[str, str]:
    """The worst of several verdicts and its colour."""
    verdict = max((one.verdict for one in found), key=list(VERDICTS).index)
    return verdict, VERDICTS[verdict]


def _by_set(sets: Named, blocks: Sequence[tuple[Node, ...]]) -> tuple[Node, ...]:
    """What is said of each set, under its name where there are several."""
    if len(sets) == 1:
        return blocks[0]
    named = zip(sets, blocks, strict=True)
    return tuple(Section(role, own) for (_, role), own in named if own)


# ------------------------------------------------------------------------------ checks
def checks_section(
    sets: Named, level: float, seed: int | None = None, figures: _Drawn | None = None
) -> Section:
    """Verdicts, tests and distances of every fit, with its pictures."""
    title, drawn = "Can the fit be believed?", figures or {}
    modelled = [both for both in sets if is_modelled(both[0])]
    found = [(role, one) for part, role in sets for one in statuses(part)]
    if not modelled:
        told: list[Node] = [one.node(role) for role, one in found]
        told.append(Words("No distributions were fitted: there is nothing to check."))
        return Section(title, tuple(told), "no distributions were fitted", "checks")
    told = [Words(capital(CHECKED_SCORED))] * any(part.has_rejected for part, _ in sets)
    if any(part.summary is None for part, _ in modelled):
        told.append(Words(
            "P–P: shares of the scores beside the probabilities of the fitted distribution; Q–Q:"
            " scores beside its quantiles. On the diagonal the scores are as their distribution"
            " says. Parameters estimated from the same scores keep nearer to it than the band,"
            " which is that of a known distribution.", "legend",
        ))  # fmt: skip
    blocks = [_check(part, role, drawn.get(part.role, ())) for part, role in modelled]
    told += [*_by_set(modelled, blocks), *_distances(sets)]
    told += [Words(words, "legend") for words in (_OF_RATES, _of_curves(sets, level, seed))]
    return Section(title, tuple(told), _finding(sets), "checks")


def _finding(sets: Named) -> str:
    said = [
        f"{role}: {', '.join(f'{one.of} {one.verdict}' for one in own)}"
        for part, role in sets
        if (own := statuses(part))
    ]
    return few(said, "; ") or "not checked"


def _check(part: ScoreSet, role: str, drawn: Sequence[Figure]) -> tuple[Node, ...]:
    """The verdicts, tests of both distributions and of the ROC, or why there are none."""
    found = part.quality
    told: list[Node] = [one.node(role) for one in statuses(part)]
    told += [Figures(tuple(drawn))] * bool(drawn)
    if found is None:
        return tuple(told)
    check = found.check
    if check is not None:
        fit = part.scored.fit
        own = fit is not None and bool(fit.client.tails or fit.impostor.tails)
        return (*told, *check._tables(", without tails" * own))
    if part.summary is not None and found.bin_error is not None:
        told.append(Words(_OF_COUNTS))
    else:
        told.append(Words(f"not checked: {sentence(found.unchecked)}"))
    if found.targets:
        told.append(targets_grid(found.targets))
    return tuple(told)


def _distances(sets: Named) -> list[Node]:
    """How far fits are from their scores, and test from dev."""
    of_fit = {
        role: (part.distances.client, part.distances.impostor, part.distances.roc)
        for part, role in sets
        if part.distances is not None and is_modelled(part)
    }
    rows = [
        Row((f"{role}: {what}", *(number(v, 3) for v in values), *blank))
        for part, role in sets
        for what, values, blank in (
            ("fitted distributions against its scores", of_fit.get(role), ()),
            ("its scores against dev’s scores", part.shift, ("",)),
        )
        if values is not None
    ]
    if not rows:
        return []
    grid = Grid(("largest distance", "client", "impostor", "ROC"), tuple(rows))
    return [Section("Distances", (grid, Words(
        "Of the classes: the largest difference of the distribution functions (Kolmogorov–Smirnov)."
        " Of the curves: in FAR and TPR at once, along FAR + TPR = constant. They are no test of"
        " fit: parameters estimated from the same scores make them small.", "legend",
    )))]  # fmt: skip


_OF_RATES = (
    "Rates asked: good, the exact interval of the rate counted at the fit’s own threshold lies"
    " within a factor of 3 of the rate expected; poor, it has no point within a factor of 1.25"
    " (this comes first); cannot tell, all else. Groups count as their effective number of trials;"
    " bins of a summary widen the interval. The table goes down to 5 expected scores."
)


def _of_curves(sets: Named, level: float, seed: int | None) -> str:
    """What the verdicts on curves are, and how the checks were made."""
    found = [part.quality.check for part, _ in sets if part.quality is not None]
    drawn = max((check.replicates for check in found if check is not None), default=0)
    made = f"Intervals of level {level_words(level)}"
    if drawn:
        made = (
            f"{drawn} simulated score sets{'' if seed is None else f', seed {seed}'}, so that no"
            f" p-value is below {number(1.0 / (1 + drawn), 3)}; i{made[1:]}"
        )
    return (
        "Curve: good, the whole interval of the distance is within the tolerance; poor, it is"
        " beyond; cannot tell, it reaches across. Of the ROC it is the largest difference in FAR"
        " and TPR at once; two distributions that are wrong in the same way have a good ROC and"
        " wrong rates at a threshold, hence the second verdict. The verdicts do not rest on"
        f" p-values, by which many scores reject every family and few none. {made}. Distances take"
        " trials as independent."
    )


# ------------------------------------------------------------------------------ tails
def tails_section(sets: Named, figures: _Drawn | None = None) -> Section:
    """The rates down to less than one expected score, and what the most extreme scores say."""
    drawn, blocks = figures or {}, []
    modelled = [both for both in sets if is_modelled(both[0])]
    for part, _ in modelled:
        own: list[Node] = [Figures(tuple(drawn.get(part.role, ())))] * (part.role in drawn)
        found = [] if part.quality is None else part.quality.tails
        own += [Bullets(tuple(capital(sentence(words)) for words in found))] * bool(found)
        gained = family_tails(part)
        own += [Words(words, "note") for words in gained]
        blocks.append(tuple(own))
    told = _by_set(modelled, blocks) if modelled else ()
    legend = Words(
        "A tail is what a distribution has beyond nearly all of its scores. Hill’s exponent: how"
        " fast the share of scores falls towards an end, by the most extreme scores alone.",
        "legend",
    )
    if not told:
        return Section("Tails", ())
    several = len(modelled) > 1
    finding = few((f"{role}: " * several + _good_down_to(part) for part, role in modelled), "; ")
    return Section("Tails", (legend, *told), finding, "tails")


def _good_down_to(part: ScoreSet) -> str:
    """Down to which rates the counts are near those of the fit."""
    least = () if part.quality is None else part.quality.good_down_to._asdict().items()
    down = [f"{name.upper()} {percent(rate)}" for name, rate in least if rate is not None]
    words = " and ".join(down)
    return (
        f"rates at a threshold seen to be good down to {words}" if down else "none seen to be good"
    )


# ------------------------------------------------------------------------------ families
def families_section(part: ScoreSet, role: str, more: Sequence[Node] = ()) -> Section:
    """The families side by side, the recommended one first."""
    words = family_words(part)
    if not words and part.quality is not None and part.quality.uncompared:
        words = f"{role}: not compared: {sentence(part.quality.uncompared)}"
    found = None if part.quality is None else part.quality.families
    told: list[Node] = [Words(words)] * bool(words)
    finding = ""
    if found is not None:
        fit = part.fit
        fitted = ("", "") if fit is None else (fit.client.family, fit.impostor.family)
        told += families_grid(found, fitted)
        best = dict.fromkeys(found.recommended)
        finding = f"{'only' if alone(found) else 'recommended'} {' and '.join(best)}"
    told.append(Words(
        "All on one measure, densities by the score. Held-out score: mean log density of a score"
        " under fits of the other four folds; its z: the difference to the best one in standard"
        " errors. Recommended is, of those within half a standard error of the best, the one with"
        " the fewest parameters. Vuong z: difference of log-likelihoods to the recommended family"
        " in standard errors, below −1.96 worse at the 5 % level, – where one contains the other."
        " Distance: largest difference of the fitted distribution function from that of the scores."
        " The choice belongs to dev, so that test sets have none.", "legend",
    ))  # fmt: skip
    title = "Families of distributions"
    return Section(title, (*told, *more), finding or "not compared", "families")


# ------------------------------------------------------------------------------ sensitivity
def sensitivity_section(sets: Named) -> Section:
    """The audit of the ends where it is called for; else one sentence a set."""
    title = "Sensitivity to scores near 0 and 1"
    audited = [both for both in sets if is_modelled(both[0])]
    if not audited:
        return Section(title, ())
    blocks = [_audit(part) for part, _ in audited]
    told = list(_by_set(audited, blocks))
    if any(p.quality is not None and p.quality.audit is not None for p, _ in audited):
        told.append(Words(
            "Within reach of 0 or 1: scores of exactly 0 or 1; scores within 0.001 of an end that"
            " let another rule change a shape by more than 10 %; the extreme 1 % of a class"
            " carrying more than 10 % of the sum that fits its distribution. z: the distance of"
            " Hill’s exponent from the fitted one in errors. That of the fit is what the fitted"
            " distribution has over the same share of scores.", "legend",
        ))  # fmt: skip
    called = [
        f"{role}: {'; '.join(part.quality.called_for)}" for part, role in audited
        if part.quality is not None and part.quality.called_for
    ]  # fmt: skip
    finding = few(called, "; ") or "no score is within reach of 0 or 1"
    qualities = [part.quality for part, _ in audited if part.quality is not None]
    if all(one.audit is None for one in qualities):
        whys = dict.fromkeys(one.unaudited for one in qualities)
        finding = f"not examined: {'; '.join(whys)}"
    return Section(title, tuple(told), finding, "sensitivity")


def _audit(part: ScoreSet) -> tuple[Node, ...]:
    found = part.quality
    if found is None or found.audit is None:
        why = "" if found is None else sentence(found.unaudited)
        return (Words(f"Not examined: {why}"),)
    if not found.called_for:
        return (Words("Nothing here is within reach of 0 or 1 as said below."),)
    return (Words(capital(f"{'; '.join(found.called_for)}.")), *found.audit._tables())
