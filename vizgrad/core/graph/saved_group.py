"""Several tensors saved as one value: the index tensors of `x[i, j]`.

To a formula they are one object (`vizgrad.core.ops.indices.Indices`); a node keeps each of them by
itself, in the forms of `vizgrad.core.graph.saved`, so that hooks pack them, versions are checked, and a
backward frees them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from vizgrad.core.graph.saved import Freed, freed_error, read_array, read_tensor
from vizgrad.core.tensor.tensor import Tensor, new_tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vizgrad.core.graph.node import Node


class Group(Protocol):
    """What a formula works with: made of tensors, None where there is none."""

    tensors: tuple[Tensor | None, ...]

    def __init__(self, tensors: Sequence[Tensor | None]) -> None: ...


class SavedGroup:
    """What a node keeps of a Group."""

    __slots__ = ("forms", "kind")

    def __init__(self, group: Group) -> None:
        self.kind = type(group)
        self.forms: list[Any] = list(group.tensors)

    def read(self, node: Node, name: str) -> Any:
        """The Group again; raises the error that explains why it cannot be had."""
        clock = node.sequence_nr
        found: list[Tensor | None] = []
        for number, form in enumerate(self.forms):
            if isinstance(form, Tensor):
                storage = form._storage
                if storage is not None and storage.last_write > clock:
                    read_array(node, f"{name}[{number}]", form)  # raises if it was written since
                found.append(form)
            elif form is None:
                found.append(None)
            else:
                found.append(new_tensor(read_array(node, f"{name}[{number}]", form)))
        return self.kind(found)

    def tensors(self, node: Node, name: str) -> tuple[Tensor | None, ...]:
        """As `node._saved_<name>` shows it."""
        for form in self.forms:
            if isinstance(form, Freed):
                raise freed_error(node, form)
        return tuple(read_tensor(node, f"{name}[{n}]", f) for n, f in enumerate(self.forms))

    def release(self, token: object) -> None:
        self.forms = [None if form is None else token for form in self.forms]


class GroupSlot:
    """Where one of the tensors sits (see `saved_view.Slot`)."""

    __slots__ = ("_group", "_number")

    def __init__(self, group: SavedGroup, number: int) -> None:
        self._group = group
        self._number = number

    def get(self) -> Any:
        return self._group.forms[self._number]

    def set(self, form: Any) -> None:
        self._group.forms[self._number] = form
