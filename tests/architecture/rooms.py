"""The rooms of the house and the imports between them, read off the source.

A room is a package or a module directly under `vizgrad/`, or one inside a wing (`core/`, `debugger/`), or one
inside `debugger/engines/` and `debugger/jupyter/`, which hold rooms of several floors.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "vizgrad"

#: The two wings, core and debugger, and folders in one of them: they hold rooms and are none.
WINGS = ("core", "debugger", "debugger/engines", "debugger/jupyter")

#: The parts of the house, from the top: a title, and how the names of their rooms begin.
PARTS = (
    ("on top of both wings", ""),
    ("the debugger (a wing)", "debugger."),
    ("torch's namespaces", ""),
    ("the core (a wing)", "core."),
)
ON_TOP = {"integrations", "testing"}

#: Imported by the package itself and by nothing that has a floor, or commands that stand above all.
OUTSIDE = {"__main__", "former_names", "version"}
COMMANDS = {"vizgrad.core.ops.__main__", "vizgrad.core.ops.stub"}


@cache
def sources() -> dict[str, Path]:
    """Every module of vizgrad by its dotted name."""
    found: dict[str, Path] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if "labextension" not in parts:
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    """A file, parsed once for all tests of the architecture."""
    return ast.parse(path.read_text("utf-8"))


def statements(top: ast.AST, *, types: bool = True) -> Iterator[ast.AST]:
    """All statements within, those of functions, classes and branches too: no expression is gone through.

    With `types=False` none under `if TYPE_CHECKING:`.
    """
    found = [top]
    for node in found:  # it grows meanwhile
        yield node
        if isinstance(node, ast.If) and not types and "TYPE_CHECKING" in ast.dump(node.test):
            found += node.orelse
            continue
        for name in _BLOCKS:
            found += getattr(node, name, ())


#: Where a statement, a handler of errors or a case holds others.
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


@cache
def _imports(path: Path, types: bool) -> list[tuple[str, set[str]]]:
    """Each module that a file imports from, and what could be a module of the names that it takes there."""
    found: list[tuple[str, set[str]]] = []
    for node in statements(tree(path), types=types):
        if isinstance(node, ast.Import):
            found += [(alias.name, set()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.module, {f"{node.module}.{alias.name}" for alias in node.names}))
    return found


def imported(path: Path, known: Iterable[str], *, types: bool = True) -> set[str]:
    """The modules of `known` that a file imports anywhere; of a `from` import the nearest.

    With `types=False` imports under `if TYPE_CHECKING:` do not count.
    """
    known = set(known)
    names: set[str] = set()
    for module, parts in _imports(path, types):
        names |= parts & known or {module}
    return names & known


def room(module: str) -> str:
    """The room of a module without `vizgrad.`: "nn", "core.ops", "debugger.engines.pytorch"; or ""."""
    parts = module.split(".")[1:]
    depth = 1
    while depth <= len(parts) and "/".join(parts[:depth]) in WINGS:
        depth += 1
    return ".".join(parts[:depth]) if len(parts) >= depth else ""


@cache
def arrows() -> dict[str, set[str]]:
    """For each room those that it imports from when it runs."""
    known = sources()
    found: dict[str, set[str]] = {room(m): set() for m in known if room(m)}
    for module, path in known.items():
        if (own := room(module)) and module not in COMMANDS:
            found[own] |= {room(i) for i in imported(path, known, types=False)} - {own, ""}
    return {name: to - OUTSIDE for name, to in found.items() if name not in OUTSIDE}


def part(name: str) -> int:
    """Which of PARTS a room belongs to."""
    if name in ON_TOP:
        return 0
    return next((i for i, (_, start) in enumerate(PARTS) if start and name.startswith(start)), 2)


def floors(graph: dict[str, set[str]]) -> dict[str, int]:
    """How many rooms lie below a room on the longest way down. ValueError if imports go in a circle."""
    found: dict[str, int] = {}

    def floor(name: str, above: tuple[str, ...] = ()) -> int:
        if name in above:
            raise ValueError(f"a circle of imports: {' -> '.join((*above, name))}")
        if name not in found:
            found[name] = 1 + max((floor(to, (*above, name)) for to in graph[name]), default=-1)
        return found[name]

    for name in graph:
        floor(name)
    return found


def reduced(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The arrows that no longer way replaces."""

    def below(name: str) -> set[str]:
        found: set[str] = set()
        stack = [name]
        while stack:
            new = graph[stack.pop()] - found
            found |= new
            stack += new
        return found

    reach = {name: below(name) for name in graph}
    return {
        name: {to for to in tos if not any(to in reach[other] for other in tos - {to})}
        for name, tos in graph.items()
    }
