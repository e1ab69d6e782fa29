"""Watches a program, and stops it where something is wrong."""

from __future__ import annotations

import linecache
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Literal

from vizgrad.autograd.running import Call, asking
from vizgrad.core.errors import Explanation
from vizgrad.core.tensor.storage import tick
from vizgrad.debugger import api
from vizgrad.debugger.engines.api.frameworks import awaited, intercepting
from vizgrad.debugger.engines.api.imports import AfterImport
from vizgrad.debugger.engines.api.summarizer import summarize
from vizgrad.debugger.engines.common.variable_names import Names, names_in
from vizgrad.debugger.explain import tensor_cause, why
from vizgrad.debugger.explain.diagnose import diagnose
from vizgrad.debugger.explain.evidence import Question
from vizgrad.debugger.explain.from_watch import BlockReader
from vizgrad.debugger.explain.watch_block import noting_now
from vizgrad.debugger.explain.wording import explain, leaf_name
from vizgrad.debugger.model import Course
from vizgrad.debugger.shell.alarms_only import AlarmsOnly
from vizgrad.debugger.shell.arguments import Options
from vizgrad.debugger.shell.frames import UserFrame, frames_here, names_of, tensor_kinds
from vizgrad.debugger.shell.running_findings import RunningFindings
from vizgrad.debugger.shell.stops import Backward, Stop, Stopped
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.tensor_adapter import look_of

#: The functions, one for each call of backward, from which a guard is asked: (module, name).
_BACKWARDS = frozenset(
    {
        ("vizgrad.autograd.running", "backward"), ("vizgrad.autograd.tensor_methods", "backward"),
        ("vizgrad.debugger.engines.pytorch.opener", "heard"),
    }
)  # fmt: skip


class Guard:
    """A watch around a program, from `begin` to `end`.

    `on_stop(stop)` is called where the program is to stop, on its thread, its frames still there. If it gives
    "stop", `Stopped` is raised into the program. With "go on" the program continues, and with "done" without
    the backward before which it was stopped, as that was run by then.
    """

    def __init__(
        self,
        options: Options,
        on_stop: Callable[[Stop], Literal["stop", "go on", "done"]],
        told: Callable[[Explanation], None],
        withdrawn: Callable[[Explanation], None],
        *,
        keeps: bool = False,
    ) -> None:
        """`keeps`: the last backward is there as a trace (`latest`)."""
        self._options = options
        self._on_stop = on_stop
        self._watch = api.watch(keep=int(keeps))
        self._watch.on_progress = self._progress
        self._alarms_only = AlarmsOnly(
            self._odd_gradient, self._passed_alarms_only, self._failed_alarms_only
        )
        #: Is each operation watched by now?
        self._full = False
        self._running_findings = RunningFindings(self._findings, told, withdrawn)
        self._stack = ExitStack()
        self._thread = threading.get_ident()
        #: The debugger is open, or the program has ended: what runs now is not the program's.
        self._aside = False
        #: A backward runs by `_run_keeping`, which calls it again.
        self._keeping = False
        #: The error that was stopped at last: calls within each other tell of it in turn.
        self._error: BaseException | None = None
        #: The call of backward under way.
        self._backward: Backward | None = None
        #: The tick before it.
        self._began = 0
        #: The backward after which the user went on: nothing stops before the next one.
        self._passed = 0
        self.backwards = 0
        self.steps = 0
        #: Where it was stopped; None while it was not, or the user went on.
        self.stop: Stop | None = None
        #: Stop before the next backward: someone who is attached asks for it.
        self.pause = False
        #: Called at the end of each backward and step of the program.
        self.on_passed: Callable[[], None] | None = None

    def begin(self) -> None:
        """Watches from here on."""
        self._stack.enter_context(AfterImport(awaited(), self._imported))
        if self._options.first_full > 1:
            self._alarms_only.join()
        else:
            self._begin_full()
        self._stack.enter_context(asking(self._ask))
        self._stack.enter_context(intercepting(lambda *call: self._ask(Call(*call))))

    def _begin_full(self) -> None:
        self._full = True
        self._watch.__enter__()

    def _imported(self) -> None:
        if threading.get_ident() == self._thread:
            if self._full:
                self._watch.join()
            else:
                self._alarms_only.join()
            self._stack.enter_context(intercepting(lambda *call: self._ask(Call(*call))))

    def over(self) -> None:
        """The program has ended: what runs from here on is not its own."""
        self._aside = True

    def end(self, namespace: dict[str, Any]) -> list[Explanation]:
        """The program has ended, with these global variables: its findings."""
        self.over()
        self._stack.close()
        self._alarms_only.end()
        if not self._full:
            return []
        self._watch.end(names_in([namespace], tensor_kinds()))
        return self._running_findings.end(self._watch.findings)

    def look(self) -> Sequence[Explanation]:
        """The findings so far, on the program's thread."""
        return self._findings() if self._full else ()

    def history(self) -> Course:
        """The norms of the layers so far, on the program's thread."""
        return self._watch.history.data if self._full else Course(())

    def latest(self) -> Any:
        """The backward that began last, as a trace, as far as it has run; None where it is not kept."""
        return self._watch.kept.latest()

    def loss(self) -> Any:
        """The tensor of the backward under way, or just ended; None after a step."""
        tensors = None if self._backward is None else _several(self._backward.tensors)
        return tensors[0] if tensors else None

    def last_backward(self) -> Backward | None:
        """The call of backward that began last, if no step of an optimizer has come since."""
        backward = self._backward
        if backward is None:
            return None
        return replace(backward, ran=True, released=not self._keeps(backward))

    def _keeps(self, backward: Backward) -> bool:
        """Does its graph hold its values after it has run?"""
        single = len(_several(backward.tensors)) == 1
        keeps = backward.create_graph if backward.retain_graph is None else backward.retain_graph
        return bool(keeps) or (self._options.keep_graphs and single)

    @property
    def is_full(self) -> bool:
        """Is each operation watched by now?"""
        return self._full

    # --- where it stops ---------------------------------------------------------------------------

    def _ask(self, call: Call) -> bool:
        """Before each backward. True: it was run in the debugger."""
        if self._aside or self._keeping or threading.get_ident() != self._thread or self._nested():
            return False
        if self.stop is not None:  # the program caught what was to end it
            raise Stopped(self.stop)
        self.backwards += 1
        self._began = tick()
        self._backward = backward = Backward(*call, number=self.backwards)
        stop = self._of_losses(backward) if self._options.stops_at("nonfinite") else None
        if stop is None and self.backwards == self._options.at:
            frames = frames_here()
            stop = Stop("at", f"before backward {self.backwards}", None, (*frames,), backward)
        if stop is None and self.pause:
            headline = f"before backward {self.backwards}, as was asked for"
            stop = Stop("pause", headline, None, (*frames_here(),), backward)
        self.pause = False
        if stop is not None and self._halt(stop) == "done":
            return True
        return self._options.keep_graphs and self._run_keeping(backward)

    def _nested(self) -> bool:
        """Is a backward called within another, as by a checkpoint?"""
        frame, found = sys._getframe(1).f_back, 0
        while frame is not None:
            found += (frame.f_globals.get("__name__"), frame.f_code.co_name) in _BACKWARDS
            frame = frame.f_back
        return found > 1 + self._keeping

    def _run_keeping(self, backward: Backward) -> bool:
        """Runs the backward of one loss so that its graph can be run again."""
        (tensor, *others), gradient = _several(backward.tensors), backward.gradient
        if others:
            return False
        if isinstance(gradient, list | tuple):
            (gradient,) = gradient
        self._keeping = True
        try:
            tensor.backward(gradient, True, backward.create_graph, backward.inputs)
        finally:
            self._keeping = False
        return True

    def _progress(self, noting: Noting, what: str, error: BaseException | None = None) -> None:
        if self._aside or self.stop is not None or threading.get_ident() != self._thread:
            return
        stop = self._after(noting, what, error)
        if stop is not None:
            self._halt(stop)
        elif self.on_passed is not None:
            self.on_passed()

    def _passed_alarms_only(self, what: str) -> None:
        """A backward or a step has ended, and is not watched in full."""
        if self._full or self._aside or self.stop is not None:
            return
        self.steps += what == "step"
        if what == "step":
            self._backward = None
        elif self.backwards + 1 >= self._options.first_full and self._alarms_only.at_start:
            self._alarms_only.end()
            self._begin_full()
        if self.on_passed is not None:
            self.on_passed()

    def _failed_alarms_only(self, error: BaseException | None) -> None:
        """A backward has failed, and is not watched in full."""
        if not (self._full or self._aside or self.stop is not None):
            stop = self._of_error(error)
            if stop is not None:
                self._halt(stop)

    def _odd_gradient(self, leaf: Any) -> None:
        """A gradient that is not finite is about to be used, where not all is watched."""
        unwanted = not self._options.stops_at("nonfinite") or self._passed >= self.backwards
        if self._full or self._aside or self.stop is not None or unwanted:
            return
        frames = frames_here()
        name = names_of(frames, tensor_kinds()).get(id(leaf), "")
        look = look_of(leaf)
        odd = "NaN or Inf" if look is None else _oddity(look.grad(leaf))
        found = self._unwatched(why.answer(None, leaf, name))
        headline = (
            f"after backward {self.backwards}: the gradient of `{name or 'a leaf'}` has {odd}"
        )
        self._halt(Stop("nonfinite", headline, found, (*frames,), self.last_backward()))

    def _unwatched(self, found: Explanation) -> Explanation | None:
        """An explanation where nobody watched: it says how to learn more."""
        if not found:
            return None
        if found.culprit is not None:
            return found
        again = f"start again with --full-from {self.backwards}, if the program repeats exactly"
        return replace(found, fix=again)

    def _after(self, noting: Noting, what: str, error: BaseException | None) -> Stop | None:
        """Why the program is to stop, after a backward, or a step."""
        nonfinite = self._options.stops_at("nonfinite") and self._passed < self.backwards
        if what == "failed":
            return self._of_error(error)
        if what == "backward":
            return self._of_gradients(noting) if nonfinite and not self._nested() else None
        if what != "step":
            return None
        self.steps += 1
        self._backward = None
        stop = self._of_parameters(noting) if nonfinite else None
        return stop or self._of_findings()

    def _halt(self, stop: Stop) -> str:
        self.stop, self._aside = stop, True
        try:
            answer = self._on_stop(stop)
        finally:
            self._aside = False
        if answer == "stop":
            raise Stopped(stop)
        self.stop = None
        self._passed = self.backwards
        return answer

    # --- why --------------------------------------------------------------------------------------

    def _of_losses(self, backward: Backward) -> Stop | None:
        """A backward is about to begin at what is not finite."""
        for tensor in _several(backward.tensors):
            look, noting = look_of(tensor), noting_now(tensor)
            if look is None or look.finite(tensor):
                continue
            if self._alarms_only.scales if noting is None else _overflow_is_meant(noting, tensor):
                continue
            frames = frames_here()
            name = self._named(frames, noting).get(id(tensor), "")
            if noting is None:
                found = self._unwatched(why.answer(None, tensor, name))
            else:
                found = _of_value(noting, tensor, name)
            said = f"`{name}` is {_oddity(tensor)}" if name else f"the loss is {_oddity(tensor)}"
            headline = f"before backward {self.backwards}: {said}"
            return Stop("nonfinite", headline, found, (*frames,), backward)
        return None

    def _of_gradients(self, noting: Noting) -> Stop | None:
        """A backward has ended: are the gradients that it stored finite, and those within it?"""
        runs = [run for run in noting.runs if run.clock >= self._began]
        if not runs or any(root.scaled for root in runs[0].roots):
            return None  # a GradScaler looks for overflow, and skips the step
        odd = [
            (leaf, tensor, grad, leaf.run.clock)
            for leaf in noting.gradients.all()
            if leaf.run is not None
            and leaf.run.clock >= self._began
            and (tensor := leaf.tensor()) is not None
            and (grad := noting.look.grad(tensor)) is not None
            and not noting.look.finite(grad)
        ]
        if not odd:
            return None
        frames = frames_here()
        names = self._named(frames, noting)
        # Those with a name; and of a backward within another first, as it ran before the rest of that.
        odd.sort(key=lambda each: (not names.get(id(each[1])), -each[3]))
        found: list[tuple[Explanation | None, str, Any]] = []
        for leaf, tensor, grad, _ in odd:
            name = leaf_name(noting, leaf)
            found.append((_explained(noting, tensor, name, runs[0].clock), str(name), grad))
            if _has_line(found[-1][0]):
                break
        explanation, name, grad = next((each for each in found if _has_line(each[0])), found[0])
        more = f" (one of {len(odd)} such gradients)" if len(odd) > 1 else ""
        headline = (
            f"after backward {self.backwards}: the gradient of `{name}` has {_oddity(grad)}{more}"
        )
        return Stop("nonfinite", headline, explanation, (*frames,), self.last_backward())

    def _of_parameters(self, noting: Noting) -> Stop | None:
        """A step of an optimizer has ended: are the parameters finite?"""
        for known in noting.gradients.optimized.values():
            tensor = known()
            note = None if tensor is None else noting.notes.get(tensor)
            if tensor is None or note is None or note.finite or noting.look.finite(tensor):
                continue
            frames = frames_here()
            self._named(frames, noting)
            name = leaf_name(noting, noting.gradients.of(tensor))
            found = _explained(noting, tensor, name, tick())
            headline = f"after step {self.steps}: `{name}` has {_oddity(tensor)}"
            return Stop("nonfinite", headline, found, (*frames,))
        return None

    def _of_error(self, error: BaseException | None) -> Stop | None:
        """A backward has raised: errors that explain themselves are those of autograd."""
        wanted = self._options.stops_at("error") and hasattr(error, "explanation")
        if error is None or error is self._error or not wanted:
            return None
        self._error = error
        frames = frames_here()
        headline = f"at backward {self.backwards}, which failed"
        told: Any = getattr(error, "explanation", None)
        return Stop("error", headline, told, (*frames,), self.last_backward(), error)

    def _of_findings(self) -> Stop | None:
        found = self._running_findings.step(self.steps)
        if found is None or not self._options.stops_at("finding"):
            return None
        headline = f"after step {self.steps}: {found.heading}"
        return Stop("finding", headline, found, (*frames_here(),))

    # --- looking ----------------------------------------------------------------------------------

    def _findings(self) -> Sequence[Explanation]:
        self._named(frames_here())
        return self._watch.findings

    def _named(self, frames: Sequence[UserFrame], noting: Noting | None = None) -> Names:
        """Texts call tensors as these frames do, also those of a watch of the program's own (`noting`)."""
        names = names_of(frames, tensor_kinds())
        self._watch.name(names)
        if noting is not None:
            noting.names = names
        return names


def _several(tensors: Any) -> Sequence[Any]:
    return tensors if isinstance(tensors, list | tuple) else (tensors,)


def _overflow_is_meant(noting: Noting, loss: Any) -> bool:
    """Has a GradScaler made it of a finite loss? It looks for overflow itself."""
    note = noting.note_of(loss)
    return note.scaled and all(parent.finite for parent in note.parents)


def _explained(noting: Noting, tensor: Any, name: str, clock: int) -> Explanation | None:
    """Why it is not finite, and in which round; None where nothing is known."""
    found = tensor_cause.cause_of(noting, tensor, name)
    if not found:
        return None
    seen = Question("finding", found.tensor, seen=replace(found, clocks=(clock,)))
    return explain(diagnose(seen, BlockReader(noting)), linecache)


def _of_value(noting: Noting, loss: Any, name: str) -> Explanation | None:
    """The same of a loss whose backward has not begun."""
    clock = tick()
    noting.rounds.begin(clock)
    try:
        return _explained(noting, loss, name, clock)
    finally:
        noting.rounds.cancel(clock)


def _has_line(found: Explanation | None) -> bool:
    return found is not None and found.culprit is not None


def _oddity(tensor: Any) -> str:
    summary = summarize(tensor)
    if summary is None:
        return "NaN or Inf"
    words = [word for word, count in (("NaN", summary.nans), ("Inf", summary.infs)) if count]
    return " and ".join(words) or "NaN or Inf"
