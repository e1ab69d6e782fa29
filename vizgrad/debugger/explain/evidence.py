"""A question, and the facts on its subject from any recorder: a diagnosis reads these, and nothing else.

A reader is an `Evidence` that answers what it knows, and leaves the rest unknown: the notes of a watch
(`from_watch.py`), the steps of a session (`from_session.py`), the nodes of a bare graph
(`from_graph.py`), and the records of an engine whose nodes cannot be read (`from_records.py`). Nodes of
PyTorch and of vizgrad are read alike (`engines/common/node_reader.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar

from vizgrad.core.errors import Explanation, Link, Place
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger import model
from vizgrad.debugger.engines.common.node_reader import NodeReader
from vizgrad.debugger.explain.cause import Cause
from vizgrad.debugger.explain.stepped import Stepped
from vizgrad.debugger.watch.backwards import Run
from vizgrad.debugger.watch.grad_history import Leaf
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.tensor_adapter import Made

#: "tensor": its value first, then its `.grad`. "node": of a session. "banner": the message where a session
#: has stopped at a node. "error": one that was raised. "finding": what was seen in a watched block.
Subject = Literal["tensor", "value", "gradient", "node", "banner", "error", "finding"]


@dataclass(frozen=True, slots=True)
class Question:
    """Why is it so? `name` is what a person calls the tensor or node.

    A node that is asked about answers for itself first: what it made of finite gradients comes before what
    came to it. A banner speaks of one result of its node: that of `edge`; None: of what it added
    up, or of the node as a whole.
    """

    about: Subject
    name: str = ""
    edge: int | None = None
    #: For an error: the explanation that it has, and its text.
    told: Explanation | None = None
    text: str = ""
    #: For a finding: what its finder saw.
    seen: Cause | None = None


class Held(NamedTuple):
    """Elements of a tensor: are all finite, how large they are at most, and their summary if some are not."""

    finite: bool = True
    size: float = 0.0
    summary: model.TensorSummary | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """A tensor as it is now. `grad` is None where it has none; `number` its value, if it is one number."""

    value: Held
    grad: Held | None = None
    leaf: bool = True
    requires_grad: bool = False
    retains_grad: bool = False
    parameter: bool = False
    made: Made | None = None
    single: bool = False
    number: float | None = None


class Brought(NamedTuple):
    """The backward that brought a gradient, and the key of the node that it came to."""

    run: Run
    key: int


class Origin(NamedTuple):
    """The first node, by what nodes saved, whose output is known not to be finite; None if none is known.

    `sure`: its operands were finite. `path` leads to it; `leaf` is what the tensor of a leaf is called.
    """

    node: Any
    reader: NodeReader
    sure: bool = True
    path: tuple[Link, ...] = ()
    leaf: str = ""


class Deliverer(NamedTuple):
    """A node whose step will deliver a gradient."""

    name: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A gradient that an open backward is still to bring, or would have brought had it not failed (`failed`).

    `source`: the backward starts from this very tensor, which need not have a gradient.
    """

    source: bool = False
    failed: Explanation | None = None
    title: str = ""
    #: `.grad` holds an earlier gradient.
    earlier: bool = False
    #: The name of the node that comes next.
    before: str = ""
    done: int = 0
    total: int = 0
    #: It has arrived, and the next step stores it.
    stores: bool = False
    by: tuple[Deliverer, ...] = ()


class Recorded(NamedTuple):
    """The words of the records of steps on a gradient that is not finite: `node` made it, as `text` says; or
    the numbers that came in (`came`), where no step that is kept made them.
    """

    text: str = ""
    name: str = ""
    place: Place | None = None
    node: int | None = None
    came: model.TensorSummary | None = None
    #: How many steps are done behind it.
    position: int = 0


class Raised(NamedTuple):
    """The error of a node that failed: its type and first line, and what it says of itself."""

    kind: str
    text: str
    told: Explanation | None = None


class Evidence:
    """Each method answers one question of a diagnosis; None, or what stands here: it is not known."""

    # --- a tensor -----------------------------------------------------------------------------------------

    def facts(self) -> Facts | None:
        """The tensor as it is now; None where it stands for others."""
        return None

    def noting(self) -> Noting | None:
        """All that a watch noted; None where nobody watched."""
        return None

    def note(self) -> Note | None:
        """How its value was made."""
        return None

    def note_of_grad(self) -> Note | None:
        """How what is in `.grad` was made."""
        return None

    def leaf(self) -> Leaf | None:
        """The life of its `.grad`."""
        return None

    def frozen_at(self) -> Site | None:
        """The line that told it last to want no gradient."""
        return None

    def stored_by(self) -> Brought | None:
        """The tensor is itself a gradient: the backward that stored it."""
        return None

    def brought_by(self) -> Brought | None:
        """The backward that brought what is in `.grad`."""
        return None

    def listened(self) -> Brought | None:
        """The last backward that reached it within the watch."""
        return None

    def losses(self) -> tuple[Note, ...] | None:
        """The notes of the losses of open sessions."""
        return None

    def origin(self) -> Origin | None:
        """The operation of the forward pass that made its value not finite, by what nodes saved."""
        return None

    def waiting(self) -> Waiting | None:
        """The open backward that is to bring its gradient."""
        return None

    def recorded(self) -> Recorded | None:
        """Where its gradient that is not finite came from, by records alone."""
        return None

    # --- a call that raised -------------------------------------------------------------------------------

    def handed(self) -> tuple[Any, ...]:
        """Its arguments."""
        return ()

    # --- a node of a session ------------------------------------------------------------------------------

    def stepped(self) -> Stepped | None:
        """The steps of the session, as a backward that was listened to."""
        return None

    def key(self) -> int:
        """The key of the node in these."""
        return 0

    def kind(self) -> str:
        """The class of the node."""
        return ""

    def raised(self) -> Raised | None:
        """The error of its step."""
        return None

    def stale(self) -> model.Saved | None:
        """A value that it has saved, and that was written since: it will raise."""
        return None

    def skipped(self) -> bool:
        """Does the backward leave it out?"""
        return False

    def link(self) -> tuple[Link, ...]:
        """The node itself, as the way to its cause."""
        return ()


Known = TypeVar("Known")


class Together(Evidence):
    """The knowledge of several readers: the first that knows an answer gives it."""

    def __init__(self, *readers: Evidence) -> None:
        self._readers = readers

    def _first(self, ask: Callable[[Evidence], Known | None]) -> Known | None:
        return next((found for each in self._readers if (found := ask(each)) is not None), None)

    def facts(self) -> Facts | None:
        return self._first(lambda each: each.facts())

    def noting(self) -> Noting | None:
        return self._first(lambda each: each.noting())

    def note(self) -> Note | None:
        return self._first(lambda each: each.note())

    def note_of_grad(self) -> Note | None:
        return self._first(lambda each: each.note_of_grad())

    def leaf(self) -> Leaf | None:
        return self._first(lambda each: each.leaf())

    def frozen_at(self) -> Site | None:
        return self._first(lambda each: each.frozen_at())

    def stored_by(self) -> Brought | None:
        return self._first(lambda each: each.stored_by())

    def brought_by(self) -> Brought | None:
        return self._first(lambda each: each.brought_by())

    def listened(self) -> Brought | None:
        return self._first(lambda each: each.listened())

    def losses(self) -> tuple[Note, ...] | None:
        return self._first(lambda each: each.losses())

    def origin(self) -> Origin | None:
        return self._first(lambda each: each.origin())

    def waiting(self) -> Waiting | None:
        return self._first(lambda each: each.waiting())

    def recorded(self) -> Recorded | None:
        return self._first(lambda each: each.recorded())
