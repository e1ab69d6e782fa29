"""What is known of a tensor: the operation that made it, the line, and of what."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vizgrad.tensor.place import Site
    from vizgrad.tensor.tensor import Tensor

#: Notes that are gone through at most, for one question.
MOST = 20_000


class Note:
    """One value of one tensor. It refers to notes of what it was made of, never to tensors.

    `cut` says how its history was lost, if its parents had one: "detach", "data", "no_grad", "inference",
    "dtype", "step" (the operation has no derivative).
    """

    __slots__ = (
        "__weakref__", "born", "carried", "clock", "constant", "cut", "detail", "dtype", "finite",
        "node", "op", "parents", "requires", "shape", "site", "tensor", "turns",
    )  # fmt: skip

    def __init__(
        self, op: str, site: Site | None, parents: tuple[Note, ...], tensor: Tensor, clock: int
    ) -> None:
        self.op = op
        self.site = site
        self.parents = parents
        self.tensor = weakref.ref(tensor)
        #: The tick at which it was made.
        self.clock = clock
        array = tensor._array
        self.shape = array.shape
        self.dtype = array.dtype
        self.requires = False
        self.cut = ""
        self.finite = True
        #: Of a value that is not finite: the first such value on the way.
        self.born: Note | None = None
        #: What was seen when it was born: places, values, and what stood there before.
        self.detail: Any = None
        #: The sequence number of the node that made it.
        self.node: int | None = None
        #: Was it made of Python numbers, which may come from anywhere?
        self.constant = False
        #: How many backwards its history reaches over, and the last value that was carried over one.
        self.turns = 0
        self.carried: Note | None = None

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
            if not note.requires:
                continue
            for parent in note.parents:
                if parent.requires and id(parent) not in seen:
                    seen.add(id(parent))
                    todo.append(parent)


class Notes:
    """The note of each tensor that is alive."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], Note]] = {}

    def get(self, tensor: Tensor) -> Note | None:
        found = self._known.get(id(tensor))
        return None if found is None or found[0]() is not tensor else found[1]

    def put(self, tensor: Tensor, note: Note) -> None:
        key = id(tensor)
        found = self._known.get(key)
        if found is not None and found[0]() is tensor:
            self._known[key] = found[0], note
            return
        known = self._known

        def gone(reference: weakref.ref[Any]) -> None:
            there = known.get(key)
            if there is not None and there[0] is reference:
                del known[key]

        known[key] = weakref.ref(tensor, gone), note

    def alive(self) -> list[tuple[Tensor, Note]]:
        """Each tensor that is alive, in the order in which they came."""
        pairs = [(reference(), note) for reference, note in list(self._known.values())]
        return [(tensor, note) for tensor, note in pairs if tensor is not None]
