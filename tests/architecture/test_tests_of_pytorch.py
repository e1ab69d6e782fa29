"""Tests that need PyTorch are run by `make parity`, which finds them by name: `make test` has no PyTorch."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
MAKEFILE = TESTS.parent / "Makefile"
#: Written so that this file is none of those that it is about.
NEEDS = "importorskip(" + '"torch")'


def needing_pytorch() -> Iterator[tuple[str, str]]:
    """File, and name of each test that skips itself without PyTorch."""
    for path in sorted(TESTS.rglob("test_*.py")):
        source = path.read_text("utf-8")
        if NEEDS not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            is_test = isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
            if is_test and NEEDS in (ast.get_source_segment(source, node) or ""):
                yield path.relative_to(TESTS.parent).as_posix(), node.name


def test_each_is_selected_by_make_parity() -> None:
    recipe = MAKEFILE.read_text("utf-8").partition("\nparity:")[2].partition("\n\n")[0]
    ignored = re.findall(r"--ignore (\S+)", recipe)
    whole, named = (
        tuple(place for place in re.findall(r"tests/[\w/.]+", part) if place not in ignored)
        for part in recipe.split("$(if", 1)
    )
    whole = (*whole, *ignored)  # in the other call
    found = list(needing_pytorch())
    assert len(found) > 5
    for path, name in found:
        selected = path.startswith(whole) or (path.startswith(named) and "torch" in f"{path}{name}")
        assert selected or path.startswith("tests/integrations"), f"{path}::{name} is run nowhere"
