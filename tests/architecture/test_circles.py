"""Inside each room imports point upward from its ground file, late ones and those for types included.

Between rooms `lint-imports` sees to it (pyproject.toml). A circle that is right is named here, with the
reason; the room's README says it too.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.architecture.rooms import imported, room, sources

#: (the files of a circle, without the package) -> why they are one thing in several files.
KEPT: dict[tuple[str, ...], str] = {
    (
        "nn.modules.hooks", "nn.modules.module", "nn.modules.state",
        "nn.modules.walk",
    ): "the methods of one class, Module, in a file for each theme: their self is a Module",
    (
        "core.tensor.modes", "core.tensor.state", "core.tensor.storage", "core.tensor.tensor",
    ): "what a Tensor's slots hold, and the Tensor: each is nothing without the other",
    (
        "core.arrays.fusion.look", "core.arrays.statistics",
    ): "what one pass over an array tells: on the host, and by a kernel on a device",
    (
        "debugger.session.registry", "debugger.session.session",
    ): "a session enters itself in the list of open sessions",
}  # fmt: skip


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


@cache
def found_circles() -> list[tuple[str, ...]]:
    known = sources()
    graph = {
        name: {i for i in imported(path, known) if room(i) == room(name) and i != name}
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
