"""What is found of several classifiers, as data: of it tables, text and pictures are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from betaroc.core.arrays import AnyArray, IntArray
from betaroc.core.tables import Table, table_of
from betaroc.core.value import Result, travelling
from betaroc.data.groups import groups_of
from betaroc.ensemble.evidence import RocEvidence, RocMisfit, misfit_of
from betaroc.ensemble.fusion import (
    CurvePart,
    Fusion,
    Splits,
    TrialSet,
    diversity_columns,
    fusion_of,
    scale_of,
)
from betaroc.ensemble.rule import Verdict, verdict_of
from betaroc.ensemble.set_hull import EnsembleHull, hull_of
from betaroc.ensemble.trials import Systems
from betaroc.fits.fit import Fit
from betaroc.model.crossings import RocCrossings
from betaroc.model.roc import Roc


@dataclass(frozen=True, eq=False, repr=False)
class InclusionRecord(Result):
    """The fields of :class:`betaroc.Inclusion`, and what is computed of them when looked at."""

    systems: Systems
    dev: Systems | None
    fits: Mapping[str, Fit]
    _travels = travelling("evidence")
    evidence: Mapping[str, RocEvidence] = field(compare=False, repr=False)
    verdict: Mapping[str, Verdict]
    region: tuple[float, float]
    level: float
    parts: Mapping[str, CurvePart] = field(repr=False)
    client_folds: IntArray = field(repr=False)
    impostor_folds: IntArray = field(repr=False)
    duplicates: tuple[tuple[str, str], ...] = ()
    messages: tuple[str, ...] = ()

    def _follows(self) -> dict[str, Mapping[str, Verdict]]:
        """The verdicts; their sentences may be those of an older version."""
        verdicts = {}
        for name, evidence in self.evidence.items():
            gain, reason = self.verdict[name].gain, self.verdict[name].reason
            rule = self.region, self.level, self.systems.sizes
            v = verdict_of(self.fits[name], evidence, gain, *rule)
            verdicts[name] = Verdict(v.word, v.confidence, v.size, reason, v.marginal, gain)
        return {"verdict": verdicts}

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers."""
        return self.systems.names

    @cached_property
    def misfit(self) -> dict[str, RocMisfit]:
        """How far the fitted ROC of each classifier is from that of its scores, by name.

        Each has auc_scores; distance, the largest of both rates at once along FAR + TPR =
        constant, as in :func:`check_fit`; noise, what the scores' ROC is off by chance at most;
        and a word: "close" (within `check_fit`'s tolerance 0.05), "far" (beyond it by more than
        the noise) or "open".
        """
        return {
            name: misfit_of(self.fits[name], self.systems.scores(k), self.level)
            for k, name in enumerate(self.names)
        }

    @cached_property
    def _crossings(self) -> dict[tuple[str, str], RocCrossings]:
        rocs = self._rocs
        return {(a, b): rocs[a].crossings(rocs[b]) for a, b in combinations(self.names, 2)}

    @property
    def _rocs(self) -> dict[str, Roc]:
        return {name: self.fits[name].model.roc() for name in self.names}

    @cached_property
    def hull(self) -> EnsembleHull:
        """The ROC hull of the fitted curves: who is on it where, and who never is."""
        equal = {b for (_, b), found in self._crossings.items() if found.leaders == (0,)}
        return hull_of(self._rocs, tuple(equal))

    @cached_property
    def diversity(self) -> Table:
        """A frame, one row a pair of classifiers and class: how alike they are.

        Columns first, second, class (client, impostor, both); spearman and pearson, the
        correlations of their scores within a class (pearson of the logits of classifiers in
        [0, 1]; nan where one is constant or infinite there, and for both classes together);
        phi, disagreement and double_fault: correlation of their errors, share of trials on which
        one of the two errs, and on which both do, each at the threshold of least HTER on dev.
        """
        return table_of(self._diversity, self.systems.library)

    @cached_property
    def _diversity(self) -> dict[str, AnyArray]:
        return diversity_columns(self.names, self._splits)

    @property
    def _splits(self) -> Splits:
        own, dev = _trials(self.systems), None if self.dev is None else _trials(self.dev)
        return Splits(own, dev, self.client_folds, self.impostor_folds)

    @cached_property
    def fusion(self) -> Fusion:
        """Fusing rules with all classifiers and without each one, with paired intervals."""
        scale = scale_of(self.systems, self.dev)
        groups = groups_of(self.systems.scores(0))
        return fusion_of(
            self.names, self._splits, scale, self.parts, self.level, groups, self.systems.library
        )


def _trials(systems: Systems) -> TrialSet:
    weights = systems.client_weights, systems.impostor_weights
    return TrialSet(systems.client, systems.impostor, *weights)
