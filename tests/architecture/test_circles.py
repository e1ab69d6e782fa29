"""Inside each package imports point upward from its ground file, late ones and those for types included.

Between packages `lint-imports` sees to it (pyproject.toml). A circle that is right is named here, with the
reason; the package's README says it too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: (the files of a circle, without the package) -> why they are one thing in several files.
KEPT: dict[tuple[str, ...], str] = {
    (
        "nn.modules.backward_hooks", "nn.modules.converting", "nn.modules.hooks", "nn.modules.module",
        "nn.modules.naming", "nn.modules.showing", "nn.modules.state", "nn.modules.state_hooks",
        "nn.modules.walk",
    ): "the methods of one class, Module, in a file for each theme: their self is a Module",
    (
        "function.custom.backward_class", "function.custom.node", "function.custom.returned",
    ): "the node of a custom Function and the context that people see of it are one thing (F-3)",
    (
        "tensor.assigned", "tensor.inference", "tensor.modes", "tensor.state", "tensor.storage",
        "tensor.tensor", "tensor.views",
    ): "what a Tensor's slots hold, and the Tensor: each is nothing without the other",
    (
        "arrays.fusion.look", "arrays.quick_statistics",
    ): "what one pass over an array tells: on the host, and by a kernel on a device",
    (
        "inspection.registry", "inspection.session",
    ): "a session enters itself in the list of open sessions",
    (
        "arrays.sparse.base", "arrays.sparse.compressed", "arrays.sparse.coo",
        "arrays.sparse.elementwise", "arrays.sparse.functions", "arrays.sparse.products",
        "arrays.sparse.selection",
        "arrays.sparse.sums",
    ): "sparse arrays in two layouts, which are made of each other, and their operators",
    (
        "ops.public.broadcasting", "ops.public.gather_scatter", "ops.public.index_dim",
    ): "families of which each calls one function of another",
    (
        "ops.public.linalg_factors", "ops.public.linalg_functions", "ops.public.linalg_norms",
        "ops.public.matrix_products", "ops.public.statistics",
    ): "families of which each calls one function of another: norms, products, deviations",
}  # fmt: skip


def modules() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in (ROOT / "vizgrad").rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if "labextension" not in parts:
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imported(path: Path, known: Iterable[str]) -> set[str]:
    """The modules of `known` that a file imports anywhere, of a `from` import the nearest."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= whole & set(known) or {node.module}
    return names & set(known)


def circles(graph: dict[str, set[str]]) -> list[tuple[str, ...]]:
    """Groups of modules that all lead to each other."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        stack = [start]
        while stack:
            new = graph[stack.pop()] - seen
            seen |= new
            stack += new
        return seen

    behind = {name: reached(name) for name in graph}
    groups = {
        tuple(sorted(other for other in behind[name] if name in behind[other]))
        for name in graph
        if name in behind[name]
    }
    return sorted(groups)


def package(name: str) -> str:
    return ".".join(name.split(".")[:2])


def found_circles() -> list[tuple[str, ...]]:
    known = modules()
    graph = {
        name: {i for i in imported(path, known) if package(i) == package(name) and i != name}
        for name, path in known.items()
    }
    return [tuple(n.removeprefix("vizgrad.") for n in group) for group in circles(graph)]


def test_no_circle_but_those_with_a_reason() -> None:
    assert [group for group in found_circles() if group not in KEPT] == []


def test_no_reason_outlives_its_circle() -> None:
    found = found_circles()
    assert [group for group in KEPT if group not in found] == []


@pytest.mark.parametrize(
    ("late", "guarded"), [(False, False), (True, False), (False, True), (True, True)]
)
def test_late_imports_and_those_for_types_count(late: bool, guarded: bool, tmp_path: Path) -> None:
    line = "from pack.b import thing"
    text = f"def f():\n    {line}\n" if late else f"{line}\n"
    if guarded:
        text = "if TYPE_CHECKING:\n" + "".join(f"    {part}\n" for part in text.splitlines())
    (tmp_path / "a.py").write_text(text)
    (tmp_path / "b.py").write_text("import pack.a\n")
    known = {"pack.a": tmp_path / "a.py", "pack.b": tmp_path / "b.py", "pack.c": tmp_path / "b.py"}
    graph = {name: imported(path, known) - {name} for name, path in known.items()}
    assert circles(graph) == [("pack.a", "pack.b")]
