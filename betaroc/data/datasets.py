"""Real scores to try things on, which come with the package: `betaroc.datasets`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from betaroc.core.checks import choice, finite
from betaroc.core.errors import InputError
from betaroc.core.notices import collect_warnings
from betaroc.core.text import format_list
from betaroc.core.value import Value
from betaroc.core.vocabulary import ClassWords
from betaroc.data.read import read_scores
from betaroc.data.scores import Scores

__all__ = ["Dataset", "load_faces", "load_games", "load_liveness", "load_verification"]

_HERE = Path(__file__)
#: Where the sets are: in an installed package, and in a checkout, which keeps them once.
_PLACES = (_HERE.with_name("sets"), _HERE.parents[2] / "examples" / "data")
_CLASSIFIERS = ("logreg", "forest")
_SHARPENED = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
#: Of the games the first season of test.
_TEST_SEASON = 2020


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(Value):
    """Scores of one classifier, on dev and on test, and where they come from.

    Parameters
    ----------
    dev, test : Scores
        Trials to choose a threshold on, and to try it on.
    name, description : str
        Of the set: its name, and what the scores are.
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


@collect_warnings
def load_liveness(classifier: str = "logreg", *, sharpened: float = 0.0) -> Dataset:
    """Images of digits against recaptures of them, as a classifier tells them apart.

    Parameters
    ----------
    classifier : {"logreg", "forest"}
        Logistic regression, or a random forest, whose scores have ties and exact 0 and 1.
    sharpened : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}
        By how much attackers sharpened their images on test; on dev they did not.

    Returns
    -------
    Dataset
        180 bona fide and 181 attacks of dev, 448 and 448 of test, the same images in the same order
        for both classifiers and every amount. Images and classifiers are real, blur and sharpening
        simulated.

    Raises
    ------
    InputError
        For another classifier or amount.

    Examples
    --------
    >>> import betaroc as br
    >>> data = br.datasets.load_liveness(sharpened=0.4)
    >>> data.dev.words
    ClassWords(client='bona fide', impostor='attack')
    >>> br.decide(data.dev, far=0.05).check(data.test).verdict
    'broken'
    """
    amount = finite(sharpened, "sharpened")
    if amount not in _SHARPENED:
        raise InputError.about("sharpened")(
            f"sharpened must be one of {format_list(_SHARPENED, 6)}; got {sharpened!r}. Pass one."
        )
    kind = choice(classifier, _CLASSIFIERS, "classifier")
    return _dataset(
        f"liveness_cross_{kind}", ("dev.csv", f"test_sharpen{amount:.2f}.csv"), name="liveness",
        system=kind, words=ClassWords("bona fide", "attack"),
        description=f"Images of digits against recaptures of them, told apart by {kind};"
        f" attackers sharpened their images of test by {amount:g}.",
    )  # fmt: skip


@collect_warnings
def load_verification() -> Dataset:
    """Speakers who are whom they claim to be against others, as a verifier tells them apart.

    Returns
    -------
    Dataset
        1484 target and 5768 nontarget trials of dev, 5370 and 33 327 of test, of different
        speakers; scores like log-likelihood ratios, without bounds (ASVspoof 2019, logical access,
        x-vectors and PLDA).

    Examples
    --------
    >>> import betaroc as br
    >>> data = br.datasets.load_verification()
    >>> decision = br.decide(data.dev, far=0.01)
    >>> decision.how, decision.check(data.test).verdict
    ('guaranteed', 'kept')
    """
    return _dataset(
        "asvspoof19_asv", ("dev.csv.gz", "eval.csv.gz"), name="verification", system="x-vector",
        words=ClassWords("target", "nontarget"),
        description="Speakers who are whom they claim to be against others who make no effort.",
    )  # fmt: skip


@collect_warnings
def load_faces() -> Dataset:
    """Faces of people against those who claim to be them, with the identities of both.

    Returns
    -------
    Dataset
        390 genuine and 520 impostor trials of dev and as many of test, of different people;
        `client_groups` and `impostor_groups` are the claimed and the real identity.

    Examples
    --------
    >>> import betaroc as br
    >>> dev = br.datasets.load_faces().dev
    >>> dev.client_groups[0].tolist(), len(dev.impostor_groups)
    (['f_1001', 'f_1001'], 520)
    """
    return _dataset(
        "bob_verif", ("scores-dev.4col.txt", "scores-eval.4col.txt"), name="faces", system="bob",
        words=ClassWords("genuine", "impostor"), group=("claimed", "real"),
        description="Faces of people against those who claim to be them, 26 identities a part.",
    )  # fmt: skip


@collect_warnings
def load_games() -> Dataset:
    """Published chances of winning of games of basketball that were won and that were lost.

    Returns
    -------
    Dataset
        3090 games won and 2159 lost of the seasons 2016 to 2019, 1990 and 1647 of 2020 to 2022.
        Client is "won": the score is the chance of winning that was published before the game.

    Examples
    --------
    >>> import betaroc as br
    >>> data = br.datasets.load_games()
    >>> data.test.n_client, data.test.n_impostor
    (1990, 1647)
    """
    file = "nba_games.csv.gz"
    result = _dataset(
        "fivethirtyeight", (file, file), name="games", system="FiveThirtyEight",
        words=ClassWords("won", "lost"), group="season",
        description="Chances of winning games of basketball, published before they were played;"
        f" test are the seasons from {_TEST_SEASON} on.",
    )  # fmt: skip
    return replace(
        result, dev=_seasons(result.dev, late=False), test=_seasons(result.test, late=True)
    )


def _seasons(scores: Scores, *, late: bool) -> Scores:
    keep = {
        who: getattr(scores, who)[
            (np.asarray(getattr(scores, f"{who}_groups"), dtype=int) >= _TEST_SEASON) == late
        ]
        for who in ("client", "impostor")
    }
    return replace(scores, **keep, client_groups=None, impostor_groups=None, source=None)


def _dataset(
    folder: str, files: tuple[str, str], *, name: str, system: str, words: ClassWords,
    description: str, group: str | tuple[str, str] | None = None,
) -> Dataset:  # fmt: skip
    place = next((p / folder for p in _PLACES if (p / folder).is_dir()), _PLACES[0] / folder)
    dev, test = (
        replace(read_scores(place / file, group=group), name=system, words=words) for file in files
    )
    text = (place / "SOURCE.md").read_text(encoding="utf-8")
    parts = re.split(r"^(Origin|What|Licence|Changed): ", text, flags=re.MULTILINE)
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    said = {title: " ".join(told.split()) for title, told in pairs}
    return Dataset(dev, test, name, description, said["Origin"], said["Licence"])
