"""What the fitted curve has below the diagonal, in words; tests of ends and shapes as numbers."""

from __future__ import annotations

import math
from typing import Any

from betaroc.core.errors import BetarocError
from betaroc.fits.fit import Fit
from betaroc.fits.shape_tests import TESTED
from betaroc.inference.groups import weights_of
from betaroc.model.hooks import Hook, hooks_of
from betaroc.rendering.numbers import number, percent
from betaroc.report.certainty import Certainty
from betaroc.report.score_set import rows_or_bins

__all__ = ["confidence_numbers", "confidence_words"]

_CLASSES = ("client", "impostor")
#: Standard errors of a difference of shares that counts as seen: 5 %, two-sided.
_Z = 1.959963984540054
_PLACES = {
    "at_zero": "at the low thresholds",
    "at_one": "at the high thresholds",
    "between": "between two crossings",
    "everywhere": "throughout",
}


def confidence_words(fit: Fit, sure: Certainty | None) -> list[str]:
    """Why there are no tests of a fit, and what its curve has below the diagonal."""
    words = []
    if sure is not None and sure.ends is None:
        words = [_untested(fit, sure)]
    totals = fit.client.total_weight, fit.impostor.total_weight
    return words + _hook_words(fit, hooks_of(fit.model, *totals))


def _untested(fit: Fit, sure: Certainty) -> str:
    """Why nothing is known of the uncertainty of the shape."""
    if sure.why:
        return f"The shape of the curve is not tested: {sure.why}"
    shared = ""
    if sure.concave and fit.tied:
        shared = f" Both classes share {' and '.join(fit.tied)}."
    return f"Ends and shape are tested of two {', two '.join(TESTED)} distributions only.{shared}"


def _hook_words(fit: Fit, hooks: tuple[Hook, ...]) -> list[str]:
    return [
        f"The fitted ROC is below the diagonal {_PLACES[hook.end]}: FAR from"
        f" {percent(hook.far_low)} to {percent(hook.far_high)}, by {percent(hook.depth)} at most;"
        f" {number(hook.expected_scores, 2)} scores of so many are expected there"
        + (f". {_counted(fit, hook)}" if hook.seen else ", which is no finding.")
        for hook in hooks
    ]


def _counted(fit: Fit, hook: Hook) -> str:
    """What the scores themselves say of a hook: how many of each class lie in it."""
    low, high = (float(fit.model.threshold_at_far(x)) for x in (hook.far_high, hook.far_low))
    low = low if hook.far_high < 1.0 else -math.inf
    scores, counts, totals = rows_or_bins(fit.scores), [], []
    for who in _CLASSES:
        x, w = getattr(scores, who), weights_of(scores, who)
        counts.append(math.fsum(w[(x > low) & (x <= high)]))
        totals.append(math.fsum(w))
    client, impostor = (c / n for c, n in zip(counts, totals, strict=True))
    words = (
        f"Counted there: {number(counts[0])} of {number(totals[0])} clients, {number(counts[1])} of"
        f" {number(totals[1])} impostors"
    )
    if hook.end not in ("at_zero", "at_one"):
        return f"{words}."
    more = client - impostor if hook.end == "at_zero" else impostor - client
    error = math.sqrt(
        sum(p * (1.0 - p) / n for p, n in zip((client, impostor), totals, strict=True))
    )
    z = more / error if error > 0.0 else 0.0
    return (
        f"{words}: by the scores alone FAR - TPR is {number(z, 2)} standard errors, which"
        f" {'shows it too' if z > _Z else 'does not show it'}."
    )


def confidence_numbers(fit: Fit | None, level: float) -> dict[str, Any]:
    """The same for JSON; what is refused is null, with the reason."""
    found: dict[str, Any] = {"ends": None, "curve": None, "shapes": None, "why_none": {}}
    if fit is None or fit.family not in TESTED:
        found["why_none"] = {"all": f"of fits of two {', two '.join(TESTED)} distributions"}
        if fit is not None:
            totals = fit.client.total_weight, fit.impostor.total_weight
            found["hooks"] = [hook._asdict() for hook in hooks_of(fit.model, *totals)]
        return found
    for key, make in (
        ("ends", lambda: {k: t._asdict() for k, t in _ends(fit, level).items()}),
        ("curve", lambda: _curve(fit, level)),
        ("shapes", fit.shape_probabilities),
    ):
        try:
            found[key] = make()
        except BetarocError as error:
            found["why_none"][key] = str(error)
    return found


def _ends(fit: Fit, level: float) -> dict[str, Any]:
    tests = fit.end_tests(level)
    return {"at_zero": tests.at_zero, "at_one": tests.at_one}


def _curve(fit: Fit, level: float) -> dict[str, Any]:
    curve = fit.curve_test(level)
    return {
        "probabilities": dict(curve.probabilities),
        "p_proper": curve.p_proper,
        "p_no_crossing": curve.p_no_crossing,
        "where_scores_are": dict(curve.where_seen) or None,
        "finding": curve.finding,
        "hooks": [hook._asdict() for hook in curve.hooks],
    }
