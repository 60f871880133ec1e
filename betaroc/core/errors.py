"""One hierarchy of errors and warnings.

Every message says what must hold, what was given (count, first index or
line, value), where, and what to do next.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Self

from betaroc.core.sentences import Sentence

__all__ = [
    "BetarocError", "BetarocWarning", "BoundaryWarning", "DegenerateDataError",
    "DiscretenessWarning", "DuplicateWarning", "EngineError", "ExtrapolationWarning",
    "FileFormatError", "FitError", "InfluenceWarning", "InputError", "InputTypeError",
    "MisfitWarning", "MissingDependencyError", "OutputError", "PrecisionWarning",
    "ReversedScoresWarning", "SameDataWarning", "ScaleWarning", "ScoreFileNotFoundError",
    "SmallSampleWarning", "StudyError", "TargetWarning",
]  # fmt: skip


class BetarocError(Exception):
    """Root of every error that betaroc raises.

    Parameters
    ----------
    message : str
        What must hold, what was given and what to do.
    argument : str, optional
        What the message is about; "layout[1]" is an item of the argument "layout".

    Attributes
    ----------
    argument : str or None
        The name of the argument that is refused, None where the error speaks of none.
    """

    def __init__(self, message: str = "", *, argument: str | None = None) -> None:
        super().__init__(message)
        name = (argument or "").partition("[")[0]
        self.argument = name if name.isidentifier() else None

    @classmethod
    def about(cls, argument: str) -> Callable[[str], Self]:
        """What makes such errors about that argument of their messages."""
        return partial(cls, argument=argument)

    @property
    def sentence(self) -> Sentence:
        """The message, with the places of the arguments it mentions."""
        return Sentence(self.args[0])

    def reworded(self, message: str) -> Self:
        """The same error with another message."""
        other = type(self)(message)
        other.__dict__.update(self.__dict__)
        return other


class InputError(BetarocError, ValueError):
    """A value that cannot be right: its count, first place and the remedy are in the text."""


class InputTypeError(BetarocError, TypeError):
    """An object of a kind that is not read."""


class FitError(BetarocError, RuntimeError):
    """A fit that did not converge.

    Parameters
    ----------
    message : str
        What went wrong.
    result : object, optional
        The partial result, never to be used as a fit.
    argument : str, optional
        What the message is about.

    Attributes
    ----------
    result : object or None
        The partial result.
    """

    def __init__(
        self, message: str = "", result: Any = None, *, argument: str | None = None
    ) -> None:
        super().__init__(message, argument=argument)
        self.result = result


class DegenerateDataError(FitError):
    """Data for which no maximum-likelihood estimate exists."""


class FileFormatError(BetarocError, ValueError):
    """A file that cannot be read as scores."""


class ScoreFileNotFoundError(FileFormatError, FileNotFoundError):
    """There is no score file at that path."""

    def __new__(cls, *args: Any, **_: Any) -> Self:
        """That of the base whose memory it has: tblib, which Dask loads, asks for it by name."""
        return FileNotFoundError.__new__(cls, *args)


class OutputError(BetarocError, OSError):
    """An output that cannot be written; what was there before is untouched."""


class EngineError(BetarocError, RuntimeError):
    """The engine of a frame lost its workers; nothing was written."""


class StudyError(BetarocError):
    """A study that cannot be run or resumed."""


class MissingDependencyError(BetarocError, ImportError):
    """A package that is not installed; the text names the extra to install."""


class BetarocWarning(UserWarning):
    """Root of every warning that betaroc gives."""


class BoundaryWarning(BetarocWarning):
    """Scores of exactly 0 or 1 met a distribution that has no mass there."""


class ReversedScoresWarning(BetarocWarning):
    """Impostors score higher than clients (AUC below one half)."""


class SmallSampleWarning(BetarocWarning):
    """Fewer than ten scores in a class."""


class InfluenceWarning(BetarocWarning):
    """One score rules the fit."""


class PrecisionWarning(BetarocWarning):
    """Scores of low numerical precision, such as float16."""


class SameDataWarning(BetarocWarning):
    """The same data chose the threshold and judged it."""


class DiscretenessWarning(BetarocWarning):
    """Many tied scores met a continuous distribution."""


class MissingScoreWarning(BetarocWarning):
    """Trials without a score were dropped."""


class DuplicateWarning(BetarocWarning):
    """The same classifier was given twice."""


class ExtrapolationWarning(BetarocWarning):
    """A number was read off a fitted distribution where less than one score is expected."""


class MisfitWarning(BetarocWarning):
    """A number was read off a fitted distribution that the scores counted there contradict."""


class ScaleWarning(BetarocWarning):
    """Development and test scores seem to be on different scales."""


class TargetWarning(BetarocWarning):
    """A target that no threshold of the development set attains."""
