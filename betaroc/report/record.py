"""What an analysis found, as data: of it its text, its JSON and its page are made."""

from __future__ import annotations

import re
from dataclasses import dataclass

from betaroc.core.class_words import ClassWords, shared_words
from betaroc.core.terms import BIOMETRIC, terms_of
from betaroc.core.value import Result
from betaroc.estimation.families import Names
from betaroc.rendering.tree import Name, foreign
from betaroc.report.beta_pair import BetaPairFit
from betaroc.report.observed_curves import ObservedCurve
from betaroc.report.score_set import ObservedPoint, ScoreSet

__all__ = ["AnalysisRecord", "name", "page_in_terms", "path_shown"]


@dataclass(frozen=True, eq=False, repr=False)
class AnalysisRecord(Result):
    """The fields of :class:`betaroc.Analysis`."""

    dev: ScoreSet
    tests: tuple[ScoreSet, ...]
    points: tuple[ObservedPoint, ...]
    curves: tuple[ObservedCurve, ...]
    level: float
    family: Names
    reason: str
    seed: int | None = None
    beta: BetaPairFit | None = None
    terms: str = BIOMETRIC

    @property
    def parts(self) -> tuple[ScoreSet, ...]:
        """Dev, then the tests."""
        return (self.dev, *self.tests)

    @property
    def words(self) -> ClassWords:
        """What the classes are called in every set."""
        return shared_words(part.given.words for part in self.parts)

    @property
    def names(self) -> list[str]:
        """What the user called the sets and their files: no words of ours."""
        sources = (part.given.source for part in self.parts)
        return [*(p.name for p in self.parts), *(s.path for s in sources if s is not None)]


# ------------------------------------------------------------------------- foreign names
def name(text: str) -> Name:
    """Nothing that does not print, nothing that breaks the layout."""
    return foreign(text)


def path_shown(text: str) -> Name:
    """A path: of a long one the end, where the file is named."""
    return foreign(text, path=True)


def page_in_terms(page: str, analysis: AnalysisRecord) -> str:
    """The page in the words of the user's field; its style and foreign names stay as they are."""
    from markupsafe import escape

    shown = (made(given) for given in analysis.names for made in (name, path_shown))
    kept = {str(escape(form)) for one in shown for form in one}
    terms = terms_of(analysis.terms)
    page = analysis.words.in_markup(page, kept)
    kept |= {str(escape(word)) for word in analysis.words}
    parts = re.split(r"(<style>.*?</style>)", page, flags=re.DOTALL)
    return "".join(p if p.startswith("<style>") else terms.said(p, kept) for p in parts)
