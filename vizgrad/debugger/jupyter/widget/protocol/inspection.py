"""All that the inspector shows of one node."""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.core.errors import Place
from vizgrad.debugger.model import Mathematics, Name, Node, Storage, TensorSummary, Visit, Writer


@dataclass(frozen=True, slots=True)
class LeafUse:
    """A node that uses a leaf, and the line that recorded it."""

    node: int
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class LeafFacts:
    """The history of a leaf's tensor. `users` are the first of the `used` nodes that use it and send it their
    gradients. `made` and `written` are the operation that made it and the last one that wrote to it in place,
    by name (None: nobody noted it). `unnoted` says how the line that made it can be had the next time.
    """

    users: tuple[LeafUse, ...]
    used: int
    made: Writer | None = None
    written: Writer | None = None
    unnoted: str = ""


@dataclass(frozen=True, slots=True)
class Inspection:
    """`visit` is the node's visit once executed (at the current position), else None. `buffers` holds what
    has arrived so far, one entry per output slot; `grad` is the leaf's `.grad` now, for a leaf. `storages`
    are those of its saved values, `groups` the groups around it, outermost first. `unnoted` says how its line
    can be had the next time, where the engine has not noted it. `leaf`: it is one.
    """

    request: int
    session: str
    revision: int
    node: Node
    visit: Visit | None
    buffers: tuple[TensorSummary | None, ...]
    grad: TensorSummary | None = None
    storages: tuple[Storage, ...] = ()
    groups: tuple[int, ...] = ()
    names: tuple[Name, ...] = ()
    #: The formulas of the node that can be written so.
    maths: tuple[Mathematics, ...] = ()
    unnoted: str = ""
    leaf: LeafFacts | None = None
