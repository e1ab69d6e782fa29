"""A whole graph, and the groups that it can be folded into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vizgrad.core.errors import Place
from vizgrad.debugger.model.memory import Storage
from vizgrad.debugger.model.nodes import Node

GroupKind = Literal["module", "scope", "transform", "function", "loop", "turn", "equal", "part"]


@dataclass(frozen=True, slots=True)
class Group:
    """A stretch of the graph that can be folded into one box: nodes `first` ... `last - 1`.

    `id` is its place in `Graph.groups`; a group comes before those in it, and `parent` is the one around it.

    - "module", "scope": one call of a module, one `vg.scope` block. "transform": one call of what
      `vmap`, `grad` or `jvp` have made.
    - "function", "loop": one stretch of a function, one run of a loop of it, as far as source lines tell.
    - "turn": one turn of a loop, or one of several calls in a row.
    - "equal": children of equal structure; `cells` says how many, and all have the same number of nodes.
    - "part": so many nodes in a row, where nothing better is known.

    A "loop" whose turns are of equal structure has `cells`, too. `title` is complete: ``17 of 200``.
    """

    id: int
    parent: int | None
    kind: GroupKind
    title: str
    first: int
    last: int
    place: Place | None = None
    cells: int = 0


@dataclass(frozen=True, slots=True)
class Graph:
    """A backward graph at one moment. `roots` are (node id, output_nr) of the tensors shown.

    Nodes come in the order in which they were recorded, the latest first, and leaves behind all others: edges
    lead to larger numbers, and what was recorded in one stretch of the program is one stretch here, a group.
    """

    nodes: tuple[Node, ...]
    roots: tuple[tuple[int, int], ...]
    storages: tuple[Storage, ...] = ()
    title: str = ""
    #: Nodes left out because the graph was larger than the limit asked for.
    truncated: int = 0
    groups: tuple[Group, ...] = ()
