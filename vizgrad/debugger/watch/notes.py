"""The note on a tensor: the operation that made it, the line, its operands; and its later events."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import tick

if TYPE_CHECKING:
    from vizgrad.core.tensor.source_location import Site
    from vizgrad.debugger.watch.device_looks import Looks


# --- notes -----------------------------------------------------------------------------------------------
# The note on a tensor: the operation that made it, the line, and its operands.


#: Notes that are gone through at most, for one question.
MOST = 20_000


def nothing() -> None:
    """In place of a reference."""


class Note:
    """One value of one tensor. It refers to notes of what it was made of, never to tensors."""

    __slots__ = (
        "__dict__", "__weakref__", "clock", "constant", "dtype", "known", "late", "node", "op", "parents",
        "requires", "site", "tensor",
    )  # fmt: skip

    #: How history was lost, if its parents had one: "detach", "data", "copied" (values alone were taken, as
    #: by tensor()), "no_grad", "inference", "dtype", "step" (the operation has no derivative),
    #: "create_graph". A new leaf may require grad all the same.
    cut = ""
    #: Where gradients had been switched off, if they had.
    off: Site | None = None
    #: The same for modules: where the outermost one was called that began with gradients off.
    called_off: Site | None = None
    #: For a non-finite value: the first such value on the way.
    born: Note | None = None
    #: For a non-finite value that a library made, or one that a mode has cut there: where it was called.
    near: Near | None = None
    #: The state at its creation: places, values, and the values before.
    detail: Any = None
    #: The value of each operand at the first of these places; None where that is not known.
    there: tuple[float | None, ...] = ()
    #: The same: the largest absolute value of each operand, in order; none where they are gone.
    sizes: tuple[float, ...] = ()
    #: For a loss that is NaN: the class of all its targets, where that is the one to be ignored.
    ignored: int | None = None
    #: For a non-finite value: is it of float16, whose range is small?
    half = False
    #: For a gradient: the backward that stored it, or added to it last.
    run: Any = None
    #: How many backwards its history reaches over, and the last value that was carried over one.
    turns = 0
    carried: Note | None = None
    #: For a leaf: the line that has computed with it last, as far as that was noted.
    used_on: Site | None = None
    #: For a loss: did a GradScaler multiply it?
    scaled = False
    #: For a result of a custom Function: the tick at which the Function began. A leaf that was used later was
    #: used within it.
    began = 0

    def __init__(
        self, op: str, site: Site | None, parents: tuple[Note, ...], dtype: Any, clock: int
    ) -> None:
        self.op = op
        self.site = site
        self.parents = parents
        #: The tensor, weakly, once it is noted.
        self.tensor: Callable[[], Any] = nothing
        #: The tick at which it was made.
        self.clock = clock
        #: Its `kind` is that of numpy's.
        self.dtype = dtype
        self.requires = False
        #: Was it made of Python numbers, which may come from anywhere?
        self.constant = False
        #: Were all its operands with a history made before the last backward? Then it adds none of a new
        #: step.
        self.late = False
        #: Is it finite? Where that waits for a device, what to wait for.
        self.known: bool | Looks = True
        #: The sequence number of the node that made it.
        self.node: int | None = None

    @property
    def finite(self) -> bool:
        """Is it finite? A device may have to be waited for."""
        if self.known.__class__ is not bool:
            self.known.settle()  # pyright: ignore[reportAttributeAccessIssue]  it is `Looks`
        return self.known is True

    @finite.setter
    def finite(self, finite: bool) -> None:
        self.known = finite

    def ancestors(self) -> Iterator[Note]:
        """It, and all it was made of, each once, the nearest first."""
        seen: set[int] = {id(self)}
        todo: list[Note] = [self]
        for note in todo:
            yield note
            if len(todo) > MOST:
                return
            for parent in note.parents:
                if id(parent) not in seen:
                    seen.add(id(parent))
                    todo.append(parent)

    def tracked(self) -> Iterator[Note]:
        """As `ancestors`, along edges that gradients go."""
        seen: set[int] = {id(self)}
        todo: list[Note] = [self]
        for note in todo:
            yield note
            if len(todo) > MOST:
                return
            if not note.requires or note.cut:
                continue
            for parent in note.parents:
                if parent.requires and id(parent) not in seen:
                    seen.add(id(parent))
                    todo.append(parent)


class Near(NamedTuple):
    """The nearest line of the user's from which a library was called, and the modules that were called."""

    site: Site | None
    within: str


class Weight(NamedTuple):
    """The size of one value's history, which reached over `turns` backwards then."""

    turns: int
    nodes: int
    nbytes: int


class _Reference(weakref.ref[Any]):
    """A tensor, weakly; it knows its place among the notes."""

    __slots__ = ("key",)

    key: int


class Notes:
    """The note of each tensor that is alive. A reference does not lead back to its note: there would be a
    cycle for each operation, which only the garbage collector ends.
    """

    def __init__(self) -> None:
        #: id of a tensor -> its note. An id may have gone over to another tensor.
        self.known: dict[int, Note] = {}
        known = self.known

        def gone(reference: _Reference) -> None:
            note = known.get(reference.key)
            if note is not None and note.tensor is reference:
                del known[reference.key]

        self._gone = gone

    def get(self, tensor: Any) -> Note | None:
        found = self.known.get(id(tensor))
        return None if found is None or found.tensor() is not tensor else found

    def all(self) -> list[Note]:
        """The notes of all tensors that are alive."""
        return [note for note in list(self.known.values()) if note.tensor() is not None]

    def drop(self, tensor: Any) -> None:
        """The note on it is out of date."""
        if self.get(tensor) is not None:
            del self.known[id(tensor)]

    def put(self, tensor: Any, note: Note) -> None:
        key = id(tensor)
        before = self.known.get(key)
        if before is not None and before.tensor() is tensor:
            note.tensor = before.tensor
        else:
            note.tensor = reference = _Reference(tensor, self._gone)
            reference.key = key
        self.known[key] = note


# --- events ----------------------------------------------------------------------------------------------
# An event of a tensor at a line: a hook was registered, a value was taken out.


class Event:
    __slots__ = ("clock", "held", "note", "op", "rewritten", "site", "tensor")

    def __init__(
        self, op: str, site: Site | None, note: Note | None, *, held: bool = False
    ) -> None:
        self.op = op
        self.site = site
        self.note = note
        #: For a hook: does it refer to its tensor?
        self.held = held
        self.clock = tick()
        #: The tensor, weakly; and where that was written in place after.
        self.tensor: Callable[[], Any] = nothing if note is None else note.tensor
        self.rewritten: Site | None = None


def holds(function: Any, tensor: Any) -> bool:
    """Does a function refer to a tensor: in its closure, its defaults, or what it is bound to?"""
    held: list[Any] = [
        *(getattr(function, "__defaults__", None) or ()),
        *getattr(function, "args", ()),
    ]
    for cell in getattr(function, "__closure__", None) or ():
        try:
            held.append(cell.cell_contents)
        except ValueError:
            continue
    return any(each is tensor for each in held)
