#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""Every check in an environment of its own: `nox` runs the first four, `nox -s NAME` one."""

from __future__ import annotations

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def tests(session: nox.Session) -> None:
    """The whole suite, or what is named after --."""
    session.install(".[test]")
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Ruff's rules and its form."""
    session.install("ruff>=0.12")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """mypy in its strict mode."""
    session.install("-e", ".[test]")
    session.run("mypy")


@nox.session
def docs(session: nox.Session) -> None:
    """Pages, examples and docstrings print what they show."""
    session.install(".[test,docs]")
    session.run("pytest", "-n", "auto", "-m", "docs")


@nox.session(default=False)
def site(session: nox.Session) -> None:
    """The site, every warning an error."""
    session.install("-e", ".[docs]")
    session.run("sphinx-build", "-W", "-n", "docs", "build/site")


@nox.session(default=False)
def links(session: nox.Session) -> None:
    """Whether the links out of the site lead anywhere: this needs the network."""
    session.install("-e", ".[docs]")
    session.run("sphinx-build", "-b", "linkcheck", "docs", "build/links")


@nox.session(python="3.11", default=False)
def lowest(session: nox.Session) -> None:
    """The inner loop with the lowest versions."""
    session.install("-r", "tests/lowest.txt")
    session.install("--no-deps", "-e", ".")
    session.run("pytest", "-n", "auto", "-m", "not simulation and not docs")


@nox.session(default=False)
def coverage(session: nox.Session) -> None:
    """Which lines and branches the suite runs."""
    session.install("-e", ".[test]", "pytest-cov>=7")
    session.run("pytest", "-n", "auto", "--cov", "--cov-report=term-missing:skip-covered")


@nox.session(default=False)
def mutation(session: nox.Session) -> None:
    """Which drawn changes of the numerical core no test notices: hours."""
    session.install("-e", ".[test]", "pytest-cov>=7", "cosmic-ray>=8.4")
    session.run("python", "tools/mutation/run.py", *session.posargs)
    session.run("python", "tools/mutation/table.py")


if __name__ == "__main__":
    nox.main()
