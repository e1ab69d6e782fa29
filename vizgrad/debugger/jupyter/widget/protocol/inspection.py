"""What the inspector shows of a node."""

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
    """What is known of the tensor of a leaf: the nodes that use it (the first of `used`), which send it
    their gradients; the operation that made it, and the last one that wrote to its memory in place, each by
    its name as `text` (None: nobody noted that). `unnoted` says how the line that made it can be had the next
    time.
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
