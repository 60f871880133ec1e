"""One hierarchy of errors and warnings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Self

from betaroc.core.vocabulary import Sentence, template_of

__all__ = [
    "BetarocError", "BetarocWarning", "BoundaryWarning", "DegenerateDataError",
    "DiscretenessWarning", "DuplicateWarning", "EngineError", "ExtrapolationWarning",
    "FileFormatError", "FitError", "InfluenceWarning", "InputError", "InputTypeError",
    "MisfitWarning", "MissingDependencyError", "MissingScoreWarning", "OutputError",
    "PrecisionWarning", "ReversedScoresWarning", "SameDataWarning", "ScaleWarning",
    "ScoreFileNotFoundError", "SmallSampleWarning", "StudyError", "TargetWarning",
]  # fmt: skip


class BetarocError(Exception):
    """Root of every error that betaroc raises.

    Parameters
    ----------
    message : str
        What must hold, what was given and what to do.
    argument : str, optional
        What the message is about, such as "layout[1]".


    Examples
    --------
    >>> import betaroc as br
    >>> try:
    ...     br.Beta(-1.0, 2.0)
    ... except br.errors.BetarocError as error:
    ...     print(type(error).__name__, error.argument)
    InputError a
    """

    def __init__(self, message: str = "", *, argument: str | None = None) -> None:
        super().__init__(Sentence(message))
        name = (argument or "").partition("[")[0]
        self.argument = name if name.isidentifier() else None

    @classmethod
    def about(cls, argument: str) -> Callable[[str], Self]:
        return partial(cls, argument=argument)

    @property
    def template(self) -> str:
        """The message with its slots and marks."""
        return template_of(self.args[0])

    def reworded(self, message: str) -> Self:
        """The same error with another message."""
        other = type(self)(message)
        other.__dict__.update(self.__dict__)
        return other


def refusal(
    argument: str,
    rule: str,
    actual: str,
    remedy: str = "Give such a value.",
    kind: type[BetarocError] | None = None,
) -> BetarocError:
    """An error in the form that all have."""
    make = (kind or InputError).about(argument)
    return make(f"{argument} must {rule}; got {actual}. " + remedy)


class InputError(BetarocError, ValueError):
    """A value that cannot be right, a `ValueError` too.

    Examples
    --------
    >>> import betaroc as br
    >>> br.Beta(-1.0, 2.0)
    Traceback (most recent call last):
    betaroc.core.errors.InputError: a must be a finite number > 0; got -1.0. Give such a value.
    """


class InputTypeError(BetarocError, TypeError):
    """An object of a kind that is not read, a `TypeError` too.

    Examples
    --------
    >>> import betaroc as br
    >>> try:
    ...     br.Empirical("scores.csv")
    ... except br.errors.InputTypeError as error:
    ...     print(str(error).partition("; ")[2])
    got text (str). Files are read with read_scores(path).
    """


class FitError(BetarocError, RuntimeError):
    """A fit that did not converge.

    Parameters
    ----------
    message, argument : str
        As of :class:`BetarocError`.
    result : object, optional
        The partial result, never to be used as a fit.

    Examples
    --------
    >>> import betaroc as br
    >>> try:
    ...     br.solve_pair(auc=0.9, goals={"client-mean": 0.1}, family="normal")
    ... except br.errors.FitError as error:
    ...     print(str(error)[:54], error.result)
    no normal pair was found with auc=0.9, client-mean=0.1 None
    """

    def __init__(
        self, message: str = "", result: Any = None, *, argument: str | None = None
    ) -> None:
        super().__init__(message, argument=argument)
        self.result = result


class DegenerateDataError(FitError):
    """Data without a maximum-likelihood estimate, which family "empirical" takes.

    Examples
    --------
    >>> import betaroc as br
    >>> try:
    ...     br.fit_distribution([0.5, 0.5, 0.5], "beta")
    ... except br.errors.DegenerateDataError as error:
    ...     print(str(error).partition(". ")[0])
    sample: a beta distribution needs at least 2 distinct scores; got 3, all equal to 0.5
    """


class FileFormatError(BetarocError, ValueError):
    """A file that cannot be read, a `ValueError` too.

    Examples
    --------
    >>> import betaroc as br
    >>> try:
    ...     br.from_json("{}")
    ... except br.errors.FileFormatError as error:
    ...     print(str(error).partition(". ")[0])
    a document must be an object with "kind"; got one with []
    """


class ScoreFileNotFoundError(FileFormatError, FileNotFoundError):
    """There is no score file at that path, a `FileNotFoundError` too.

    Examples
    --------
    >>> import betaroc as br
    >>> try:
    ...     br.read_scores("no-such-file.csv")
    ... except br.errors.ScoreFileNotFoundError as error:
    ...     print(error)
    path must be an existing file; there is no 'no-such-file.csv'. Check the name and the folder.
    """

    def __new__(cls, *args: Any, **_: Any) -> Self:
        """As of the base; tblib, which Dask loads, asks for it by name."""
        return FileNotFoundError.__new__(cls, *args)


class OutputError(BetarocError, OSError):
    """An output that cannot be written, an `OSError` too; what was there before stays.

    Examples
    --------
    >>> import betaroc as br
    >>> try:
    ...     br.Beta(2.0, 3.0).to_json("no-such-folder/beta.json")
    ... except br.errors.OutputError as error:
    ...     print(str(error).partition(". ")[0])
    the output must be in a folder that exists; got 'no-such-folder/beta.json'
    """


class EngineError(BetarocError, RuntimeError):
    """The engine of a frame lost its workers; take smaller partitions."""


class StudyError(BetarocError):
    """A study that cannot be run or resumed.

    Examples
    --------
    >>> import betaroc as br
    >>> try:
    ...     br.Study.open("no-such-study")
    ... except br.errors.StudyError as error:
    ...     print(str(error).partition(". ")[0])
    the folder of a study must have a study.json; 'no-such-study' has none
    """


class MissingDependencyError(BetarocError, ImportError):
    """A package that is not installed, an `ImportError` too."""


class BetarocWarning(UserWarning):
    """Root of every warning that betaroc gives.

    Each is given once per call and kept in the ``.notices`` of the result.

    Examples
    --------
    >>> import warnings
    >>> import betaroc as br
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     fit = br.fit(br.Scores([0.6, 0.8, 0.9], [0.1, 0.2, 0.4]))
    >>> [notice.category.__name__ for notice in fit.notices]
    ['SmallSampleWarning']
    """


class BoundaryWarning(BetarocWarning):
    """Scores of exactly 0 or 1 become point masses: say ``resolution=`` if they were rounded."""


class ReversedScoresWarning(BetarocWarning):
    """Impostors score higher than clients (AUC below one half).

    Pass ``-score`` or ``1 - score``, or check the label of the clients.
    """


class SmallSampleWarning(BetarocWarning):
    """Fewer than ten scores in a class: estimates are biased."""


class InfluenceWarning(BetarocWarning):
    """One score rules the fit, near an end or far from the others."""


class PrecisionWarning(BetarocWarning):
    """Scores of low numerical precision, such as float16: keep more digits."""


class SameDataWarning(BetarocWarning):
    """The same data chose the threshold and judged it: take a test set, or :func:`~betaroc.epc_cv`.

    Also trials that a `Monitor` has counted before, and passes over.
    """


class DiscretenessWarning(BetarocWarning):
    """Many scores are tied: say ``resolution=`` if they were rounded."""


class MissingScoreWarning(BetarocWarning):
    """Trials without a score were dropped: ``missing="reject"`` counts them as rejected."""


class DuplicateWarning(BetarocWarning):
    """The same classifier was given twice."""


class ExtrapolationWarning(BetarocWarning):
    """A number was read off a fitted distribution where less than one score is expected."""


class MisfitWarning(BetarocWarning):
    """A number was read off a fitted distribution that the scores contradict there."""


class ScaleWarning(BetarocWarning):
    """Scores seem to be on another scale.

    Those of dev and test on two, some not in [0, 1], or a tail with a shape beyond 0.5.
    """


class TargetWarning(BetarocWarning):
    """A target that no threshold of dev attains: ask for a rate that ``reachable`` holds."""
