"""Finding nodes by what a person remembers of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from vizgrad.debugger.model import Name, Node, Place


def matcher(query: str) -> Callable[[Sequence[str]], bool]:
    """Does one of the texts of a node contain the query, whatever its case? ``*`` stands for anything, as in
    `Session.break_at`. Nothing matches an empty query.
    """
    parts = query.strip().lower().split("*")
    if not any(parts):
        return lambda _: False

    @cache
    def contains(text: str) -> bool:
        return _contains(text.lower(), parts)

    return lambda texts: any(map(contains, texts))


def texts_of(node: Node) -> tuple[str, ...]:
    """What a node is found by: its name, its variable, its scope and source line."""
    return node.name, node.label, *texts_of_origin(node.scope, node.place)


def texts_of_origin(scope: Sequence[str], place: Place | None) -> tuple[str, str]:
    line = f"{place.cell or place.file}:{place.line}" if place else ""
    return ".".join(scope), line


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
    texts: Callable[[int], Sequence[str]],
    names: Callable[[Iterable[int]], tuple[Name, ...]],
) -> tuple[int, tuple[Name, ...]]:
    """How many nodes match, and what the first of them are called."""
    matches = matcher(query)
    nodes = [node for node in range(size) if matches(texts(node))]
    return len(nodes), names(nodes[:most])
