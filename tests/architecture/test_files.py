"""The shape of the source: no file too long, a README in each room, one room that knows numpy."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.rooms import PACKAGE, WINGS, tree

ROOT = PACKAGE
FILES = sorted(p for p in ROOT.rglob("*.py") if "labextension" not in p.parts)
DEFECT = 600
ARRAYS = {"numpy", "cupy"}
ROOMS = [
    p
    for wing in ("", *WINGS)
    for p in sorted((ROOT / wing).iterdir())
    if (p / "__init__.py").exists()
]


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_no_file_is_too_long() -> None:
    """One concept a file, whatever its length; beyond this there is a second one."""
    assert [where(p) for p in FILES if lines(p) > DEFECT] == []


@pytest.mark.parametrize(
    "folder",
    ROOMS,
    ids=lambda p: p.relative_to(ROOT).as_posix(),
)
def test_each_package_says_what_it_is(folder: Path) -> None:
    readme = folder / "README.md"
    assert readme.exists()
    assert 5 <= lines(readme) <= 80
    assert "**Must not know**" in readme.read_text("utf-8")


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def nodes(path: Path) -> list[ast.AST]:
    """The imports and comparisons of a file, wherever in it."""
    kinds = ast.Import | ast.ImportFrom | ast.Compare
    return [n for n in ast.walk(tree(path)) if isinstance(n, kinds)]


def imported(path: Path) -> set[str]:
    """Top names of the modules that a file imports, wherever in it."""
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def test_only_arrays_knows_numpy_and_cupy() -> None:
    knowing = {
        "/".join(path.relative_to(ROOT).parts[:2]) for path in FILES if imported(path) & ARRAYS
    }
    assert knowing == {"core/arrays"}


def test_bfloat16_counts_as_floating() -> None:
    """Outside the kernels, which are given float32 for it, a question for "f" asks for "V" too."""
    kinds = {"f", "fc", "cf", "iuf", "iufc", "fcb", "biuf"}
    found = []
    for path in FILES:
        if path.relative_to(ROOT).parts[:2] in (("core", "arrays"), ("core", "function")):
            continue
        for node in nodes(path):
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute | ast.Name):
                asked = getattr(node.left, "attr", None) or getattr(node.left, "id", None)
                right = node.comparators[0]
                if asked == "kind" and isinstance(right, ast.Constant) and right.value in kinds:
                    found.append(f"{where(path)}:{node.lineno}")
    assert found == []


def test_nothing_leans_on_another_framework() -> None:
    others = {"torch", "jax", "autograd", "tensorflow"}
    leaning = {
        path.parent.relative_to(ROOT).as_posix() for path in FILES if imported(path) & others
    }
    assert leaning == {
        "debugger/engines/pytorch"
    }  # which is loaded where the program has imported PyTorch
