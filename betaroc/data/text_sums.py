"""Sums and counts of text files, which are read in parts of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from operator import add

import numpy as np

from betaroc.core.arrays import IntArray
from betaroc.data.labels import KNOWN_LABELS, few_distinct, label_key
from betaroc.data.read import OpenedText
from betaroc.data.rows import LabelTexts, Rows, no_rows, whole
from betaroc.data.sums import ClassSummary, Labels, LabelSums, added, array_sums
from betaroc.data.text_rows import collect_parts
from betaroc.distributions.empirical import Layout

#: Rows that are summed at once.
_PART = 2**20


@dataclass
class _CountedLabels(LabelTexts):
    """The labels' texts of a whole file, how often each occurs, and a few of the scores."""

    totals: IntArray
    some_scores: set[float]

    @property
    def counts(self) -> IntArray:
        """How often each text of a label occurs."""
        return self.totals

    def _are_scores_labels(self) -> bool:
        return self.some_scores in KNOWN_LABELS


def text_sums(
    text: OpenedText | Rows, client_label: object, bins: int, layout: Layout
) -> tuple[tuple[ClassSummary, ClassSummary], str | None]:
    """Of the clients and the impostors, and the label that was guessed, of a text or of rows.

    Refuses what `read_scores` refuses, in its words.
    """
    with np.errstate(over="ignore"):  # of squares
        collect = partial(_summed, bins=bins, layout=layout)
        if isinstance(text, Rows):
            labels, sums = collect([text])
        else:
            labels, sums = collect_parts(text.file, text.layout, text.wanted, collect)
            labels.identities = text.wanted.label if len(text.wanted.label) == 2 else ()
        if not labels.counts.sum():
            raise no_rows(labels.name)
        client = labels.clients(client_label).tolist()
        named = list(zip(labels.tokens, client, strict=True))
        both = [[sums[token] for token, is_it in named if is_it is of] for of in (True, False)]
        one, other = (reduce(add, parts, LabelSums()).of for parts in both)
    return (one, other), labels.guessed


def _joined(parts: Iterable[Rows]) -> Iterator[Rows]:
    """The same rows in parts of so many at least, since what is added up are all bins."""
    waiting: list[Rows] = []
    for part in parts:
        waiting.append(part)
        if sum(one.codes.size for one in waiting) >= _PART:
            yield whole(waiting)
            waiting = []
    if waiting:
        yield whole(waiting)


def _summed(parts: Iterable[Rows], bins: int, layout: Layout) -> tuple[_CountedLabels, Labels]:
    """Counts of every text of a label, and its sums while there are two kinds of labels."""
    sums: Labels = {}
    totals, some = np.zeros(0, dtype=np.int64), set[float]()
    for part in _joined(parts):
        counts = part.counts
        totals = counts + np.pad(totals, (0, counts.size - totals.size))
        if len(some) < 3:
            some |= set(few_distinct(part.scores).tolist())
        if len({label_key(token) for token in part.tokens}) <= 2:
            here = np.flatnonzero(counts).tolist()
            masks = [(part.tokens[code], part.codes == code) for code in here]
            null = np.zeros(part.scores.size, dtype=bool)
            sums = added(sums, array_sums(part.scores, null, masks, bins, layout))
    return _CountedLabels(part.name, part.unit, part.tokens, part.first, totals, some), sums
