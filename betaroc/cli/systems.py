"""The systems of a call: named one by one, in a folder, in a manifest, or by their files alone."""

from __future__ import annotations

import argparse
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from betaroc.cli.inputs import read_file
from betaroc.core.errors import FileFormatError, InputError, ScoreFileNotFoundError
from betaroc.core.local_files import STDIN, file_names, read_toml, shown_path
from betaroc.core.notices import passed_on
from betaroc.core.text import shown
from betaroc.data.accepted import rejected_words
from betaroc.data.scores import ScoreData, Scores
from betaroc.rendering.numbers import read_as, visible

#: Characters of a name.
LONGEST = 80
#: So many paths are named in an error.
_NAMED = 4
#: What a system of a manifest may have of its key, as the options of the same names.
_OF_KEY = ("key", "test_key", "key_label", "key_id")
#: What names one system, beside which others must not be named.
_OF_ONE = (
    "file", "dev", "test", "name", "client_file", "impostor_file", "test_client_file",
    "test_impostor_file",
)  # fmt: skip


class SystemFiles(NamedTuple):
    """What a system is called, and its files."""

    name: str
    dev: str
    tests: tuple[str, ...] = ()
    #: Its key and the key's columns, where a manifest gives them.
    key: tuple[tuple[str, Any], ...] = ()


class ReadSystem(NamedTuple):
    """A system and what was read of it."""

    name: str
    dev: ScoreData
    tests: tuple[ScoreData, ...]


def system_options(parser: argparse.ArgumentParser) -> None:
    """Those that name any number of systems."""
    group = parser.add_argument_group("several systems")
    group.add_argument("--system", nargs="+", action="append", metavar=("NAME", "FILE"),
        help="a system: its name, its dev scores, then those of its tests; may be"
        " repeated")  # fmt: skip
    group.add_argument("--systems", metavar="FILE",
        help="all systems: a folder of folders NAME that hold dev.* and test*.*, or a TOML file"
        ' of tables [systems.NAME] with dev = "..." and test = "..." or a list, paths from where'
        " it is")  # fmt: skip


def named_systems(
    arguments: argparse.Namespace, *, tests: tuple[int, int | None] = (0, None)
) -> list[SystemFiles]:
    """The systems that --system or --systems names; none where the call has neither.

    ``tests`` are the fewest and the most test files that a system may have.
    """
    given, place = arguments.system, arguments.systems
    if given is None and place is None:
        return []
    beside = [f"--{n}".replace("_", "-") for n in _OF_ONE if getattr(arguments, n, None)]
    beside = ["SCORES" if name == "--file" else name for name in beside]
    if given is not None and place is not None:
        beside.append("--systems")
    if beside:
        option = "--systems" if given is None else "--system"
        raise InputError(
            f"{option} must stand without {', '.join(beside)}: it names every file of the call."
            " Leave one of them out."
        )
    if place == "":
        raise InputError("--systems must name a folder or a TOML file; got ''. Give its path.")
    if place is None:
        found = _of_options(given)
    else:
        found = (_of_folder if os.path.isdir(place) else _of_manifest)(Path(place))
    arguments.system_files = [path for one in found for path in (one.dev, *one.tests)]
    return checked_systems(found, tests=tests)


def checked_systems(
    systems: Sequence[SystemFiles], *, tests: tuple[int, int | None] = (0, None)
) -> list[SystemFiles]:
    """Names and files that can be what they stand for."""
    _refuse_same_files(systems)
    _refuse_missing(systems)
    names = [system.name for system in systems]
    for name in names:
        if not name.strip() or len(name) > LONGEST or not name.isprintable():
            size = f", which has {len(name)}" if len(name) > LONGEST else ""
            raise InputError(
                f"the name of a system must have 1 to {LONGEST} characters that print; got"
                f" {shown(name)}{size}. Call it by a word: --system NAME DEV [TEST ...]."
            )
    twice = [name for name, n in Counter(name.strip() for name in names).items() if n > 1]
    if twice:
        raise InputError(
            f"every system must have a name of its own; {shown(twice[0])} is given"
            f" {sum(name.strip() == twice[0] for name in names)} times. Rename one, or leave"
            " it out."
        )
    least, most = tests
    for system in systems:
        if len(system.tests) < least or (most is not None and len(system.tests) > most):
            number = "one test file" if least == most else "at most one test file"
            raise InputError(
                f"every system must have {number} here; {shown(system.name)} has"
                f" {len(system.tests)}. Name it so: --system NAME DEV TEST."
            )
    return list(systems)


def read_systems(
    systems: Iterable[SystemFiles], arguments: argparse.Namespace, step: Callable[[], None], *,
    dev_named: bool = True, tests: bool = True,
) -> Iterator[ReadSystem]:  # fmt: skip
    """The scores of one system after the other; warnings begin with its name."""
    for name, dev, paths, key in systems:
        options = argparse.Namespace(**{**vars(arguments), **dict(key)})
        with passed_on(f"{visible(name)}: dev: "):
            own = read_file(dev, options, step, named=dev_named)
        read = []
        for path in paths if tests else ():
            with passed_on(f"{visible(name)}: test: "):
                read.append(read_file(path, options, step, is_test=True))
        yield ReadSystem(name, own, tuple(read))


# --------------------------------------------------------------------------- where from
def _of_options(given: Sequence[Sequence[str]]) -> list[SystemFiles]:
    for words in given:
        if len(words) < 2:
            raise InputError(
                f"--system must give a name and a dev file; got {shown(words[0])} alone. Such as"
                " --system mlp mlp-dev.csv mlp-test.csv."
            )
    return [SystemFiles(name, dev, tuple(tests)) for name, dev, *tests in given]


def _of_folder(folder: Path) -> list[SystemFiles]:
    """One folder a system: dev.* and test*.* and nothing else."""
    found, others = [], []
    for own in _inside(folder):
        if not own.is_dir():
            others.append(own)
            continue
        files = _inside(own)
        dev = [p for p in files if re.fullmatch(r"dev\..+", p.name) and p.is_file()]
        tests = [p for p in files if re.fullmatch(r"test.*\..+", p.name) and p.is_file()]
        others += [p for p in files if p not in dev and p not in tests]
        if len(dev) != 1:
            raise InputError(
                f"the folder of a system must hold one file dev.*; {shown(str(own))} holds"
                f" {len(dev)}. Such as {own.name}/dev.csv and {own.name}/test.csv."
            )
        found.append(SystemFiles(own.name, str(dev[0]), tuple(map(str, tests))))
    if others:
        told = _some([str(path.relative_to(folder)) for path in others])
        raise InputError(
            "--systems must hold folders NAME with dev.* and test*.* alone;"
            f" {shown(str(folder))} also holds {told}. Move them, or name the systems with"
            " --system or in a manifest."
        )
    if not found:
        raise InputError(
            f"--systems must hold a folder for each system; {shown(str(folder))} is empty. Such as"
            " NAME/dev.csv and NAME/test.csv."
        )
    return found


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
            f" {_some(list(document)) or 'nothing'}. Such as [systems.mlp] with"
            ' dev = "dev.csv" and test = "test.csv".'
        )
    return [_of_table(name, table, path.parent) for name, table in tables.items()]


def _of_table(name: str, table: Any, folder: Path) -> SystemFiles:
    keys = set(table) if isinstance(table, Mapping) else set()
    if "dev" not in keys or keys - {"dev", "test", *_OF_KEY}:
        raise InputError(
            f"[systems.{visible(name)}] must have dev, and test and {', '.join(_OF_KEY)} if any;"
            f" it has {_some(sorted(keys)) or 'neither'}. Give it paths from where the manifest is."
        )
    tests = table.get("test", [])
    paths = [table["dev"], *(tests if isinstance(tests, list) else [tests])]
    if not all(isinstance(path, str) and path for path in paths):
        raise InputError(
            f"[systems.{visible(name)}] must have paths in dev and test; got {shown(paths)}. Write"
            ' dev = "dev.csv" and test = "test.csv", or a list.'
        )
    dev, *rest = (str(folder / one) for one in paths)
    key = {word: table[word] for word in _OF_KEY if word in table}
    for word, value in key.items():
        texts = value if isinstance(value, list) and word == "key_id" else [value]
        if not texts or not all(isinstance(text, str) and text for text in texts):
            raise InputError(
                f"[systems.{visible(name)}] must have text in {word}; got {shown(value)}. Write"
                f' {word} = "...".'
            )
        key[word] = texts if word == "key_id" else value
        if word in ("key", "test_key"):
            key[word] = str(folder / value)
    return SystemFiles(name, dev, tuple(rest), tuple(key.items()))


# --------------------------------------------------------------------------- conditions


def _refuse_missing(systems: Sequence[SystemFiles]) -> None:
    paths = [path for system in systems for path in (system.dev, *system.tests)]
    known = [path for path in dict.fromkeys(paths) if path != STDIN]
    gone = [path for path in known if not _is(os.path.exists, path)]
    names = first_names(shown_path(path, 50) for path in gone)
    if gone:
        raise ScoreFileNotFoundError(
            f"every file of the systems must exist; {len(gone)} of {len(set(paths))} do not:"
            f" {names}. Nothing was read: check the paths."
        )
    folders = [path for path in known if _is(os.path.isdir, path)]
    names = first_names(shown_path(path, 50) for path in folders)
    if folders:
        raise FileFormatError(
            f"every file of the systems must be a file; {len(folders)} of {len(set(paths))} are"
            f" folders: {names}. Nothing was read: name the score files."
        )


def _is(what: Callable[[str], bool], path: str) -> bool:
    try:
        return what(path)
    except ValueError:  # of a NUL in it
        return False


def _refuse_same_files(systems: Sequence[SystemFiles]) -> None:
    """A file serves one system, in one role."""
    seen: dict[object, tuple[str, str]] = {}
    for system in systems:
        for role, path in [("dev", system.dev), *(("test", test) for test in system.tests)]:
            known = _identity(path)
            if known in seen:
                name, other = seen[known]
                raise InputError(
                    f"every file must be named once; {shown(path)} is {role} of"
                    f" {shown(system.name, 30)} and {other} of {shown(name, 30)}. Name the file of"
                    " the other system, or trials that took no part in choosing a threshold."
                )
            seen[known] = system.name, role


def _identity(path: str) -> object:
    if path == STDIN:
        return path
    try:
        found = os.stat(path)
    except OSError:  # said where it is read
        return os.path.abspath(path)
    return found.st_dev, found.st_ino


def refuse_other_numbers(names: Sequence[str], tests: Sequence[ScoreData]) -> None:
    """Paired decisions need one list of trials, with a score or rejected without one."""
    what = "trials" if any(scores.has_rejected for scores in tests) else "scores"
    for who in ("client", "impostor"):
        numbers = [
            int(getattr(scores, f"n_{who}")) + getattr(scores, f"n_{who}_rejected", 0)
            for scores in tests
        ]
        for name, n in zip(names, numbers, strict=True):
            if n != numbers[0]:
                raise InputError(
                    f"all tests must hold the same trials in one order; {names[0]} has"
                    f" {numbers[0]} {who} {what}, {name} {n}. Keep the common trials, or"
                    " pass --unpaired if the systems judged different ones."
                )


def reading_words(read: Iterable[tuple[str, ScoreData | None]]) -> str:
    """How the files of the systems were read, in a line each way; the names where they differ."""
    given = [(name, scores) for name, scores in read if scores is not None]
    ways: dict[str, list[str]] = {}
    for name, scores in given:
        source = scores.source
        if source is not None:
            form = read_as(source.format, source.guessed, source.guesses)
            ways.setdefault(form, []).append(name)
    if len(ways) == 1:
        lines = [f"files read as {next(iter(ways))}"]
    else:
        lines = [f"files of {first_names(own)} read as {form}" for form, own in ways.items()]
    return "\n".join([*lines, *_rejected_lines(given)])


def _rejected_lines(read: Iterable[tuple[str, ScoreData]]) -> list[str]:
    """What trials without a score do to the rates of these systems."""
    lacking = [(name, one) for name, one in read if isinstance(one, Scores) and one.has_rejected]
    client, impostor = (
        sum(getattr(one, f"n_{who}_rejected") for _, one in lacking)
        for who in ("client", "impostor")
    )
    said = rejected_words(client, impostor)
    return [f"files of {first_names(name for name, _ in lacking)}: {said}"] * bool(lacking)


def _some(texts: Sequence[str]) -> str:
    return first_names([shown(text, 50) for text in texts])


def first_names(names: Iterable[str], most: int = _NAMED) -> str:
    """The first of some names, each once, and how many more there are."""
    texts = [visible(name) for name in dict.fromkeys(names)]
    return ", ".join(texts[:most]) + f" and {len(texts) - most} more" * (len(texts) > most)


# --------------------------------------------------------------------------- their names
def default_names(paths: Sequence[str]) -> list[str]:
    """The shortest parts of paths in which all of them differ.

    a/dev.csv and b/dev.csv are a and b; mlp-dev.csv and svm-dev.csv are mlp and svm.
    """
    if not all(paths):  # refused where they are read
        return list(paths)
    apart = [list(Path(os.path.abspath(path)).parts) for path in paths]
    for parts in apart:
        parts[-1] = Path(parts[-1]).stem or parts[-1]
    depth = max(map(len, apart))
    columns = list(zip(*([""] * (depth - len(p)) + p for p in apart), strict=True))[::-1]
    differing = [column for column in columns if len(set(column)) > 1]
    for column in differing:
        if len(set(column)) == len(column) and all(column):
            return _without_common(column)
    joined = ["/".join(filter(None, row)) for row in zip(*differing[::-1], strict=True)]
    if len(set(joined)) == len(paths) and all(joined):
        return joined
    names = file_names(paths)
    return [names[path] for path in paths]


def _without_common(texts: Sequence[str]) -> list[str]:
    """Without the words that all begin or end with."""
    words = [re.split(r"([-_. ])", text) for text in texts]
    shortest = min(map(len, words))
    start = next((k for k in range(shortest) if len({w[k] for w in words}) > 1), shortest)
    end = next((k for k in range(shortest) if len({w[-1 - k] for w in words}) > 1), shortest)
    kept = ["".join(w[start : len(w) - end]).strip("-_. ") for w in words]
    return kept if all(kept) and len(set(kept)) == len(kept) else list(texts)
