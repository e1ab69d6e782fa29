"""Where rules are shown, read from the sources of the tests: nothing is imported or run.

A program of `tests/oracle/programs` names its rules in `@program(rules="V-20 V-22")`, a test in
`@pytest.mark.rule("V-20", "V-22")`, which may also be `pytestmark` of its file or class.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.architecture.rooms import statements
from tests.oracle.registry import ENABLED

TESTS = Path(__file__).parents[1]
PROGRAMS = TESTS / "oracle" / "programs"


@dataclass(frozen=True)
class Showing:
    """One program, test, class or file that says it shows a rule."""

    rule: str
    place: str
    program: bool
    #: Is it run: not a program of a milestone that is not enabled yet?
    runs: bool = True
    #: Does the program state behaviours of PyTorch and vizgrad that differ on purpose?
    differs: bool = False


def all_showings() -> list[Showing]:
    found: list[Showing] = []
    for path in sorted(TESTS.rglob("*.py")):
        if TESTS / "benchmarks" not in path.parents:  # its programs are timed, and show nothing
            found.extend(showings_in(path.read_text(encoding="utf-8"), path))
    return found


def showings_in(source: str, path: Path) -> Iterator[Showing]:
    """All that a file shows. A rule that is not written out as text is an error: it would be missed."""
    if "mark.rule" not in source and "program" not in source:
        return
    tree = ast.parse(source)
    milestone = _milestone_of_file(tree)
    name = path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else path.name
    for node in statements(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for decorator in node.decorator_list:
                yield from _named(decorator, f"{name}::{node.name}", node, milestone)
            if isinstance(node, ast.ClassDef):
                yield from _pytestmark(node.body, f"{name}::{node.name}")
    yield from _pytestmark(tree.body, name)


def _pytestmark(body: list[ast.stmt], place: str) -> Iterator[Showing]:
    for statement in body:
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "pytestmark"
            for target in statement.targets
        ):
            for call in ast.walk(statement.value):
                if isinstance(call, ast.Call):
                    yield from _named(call, place, statement)


def _named(
    decorator: ast.expr, place: str, decorated: ast.AST, milestone: str = "first"
) -> Iterator[Showing]:
    if not isinstance(decorator, ast.Call):
        return
    called = ast.unparse(decorator.func)
    if called == "pytest.mark.rule":
        for argument in decorator.args:
            yield Showing(_text(argument, place), place, program=False)
    elif called == "program":
        given = {k.arg: k.value for k in decorator.keywords}
        if "milestone" in given:
            milestone = _text(given["milestone"], place)
        for rule in _text(given["rules"], place).split():
            yield Showing(
                rule, place, program=True, runs=milestone in ENABLED, differs=_differs(decorated)
            )


def _milestone_of_file(tree: ast.Module) -> str:
    """That of `program = partial(plain_program, milestone="...")` in files of one milestone."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "program":
            assert isinstance(statement.value, ast.Call)
            (found,) = (k.value for k in statement.value.keywords if k.arg == "milestone")
            return _text(found, "program")
    return "first"


def _text(expression: ast.expr, place: str) -> str:
    if not isinstance(expression, ast.Constant) or not isinstance(expression.value, str):
        raise TypeError(f"{place} names its rules by {ast.unparse(expression)}; write the text out")
    return expression.value


def _differs(decorated: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Call) and ast.unparse(node.func) == "see.differs"
        for node in ast.walk(decorated)
    )
