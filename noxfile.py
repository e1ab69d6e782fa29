"""The tests and checks for machines without make: `nox -s tests`, `nox -s parity`, `nox -s lint`.

`make` also builds the front end and runs its tests and those in a browser; here are those of the Python side.
"""

from __future__ import annotations

from pathlib import Path

import nox

nox.options.sessions = ["tests"]
VERSIONS = ["3.11", "3.12", "3.13", "3.14"]


def _install(session: nox.Session, *extras: str) -> None:
    """What pyproject.toml declares, in the versions that work together; the package is used where it lies."""
    listed = session.run("python", ".ci/requirements.py", *extras, silent=True)
    requirements = session.create_tmp() + "/requirements.txt"
    Path(requirements).write_text(listed or "", "utf-8")
    session.install("-r", requirements, "--constraint", ".ci/constraints.txt")
    session.env["PYTHONPATH"] = "."


@nox.session(python=VERSIONS)
def tests(session: nox.Session) -> None:
    """All tests but those of the front end and of what is installed."""
    _install(session, "test")
    ignored = ("--ignore=tests/ui", "--ignore=tests/packaging")
    session.run("python", "-m", "pytest", "-n", "auto", *ignored, *session.posargs)


@nox.session(python=VERSIONS[0])
def parity(session: nox.Session) -> None:
    """Against PyTorch, program by program."""
    _install(session, "test", "parity")
    session.run("python", "-m", "pytest", "-n", "auto", "tests/oracle", *session.posargs)


@nox.session(python=VERSIONS[0])
def lint(session: nox.Session) -> None:
    """The checks of the Python side."""
    _install(session, "lint")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports", "--no-logo")
    session.run("pyright")
