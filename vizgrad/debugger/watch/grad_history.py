"""The life of each `.grad`: who filled it, who added to it, and which step used it."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from vizgrad.core.arrays.magnitude import inspected
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import tick
from vizgrad.debugger.watch.notes import Note

if TYPE_CHECKING:
    from typing import TypeAlias

    from vizgrad.debugger.watch.notes import Note, Notes
    from vizgrad.debugger.watch.tensor_adapter import Look

    Run: TypeAlias = Any


# --- history loss ----------------------------------------------------------------------------------------
# How an operation lost the history of its operands.


def how_cut(note: Note, kind: str, mode: str) -> str:
    """As `Note.cut` says it. `mode` is the one that keeps from recording: "no_grad", "inference" or ""."""
    if kind == "data":
        return "data"
    if note.op in ("detach", "detach_"):
        return "detach"
    if mode:
        return mode
    if note.dtype.kind in "iub":
        return "dtype"
    return "copied" if kind == "make" else "step"


# --- grad history ----------------------------------------------------------------------------------------


#: Notes that are searched for a gradient when a leaf is written. The norm of all gradients has one operand
#: per parameter, and each gradient that is scaled by it is written: a search of all is quadratic.
_NEAR = 32
#: Pairs of parameters that share memory, parameters that were given memory, and backwards whose gradients
#: one leaf holds.
_SHARED_KEPT, _GIVEN_KEPT, _PENDING = 64, 4096, 64
#: Tensors that were told to require grad, of which the first are kept.
_SWITCHED_KEPT = 1 << 16
#: Lines that computed with one leaf, of which the first are kept.
_USES_KEPT = 64


class Use(NamedTuple):
    """A step used a gradient."""

    site: Site | None


class Shared(NamedTuple):
    """Two parameters lie in the same memory: `site` is the line that made it so, or that wrote one from the
    other; `late`: the second.
    """

    one: Leaf
    other: Leaf
    site: Site | None
    late: bool
    clock: int


class Switched(NamedTuple):
    """A tensor that was told to require grad: `on` and `site` say when and where. `off` and `off_at` say the
    same of the line that had told it before not to; 0 and None where none did.
    """

    tensor: weakref.ref[Any]
    on: int
    site: Site | None
    off: int
    off_at: Site | None


class Leaf:
    """The notes on one leaf."""

    __slots__ = (
        "added_by",
        "asked_after",
        "asked_in_vain",
        "grad",
        "kept",
        "key",
        "looked_at",
        "name",
        "note",
        "pending",
        "plain",
        "received",
        "reported",
        "run",
        "stepped_at",
        "tensor",
        "used_at",
        "used_by",
        "uses",
        "written",
    )

    def __init__(self, tensor: Any) -> None:
        self.tensor = weakref.ref(tensor)
        self.key = id(tensor)
        self.grad: weakref.ref[Any] | None = None
        #: Backwards that gave it a gradient since it was last cleared.
        self.kept = 0
        #: Those before the last of them whose gradients it holds, too.
        self.pending: list[weakref.ref[Run]] = []
        #: Backwards that gave it a gradient, all in all.
        self.received = 0
        #: The step that used what its `.grad` holds; None since a backward has brought another.
        self.used_by: Use | None = None
        #: Has the program computed with its gradient, or written to it?
        self.looked_at = self.written = False
        #: Is it a tensor that a person made want a gradient, and no module's parameter?
        self.plain = type(tensor).__name__ == "Tensor"
        #: The user's name of it when an optimizer stepped.
        self.name = ""
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
        #: Backwards after which the program has asked for its gradient, and there was none; and when the
        #: last of them ended.
        self.asked_in_vain = self.asked_after = 0
        #: Lines that computed with it.
        self.uses: dict[tuple[int, int], Site] = {}


class Gradients:
    """All leaves that a backward of the block reached, or an optimizer knows."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._leaves: dict[int, Leaf] = {}
        #: `.grad` -> whose it is.
        self._grads: dict[int, Leaf] = {}
        #: Tensors that were told to want no gradient, and where.
        self._frozen: dict[int, tuple[weakref.ref[Any], Site | None, int]] = {}
        #: Tensors that were told to require grad, since when.
        self._switched_on: dict[int, Switched] = {}
        #: Parameters whose memory was given to them -> where.
        self._given: dict[int, tuple[weakref.ref[Any], Site | None]] = {}
        #: Pairs of parameters that share memory.
        self.shared: list[Shared] = []
        #: Parameters of optimizers that have stepped.
        self.optimized: dict[int, weakref.ref[Any]] = {}

    def of(self, tensor: Any) -> Leaf:
        known = self._leaves.get(id(tensor))
        if known is None or known.tensor() is not tensor:
            known = self._leaves[id(tensor)] = Leaf(tensor)
        return known

    def use(self, tensor: Any, note: Note, site: Site) -> None:
        """A line computed with a leaf."""
        leaf = self.of(tensor)
        leaf.note = leaf.note or note
        leaf.used_at = leaf.used_at or tick()
        if len(leaf.uses) < _USES_KEPT:
            leaf.uses[id(site[0]), site[1]] = site  # a code object's own hash takes long

    def switched(self, tensor: Any, site: Site | None) -> None:
        """A line said whether a tensor wants a gradient."""
        key = id(tensor)
        if not tensor.requires_grad:
            known = self._frozen.get(key)
            since = tick() if known is None or known[0]() is not tensor else known[2]
            self._frozen[key] = weakref.ref(tensor), site, since
            return
        _, at, off = self._frozen.pop(key, None) or (None, None, 0)
        if len(self._switched_on) < _SWITCHED_KEPT:
            self._switched_on[key] = Switched(weakref.ref(tensor), tick(), site, off, at)

    def frozen_at(self, tensor: Any) -> Site | None:
        """Where a tensor was told last to want no gradient, if that was heard."""
        found = self._frozen.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else None

    def switched_on(self, tensor: Any) -> Switched | None:
        """Where a tensor was told last to require grad, if that was heard and still holds."""
        found = self._switched_on.get(id(tensor))
        if found is None or tensor is None or found.tensor() is not tensor:
            return None
        return found if tensor.requires_grad else None

    def all_switched_on(self) -> list[Switched]:
        """The same of all tensors that are there."""
        known = [each.tensor() for each in self._switched_on.values()]
        return [each for tensor in known if (each := self.switched_on(tensor)) is not None]

    def assigned(self, tensor: Any, site: Site | None) -> None:
        """A line said which memory a tensor has."""
        if len(self._given) < _GIVEN_KEPT:
            self._given[id(tensor)] = weakref.ref(tensor), site

    def _given_at(self, *leaves: Leaf) -> Site | None:
        """Where one of these was last given its memory, if that was heard."""
        for leaf in leaves:
            found = self._given.get(leaf.key)
            if found is not None and found[0]() is leaf.tensor():
                return found[1]
        return None

    def shares(self, one: Any, other: Any, site: Site | None = None) -> None:
        """Two parameters were found in the same memory: by a line that wrote one from the other, or as an
        optimizer has both.
        """
        if len(self.shared) < _SHARED_KEPT:
            both = self.of(one), self.of(other)
            at = site or self._given_at(*reversed(both))
            self.shared.append(Shared(*both, at, site is not None, tick()))

    def known(self, tensor: Any) -> Leaf | None:
        found = self._leaves.get(id(tensor))
        return found if found is not None and found.tensor() is tensor else None

    def all(self) -> list[Leaf]:
        return list(self._leaves.values())

    def leaf_of(self, grad: Any) -> Leaf | None:
        """Whose `.grad` it is."""
        leaf = self._grads.get(id(grad))
        return leaf if leaf is not None and leaf.grad is not None and leaf.grad() is grad else None

    def holds(self, variable: Any) -> Any:
        """Is there a gradient, not all zero, to which another would be added? If it lies on a device, a look
        at it that is read later.
        """
        existing = self._look.grad(variable)
        if existing is not None and self._look.may_wait(existing):
            later = inspected(self._look.array(existing))
            if later is not None:
                return later
        return existing is not None and self._look.largest(existing) != 0.0

    def arrived(self, variable: Any, run: Run, held: bool) -> None:
        """A gradient was stored, or added to what was held."""
        leaf = self.of(variable)
        earlier, leaf.run = leaf.run, run
        leaf.received += 1
        leaf.used_by = None
        leaf.kept = leaf.kept + 1 if held else 1
        if held and leaf.stepped_at is not None:
            leaf.added_by = leaf.added_by or run
        else:
            leaf.stepped_at = leaf.added_by = None
        if held and earlier is not None and len(leaf.pending) < _PENDING:
            leaf.pending.append(weakref.ref(earlier))
        elif not held:
            leaf.pending.clear()
        grad = self._look.grad(variable)
        if grad is not None and (leaf.grad is None or leaf.grad() is not grad):
            if leaf.grad is not None and leaf.grad() is not None:
                leaf.looked_at = True  # someone has kept the one before
            leaf.grad = weakref.ref(grad)
            self._grads[id(grad)] = leaf

    def asked_in_vain(self, tensor: Any, last_end: int) -> None:
        """The program has asked a leaf for its gradient, and there is none. `last_end`: when the last
        backward ended; counted is each that came after the leaf was used first.
        """
        leaf = self.known(tensor)
        if leaf is not None and leaf.used_at and leaf.asked_after < last_end > leaf.used_at:
            leaf.asked_in_vain, leaf.asked_after = leaf.asked_in_vain + 1, last_end

    def forget(self, run: Run, notes: Notes) -> None:
        """The notes on gradients that it stored or added to: they hold other values now."""
        for key in run.leaves:
            leaf = self._leaves.get(key)
            grad = None if leaf is None or leaf.grad is None else leaf.grad()
            if grad is not None:
                notes.drop(grad)

    def used(self, variable: Any, use: Use) -> None:
        """A step has used what its `.grad` holds."""
        leaf, site = self.of(variable), use.site
        if leaf.added_by is not None:
            leaf.reported.append((leaf.added_by, site))
            leaf.added_by = None
        leaf.stepped_at = site
        leaf.used_by = leaf.used_by or use
        if leaf.pending:
            for known in leaf.pending:
                run = known()
                if run is not None:
                    run.used = True
        if leaf.run is not None:
            leaf.run.used = True

    def _written_from(self, tensor: Any, values: tuple[Note, ...], site: Site | None) -> None:
        """A parameter was written: of another one that lies in the same memory?"""
        if len(values) < 2:
            return
        mine = _parameter(tensor, values[0])
        if mine is None:
            return
        for note in values[1:]:
            other = _parameter(note.tensor(), note)
            if other is not None and other is not mine:
                span = self._look.span(mine)
                if span[0] < span[1] and span == self._look.span(other):
                    self.shares(mine, other, site)

    def stepped(self, optimizer: Any, site: Site | None) -> None:
        use, grad = Use(site), self._look.grad
        for group in optimizer.param_groups:
            for param in group["params"]:
                self.optimized[id(param)] = weakref.ref(param)
                if grad(param) is not None:
                    self.used(param, use)

    def wrote(self, tensor: Any, values: tuple[Note, ...], site: Site | None) -> None:
        """A tensor was written in place: a step by hand, if it is a leaf and its gradient goes in."""
        if (leaf := self.known(tensor)) is not None:
            leaf.written = True
        self._written_from(tensor, values, site)
        for note in values[1:]:
            for near in _near(note):
                if near.op == "gradient" and near.detail is not None:
                    owner = near.detail.tensor()
                    if owner is None or owner is near.tensor():
                        continue
                    if self._look.shares(owner, tensor):
                        self.used(owner, Use(site))
                        return


def _parameter(tensor: Any, note: Note) -> Any:
    """The parameter whose memory it is: itself, or what its `.data` is of; None if none is known."""
    for _ in range(4):
        if type(tensor).__name__ == "Parameter":
            return tensor
        through = note.op in ("data", "detach") or note.op[-1:] == "_"  # written in place
        if not through or not note.parents:
            return None
        note = note.parents[0]
        tensor = note.tensor()
    return None


def _near(note: Note) -> list[Note]:
    """The notes that a value was made of, nearest first: at most `_NEAR`, however many operands one has."""
    found, depths = [note], [0]
    for each, depth in zip(found, depths, strict=True):
        room = _NEAR - len(found)
        if depth < 4 and room > 0:
            parents = each.parents[:room]
            found += parents
            depths += [depth + 1] * len(parents)
    return found
