"""The saved values of a node, as the engine notes them before it lets go of them: as soon as can be."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from vizgrad.core.graph.node import Node


class Savers(dict[type[Node], Callable[[Any], Any]]):
    """How the saved values of a class of nodes are had soonest."""

    def __missing__(self, kind: type[Node]) -> Callable[[Any], Any]:
        names = kind.saved_names
        if kind.saved_values is not Node.saved_values or kind.group_names:
            found = _all_saved
        elif not names:
            found = _none_saved
        else:
            found = attrgetter(*["_" + name for name in names])
        self[kind] = found
        return found


def _all_saved(node: Node) -> dict[str, Any]:
    return node.saved_values()


def _none_saved(node: Node) -> tuple[()]:
    return ()


def by_name(node: Node, saved: Any) -> dict[str, Any]:
    """What a saver gave, by name, without what was not needed."""
    if saved.__class__ is dict:
        found = saved
    else:
        names = node.saved_names
        found = dict(zip(names, (saved,) if len(names) == 1 else saved, strict=True))
    return {name: value for name, value in found.items() if value is not None}


def bytes_saved(saved: Any) -> int:
    """Of what a saver gave."""
    total = 0
    if saved.__class__ is dict:
        saved = tuple(saved.values())
    for value in saved if saved.__class__ is tuple else (saved,):
        if value is not None:
            array = getattr(value, "_array", None)
            if array is not None:
                total += array.nbytes
    return total
