"""The notes on a block of the user's code, for every engine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from sys import _getframe, stdlib_module_names
from types import FrameType
from typing import Any, Literal, Protocol

from vizgrad.core.errors import is_library
from vizgrad.core.observing import Observer
from vizgrad.core.tensor.source_location import INTERNAL, Site
from vizgrad.core.tensor.storage import tick
from vizgrad.debugger.engines.api.frameworks import of_framework
from vizgrad.debugger.watch.backwards import Run
from vizgrad.debugger.watch.device_looks import Looks
from vizgrad.debugger.watch.device_values import DeviceValues
from vizgrad.debugger.watch.functions import Repeats
from vizgrad.debugger.watch.grad_history import Gradients
from vizgrad.debugger.watch.kept_backwards import KeptBackwards
from vizgrad.debugger.watch.nonfinite_values import KEEPING, look_at_values
from vizgrad.debugger.watch.notes import Event, Near, Note, Notes, Weight
from vizgrad.debugger.watch.rounds import Rounds
from vizgrad.debugger.watch.scaling import Scaling
from vizgrad.debugger.watch.tensor_adapter import Kind, Look, tensors_in
from vizgrad.debugger.watch.training import Habits, Layers, Replicated, Training
from vizgrad.debugger.watch.untracked_memory import Memory

#: Times at which one line made what is not finite.
_ODD_KEPT = 1 << 16
#: Registrations of hooks, of which the latest are kept: a backward reads them all.
_HOOKS_KEPT = 4096
#: Calls that took values out of tensors, of which the latest are kept.
_LEAKS_KEPT = 4096


@cache
def may_write(name: str) -> bool:
    """Does an operation of this name write to its first operand? As in: mul_, __iadd__, __setitem__."""
    return name[-1:] == "_" and (name[0] != "_" or name.startswith(("__i", "__set", "_foreach")))


class Progress(Protocol):
    """Is called when a backward, a call of grad or a step of an optimizer has ended, with the word for it;
    "failed": a backward or a call of grad has raised `error`. Its own errors go to the user's program.
    """

    def __call__(
        self,
        noting: Noting,
        what: Literal["backward", "grad", "step", "failed"],
        error: BaseException | None = None,
        /,
    ) -> None: ...


def near_of(site: Site | None, modules: Callable[[], str]) -> Near | None:
    """Where the user's code called the library that `site` lies in, by the frames above."""
    if site is None or not is_library(site.file):
        return None
    frame: FrameType | None = _getframe(1)
    while frame is not None:
        package = frame.f_globals.get("__package__")
        own = INTERNAL[package] is False and not of_framework(package)
        name = frame.f_globals.get("__name__") or ""  # None in recorded functions
        if name.partition(".")[0] in stdlib_module_names:
            own = False  # as contextlib between a `with` and what it enters
        if own and not is_library(frame.f_code.co_filename):
            return Near(Site(frame.f_code, frame.f_lasti), modules())
        frame = frame.f_back
    return Near(None, modules())


class Noting:
    """All that is known of one block of one thread, of the tensors of one engine."""

    def __init__(self, look: Look, clock: Callable[[], int] = tick) -> None:
        self.look = look
        self.notes = Notes()
        self.memory = Memory(clock)
        #: Judgements of what lies on a device, which wait until a backward has ended.
        self.looks = Looks()
        self.on_device = DeviceValues(look, self.looks, self.memory, self.near, self.odd)
        self.gradients = Gradients(look)
        #: Each call of backward or grad that was begun, the newest last.
        self.runs: deque[Run] = deque(maxlen=64)
        self.leaks: deque[Event] = deque(maxlen=_LEAKS_KEPT)
        #: Suspicious operations, in order; `vizgrad.debugger.explain` says which were bugs.
        self.suspects: list[tuple[str, Note, Any]] = []
        #: Where set_grad_enabled has switched gradients off last, and nobody on again.
        self.off: Site | None = None
        #: Registrations of hooks with tensors. A loop makes more in each round.
        self.hooks: deque[Event] = deque(maxlen=_HOOKS_KEPT)
        #: Called with (operation, note, arguments, keywords) for each new note.
        self.lookers: list[Callable[[str, Note, tuple[Any, ...], dict[str, Any]], None]] = []
        #: The operations that they ask about.
        self.looked_at: frozenset[str] = frozenset()
        #: Those among these that they ask about only where the result has not the shape of the first operand.
        self.broadcasting: frozenset[str] = frozenset()
        #: Called with an error that a person's call raised.
        self.on_error: Callable[[BaseException, str, Any], None] | None = None
        self.on_progress: Progress | None = None
        #: Backwards that are kept as traces, if that was asked for.
        self.kept: KeptBackwards | None = None
        #: The line that goes on from step to step, and how often: the newest note of it.
        self.carried: dict[Site, Note] = {}
        #: The same lines -> what such a value kept alive when it was weighed, from time to time.
        self.weights: dict[Site, list[Weight]] = {}
        #: The tick at which the last backward ended that kept no graph for further derivatives.
        self.last_end = 0
        #: id of a tensor -> what a person called it when the block ended.
        self.names: dict[int, str] = {}
        #: Steps of optimizers, so far.
        self.steps = 0
        #: A call is under way: what is called within is a part of it.
        self.busy = False
        self.habits = Habits()
        self.training = Training(look)
        self.scaling = Scaling(self.gradients)
        self.layers = Layers()
        #: id of a module -> its parameters that are replicated.
        self.replicated: dict[int, Replicated] = {}
        self.repeats = Repeats()
        self.rounds = self.training.rounds = Rounds()
        #: Line -> the ticks at which a value, or a gradient, that is not finite was made there.
        self.odd_at: dict[Site, list[int]] = {}
        self._observer: Observer | None = None

    # --- each engine has its own -----------------------------------------------------------------

    def start(self) -> None:
        """Listens to this thread from now on."""
        raise NotImplementedError

    def stop(self) -> None:
        """Listens no more; nothing is left of it."""
        raise NotImplementedError

    def place(self, note: Note, tensor: Any) -> None:
        """Notes whether, and by which node, a tensor is part of a graph."""
        raise NotImplementedError

    def modules(self) -> str:
        """The modules that are being called, as a path; "" where that is not known."""
        return ""

    def how_cut(self, note: Note, kind: str) -> str:
        """Its operands had a history, and it has none: why? As `Note.cut` says it."""
        raise NotImplementedError

    # --- all do alike ----------------------------------------------------------------------------

    def guarded(self, what: Callable[..., Any], *args: Any) -> Any:
        """An error here ends the watch, not the program; the watch's own work is not noted."""
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

    def settle(self) -> None:
        """All that was noted is known from here on: devices are waited for."""
        self.looks.settle()
        for run in self.runs:
            run.settle()

    def note_of(self, tensor: Any) -> Note:
        """The note of a tensor; of one that was there before, one that says so."""
        note = self.notes.get(tensor)
        if note is None:
            leaf = self.gradients.leaf_of(tensor)
            if leaf is not None and not self.scaling.tending:
                leaf.looked_at = True
            note = Note("gradient" if leaf else "given", None, (), Kind(self.look.kind(tensor)), 0)
            note.requires = tensor.requires_grad
            note.detail = leaf
            note.run = None if leaf is None else leaf.run
            if not self.on_device.see(note, tensor):
                note.finite = self.look.finite(tensor)
                if not note.finite:
                    note.born = note
            made = self.look.made(tensor)
            if made is not None:
                note.node, note.site = made.key, made.site
            self.notes.put(tensor, note)
        else:
            note.requires = tensor.requires_grad
        return note

    def note_before(self, target: Any) -> None:
        """A call may write to a tensor, or to a list of them: was each finite before?"""
        for each in tensors_in((target,), self.look):
            if self.notes.get(each) is None:
                self.note_of(each)

    def judge(self, note: Note, out: Any, kind: str, *, later: bool = False) -> None:
        """Was history cut, is the value finite, and how far back does its history reach?

        `later`: it lies on a device, so whether it is finite is known when the host has waited for it.
        """
        if note.requires and not (kind == "make" and note.node is None):
            if self.last_end:
                self._count_turns(note)
        else:
            self._note_cut(note, kind)
        if not note.parents and kind != "make":
            return
        if later and self.on_device.judge(note, out):
            return
        if note.op in KEEPING and not self.memory.lends:  # else they may have been written unseen
            for parent in note.parents:
                if not parent.finite:
                    break
            else:
                return
        if not self.look.finite(out):
            self.judge_odd(note, out)

    def judge_odd(self, note: Note, out: Any) -> None:
        """The value is not finite: where did that begin?"""
        look_at_values(note, out, note.parents, self.look)
        if note.born is note:
            note.near = self.near(note.site)
            self.odd(note.site, note.clock)

    def _note_cut(self, note: Note, kind: str) -> None:
        """It has no history: had one of its operands?"""
        for parent in note.parents:
            if parent.requires:
                note.cut = self.how_cut(note, kind)
                if self.off is not None:
                    note.off = self.off
                return

    def near(self, site: Site | None) -> Near | None:
        """Where the user's code has called the library that the line lies in: asked while it is called."""
        return near_of(site, self.modules)

    def odd(self, site: Site | None, clock: int) -> None:
        """A line made what is not finite; of many times the first and the last are kept."""
        if site is not None:
            clocks = self.odd_at.setdefault(site, [])
            if len(clocks) >= _ODD_KEPT:
                clocks.pop()
            clocks.append(clock)

    def _count_turns(self, note: Note) -> None:
        """Over how many backwards does its history reach, and through which values?"""
        late, last_end, clock = True, self.last_end, note.clock
        for parent in note.parents:
            if not parent.requires or parent.node is None:
                continue
            crosses = parent.clock < last_end < clock
            late = late and crosses
            turns = parent.turns + crosses
            if turns > note.turns:
                note.turns = turns
                note.carried = parent if crosses else parent.carried
        note.late = late
        before = note.carried
        earlier = None if before is None else before.carried
        if before is None or earlier is None or before.site is None:
            return
        if earlier.site == before.site:
            self.carried[before.site] = note

    def hooked(self) -> dict[int, Event]:
        """Key of a node -> the last hook that was registered with the tensor that it made."""
        found: dict[int, Event] = {}
        for event in self.hooks:
            tensor = event.tensor()
            if event.note is not None and event.note.node is not None:
                found[event.note.node] = event
            elif tensor is not None:
                found[-id(tensor)] = event
        return found

    def look_at_parameters(self, optimizer: Any, site: Site | None) -> None:
        """Has a step made a parameter infinite?"""
        params = [param for group in optimizer.param_groups for param in group["params"]]
        known = [(param, note) for param in params if (note := self.notes.get(param)) is not None]
        before = [(param, note) for param, note in known if note.finite]
        finite = self.finite([param for param, _ in before])
        for (param, was), is_finite in zip(before, finite, strict=True):
            if not is_finite:
                note = Note("step", site, (), Kind(self.look.kind(param)), tick())
                note.requires, note.finite, note.born = was.requires, False, note
                grad = self.look.grad(param)
                if grad is not None and not self.look.finite(grad):
                    note.detail = self.gradients.of(param).run
                self.notes.put(param, note)

    def finite(self, tensors: Sequence[Any]) -> list[bool]:
        """Is every element finite, of each? A device is waited for once."""
        odd = self.on_device.odd(tensors)
        return [
            not odd[number] if number in odd else self.look.finite(each)
            for number, each in enumerate(tensors)
        ]

    def written_through(self, base: Any, note: Note) -> None:
        """A view was written in place: its base holds that, too."""
        old = self.note_of(base)
        made = Note(note.op, note.site, (old, note), old.dtype, note.clock)
        if not self.on_device.join(made, old, note):
            made.finite, made.born = old.finite and note.finite, old.born or note.born
        self.place(made, base)
        self.notes.put(base, made)

    def wrapped(self, data: Any, leaf: Any, site: Site | None) -> None:
        """A Parameter was made of `data`: the history of that ends there."""
        source = self.note_of(data)
        if source.node is None:
            return
        note = Note("Parameter", site, (source,), source.dtype, tick())
        note.requires, note.finite, note.cut = leaf.requires_grad, source.finite, "copied"
        self.notes.put(leaf, note)

    def grad_taken(self, run: Run, results: Any) -> None:
        """`run` was a call of grad: notes what it returned."""
        for each in results:
            note = Note("grad", run.site, run.roots, Kind(self.look.kind(each)), tick())
            note.requires = each.requires_grad
            if not self.on_device.see(note, each):
                note.finite = self.look.finite(each)
            note.cut = "" if note.requires else "create_graph"
            note.detail = run
            self.notes.put(each, note)

    def weigh(self, note: Note) -> Weight | None:
        """The memory that its history keeps alive; None if the value is gone."""
        tensor = note.tensor()
        found = None if tensor is None else self.look.weigh(tensor)
        return None if found is None else Weight(note.turns, *found)

    def clocks_of(self, run: Run) -> tuple[int, ...]:
        """When a backward began; nothing where earlier ones were forgotten, and it may not be the first."""
        return (run.clock,) if len(self.runs) < (self.runs.maxlen or 0) else ()

    def ran(self, run: Run, kind: str) -> None:
        """It has ended."""
        run.kind = kind
        run.ended, run.steps = tick(), self.steps
        run.given = None
        values = self.training.ask(run)
        run.settle()
        self.gradients.forget(run, self.notes)
        if kind == "grad":
            self.rounds.was_grad(run.clock)
        for site in {odd.visit.site for odd in run.births}:
            self.odd(site, run.clock)
        self.habits.count(run, list(self.runs)[-8:])
        self.training.ran(run, values)
        for line, note in self.carried.items():
            known = self.weights.setdefault(line, [])
            # twice as far back as when it was last weighed: so all weighing costs no more than twice the last
            if not known or note.turns >= 2 * known[-1].turns:
                found = self.weigh(note)
                known += () if found is None else (found,)
        if kind == "backward" and not run.creates:
            self.last_end = run.ended
        if self.kept is not None:
            self.kept.ended(run.clock, kind)
