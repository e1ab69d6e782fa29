"""Listening to a block of a person's code: what each call of theirs made, and of what.

Only calls from outside are noted: what an operation calls in turn is part of it. Nothing is kept alive but
notes, which are small, and nothing is written to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from vizgrad.arrays.blocks import owner
from vizgrad.function.wrapped import stands_for_others
from vizgrad.graph.node import Edge, Node
from vizgrad.observing import Observer
from vizgrad.provenance import listening
from vizgrad.provenance.backwards import Run, Watching
from vizgrad.provenance.births import is_finite, look_at_values
from vizgrad.provenance.events import Event, holds
from vizgrad.provenance.gradients import Gradients
from vizgrad.provenance.habits import Habits, tensors_in
from vizgrad.provenance.memory import Memory
from vizgrad.provenance.notes import Note, Notes
from vizgrad.provenance.taps import Tap
from vizgrad.provenance.written import variable
from vizgrad.tensor.clock import tick
from vizgrad.tensor.modes import GUARD, MODES, start_recording, stop_recording
from vizgrad.tensor.place import Site, caller
from vizgrad.tensor.tensor import Tensor

#: Calls that took values out of tensors, of which the latest are kept.
_LEAKS_KEPT = 4096


class Noting:
    """All that is known of one block of one thread."""

    def __init__(self) -> None:
        self.notes = Notes()
        self.memory = Memory()
        self.gradients = Gradients()
        #: Each call of backward or grad that was begun, the newest last.
        self.runs: deque[Run] = deque(maxlen=64)
        self.leaks: deque[Event] = deque(maxlen=_LEAKS_KEPT)
        #: Suspicious operations, in order; `vizgrad.explaining` says which were bugs.
        self.suspects: list[tuple[str, Note, Any]] = []
        self.hooks: list[Event] = []
        #: Called with (operation, note, arguments, keywords) for each new note.
        self.lookers: list[Callable[[str, Note, tuple[Any, ...], dict[str, Any]], None]] = []
        #: The operations that they ask about.
        self.looked_at: frozenset[str] = frozenset()
        #: Called with an error that a person's call raised.
        self.on_error: Callable[[BaseException, str, Any], None] | None = None
        #: What line goes on from step to step, and how often: the newest note of it.
        self.carried: dict[Site, Note] = {}
        #: The tick at which the last backward ended that kept no graph for further derivatives.
        self.last_end = 0
        #: id of a tensor -> what a person called it when the block ended.
        self.names: dict[int, str] = {}
        #: Steps of optimizers, so far.
        self.steps = 0
        #: A call is under way: what is called within is a part of it.
        self.busy = False
        self._before: Any = None
        self.habits = Habits()
        self._observer: Observer | None = None

    # --- being on --------------------------------------------------------------------------------

    def start(self) -> None:
        self._observer = Observer("a watch")
        listening.listen(self)
        self._before = start_recording(self)

    def stop(self) -> None:
        stop_recording(self._before)
        listening.end(self)
        self.memory.end()

    # --- told by the engine ------------------------------------------------------------------------

    def recorded(self, node: Node, outputs: Any = ()) -> None:
        """A node was recorded: what it saved is now as it should stay."""
        if self.memory.blocks:
            self.memory.look()

    def wrote(self, op: str, site: Site | None) -> None:
        """An in-place operation wrote; told again by `called`."""

    def watch(self, task: Any) -> Watching:
        """A backward begins."""
        run = Run(task, self.memory, self.gradients)
        self.runs.append(run)
        self.memory.look()
        return Watching(run)

    # --- told by taps ----------------------------------------------------------------------------------

    def run(self, tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Runs a call of a person's, and notes what it did."""
        kind = tap.kind
        inside = kind in _THROUGH
        before = self._note_before(kind, args, kwargs)
        runs = len(self.runs)
        self.busy = not inside
        try:
            result = tap.original(*args, **kwargs)
        except Exception as error:
            if self.on_error is not None:
                self.guarded(self.on_error, error, tap.name, args)
            raise
        finally:
            self.busy = False
        self.guarded(self._called, tap, args, kwargs, result, (before, runs))
        return result

    def stray(self, result: Any) -> None:
        """Another thread, to which nobody listens, made a result."""
        self.habits.stray(result, caller(2))

    def guarded(self, what: Callable[..., Any], *args: Any) -> Any:
        """What goes wrong here ends the watch, not the program; noting is not noted."""
        observer = self._observer
        if observer is None or not observer.active:
            return None
        self.busy = True
        try:
            return what(*args)
        except Exception as error:  # noqa: BLE001  whatever it was, it is reported
            observer.raised(error)
        finally:
            self.busy = False
        return None

    def _note_before(self, kind: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kind == "op":
            first = args[0] if args else None
            if isinstance(first, Tensor):
                storage = first._storage
                return None if storage is None else storage.last_write
            return None
        if kind == "apply":
            return tick()
        if kind in ("backward", "grad"):
            tensors = args[0] if args else kwargs.get("tensors", kwargs.get("outputs"))
            return self.guarded(self._roots, tensors)
        return None

    def _roots(self, tensors: Any) -> list[Note]:
        found = [tensors] if isinstance(tensors, Tensor) else list(tensors or ())
        return [self.note_of(each) for each in tensors_in(found)]

    def _called(
        self, tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, before: Any
    ) -> None:
        if GUARD.transforms and MODES.transforms:
            return
        kind, name = tap.kind, tap.name
        if kind in ("op", "make", "like", "apply", "data"):
            self._made(name, kind, args, kwargs, result, before[0])
            if kind == "apply":
                self.habits.applied(
                    args[0], list(tensors_in(args[1:])), list(tensors_in((result,))), before[0]
                )
        elif kind == "assign":
            self.memory.assigned(args[0], caller(2))
        elif kind == "leak":
            if not stands_for_others(args[0]):
                self._leaked(name, args[0], result)
        elif kind in ("backward", "grad"):
            self._ran(kind, args, kwargs, result, *before)
        elif kind == "step":
            self.steps += 1
            site = caller(2)
            self.gradients.stepped(args[0], site, self.steps)
            self._look_at_parameters(args[0], site)
        elif kind == "hook":
            both: tuple[Any, ...] = (*args, kwargs.get("hook"))
            tensor, hook = both[:2]
            event = Event(name, caller(2), self.note_of(tensor), held=holds(hook, tensor))
            self.hooks.append(event)

    def note_of(self, tensor: Tensor) -> Note:
        """The note of a tensor; of one that was there before, one that says so."""
        note = self.notes.get(tensor)
        if note is None:
            leaf = self.gradients.leaf_of(tensor)
            note = Note("gradient" if leaf else "given", None, (), tensor, 0)
            note.requires = tensor.requires_grad
            note.detail = leaf
            note.finite = is_finite(tensor)
            if not note.finite:
                note.born = note
            edge = tensor._edge
            node = getattr(edge, "node", edge)
            if isinstance(node, Node):
                note.node, note.site = node.sequence_nr, node.site
            self.notes.put(tensor, note)
        else:
            note.requires = tensor.requires_grad
        return note

    def _made(
        self, name: str, kind: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any,
        written: int | None,
    ) -> None:  # fmt: skip
        if result.__class__ is Tensor:
            outputs = [result]
        else:
            outputs = list(tensors_in((args[0] if name == "__setitem__" else result,)))
            if not outputs:
                return
        operands, constant = _operands(args, kwargs)
        site = caller(2)
        first = operands[0] if operands else None
        parents = tuple([self.note_of(each) for each in operands])
        for each, parent in zip(operands, parents, strict=True):
            if parent.requires and parent.node is None and site is not None and each is not result:
                self.gradients.use(each, parent, site)
        values = parents if kind != "like" else ()
        for out in outputs:
            if out is first and not _was_written(out, written):
                continue  # nothing was done
            note = Note(name, site, values, out, tick())
            if constant or kind == "make":
                note.constant = True
            self._place(note, out)
            self._judge(note, out, kind)
            if out is first or kind != "op":
                self._tell_memory(name, kind, out, first, site, values)
            if name in self.looked_at:
                for look in self.lookers:
                    look(name, note, args, kwargs)
            self.notes.put(out, note)
            if out is first and out._view is not None:
                self._written_through(out._view.base, note)

    def _look_at_parameters(self, optimizer: Any, site: Site | None) -> None:
        """Has a step made a parameter infinite?"""
        for group in optimizer.param_groups:
            for param in group["params"]:
                known = self.notes.get(param)
                if known is not None and known.finite and not is_finite(param):
                    note = Note("step", site, (), param, tick())
                    note.requires, note.finite, note.born = known.requires, False, note
                    grad = param._grad
                    if grad is not None and not is_finite(grad):
                        note.detail = self.gradients.of(param).run
                    self.notes.put(param, note)

    def _judge(self, note: Note, out: Tensor, kind: str) -> None:
        """Was history cut, is the value finite, and how far back does its history reach?"""
        if note.requires:
            if self.last_end:
                self._count_turns(note)
        else:
            for parent in note.parents:
                if parent.requires:
                    note.cut = _how_cut(note.op, kind, out)
                    break
        if kind == "make" or (note.parents and note.dtype.kind in "fcV"):
            look_at_values(note, out, note.parents)

    def _count_turns(self, note: Note) -> None:
        """Over how many backwards does its history reach, and through which values?"""
        for parent in note.parents:
            if not parent.requires or parent.node is None:
                continue
            crosses = parent.clock < self.last_end < note.clock
            turns = parent.turns + crosses
            if turns > note.turns:
                note.turns = turns
                note.carried = parent if crosses else parent.carried
        before = note.carried
        earlier = None if before is None else before.carried
        if before is None or earlier is None or before.site is None:
            return
        if earlier.site == before.site:
            self.carried[before.site] = note

    def _tell_memory(
        self,
        name: str,
        kind: str,
        out: Tensor,
        first: Tensor | None,
        site: Site | None,
        values: Any,
    ) -> None:
        """Who has hold of the memory of a result, or has written it."""
        if kind == "data" and first is not None:
            self.memory.lent(first, out, site)
        elif kind == "make" and name != "tensor":
            self.memory.exposed(out, site)
        elif out is first:
            self._tell_hooks(out, site)
            self.memory.wrote(out, name, site)
            self.gradients.wrote(out, values, site)

    def _tell_hooks(self, out: Tensor, site: Site | None) -> None:
        """A tensor with hooks was written in place; or a gradient, by the hook that was given it."""
        for event in self.hooks:
            if event.tensor() is out and event.rewritten is None:
                event.rewritten = site
        run = self.runs[-1] if self.runs else None
        if run is not None and not run.ended and run.given is not None:
            given = getattr(run.given, "_array", run.given)
            if owner(out._array) is owner(given):
                run.edited.append((site, variable(site)))

    def _place(self, note: Note, tensor: Tensor) -> None:
        """Whether, and by which node, a tensor is part of a graph."""
        if tensor.requires_grad:
            note.requires = True
            edge = tensor._edge
            node = edge.node if edge.__class__ is Edge else edge
            if isinstance(node, Node):
                note.node = node.sequence_nr

    def _written_through(self, base: Tensor, note: Note) -> None:
        """A view was written in place: its base holds that, too."""
        old = self.note_of(base)
        made = Note(note.op, note.site, (old, note), base, note.clock)
        made.finite, made.born = old.finite and note.finite, old.born or note.born
        self._place(made, base)
        self.notes.put(base, made)

    def _leaked(self, name: str, tensor: Tensor, result: Any) -> None:
        site = caller(2)
        self.leaks.append(Event(name, site, self.note_of(tensor)))
        if name in ("numpy", "__array__"):
            self.memory.exposed(tensor, site)

    def _ran(
        self,
        kind: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
        roots: Any,
        runs: int,
    ) -> None:
        if len(self.runs) <= runs and len(self.runs) < (self.runs.maxlen or 0):
            return
        run = self.runs[-1] if self.runs else None
        if run is None:
            return
        run.roots = tuple(roots or ())
        run.kind = kind
        run.creates = bool(kwargs.get("create_graph", False))
        run.site = caller(2)
        run.ended = tick()
        self.habits.count(run, list(self.runs)[-8:])
        run.given = None
        if kind == "backward" and not run.creates:
            self.last_end = run.ended
        if kind == "grad":
            outputs = tuple(run.roots)
            for each in tensors_in((result,)):
                note = Note("grad", run.site, outputs, each, tick())
                note.requires = each.requires_grad
                note.finite = is_finite(each)
                note.cut = "" if note.requires else "create_graph"
                note.detail = run
                self.notes.put(each, note)


#: Within them runs code of a person's.
_THROUGH = frozenset({"backward", "grad", "step", "apply"})


def _operands(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Tensor], bool]:
    """The tensors among arguments; and is a number among them?"""
    operands: list[Tensor] = []
    constant = False
    for each in args:
        cls = each.__class__
        if cls is Tensor:
            operands.append(each)
        elif cls is float or cls is int:
            constant = True
        elif cls is not slice and cls is not str:
            operands += tensors_in((each,))
    if kwargs:
        operands += tensors_in(kwargs.values())
    return operands, constant


def _was_written(tensor: Tensor, before: int | None) -> bool:
    storage = tensor._storage
    return storage is not None and storage.last_write > (before or 0)


def _how_cut(name: str, kind: str, out: Tensor) -> str:
    if name in ("detach", "detach_") or kind == "data":
        return "data" if kind == "data" else "detach"
    if MODES.inference is not None:
        return "inference"
    if not MODES.grad:
        return "no_grad"
    if out._array.dtype.kind in "iub":
        return "dtype"
    return "detach" if kind == "make" else "step"
