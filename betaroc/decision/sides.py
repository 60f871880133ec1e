"""The sides of a curve: what stands on them, and what a replicate draws of scores or groups."""

from __future__ import annotations

from typing import NoReturn

from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.resampling import refuse_fractional_weights
from betaroc.core.sentences import worded
from betaroc.data.dataset_checks import Distributions
from betaroc.data.groups import Groups, ScoredTrials, Trials, groups_of
from betaroc.data.scores import ScoreData, Scores
from betaroc.decision.curve import Curve
from betaroc.distributions.binned import is_binned
from betaroc.distributions.empirical import Empirical, decides_by_counts, is_counted
from betaroc.inference.drawn_groups import GroupedSide
from betaroc.inference.scores_beyond import SideInput, SupportedPair
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model

__all__ = [
    "data_of", "empirical_laws", "group_counts", "grouped_side", "known_laws", "observed_prior",
    "side", "side_groups", "side_trials",
]  # fmt: skip


# ---------------------------------------------------------------------- what is given
def side(given: SideInput, name: str, prior: float | None) -> ScoreModel:
    """One side as a model: empirical distributions for scores, the fitted model of a fit."""
    if isinstance(given, ScoreData):
        model = empirical_model(given)
    else:
        model = given.model if isinstance(given, SupportedPair) else given
    if not isinstance(model, ScoreModel):
        raise InputTypeError.about(name)(
            f"{name} must be Scores, a ScoreSummary, a ScoreModel or a fit; got"
            f" {type(given).__name__}. Use read_scores for a file, Scores.from_frame for a frame,"
            " Scores.from_labels for labels and scores."
        )
    if prior is None:
        return model
    return ScoreModel(model.client, model.impostor, prior=prior, name=model.name)


def data_of(given: SideInput) -> ScoreData | None:
    """The data of a side, also those behind a fit; None of a model."""
    data = given.scores if isinstance(given, SupportedPair) else given
    return None if isinstance(data, ScoreModel) else data


def known_laws(given: SideInput, model: ScoreModel) -> Distributions:
    """What is known of the scores of a side: those of a fit, not its distributions."""
    if isinstance(given, SupportedPair) and isinstance(given.scores, ScoreData):
        return given.scores._distributions
    return model.client, model.impostor


# ---------------------------------------------------------------------- what is drawn
def empirical_laws(model: ScoreModel, name: str, instead: str = "") -> tuple[Empirical, Empirical]:
    """Both distributions of a side that can be resampled: scores with whole weights."""
    client, impostor = model.client, model.impostor
    if not is_counted(client) or not is_counted(impostor):
        _refuse_model(model, name, instead)
    refuse_fractional_weights(client.weights, f"{name} client")
    refuse_fractional_weights(impostor.weights, f"{name} impostor")
    return client, impostor


def _refuse_model(model: ScoreModel, name: str, instead: str = "") -> NoReturn:
    kinds = f"{type(model.client).__name__} and {type(model.impostor).__name__} distributions"
    other = worded(' or take `resample="test"`') if name == "dev" else instead
    raise InputError.about(name)(
        f"{name} must be scores to be resampled; got a model of {kinds}, which has no rows to"
        f" draw. Give Scores as {name} of epc" + other + "."
    )


def observed_prior(e: Curve, name: str) -> bool:
    """Whether the prior of a side is the share of clients among its scores."""
    model, scores, fit = e._side(name)
    client, impostor = model.client, model.impostor
    if not is_counted(client) or not is_counted(impostor):
        return False
    # A model, other than that of a summary, states its prior.
    stated = scores is None and fit is None
    if e.prior_given or (stated and not is_binned(client)):
        return False
    return model.prior == client.total / (client.total + impostor.total)


def side_trials(e: Curve, name: str) -> ScoredTrials:
    """The scores of an empirical side, with its groups if it has any."""
    model, scores, fit = e._side(name)
    if scores is not None:
        return scores
    if fit is not None and isinstance(fit.scores, Scores):
        return fit.scores
    if not decides_by_counts(model._pair):
        _refuse_model(model, name)
    laws = model._pair.client, model._pair.impostor
    return Trials(*(law.values for law in laws), *(law.weights for law in laws))


def side_groups(e: Curve, name: str, *, groups: bool) -> Groups | None:
    """What the trials of a side depend on; None where they are independent, or taken as such."""
    _, scores, fit = e._side(name)
    data = fit.scores if scores is None and fit is not None else scores
    return groups_of(data) if groups else None


def grouped_side(e: Curve, name: str, stratified: bool, *, groups: bool) -> GroupedSide | None:
    """A side whose trials are resampled by their groups."""
    found = side_groups(e, name, groups=groups)
    if found is None:
        return None
    laws = empirical_laws(e._side(name).model, name)
    return GroupedSide.of(found, laws, side_trials(e, name), stratified=stratified)


def group_counts(e: Curve, resample: str, *, groups: bool) -> tuple[int | None, int | None] | None:
    """Groups of dev and of test that vary as a whole."""
    found = [side_groups(e, name, groups=groups) for name in ("dev", "test")]
    dev, test = (None if g is None else g.labels for g in found)
    dev = dev if resample == "both" else None
    return None if dev is None and test is None else (dev, test)
