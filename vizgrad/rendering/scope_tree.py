"""Scopes of a graph as a tree: which nodes were recorded in one call of a module or `vg.scope`.

A scope path alone does not make a group that can be drawn: a cell called at every time step has one
path, and folding all its calls into one box would make edges that go up. So a group is a stretch of
the top-down order in which all nodes share the path: one call, usually. Such stretches cannot form
a cycle, whatever the paths are, because each is an interval of a topological order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from vizgrad.inspection.model import Graph
from vizgrad.rendering.describe import plain

#: A member of a scope: ("node", node id) or ("scope", index in the list of scopes).
Member = tuple[str, int]

#: Parts of a scope path that are looked at; deeper nesting is drawn as if it ended here.
MAX_DEPTH = 32
#: Parts of a joined title that are kept, the innermost ones.
MOST_JOINED = 4


@dataclass(slots=True)
class Scope:
    """One group. `parent` is its index in the list of scopes; scope 0 is the whole graph.

    `title` is what a person reads: the last part of the path, and which of several calls it is.
    `size` counts the nodes in it at any depth. A `run` is no scope, but a stretch of a large one.
    """

    path: tuple[str, ...]
    parent: int
    title: str = ""
    members: list[Member] = field(default_factory=list[Member])
    size: int = 0
    run: bool = False


def scope_tree(graph: Graph, order: Iterable[int]) -> list[Scope]:
    """Groups the nodes of `order` (a topological order) by scope; parents come before children.

    A scope that holds nothing but another scope is joined with it (``encoder / layers``).
    """
    scopes = [Scope(path=(), parent=-1)]
    open_scopes = [0]
    for index in order:
        path = graph.nodes[index].scope[:MAX_DEPTH]
        depth = _common(scopes[open_scopes[-1]].path, path)
        del open_scopes[depth + 1 :]
        while len(open_scopes) <= len(path):
            parent = open_scopes[-1]
            scopes[parent].members.append(("scope", len(scopes)))
            open_scopes.append(len(scopes))
            scopes.append(Scope(path=path[: len(open_scopes) - 1], parent=parent))
        scopes[open_scopes[-1]].members.append(("node", index))
    for scope in reversed(scopes):  # children before parents
        scope.size += sum(kind == "node" for kind, _ in scope.members)
        if scope.parent >= 0:
            scopes[scope.parent].size += scope.size
    _name(scopes)
    return _joined(scopes)


def _common(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    length = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        length += 1
    return length


def _name(scopes: list[Scope]) -> None:
    """Titles; several groups with one path are numbered in the order they were recorded."""
    by_path: dict[tuple[str, ...], list[Scope]] = {}
    for scope in scopes[1:]:
        by_path.setdefault(scope.path, []).append(scope)
    for path, group in by_path.items():
        name = plain(path[-1], 40)
        for number, scope in enumerate(reversed(group), start=1):  # the order is newest first
            scope.title = name if len(group) == 1 else f"{name} ({number} of {len(group)})"


def _joined(scopes: list[Scope]) -> list[Scope]:
    """The same tree with each scope that only wraps another one joined with it."""
    kept: list[Scope] = [scopes[0]]
    new_index = {0: 0}
    inherited: dict[int, list[str]] = {}
    for index, scope in enumerate(scopes[1:], start=1):
        titles = [*inherited.get(index, []), scope.title]
        if len(titles) > MOST_JOINED:
            titles = ["…", *titles[2 - MOST_JOINED :]]
        if len(scope.members) == 1 and scope.members[0][0] == "scope":
            inherited[scope.members[0][1]] = titles
            new_index[index] = new_index[scope.parent]
            continue
        new_index[index] = len(kept)
        title = " / ".join(titles)
        kept.append(Scope(scope.path, new_index[scope.parent], title, scope.members, scope.size))
    for scope in kept:
        scope.members = [_follow(scopes, member, new_index) for member in scope.members]
    return kept


def _follow(scopes: list[Scope], member: Member, new_index: dict[int, int]) -> Member:
    kind, index = member
    if kind == "node":
        return member
    while len(scopes[index].members) == 1 and scopes[index].members[0][0] == "scope":
        index = scopes[index].members[0][1]
    return "scope", new_index[index]


def split_runs(scopes: list[Scope], index: int, runs: int) -> None:
    """Cuts the members of a scope into at most `runs` scopes of consecutive members, in place.

    For graphs that are too large and have nothing to fold: the runs follow the top-down order, so
    that folding them makes no cycle either.
    """
    scope = scopes[index]
    length = -(-len(scope.members) // runs)
    new: list[Member] = []
    for start in range(0, len(scope.members), length):
        members = scope.members[start : start + length]
        size = sum(1 if kind == "node" else scopes[inner].size for kind, inner in members)
        new.append(("scope", len(scopes)))
        scopes.append(Scope(scope.path, index, "", members, size, run=True))
    for number, (_, inner) in enumerate(new, start=1):
        scopes[inner].title = f"part {number} of {len(new)}"
    scope.members = new
