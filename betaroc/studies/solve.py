"""The inverse problem: a pair of distributions with a prescribed ROC."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from betaroc.core import checks
from betaroc.core.errors import FitError
from betaroc.core.notices import public
from betaroc.distributions.base import Distribution
from betaroc.distributions.normal import LogitNormal, Normal
from betaroc.model.model import ScoreModel
from betaroc.studies.prescription import END_NAMES, Prescription, prescribed
from betaroc.studies.solve_beta import solve_beta
from betaroc.studies.solve_goals import GOAL_MET, solve_by_table
from betaroc.studies.solve_normal import solve_normal

_FAMILIES = ("beta", "normal", "logit-normal")
#: How far what was asked for may be from what the model's own functions say.
_TOLERANCE = 1e-10


@public
def solve_pair(
    *,
    auc: float | None = None,
    eer: float | None = None,
    exponents: tuple[float | None, float | None] | None = None,
    slopes: tuple[float | None, float | None] | None = None,
    shapes: tuple[str | None, str | None] | None = None,
    crossing: float | None = None,
    goals: Mapping[str, float] | None = None,
    family: str = "beta",
    prior: float = 0.5,
    name: str | None = None,
) -> ScoreModel:
    """A pair of distributions with prescribed numbers, or the reason why there is none.

    Parameters
    ----------
    auc, eer : float, optional
        Area under the ROC and equal error rate, strictly between 0 and 1.
    exponents : tuple of float or None, optional
        (at_zero, at_one): end exponents rho of :meth:`ScoreModel.ends`, of beta distributions a_i /
        a_c and b_i / b_c, of normal distributions both (sigma_c / sigma_i)^2. None leaves an end
        free.
    slopes : tuple of float or None, optional
        (at_zero, at_one): semi-derivatives; 0.0 (an exponent above 1), inf (below 1), or a finite
        constant (a tie of shapes).
    shapes : tuple of str or None, optional
        (client, impostor): "U", "J", "reverse-J" or "bell", of beta distributions.
    crossing : float, optional
        FAR = TPR where the ROC crosses the diagonal, strictly between 0 and 1.
    goals : mapping of str to float, optional
        Any other numbers by name, with the point after "@" where one is needed, such as
        ``{"tpr@far=0.01": 0.9, "h-measure": 0.6}``: all of :func:`statistics`, inside their range.
    family : {"beta", "normal", "logit-normal"}
        Of both distributions.
    prior : float, optional
        P(client) of the model.
    name : str, optional
        Of the model.

    Returns
    -------
    ScoreModel
        All that is prescribed is met: AUC, EER and crossing to 1e-10, exponents and finite slopes
        to 1e-10 of their value, goals to 1e-9 of the nearer distance to an end of their range, as
        the model's own functions say.

    Raises
    ------
    InputError
        If nothing or more than the parameters of the pair is prescribed, a goal is unknown, lacks
        its point or lies outside its range, or no pair can have what is prescribed; the message
        names the theorem or the range.
    InputTypeError
        If an argument is not of its kind.
    FitError
        If no theorem forbids it and no pair was found: what came nearest.

    Notes
    -----
    What is left free goes to the pair nearest to a reference, by the sum of squares of the four
    log shapes: shapes of 1, those at an end with a prescribed side moved apart to an exponent of 2
    or 1/2, and for a class with a prescribed shape the centre of that shape, U (1/2, 1/2), bell
    (2, 2), J (2, 1/2), reverse-J (1/2, 2). Shapes and exponents that are bounded, not given, keep
    1 % away from 1, or 1e-6 where 1 % cannot be had. The search has fixed starts and no randomness;
    between several local answers the nearest of those it meets is taken. Shapes are sought between
    1e-5 and 1e7. Normal distributions are in closed form: standard normal impostors, equal sigmas
    where nothing else is asked, an exponent of 2 or 1/2 where the ROC must cross the diagonal, and
    the wider clients where AUC and EER leave two answers.

    Goals are equations of the same search, with derivatives by differences; "auc" and "eer" among
    them are the arguments of these names. Where normal distributions have goals, all that is
    prescribed is solved numerically: by the clients' mean, then by their spread too, then by all
    four parameters. There is no theorem behind goals: where none is found, the error says what came
    nearest, which is no proof that there is none.

    Impossible for beta distributions are: an AUC on the other side of 1/2 than the ends force
    (exponents at_zero <= 1 <= at_one: above the diagonal, concave); a crossing unless both
    exponents lie on one side of 1; an AUC outside [1 - EER, 1 - 2 EER^2] of a concave ROC, outside
    [(1 - EER)^2, 1 - EER^2] of any; one beyond the tangent of a finite slope; with both exponents
    an AUC outside the limits 1 / (1 + at_zero) and at_one / (1 + at_one), but for the end towards
    which large shapes separate the classes; and others of the kind.

    References
    ----------
    Omar and Ivrissimtzis, section 3, for the shapes and the ends.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.solve_pair(auc=0.9, exponents=(0.5, 3.0))
    >>> round(model.auc(), 10), model.ends().at_zero.exponent, model.global_shape()
    (0.9, 0.5, 'proper')
    >>> model = br.solve_pair(auc=0.9, goals={"tpr@far=0.01": 0.4, "client-mean": 0.7})
    >>> round(model.at_far(0.01).tpr, 7), round(model.client.mean, 7), round(model.auc(), 7)
    (0.4, 0.7, 0.9)
    >>> br.solve_pair(auc=0.75, exponents=(0.5, 3.0), crossing=0.1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    betaroc.core.errors.InputError: no crossing of the diagonal: with exponent at_zero 0.5 and ...
    """
    checks.choice(family, _FAMILIES, "family")
    asked = prescribed(auc, eer, exponents, slopes, shapes, crossing, goals, family)
    prior, solved = checks.prior(prior), True
    client: Distribution
    impostor: Distribution
    law = Normal if family == "normal" else LogitNormal
    if family == "beta":
        client, impostor, solved = solve_beta(asked, prior)
    elif asked.goals:
        client, impostor = solve_by_table(asked.by_table, law, prior)
    else:
        client, impostor = law(*solve_normal(asked)), law(0.0, 1.0)
    model = ScoreModel(client, impostor, prior=prior, name=name)
    missed = _missed(model, asked)
    if missed or not solved:
        raise FitError(
            f"no {family} pair was found with {asked.asked()}, though no theorem known here forbids"
            f" it; the nearest, {_shown(client)} v {_shown(impostor)}, has"
            f" {', '.join(missed) or 'an open shape or side at its border'}. Relax one of them."
        )
    return model


def _shown(law: Distribution) -> str:
    return f"{type(law).__name__}({', '.join(f'{p.value:.6g}' for p in law._parameters())})"


def _missed(model: ScoreModel, asked: Prescription) -> list[str]:
    """What the model's own functions say to be otherwise than asked, in words."""
    ends = model.ends()
    both = (ends.at_zero, ends.at_one)
    functions: dict[str, Callable[[], float]] = {
        "auc": model.auc,
        "eer": lambda: model.eer().hter,
        "crossing": lambda: next(map(float, model.diagonal_crossings().far), math.nan),
    }
    got = [(name, value, functions[name](), 1.0) for name, value in asked.rates.items()]
    for end, where, rho, tie in zip(both, END_NAMES, asked.exponents, asked.ties, strict=True):
        if rho is not None:
            got.append((f"exponent {where}", rho, end.exponent, rho))
        if tie is not None:
            got.append((f"slope {where}", tie, end.semi_derivative, tie))
    missed = [
        f"{what} {value:.12g} for {goal!r}"
        for what, goal, value, scale in got
        if not abs(value - goal) <= _TOLERANCE * scale
    ]
    return missed + [
        f"{goal.asked} {goal.number(model):.12g} for {goal.value!r}"
        for goal in asked.goals
        if not abs(goal.off(model)) <= GOAL_MET
    ]
