"""The life of each `.grad`: who filled it, who added to it, and which step used it."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from vizgrad.arrays.magnitude import largest
from vizgrad.tensor.clock import tick
from vizgrad.tensor.place import Site

if TYPE_CHECKING:
    from typing import TypeAlias

    from vizgrad.provenance.notes import Note
    from vizgrad.tensor.tensor import Tensor

    #: A backward (`backwards.Run`), which is made of what stands here.
    Run: TypeAlias = Any


#: Lines that computed with one leaf, of which the first are kept.
_USES_KEPT = 64


class Leaf:
    """What is known of one leaf."""

    __slots__ = (
        "added_by",
        "grad",
        "note",
        "reported",
        "run",
        "stepped_at",
        "tensor",
        "used_at",
        "uses",
    )

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = weakref.ref(tensor)
        self.grad: weakref.ref[Any] | None = None
        #: The last backward that reached it.
        self.run: Run | None = None
        #: The line of the step that used what `.grad` holds; None if none has.
        self.stepped_at: Site | None = None
        #: The backward that added to what a step had used already.
        self.added_by: Run | None = None
        #: The note of the value that was used first.
        self.note: Note | None = None
        #: (backward, step) of sums of which an old part was used again.
        self.reported: list[tuple[Run, Site | None]] = []
        #: The tick at which a line first computed with it; 0 before.
        self.used_at = 0
        #: Lines that computed with it.
        self.uses: dict[tuple[int, int], Site] = {}


class Gradients:
    """All leaves that a backward of the block reached, or an optimizer knows."""

    def __init__(self) -> None:
        self._leaves: dict[int, Leaf] = {}
        #: `.grad` -> whose it is.
        self._grads: dict[int, Leaf] = {}
        #: Parameters of optimizers that have stepped.
        self.optimized: dict[int, weakref.ref[Any]] = {}

    def of(self, tensor: Tensor) -> Leaf:
        known = self._leaves.get(id(tensor))
        if known is None or known.tensor() is not tensor:
            known = self._leaves[id(tensor)] = Leaf(tensor)
        return known

    def use(self, tensor: Tensor, note: Note, site: Site) -> None:
        """A line computed with a leaf."""
        leaf = self.of(tensor)
        leaf.note = leaf.note or note
        leaf.used_at = leaf.used_at or tick()
        if len(leaf.uses) < _USES_KEPT:
            leaf.uses[id(site[0]), site[1]] = site  # a code object's own hash takes long

    def known(self, tensor: Tensor) -> Leaf | None:
        found = self._leaves.get(id(tensor))
        return found if found is not None and found.tensor() is tensor else None

    def all(self) -> list[Leaf]:
        return list(self._leaves.values())

    def leaf_of(self, grad: Tensor) -> Leaf | None:
        """Whose `.grad` it is."""
        leaf = self._grads.get(id(grad))
        return leaf if leaf is not None and leaf.grad is not None and leaf.grad() is grad else None

    def arriving(self, variable: Tensor, run: Run) -> None:
        """A gradient is about to be stored or added."""
        leaf = self.of(variable)
        leaf.run = run
        existing = variable._grad
        if existing is None or not leaf.stepped_at or largest(existing._array) == 0.0:
            leaf.stepped_at = leaf.added_by = None
        else:
            leaf.added_by = leaf.added_by or run

    def stored(self, variable: Tensor, decision: str, run: Run) -> None:
        grad = variable._grad
        if grad is None:
            return
        leaf = self.of(variable)
        if leaf.grad is None or leaf.grad() is not grad:
            leaf.grad = weakref.ref(grad)
            self._grads[id(grad)] = leaf

    def used(self, variable: Tensor, site: Site | None) -> None:
        """A step has used what its `.grad` holds."""
        leaf = self.of(variable)
        if leaf.added_by is not None:
            leaf.reported.append((leaf.added_by, site))
            leaf.added_by = None
        leaf.stepped_at = site

    def stepped(self, optimizer: Any, site: Site | None, number: int) -> None:
        for group in optimizer.param_groups:
            for param in group["params"]:
                self.optimized[id(param)] = weakref.ref(param)
                if param._grad is not None:
                    self.used(param, site)

    def wrote(self, tensor: Tensor, values: tuple[Note, ...], site: Site | None) -> None:
        """A tensor was written in place: a step by hand, if it is a leaf and its gradient goes in."""
        whole = tensor
        for note in values[1:]:
            for near in _near(note):
                if near.op == "gradient" and near.detail is not None:
                    owner = near.detail.tensor()
                    if owner is not None and owner is not near.tensor():
                        same = owner is whole or owner._array.base is whole._array.base is not None
                        if same or owner._array is whole._array:
                            self.used(owner, site)
                            return


def _near(note: Note) -> list[Note]:
    found, todo = [], [(note, 0)]
    for each, depth in todo:
        found.append(each)
        if depth < 4 and len(todo) < 32:
            todo += [(parent, depth + 1) for parent in each.parents]
    return found
