"""Real scores that come with the package: `betaroc.datasets`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from betaroc.core import checks, errors, notices, text, value
from betaroc.core.vocabulary import ClassWords
from betaroc.data.read import read_scores
from betaroc.data.scores import Scores

__all__ = ["Dataset", "load_faces", "load_games", "load_liveness", "load_verification"]

_HERE = Path(__file__)
#: Where the sets are: in an installed package, and in a checkout, which keeps them once.
_PLACES = (_HERE.with_name("sets"), _HERE.parents[2] / "examples" / "data")
_SHARPENED = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
#: Of the games the first season of test.
_TEST_SEASON = 2020


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(value.Value):
    """Scores of one classifier, on dev and on test, with their source.

    Parameters
    ----------
    dev, test : Scores
        Trials to choose a threshold on, and to try it on.
    name, description : str
        The name of the set, and what its scores are.
    source, licence : str
        Where they were found, and what may be done with them.

    Examples
    --------
    >>> import betaroc as br
    >>> data = br.datasets.load_faces()
    >>> data.name, data.dev.n_client, data.test.n_impostor
    ('faces', 390, 520)
    """

    dev: Scores
    test: Scores
    name: str
    description: str
    source: str
    licence: str


@notices.collect_warnings
def load_liveness(
    classifier: str = "logreg", *, sharpened: float | Sequence[float] = 0.0
) -> Dataset:
    """Scores of a classifier of bona fide images of digits and recaptures of them.

    Parameters
    ----------
    classifier : {"logreg", "forest"}
        Logistic regression, or a random forest, with ties and exact 0 and 1.
    sharpened : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}
        By how much attackers sharpened their images of test. Each of several is a species of
        attack: a stratum of the impostors of test, named by its amount, such as ``"0.4"``.

    Returns
    -------
    Dataset
        180 bona fide and 181 attacks of dev, 448 and 448 (of each species) of test, the same images
        in the same order for both classifiers and every amount; blur and sharpening are simulated.

    Raises
    ------
    InputError
        For another classifier or amount.

    Examples
    --------
    >>> import betaroc as br
    >>> species = br.datasets.load_liveness(sharpened=[0.0, 0.2, 0.4]).test
    >>> br.decide(species, far=0.05).worst
    '0.4'
    """
    amounts = np.unique(checks.rates_1d(sharpened, "sharpened"))
    for amount in amounts[~np.isin(amounts, _SHARPENED)].tolist():
        raise errors.refusal(
            "sharpened", f"be one of {text.format_list(_SHARPENED, 6)}", repr(amount)
        )
    kind = checks.choice(classifier, ("logreg", "forest"), "classifier")
    species = [f"{amount:g}" for amount in amounts]
    return _dataset(
        f"liveness_cross_{kind}", ("dev.csv", *(f"test_sharpen{a:.2f}.csv" for a in amounts)),
        name="liveness", system=kind, words=ClassWords("bona fide", "attack"), species=species,
        description=f"Images of digits against recaptures of them, told apart by {kind};"
        f" attackers sharpened their images of test by {', '.join(species)}.",
    )  # fmt: skip


@notices.collect_warnings
def load_verification() -> Dataset:
    """Scores of a speaker verifier: target and nontarget trials.

    Returns
    -------
    Dataset
        1484 target and 5768 nontarget trials of dev, 5370 and 33 327 of test, of other speakers;
        scores without bounds (ASVspoof 2019, logical access, x-vectors and PLDA).

    Examples
    --------
    >>> import betaroc as br
    >>> data = br.datasets.load_verification()
    >>> br.decide(data.dev, far=0.01).check(data.test).verdict
    'kept'
    """
    return _dataset(
        "asvspoof19_asv", ("dev.csv.gz", "eval.csv.gz"), name="verification", system="x-vector",
        words=ClassWords("target", "nontarget"),
        description="Speakers who are whom they claim to be against others who make no effort.",
    )  # fmt: skip


@notices.collect_warnings
def load_faces() -> Dataset:
    """Scores of a face verifier, with the identities behind each trial.

    Returns
    -------
    Dataset
        390 genuine and 520 impostor trials of dev and as many of test, of other people; the groups
        are the claimed and the real identity.

    Examples
    --------
    >>> import betaroc as br
    >>> br.datasets.load_faces().dev.client_groups[0].tolist()
    ['f_1001', 'f_1001']
    """
    return _dataset(
        "bob_verif", ("scores-dev.4col.txt", "scores-eval.4col.txt"), name="faces", system="bob",
        words=ClassWords("genuine", "impostor"), group=("claimed", "real"),
        description="Faces of people against those who claim to be them, 26 identities a part.",
    )  # fmt: skip


@notices.collect_warnings
def load_games() -> Dataset:
    """Published probabilities of winning of basketball games, won and lost.

    Returns
    -------
    Dataset
        3090 games won (the clients) and 2159 lost of the seasons 2016 to 2019, 1990 and 1647 of
        2020 to 2022.

    Examples
    --------
    >>> import betaroc as br
    >>> br.datasets.load_games().test.n_client
    1990
    """
    games = _dataset(
        "fivethirtyeight", ("nba_games.csv.gz",) * 2, name="games", system="FiveThirtyEight",
        words=ClassWords("won", "lost"), group="season",
        description="Chances of winning games of basketball, published before they were played;"
        f" test are the seasons from {_TEST_SEASON} on.",
    )  # fmt: skip
    return replace(games, dev=_season(games.dev, late=False), test=_season(games.test, late=True))


def _season(scores: Scores, *, late: bool) -> Scores:
    parts: dict[str, Any] = {"client_groups": None, "impostor_groups": None, "source": None}
    for who, values in (("client", scores.client), ("impostor", scores.impostor)):
        season = np.asarray(getattr(scores, f"{who}_groups"), dtype=int)
        parts[who] = values[(season >= _TEST_SEASON) == late]
    return replace(scores, **parts)


def _dataset(
    folder: str, files: Sequence[str], *, name: str, system: str, words: ClassWords,
    description: str, group: str | tuple[str, str] | None = None, species: Sequence[str] = (),
) -> Dataset:  # fmt: skip
    place = next((p / folder for p in _PLACES if (p / folder).is_dir()), _PLACES[0] / folder)
    dev, test, *further = (
        replace(read_scores(place / file, group=group), name=system, words=words) for file in files
    )
    if further:
        attacks = [scores.impostor for scores in (test, *further)]
        strata, impostor = np.repeat(species, list(map(len, attacks))), np.concatenate(attacks)
        test = replace(test, impostor=impostor, impostor_strata=strata, source=None)
    parts = re.split(r"(?m)^([A-Z]\w+): ", (place / "SOURCE.md").read_text("utf-8"))
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    said = {title: " ".join(told.split()) for title, told in pairs}
    return Dataset(dev, test, name, description, said["Origin"], said["Licence"])
