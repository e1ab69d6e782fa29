"""Every error of the engine, the hooks and the Function checks explains itself (explanations.md)."""

from __future__ import annotations

import ast
import re
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

import vizgrad
from tests.debugger.explanations import (
    calls,
    checks,
    derivatives,
    forward,
    functions,
    hooks,
    inplace,
    saving,
)
from tests.debugger.explanations.exempt import EXEMPT, REPORTS
from tests.debugger.explanations.wrong import PROGRAMS, Wrong

ROOT = Path(vizgrad.__file__).parent
FOLDERS = ("core/engine", "core/graph", "autograd", "core/function")
FILES = (calls, checks, derivatives, forward, functions, hooks, inplace, saving)
KINDS = set(
    re.findall(
        r"`([a-z-]+)`",
        (ROOT / "debugger" / "session" / "README.md")
        .read_text(encoding="utf-8")
        .split("## Kinds")[1],
    )
)


def run(program: Wrong) -> BaseException:
    before = vizgrad.is_grad_enabled()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            program.run()
        except program.error as error:
            assert vizgrad.is_grad_enabled() is before
            return error
    raise AssertionError(f"{program.run.__name__} raises nothing")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.run.__name__)
def test_the_error_names_the_line_to_edit(program: Wrong) -> None:
    error: Any = run(program)
    explanation = error.explanation
    assert explanation.kind == program.kind
    assert explanation.kind in KINDS
    assert explanation.fix
    assert any(explanation.fix in note for note in error.__notes__)
    if not program.blamed:
        assert explanation.culprit is None
        return
    assert explanation.culprit is not None
    assert Path(explanation.culprit.file).parent == Path(__file__).parent
    line = (
        Path(explanation.culprit.file)
        .read_text(encoding="utf-8")
        .splitlines()[explanation.culprit.line - 1]
    )
    assert line.endswith("# blame"), line
    code = program.run.__code__
    lines = {number for _, _, number in code.co_lines() if number is not None}
    inside = min(lines) <= explanation.culprit.line <= max(lines) + 1
    assert inside, "the line of another program"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.run.__name__)
def test_the_error_is_five_lines_at_most(program: Wrong) -> None:
    error: Any = run(program)
    text = "".join(traceback.format_exception_only(error)).rstrip("\n")
    told = "\n".join(error.__notes__).split("\n")
    assert text.count("\n") - str(error).count("\n") == len(told) <= 4, text
    fixes = [line for line in told if line.startswith("  fix: ")]
    where = [line for line in told if line.startswith("  where: ")]
    assert (len(fixes), len(where)) == (1, 1 if program.blamed else 0)
    assert told[-1].startswith(("  fix: ", "  look closer: "))


# --- is there a program for each error? -------------------------------------------------------------


def raises() -> Iterator[tuple[str, ast.Raise]]:
    """File and statement of each `raise` that makes an error."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Raise) and node.exc is not None and name not in REPORTS:
                    yield name, node


def exempt(name: str, node: ast.Raise) -> tuple[str, str] | None:
    assert node.exc is not None
    text = ast.unparse(node.exc)
    return next((key for key in EXEMPT if key[0] == name and text.startswith(key[1])), None)


def passed(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    """File and line of each frame that an error came through."""
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if path.is_relative_to(ROOT):
            yield path.relative_to(ROOT).as_posix(), trace.tb_lineno
        trace = trace.tb_next


def test_each_error_has_a_program_that_raises_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIZGRAD_FULL_TRACEBACKS", "1")
    reached = {place for program in PROGRAMS for place in passed(run(program).__traceback__)}
    missing: list[str] = []
    for name, node in raises():
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        if exempt(name, node) is None and not any((name, line) in reached for line in lines):
            missing.append(f"{name}:{node.lineno}: {ast.unparse(node)[:100]}")
    assert missing == []


def test_each_exemption_is_of_an_error_that_is_there() -> None:
    used = {exempt(name, node) for name, node in raises()}
    assert used - {None} == set(EXEMPT)
    assert all((ROOT / name).exists() for name in REPORTS)
