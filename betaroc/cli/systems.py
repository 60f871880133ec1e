"""The systems of a call: named one by one, in a folder, in a manifest, or by their files alone."""

from __future__ import annotations

import os
import re
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from betaroc.cli.inputs import ScoreFiles, files_of, paths_of, read_file
from betaroc.cli.messages import FILE_ARGUMENTS
from betaroc.cli.options import given_options, is_same_file
from betaroc.core.errors import FileFormatError, InputError, ScoreFileNotFoundError
from betaroc.core.local_files import STDIN, file_names, read_toml, shown_path
from betaroc.core.notices import passed_on
from betaroc.core.text import listed, shown
from betaroc.data.scores import ScoreData, Scores, rejected_words
from betaroc.rendering.numbers import read_as, visible

#: Characters of a name.
_LONGEST = 80
#: So many names are listed.
_LISTED = 4
#: What a system of a manifest may have of its key, as the options of the same names.
_OF_KEY = ("key", "test_key", "key_label", "key_id")


class SystemFiles(NamedTuple):
    """What a system is called, "" where the call has one, and its files."""

    name: str
    dev: ScoreFiles
    tests: tuple[ScoreFiles, ...] = ()
    #: Its key and the key's columns, where a manifest gives them.
    key: Mapping[str, Any] = {}

    @property
    def paths(self) -> list[str]:
        """All files that are named."""
        return paths_of(self.dev, *self.tests)


def called_systems(
    arguments: Namespace, *, tests: tuple[int, int | None] = (0, None), one_per_file: bool = False
) -> list[SystemFiles]:
    """The systems that --system or --systems names, else the one of the call's files.

    ``tests`` are the fewest and the most test files that a system may have; with ``one_per_file``
    each of several files without an option is a system.
    """
    named = named_systems(arguments, tests=tests)
    if named:
        return named
    scores = getattr(arguments, "file", None) or []
    if len(scores) > 1 and one_per_file:
        files_of(arguments, "dev")
        return checked_systems(list(map(SystemFiles, default_names(scores), scores)))
    if len(scores) > 1:
        first, second = (visible(quote(path)) for path in scores[:2])
        raise InputError(
            f"SCORES must be one file, dev's; got {len(scores)}: {listed(scores)}. Name a test by"
            f" --test {second}, the files of both classes by --client-file {first} --impostor-file"
            f" {second}, several systems by --system NAME {first} --system NAME {second}."
        )
    dev, test = (files_of(arguments, role) for role in ("dev", "test"))
    if tests[0] and not test:
        raise InputError(
            "--test must name a score file. Give --dev DEV --test TEST, or any number of --system"
            " NAME DEV TEST."
        )
    return [SystemFiles("", dev[0], tuple(test))]


def named_systems(
    arguments: Namespace, *, tests: tuple[int, int | None] = (0, None)
) -> list[SystemFiles]:
    """The systems that --system or --systems names; none where the call has neither."""
    value, place = arguments.system, arguments.systems
    if value is None and place is None:
        return []
    beside = given_options(arguments, (*FILE_ARGUMENTS, "name"))
    if value is not None and place is not None:
        beside.append("--systems")
    if beside:
        raise InputError(
            f"{'--systems' if value is None else '--system'} must stand without"
            f" {', '.join(beside)}: it names every file of the call. Leave one of them out."
        )
    if place is None:
        systems = _of_options(value)
    elif not place:
        raise InputError("--systems must name a folder or a TOML file; got ''. Give its path.")
    else:
        systems = (_of_folder if os.path.isdir(place) else _of_manifest)(Path(place))
    arguments.system_files = [path for system in systems for path in system.paths]
    return checked_systems(systems, tests=tests)


def two_systems(arguments: Namespace) -> list[SystemFiles]:
    """Those of --dev and --test, two files each; named by --name, else by their paths."""
    for role in ("dev", "test"):
        files = getattr(arguments, role)
        one_for_both = role == "dev" and arguments.unpaired
        if len(files) != 2 or (is_same_file(*files) and not one_for_both):
            raise InputError(
                f"--{role} must name two different score files, one per system; got {len(files)}:"
                f" {listed(files)}. One system on two test sets takes --unpaired."
            )
    names = arguments.name
    if names is None:
        pairs = map(default_names, (arguments.dev, arguments.test))
        names = next(filter(_are_names, pairs), ["A", "B"])
    if not _are_names(names):
        raise InputError(
            f"--name must give two different names of at most {_LONGEST} characters; got"
            f" {listed(names)}."
        )
    files = zip(names, arguments.dev, arguments.test, strict=True)
    return [SystemFiles(name, dev, (test,)) for name, dev, test in files]


def _are_names(names: Sequence[str]) -> bool:
    shapes = {visible(name).strip() for name in names}
    return len(names) == len(shapes) == 2 and all(0 < len(shape) <= _LONGEST for shape in shapes)


def checked_systems(
    systems: Sequence[SystemFiles], *, tests: tuple[int, int | None] = (0, None)
) -> list[SystemFiles]:
    """Names and files that can be what they stand for."""
    _refuse_files(systems)
    names = [system.name.strip() for system in systems]
    least, most = tests
    for system, name in zip(systems, names, strict=True):
        rule, what = "", shown(system.name)
        if not name or len(system.name) > _LONGEST or not system.name.isprintable():
            rule = f"have a name of 1 to {_LONGEST} characters that print; got {what}"
        elif names.count(name) > 1:
            rule = f"have a name of its own; {what} is given {names.count(name)} times"
        elif len(system.tests) < least or (most is not None and len(system.tests) > most):
            number = "one test file" if least == most else "at most one test file"
            rule = f"have {number} here; {what} has {len(system.tests)}"
        if rule:
            raise InputError(f"every system must {rule}. Such as --system NAME DEV TEST.")
    return list(systems)


def _refuse_files(systems: Sequence[SystemFiles]) -> None:
    """Every file exists, is no folder, and serves one system in one role."""
    paths = dict.fromkeys(path for system in systems for path in system.paths)
    wrong = [path for path in paths if path != STDIN and not os.path.isfile(path)]
    if wrong:
        raise ScoreFileNotFoundError(
            f"every file of the systems must be a file that exists; {len(wrong)} of {len(paths)}"
            f" are none: {first_names(shown_path(path, 50) for path in wrong)}. Check the paths."
        )
    seen: dict[object, str] = {}
    for system in systems:
        for k, path in enumerate(system.paths):
            role = f"{'test' if k else 'dev'} of {shown(system.name, 30)}"
            known = seen.setdefault(path if path == STDIN else os.stat(path)[1:3], role)
            if known is not role:
                raise InputError(
                    f"every file must be named once; {shown(path)} is {role} and {known}. Name"
                    " trials that took no part in choosing a threshold."
                )


def read_systems(
    systems: Iterable[SystemFiles], arguments: Namespace, step: Callable[[], None], *,
    dev_named: bool = True, tests: bool = True,
) -> Iterator[tuple[str, ScoreData, tuple[ScoreData, ...]]]:  # fmt: skip
    """Name, dev and tests of one system after the other; warnings begin with name and role."""
    for name, dev, paths, key in systems:
        options = Namespace(**{**vars(arguments), **key})
        start = f"{visible(name)}: " * bool(name)
        with passed_on(f"{start}dev: " if name or (tests and paths) else ""):
            first = read_file(dev, options, step, named=dev_named)
        with passed_on(f"{start}test: "):
            read = [read_file(path, options, step, is_test=True) for path in paths if tests]
        yield name, first, tuple(read)


# --------------------------------------------------------------------------- where from
def _of_options(value: Sequence[Sequence[str]]) -> list[SystemFiles]:
    for words in value:
        if len(words) < 2:
            raise InputError(f"--system must give a name and a dev file; got {shown(words[0])}.")
    return [SystemFiles(name, dev, tuple(tests)) for name, dev, *tests in value]


def _of_folder(folder: Path) -> list[SystemFiles]:
    """One folder per system: dev.* and test*.* and nothing else."""
    systems, others = [], []
    for inner in _inside(folder):
        files = _inside(inner) if inner.is_dir() else []
        others += [] if inner.is_dir() else [inner]
        dev, tests = ([p for p in files if re.fullmatch(shape, p.name) and p.is_file()]
                      for shape in (r"dev\..+", r"test.*\..+"))  # fmt: skip
        others += [path for path in files if path not in dev + tests]
        if inner.is_dir() and len(dev) != 1:
            raise InputError(
                f"the folder of a system must hold one file dev.*; {shown(str(inner))} holds"
                f" {len(dev)}."
            )
        systems += [SystemFiles(inner.name, str(p), tuple(map(str, tests))) for p in dev]
    if others or not systems:
        what = f"also holds {listed([str(p.relative_to(folder)) for p in others])}"
        raise InputError(
            f"--systems must hold folders NAME with dev.* and test*.* alone; {shown(str(folder))}"
            f" {what if others else 'holds none'}. Move them, or name the systems with --system or"
            " in a manifest."
        )
    return systems


def _inside(folder: Path) -> list[Path]:
    """What is in it but hidden files, which systems and editors leave."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise FileFormatError(
            f"--systems must be a folder that can be read; {shown(str(folder))}: {error.strerror}."
            " Check the path."
        ) from error


def _of_manifest(path: Path) -> list[SystemFiles]:
    """Tables [systems.NAME] of a TOML file."""
    document = read_toml(path, "--systems", "Name a folder, or a TOML file of [systems.NAME].")
    tables = document.get("systems")
    if set(document) != {"systems"} or not isinstance(tables, Mapping) or not tables:
        raise InputError(
            f"a manifest must have tables [systems.NAME] alone; {shown(str(path))} has"
            f" {listed(document) or 'nothing'}. Such as [systems.mlp] with"
            ' dev = "dev.csv" and test = "test.csv".'
        )
    return [_of_table(name, table, path.parent) for name, table in tables.items()]


def _of_table(name: str, table: Any, folder: Path) -> SystemFiles:
    start, table = f"[systems.{visible(name)}]", table if isinstance(table, Mapping) else {}
    if "dev" not in table or set(table) - {"dev", "test", *_OF_KEY}:
        raise InputError(
            f"{start} must have dev, and test and {', '.join(_OF_KEY)} if any; it has"
            f" {listed(sorted(table)) or 'neither'}. Give it paths from where the manifest is."
        )
    values: dict[str, Any] = {"test": []}
    for word, value in table.items():
        several = word in ("test", "key_id")
        texts = value if several and isinstance(value, list) else [value]
        # A system may have no test.
        if (word != "test" and not texts) or not all(isinstance(x, str) and x for x in texts):
            raise InputError(
                f"{start} must have text in {word}; got {shown(value)}. Write"
                f' {word} = "..."' + ", or a list." * several
            )
        if word in ("dev", "test", "key", "test_key"):
            texts = [str(folder / text) for text in texts]
        values[word] = texts if several else texts[0]
    return SystemFiles(name, values.pop("dev"), tuple(values.pop("test")), values)


def reading_words(read: Iterable[tuple[str, ScoreData]]) -> str:
    """How the files of the systems were read, a line per format; the names where they differ."""
    forms: dict[str, list[str]] = {}
    names, rejected = [], {"client": 0, "impostor": 0}
    for name, scores in read:
        if scores.source is not None:
            form = read_as(scores.source.format, scores.source.guessed, scores.source.guesses)
            forms.setdefault(form, []).append(name)
        if isinstance(scores, Scores) and scores.has_rejected:
            names.append(name)
            for who in rejected:
                rejected[who] += getattr(scores, f"n_{who}_rejected")
    lines = [f"files{f' of {first_names(of)}' * (len(forms) > 1)} read as {form}"
             for form, of in forms.items()]  # fmt: skip
    if names:
        lines.append(f"files of {first_names(names)}: {rejected_words(*rejected.values())}")
    return "\n".join(lines)


def first_names(names: Iterable[str]) -> str:
    """The first of some names, each once, and how many more there are."""
    texts = [visible(name) for name in dict.fromkeys(names)]
    more = f" and {len(texts) - _LISTED} more" * (len(texts) > _LISTED)
    return ", ".join(texts[:_LISTED]) + more


# --------------------------------------------------------------------------- their names
def default_names(paths: Sequence[str]) -> list[str]:
    """The words in which paths differ, of the names of the files where these do.

    a/dev.csv and b/dev.csv are a and b; mlp-dev.csv and svm-dev.csv are mlp and svm.
    """
    texts = [Path(path).stem for path in paths]
    if len(set(texts)) < len(paths):
        texts = [str(Path(os.path.abspath(path)).with_suffix("")) for path in paths]
    backwards = [text[::-1] for text in texts]
    common = map(os.path.commonprefix, (texts, backwards))
    start, end = (len(re.sub(r"[^-_. /]*$", "", text)) for text in common)
    names = [text[start : len(text) - end] for text in texts]
    if all(names) and len(set(names)) == len(names):
        return names
    whole = file_names(paths)
    return [whole[path] for path in paths]
