"""Listening to a block of a person's code: what each call of theirs made, and of what.

Only calls from outside are noted: what an operation calls in turn is part of it. Nothing is kept alive but
notes, which are small, and nothing is written to.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from vizgrad.amp.mode import ASIDE
from vizgrad.core.arrays.blocks import span
from vizgrad.core.arrays.kernels.indexing import ASKED
from vizgrad.core.arrays.layout import block_of
from vizgrad.core.arrays.magnitude import PLAIN
from vizgrad.core.function.transform_tensor import stands_for_others
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.observing import Observer
from vizgrad.core.tensor.modes import GUARD, MODES, start_recording, stop_recording
from vizgrad.core.tensor.source_location import Site, caller
from vizgrad.core.tensor.state import UNTRACKED, VIEW
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.watch.backwards import Run, Watching
from vizgrad.debugger.watch.functions import Tap, Taps
from vizgrad.debugger.watch.grad_history import how_cut
from vizgrad.debugger.watch.kept_backwards import Keeping
from vizgrad.debugger.watch.note_recorder import Noting, may_write
from vizgrad.debugger.watch.notes import Event, Note, holds
from vizgrad.debugger.watch.scaling import listed
from vizgrad.debugger.watch.source_expressions import variable
from vizgrad.debugger.watch.training import tensors_in
from vizgrad.debugger.watch.vizgrad_tensors import OWN

# --- listeners -------------------------------------------------------------------------------------------
# The listeners of a thread, and the patches that are in place while there are some.


class Listener(Protocol):
    """Runs the calls of a thread, and notes what they did."""

    #: Is a call under way already, of which this one is a part?
    busy: bool

    def stray(self, result: Any) -> None:
        """A thread to which nobody listens has made `result`."""
        ...

    def run(self, tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...

    def operation(self, tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """As `run`, of the functions of kind "op"."""
        ...


class _Local(threading.local):
    #: Who listens to this thread, the innermost last; and that one, or None.
    heard: tuple[Listener, ...] = ()
    listener: Listener | None = None


_LOCAL = _Local()
_lock = threading.RLock()
_users = 0
#: All who listen, to whichever thread.
_open: tuple[Listener, ...] = ()


def listen(listener: Listener) -> None:
    """Calls of this thread are run by `listener` from now on."""
    global _open, _users
    _LOCAL.heard = (*_LOCAL.heard, listener)
    _LOCAL.listener = listener
    with _lock:
        _open = (*_open, listener)
        _users += 1
        if _users > 1:
            return
        _TAPS.begin()


def end(listener: Listener) -> None:
    """It listens no more."""
    global _open, _users
    _LOCAL.heard = tuple([each for each in _LOCAL.heard if each is not listener])
    _LOCAL.listener = _LOCAL.heard[-1] if _LOCAL.heard else None
    with _lock:
        _open = tuple([each for each in _open if each is not listener])
        _users -= 1
        if not _users:
            _TAPS.end()


@contextmanager
def _aside() -> Iterator[None]:
    """The functions are themselves for a while."""
    with _lock:
        if not _users:
            yield
            return
        _TAPS.end()
        try:
            yield
        finally:
            _TAPS.begin()


ASIDE.append(_aside)


def _heard(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    listener = _LOCAL.listener
    if listener is None:
        result = tap.original(*args, **kwargs)
        for other in _open:
            other.stray(result)
        return result
    if listener.busy:
        return tap.original(*args, **kwargs)
    return listener.run(tap, args, kwargs)


def _heard_operation(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """As `_heard`, of by far the most calls: each function more would be one for each operation."""
    listener = _LOCAL.listener
    if listener is None:
        return _heard(tap, args, kwargs)
    if listener.busy:
        return tap.original(*args, **kwargs)
    return listener.operation(tap, args, kwargs)


#: All functions that are listened to, while someone listens.
_TAPS = Taps(lambda kind: _heard_operation if kind == "op" else _heard)


# --- call recorder ---------------------------------------------------------------------------------------


class Tapping(Noting):
    """All that is known of one block of one thread, of vizgrad's own tensors."""

    def __init__(self) -> None:
        super().__init__(OWN)
        self._before: Any = None

    # --- being on --------------------------------------------------------------------------------

    def start(self) -> None:
        self._observer = Observer("a watch")
        listen(self)
        ASKED.times += 1
        self._before = start_recording(self)

    def stop(self) -> None:
        stop_recording(self._before)
        ASKED.times -= 1
        end(self)
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
        run = Run(
            self.memory,
            self.gradients,
            creates=not task.domain.raw,
            keeps=task.keep_graph,
            site=task.freed.site or caller(2),
            looks=self.looks,
        )
        self.runs.append(run)
        self.rounds.begin(run.clock)
        self.memory.look()
        if self.kept is not None:
            return Keeping(run, self.kept.begin(run.clock), self.kept.origins)
        return Watching(run, stages=not task.domain.raw or task.captures is not None)

    # --- told by taps ----------------------------------------------------------------------------------

    def run(self, tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Runs a call of a person's, and notes what it did."""
        kind = tap.kind
        inside = kind in _THROUGH
        if kind == "tend":
            args, kwargs = listed(tap.name, args, kwargs)
        before = self._note_before(kind, tap.name, args, kwargs)
        runs = len(self.runs)
        self.busy = not inside
        try:
            result = tap.original(*args, **kwargs)
        except Exception as error:
            if self.on_error is not None:
                named = [kwargs[name] for name in _NAMED if name in kwargs]
                self.guarded(self.on_error, error, tap.name, (*args, *named))
            if self.on_progress is not None and kind in ("backward", "grad"):
                self.on_progress(self, "failed", error)
            raise
        finally:
            self.busy = False
            if kind == "step" and before is not None:
                self.training.ended()
            elif kind in ("first", "again"):
                self.repeats.end(args[0], again=kind == "again")
            elif kind == "tend":
                self.scaling.leaves(tap.name)
        self.guarded(self._called, tap, args, kwargs, result, (before, runs))
        if self.on_progress is not None and kind in ("backward", "grad", "step"):
            self.on_progress(self, kind)
        return result

    def operation(self, tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """As `run`, of by far the most calls."""
        before = None
        if args and isinstance(first := args[0], Tensor):
            if first._storage is not None:
                before = first._storage.last_write
            if may_write(tap.name) and self.notes.get(first) is None:
                self.guarded(self.note_of, first)
        self.busy = True
        try:
            result = tap.original(*args, **kwargs)
        except Exception as error:
            if self.on_error is not None:
                self.guarded(self.on_error, error, tap.name, args)
            raise
        else:
            observer = self._observer
            if (
                observer is not None
                and observer.active
                and not (GUARD.transforms and MODES.transforms)
            ):
                try:
                    site = caller(3)  # below: this, `_heard_operation`, and the tapped function
                    self._made(tap.name, "op", args, kwargs, result, before, site)
                except Exception as error:  # noqa: BLE001  whatever it was, it is reported
                    observer.raised(error)
            return result
        finally:
            self.busy = False

    def stray(self, result: Any) -> None:
        """Another thread, to which nobody listens, made a result."""
        self.habits.stray(result, caller(2))

    def _note_before(
        self, kind: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if kind == "apply":
            return tick()
        if kind == "step":
            self.guarded(self.scaling.steps, args[0], caller(3))
            return self.guarded(self.training.before, args[0], self.gradients)
        if kind == "tend":
            self.guarded(self.scaling.begins, name, args, caller(3))
        if kind in ("first", "again"):
            self.repeats.begin()
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
            site = caller(2)
            self._made(name, kind, args, kwargs, result, before[0], site)
            if kind == "apply":
                operands, outputs = list(tensors_in(args[1:])), list(tensors_in((result,)))
                for each in outputs:
                    self.note_of(each).began = before[0]
                self.habits.applied(args[0], site, operands, outputs, before[0])
        elif kind == "tend":
            made = [self.note_of(each) for each in tensors_in((result,))] if name == "scale" else []
            self.scaling.ended(name, args, made)
        elif kind == "assign":
            self.gradients.assigned(args[0], caller(2))
            self.memory.assigned(*span(args[0]._array), caller(2))
        elif kind == "leak":
            if not stands_for_others(args[0]):
                self._leaked(name, args[0], result)
        elif kind in ("backward", "grad"):
            self._ran(kind, args, kwargs, result, *before)
        elif kind == "step":
            self.steps += 1
            site = caller(2)
            self.gradients.stepped(args[0], site)
            self.look_at_parameters(args[0], site)
            self.training.after(before[0] or [], site)
        elif kind == "layer":
            given, made = (
                self.note_of(each) if isinstance(each, Tensor) else None
                for each in (args[-1], result)
            )
            self.layers.called(args[0], given, made, self.steps)
        else:
            self._told(kind, name, args, kwargs, result)

    def _told(
        self, kind: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> None:
        """Calls that make no value: a mode, a hook, a Parameter over values that are there."""
        site = caller(3)
        if kind == "mode":
            self.layers.switched(args[0], bool(args[0].training), site)
        elif kind == "hook":
            both: tuple[Any, ...] = (*args, kwargs.get("hook"))
            tensor, hook = both[:2]
            event = Event(name, site, self.note_of(tensor), held=holds(hook, tensor))
            self.hooks.append(event)
        elif kind == "freeze":
            self.gradients.switched(args[0], site)
        elif kind == "zero":
            self.training.cleared(args[0], self.gradients, site)
        elif kind == "switch":
            self.off = None if args[0].mode else site
        elif kind == "wrap":
            data = args[1] if len(args) > 1 else kwargs.get("data")
            self.gradients.assigned(result, site)
            if isinstance(data, Tensor) and data.requires_grad:
                self.wrapped(data, result, site)

    def _made(
        self, name: str, kind: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any,
        written: int | None, site: Site | None,
    ) -> None:  # fmt: skip
        if result.__class__ is Tensor and name != "__setitem__":
            outputs = (result,)
        else:
            outputs = tuple(tensors_in((args[0] if name == "__setitem__" else result,)))
            if not outputs:
                return
        first, parents, constant = self._operands(args, kwargs, result, site)
        values = parents if kind != "like" else ()
        for out in outputs:
            if out is first and not _was_written(out, written):
                continue  # nothing was done
            note = Note(name, site, values, out._array.dtype, tick())
            if constant or kind == "make":
                note.constant = True
            if out._tracked:
                self.place(note, out)
            self.judge(note, out, kind, later=out._array.__class__ is not PLAIN)
            if out is first or kind in ("make", "data"):
                self._tell_memory(name, kind, out, first, site, values)
            if name in self.looked_at and not (
                name in self.broadcasting
                and first is not None
                and first._array.shape == out._array.shape
            ):
                for look in self.lookers:
                    look(name, note, args, kwargs)
            self.notes.put(out, note)
            if self.repeats.running:
                self.repeats.made(note, out._array)
            if out is first and out._view is not None:
                self.written_through(out._view.base, note)

    def _operands(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, site: Site | None
    ) -> tuple[Tensor | None, tuple[Note, ...], bool]:
        """The first tensor among arguments, the notes of all as they are now, and whether a number is among
        them. A line that computes with a leaf uses it.
        """
        operands: Any = args
        constant = False
        for each in args:
            if each.__class__ is not Tensor:
                operands, constant = _tensors_among(args)
                break
        if kwargs:
            operands = [*operands, *tensors_in(kwargs.values())]
        found: list[Note] = []
        known = self.notes.known
        for each in operands:
            parent = known.get(id(each))
            if parent is None or parent.tensor() is not each:
                parent = self.note_of(each)
            else:  # as `note_of`, without a call for each
                tracked = each._tracked
                parent.requires = each.requires_grad if tracked == VIEW else tracked != UNTRACKED
            found.append(parent)
            if parent.requires and parent.node is None and site is not None and each is not result:
                self.gradients.use(each, parent, site)
        return operands[0] if found else None, tuple(found), constant

    def how_cut(self, note: Note, kind: str) -> str:
        mode = "inference" if MODES.inference is not None else "" if MODES.grad else "no_grad"
        return how_cut(note, kind, mode)

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
            self.memory.lent(out, site)
        elif kind == "make" and name != "tensor":
            self._exposed(out, site)
        elif out is first:
            self._tell_hooks(out, site)
            base = None if out._view is None else out._view.base
            self.memory.wrote(out, base, span(out._array), site)
            self.gradients.wrote(out, values, site)

    def _tell_hooks(self, out: Tensor, site: Site | None) -> None:
        """A tensor with hooks was written in place; or a gradient, by the hook that was given it."""
        for event in self.hooks:
            if event.tensor() is out and event.rewritten is None:
                event.rewritten = site
        run = self.runs[-1] if self.runs else None
        arrived = None if run is None or run.ended or run.given is None else run.given()
        if run is not None and arrived is not None:
            given = getattr(arrived, "_array", arrived)
            if block_of(out._array) == block_of(given):
                run.edited.append((site, variable(site)))

    def place(self, note: Note, tensor: Tensor) -> None:
        tracked = tensor._tracked
        if tensor.requires_grad if tracked == VIEW else tracked != UNTRACKED:
            note.requires = True
            edge = tensor._edge
            node = edge.node if edge.__class__ is Edge else edge
            if isinstance(node, Node):
                note.node = node.sequence_nr

    def _leaked(self, name: str, tensor: Tensor, result: Any) -> None:
        site = caller(2)
        self.leaks.append(Event(name, site, self.note_of(tensor)))
        if name in ("numpy", "__array__"):
            self._exposed(tensor, site)

    def _exposed(self, tensor: Tensor, site: Site | None) -> None:
        storage = None if tensor._storage is None else weakref.ref(tensor._storage)

        def last_write() -> int:
            found = None if storage is None else storage()
            return 0 if found is None else found.last_write

        self.memory.exposed(tensor._array, site, last_write)

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
        place = _CREATES[kind]
        run.creates = bool(args[place] if len(args) > place else kwargs.get("create_graph"))
        run.site = caller(2)
        self.ran(run, kind)
        if kind == "grad":
            self.grad_taken(run, tensors_in((result,)))


#: Arguments of backward and grad that may be said by name, in order.
_NAMED = ("tensors", "outputs", "inputs")
#: Where `create_graph` stands among the arguments.
_CREATES = {"backward": 3, "grad": 4}
#: Within them runs code of a person's.
_THROUGH = frozenset({"backward", "grad", "step", "apply", "layer", "first", "again", "tend"})


def _tensors_among(args: tuple[Any, ...]) -> tuple[list[Tensor], bool]:
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
    return operands, constant


def _was_written(tensor: Tensor, before: int | None) -> bool:
    storage = tensor._storage
    return storage is not None and storage.last_write > (before or 0)
