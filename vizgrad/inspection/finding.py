"""Finding nodes by what a person remembers of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from vizgrad.inspection.model import Name, Node


def matcher(query: str) -> Callable[[Node], bool]:
    """Does the name of a node, its variable, scope or source line contain the query, whatever its case?
    ``*`` stands for anything, as in `Session.break_at`. Nothing matches an empty query.
    """
    parts = query.strip().lower().split("*")
    if not any(parts):
        return lambda _: False
    return lambda node: any(_contains(text.lower(), parts) for text in _texts(node))


def _texts(node: Node) -> tuple[str, ...]:
    place = node.place
    line = f"{place.cell or place.file}:{place.line}" if place else ""
    return node.name, node.label, ".".join(node.scope), line


def _contains(text: str, parts: Sequence[str]) -> bool:
    """All parts, in this order, without overlap."""
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def found(
    query: str,
    most: int,
    size: int,
    describe: Callable[[int], Node],
    names: Callable[[Iterable[int]], tuple[Name, ...]],
) -> tuple[int, tuple[Name, ...]]:
    """How many nodes match, and what the first of them are called."""
    matches = matcher(query)
    nodes = [node for node in range(size) if matches(describe(node))]
    return len(nodes), names(nodes[:most])
