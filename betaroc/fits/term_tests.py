"""Whether a term of a regression matters: likelihood-ratio and Wald tests of both classes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES
from betaroc.core.errors import FitError, InputError
from betaroc.core.formulas import (
    as_text,
    has_intercept,
    right_side,
    spelled,
    term_names,
    without,
)
from betaroc.core.text import listed, nearest, shown
from betaroc.core.value import Value
from betaroc.data.designs import designs_of
from betaroc.data.groups import groups_of
from betaroc.fits.beta_regression import CovariateEstimate, regression

#: Log-likelihoods of nested fits that agree to this are equal.
_ROUNDING = 1e-9


class ChiSquared(NamedTuple):
    """A statistic that is chi-squared where the hypothesis holds."""

    statistic: float
    degrees: int
    p_value: float


@dataclass(frozen=True, eq=False, repr=False)
class TermTest(Value):
    """Whether terms of a formula matter.

    Parameters
    ----------
    terms : tuple of str
        The terms left out, interactions of the named ones included.
    method : str
        "likelihood-ratio", or "wald" where trials hang together in groups.
    both : ChiSquared
        Of both classes together.
    client, impostor : ChiSquared or None
        Of each class alone; None if its formula has none of the terms.

    Examples
    --------
    >>> from betaroc.fits.term_tests import ChiSquared, TermTest
    >>> found = ChiSquared(3.84, 1, 0.05)
    >>> TermTest(("sharpening",), "likelihood-ratio", found, None, found).p_value
    0.05
    """

    terms: tuple[str, ...]
    method: str
    both: ChiSquared
    client: ChiSquared | None
    impostor: ChiSquared | None

    @property
    def p_value(self) -> float:
        """Of both classes together."""
        return self.both.p_value


def term_test(f: CovariateEstimate, terms: tuple[str, ...]) -> TermTest:
    """Test terms of a `CovariateFit`; its `test` documents it."""
    names = tuple(spelled(term) for term in terms)
    known = [n for formula in f._formulas for n in term_names(right_side(formula, "", ""))]
    known = list(dict.fromkeys(known))
    for name in names:
        if name not in known:
            raise InputError(
                f"each term must be one of {listed(known) or 'the formulas, which have none'};"
                f" got {shown(name)}. {nearest(name, known)}".rstrip()
            )
    if not names:
        raise InputError(f"test needs a term; the formulas have {listed(known)}.")
    grouped = groups_of(f.scores) is not None
    return _wald(f, names) if grouped else _likelihood_ratio(f, names)


def _chi_squared(statistic: float, degrees: int) -> ChiSquared:
    from scipy.special import chdtrc

    return ChiSquared(statistic, degrees, float(chdtrc(degrees, statistic)))


def _shorter(f: CovariateEstimate, names: tuple[str, ...]) -> tuple[list[str], list[list[str]]]:
    """The four formulas without these terms, and the terms that each loses."""
    texts, lost = [], []
    for text in f._formulas:
        parsed = right_side(text, "formula", "")
        shorter, gone = without(parsed, names)
        if gone and not has_intercept(parsed):
            raise InputError(
                f"a formula must have an intercept for its terms to be tested; {text!r} has none."
                " Leave out '0 +' or '- 1'."
            )
        texts.append(as_text(shorter))
        lost.append(gone)
    return texts, lost


def _likelihood_ratio(f: CovariateEstimate, names: tuple[str, ...]) -> TermTest:
    texts, lost = _shorter(f, names)
    shared = f.client_formula is None
    designs = designs_of(tuple(texts), f.covariates, f.scores, shared=shared)
    each: list[ChiSquared | None] = []
    for k, who in enumerate(CLASSES):
        whole = getattr(f, who)
        if not lost[2 * k] + lost[2 * k + 1]:
            each.append(None)
            continue
        found = regression(who, f.scores, designs[who], whole.boundary)
        gain = 2.0 * (whole.log_likelihood - found.log_likelihood)
        if gain < -_ROUNDING * (whole.n + abs(whole.log_likelihood)):
            raise FitError(
                f"{who}: the fit without {listed(names)} is better than the fit with it, whose"
                " search must have ended at a lower hill. Give covariates on another scale.",
                whole,
            )
        degrees = len(whole.coefficients) - found.coefficients.size
        each.append(_chi_squared(max(gain, 0.0), degrees))
    parts = [one for one in each if one is not None]
    both = _chi_squared(math.fsum(p.statistic for p in parts), sum(p.degrees for p in parts))
    return TermTest(_every(lost), "likelihood-ratio", both, *each)


def _wald(f: CovariateEstimate, names: tuple[str, ...]) -> TermTest:
    _, lost = _shorter(f, names)
    places: list[list[int]] = []
    start = 0
    for who, gone in zip(CLASSES, (lost[:2], lost[2:]), strict=True):
        mine: list[int] = []
        for design, terms in zip(f._designs[who], gone, strict=True):
            mine += [start + k for k in design.terms(terms)]
            start += len(design.names)
        places.append(mine)
    values = f._coefficients

    def statistic(where: list[int]) -> ChiSquared:
        b, v = values[where], f.cov[np.ix_(where, where)]
        errors = np.sqrt(np.diag(v))
        scaled = v / np.outer(errors, errors)
        if not np.all(errors > 0.0) or np.linalg.eigvalsh(scaled)[0] < 1e-12:
            raise InputError(
                f"the groups must determine the errors of {len(where)} coefficients together; they"
                " do not: too few groups. Test fewer terms."
            )
        t = b / errors
        return _chi_squared(float(t @ np.linalg.solve(scaled, t)), len(where))

    each = [statistic(where) if where else None for where in places]
    return TermTest(_every(lost), "wald", statistic(places[0] + places[1]), *each)


def _every(lost: list[list[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for gone in lost for name in gone))
