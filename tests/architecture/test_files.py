"""The shape of the source: small files, one README a package, one package that knows numpy."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[2] / "vizgrad"
FILES = sorted(p for p in ROOT.rglob("*.py") if "labextension" not in p.parts)
LONG, DEFECT, MEDIAN = 400, 600, 150
ARRAYS = {"numpy", "cupy"}


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_files_are_short() -> None:
    lengths = {p: lines(p) for p in FILES}
    assert median(lengths.values()) <= MEDIAN
    assert [str(p) for p, n in lengths.items() if n > DEFECT] == []
    for path, n in lengths.items():
        if n > LONG:
            print(f"long: {path.relative_to(ROOT.parent)} {n}")


@pytest.mark.parametrize(
    "folder",
    [p for p in sorted(ROOT.iterdir()) if (p / "__init__.py").exists()],
    ids=lambda p: p.name,
)
def test_each_package_says_what_it_is(folder: Path) -> None:
    readme = folder / "README.md"
    assert readme.exists()
    assert 5 <= lines(readme) <= 80


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def nodes(path: Path) -> list[ast.AST]:
    """The imports and comparisons of a file, wherever in it."""
    kinds = ast.Import | ast.ImportFrom | ast.Compare
    return [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, kinds)]


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
    knowing = {path.relative_to(ROOT).parts[0] for path in FILES if imported(path) & ARRAYS}
    assert knowing == {"arrays"}


def test_bfloat16_counts_as_floating() -> None:
    """Outside the kernels, which are given float32 for it, a question for "f" asks for "V" too."""
    kinds = {"f", "fc", "cf", "iuf", "iufc", "fcb", "biuf"}
    found = []
    for path in FILES:
        if path.relative_to(ROOT).parts[0] in ("arrays", "function"):
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
    leaning = {path.relative_to(ROOT).parts[0] for path in FILES if imported(path) & others}
    assert leaning == {"pytorch"}  # which is loaded where somebody has imported PyTorch
