"""`vizgrad.watch()`: a block that is listened to, and what was wrong in it without an error."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, Self
from weakref import ref

from vizgrad.core import errors
from vizgrad.core.errors import Explanation, Findings
from vizgrad.core.tensor.source_location import Site, caller, frame_outside
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.core.upcalls import UPCALLS
from vizgrad.debugger.engines.api.frameworks import Listening
from vizgrad.debugger.engines.api.openers import known_types
from vizgrad.debugger.engines.common.variable_names import names_around
from vizgrad.debugger.explain import findings, loss_faults
from vizgrad.debugger.explain.diagnose import diagnose
from vizgrad.debugger.explain.evidence import Question
from vizgrad.debugger.explain.from_watch import CallReader
from vizgrad.debugger.explain.kept_traces import KeptTraces
from vizgrad.debugger.explain.training_course import TrainingCourse, course_of
from vizgrad.debugger.explain.wording import explain
from vizgrad.debugger.watch.call_recorder import Tapping
from vizgrad.debugger.watch.kept_backwards import KeptBackwards
from vizgrad.debugger.watch.note_recorder import Noting, Progress


class Watch:
    """A block of a person's code with forensics on. `findings` are its silent problems, worst first.

    While it is on, `vizgrad.why` knows lines and names, and errors explain more. Nothing is changed: values,
    versions, lifetimes and the order of hooks are those of an unwatched block.
    """

    def __init__(self, cell: str | None = None, *, keep: int = 0) -> None:
        """`cell`: the id of the notebook cell that is run, "" if it is unknown; None outside of notebooks.
        `keep`: how many backwards are kept.
        """
        self._cell = cell
        self._keep = keep
        #: One for each engine: vizgrad's own first, then those whose framework was imported.
        self._notings: list[Noting] = [Tapping()]
        self._kept = KeptTraces(self._notings)
        self._found: list[Explanation] | None = None
        self._open = False
        self._others = Listening()
        self._outermost = 0
        #: Called as `Noting.on_progress`, from each engine; set it before the block begins.
        self.on_progress: Progress | None = None
        #: Called when the block has ended, and its findings are there.
        self.on_end: Callable[[], None] | None = None
        #: Does the cell that runs show the findings already?
        self.shows: Callable[[], bool] | None = None
        #: Is it the value of the cell that is all in the block (``%%vizgrad watch``)?
        self.is_value = False

    def __enter__(self) -> Self:
        global _last
        if self._open or self._found is not None:
            raise RuntimeError("a watch is entered once: make another with vizgrad.watch()")
        if self.on_progress is None and _around:
            self.on_progress = _around[-1].on_progress
        own, frame = self._notings[0], frame_outside()
        self._outermost = id(frame)
        self._notings += self._others.__enter__()
        for noting in self._notings:
            self._prepare(noting)
        own.start()
        self._open = True
        if self._cell is not None and not _counts_from_the_top(caller()):
            self._cell = None
        _last = self
        _around.append(self)
        return self

    def _prepare(self, noting: Noting) -> None:
        noting.lookers.append(loss_faults.Suspects(noting).look)
        noting.looked_at = loss_faults.OPERATIONS
        noting.broadcasting = loss_faults.BROADCASTING
        noting.rounds.outermost = self._outermost
        noting.on_error = Improving(noting).improve
        noting.on_progress = self.on_progress
        if self._keep:
            numbers = partial(_numbers_found, noting)
            noting.kept = KeptBackwards(self._keep, noting.rounds, numbers)

    def join(self) -> None:
        """Watches frameworks, too, that the block has imported since it began."""
        if self._open:
            joined = self._others.join()
            for noting in joined:
                self._prepare(noting)
            self._notings += joined

    def name(self, names: dict[int, str]) -> None:
        """Findings call tensors so from now on: id of a tensor -> its name."""
        for noting in self._notings:
            noting.names = names

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end(names_around(kinds=(Tensor, *known_types())))

    def end(self, names: dict[int, str]) -> None:
        """The block has ended; its tensors have these names: id of a tensor -> its name."""
        try:
            self.name(names)
            self._found = self._all()
            self._kept.findings[:] = self._found
            for noting in self._notings:
                if noting.kept is not None:
                    noting.guarded(noting.kept.end)
        finally:
            self._open = False
            _around.remove(self)
            self._notings[0].stop()
            self._others.__exit__(None, None, None)
        if self.on_end is not None:
            self.on_end()

    def _all(self) -> list[Explanation]:
        for noting in self._notings:
            noting.settle()
        found = [each for noting in self._notings for each in findings.all_of(noting)]
        return found if self._cell is None else [_to_debug(each, self._cell) for each in found]

    @property
    def notings(self) -> Sequence[Noting]:
        """The notes of each engine, vizgrad's own first."""
        return self._notings

    @property
    def findings(self) -> Findings:
        """Silent problems, worst first; complete when the block has ended."""
        found = WatchFindings(self._all() if self._found is None else self._found)
        found.watch = ref(self)
        return found

    @property
    def history(self) -> TrainingCourse:
        """The norms of gradient, weight and update of each layer over the steps of the optimizers so far, and
        findings as marks once the block has ended: `.data` in columns. In a notebook it draws itself, as it
        is at that moment, and its steps are read and opened like those of the curves below the cell.

        At most 512 steps of an optimizer are kept, spread evenly over all of them (`stride`).
        """
        return TrainingCourse(
            course_of(self._notings, self._found or ()),
            cell=self._cell,
            kept=self._kept,
            ended=self._found is not None,
        )

    @property
    def kept(self) -> KeptTraces:
        """The backwards that `vizgrad.watch(keep=N)` has kept so far: number of a backward -> its trace."""
        return self._kept

    def __repr__(self) -> str:
        if self._open:
            return "<Watch: open>"
        found = self._found or []
        if not found:
            return "<Watch: nothing found>"
        return "\n\n".join(str(each) for each in found)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def is_shown(self) -> bool:
        """Does the cell that runs show the findings already, or will it when the block has ended?"""
        return (self._open and self.is_value) or (self.shows is not None and self.shows())

    def _ipython_display_(self) -> None:
        """As the value of its own cell: nothing twice. NotImplementedError: displayed as anything else."""
        if not self.is_shown():
            raise NotImplementedError

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        found = self._found
        return {
            **({} if not found else Findings(found)._repr_mimebundle_()),
            "text/plain": repr(self),
        }


class WatchFindings(Findings):
    """The findings of one watch: as the value of a cell that shows them already, they show nothing more."""

    #: None: of no watch, as a copy.
    watch: ref[Watch] | None = None

    def _ipython_display_(self) -> None:
        """NotImplementedError: displayed as anything else."""
        watch = None if self.watch is None else self.watch()
        if watch is None or not watch.is_shown():
            raise NotImplementedError


def _numbers_found(noting: Noting) -> set[int]:
    """The backwards in which something was found so far."""
    noting.settle()
    return {each.backward for each in findings.all_of(noting) if each.backward}


def _counts_from_the_top(site: Site | None) -> bool:
    """Is no backward of the cell outside of the block, before it, so that both count alike?"""
    if site is None or not UPCALLS.cell_of(site.file):
        return True  # the magic has all of the cell
    before = linecache.getlines(site.file)[: site.line() - 1]
    return site.code.co_name == "<module>" and not any("backward(" in line for line in before)


def _to_debug(found: Explanation, cell: str) -> Explanation:
    if not found.backward:
        return found
    return replace(found, there=f"%%vizgrad debug --at {found.backward}", cell=cell)


_last: Watch | None = None
#: Those that are open, the innermost last.
_around: list[Watch] = []


def known(tensor: Any) -> Noting | None:
    """The latest note on tensors like this one: by the open watch, or by the last one, which may
    have ended.
    """
    notings = [] if _last is None else _last._notings
    found = next((noting for noting in notings if noting.look.knows(tensor)), None)
    if found is not None:
        found.settle()
    return found


def last_findings() -> Findings:
    """The findings of the latest watch, open or ended; none where there was no watch."""
    return Findings(()) if _last is None else _last.findings


def noting_now(tensor: Any) -> Noting | None:
    """The notes on tensors like this one of the innermost watch that is open."""
    notings = _around[-1].notings if _around else ()
    return next((noting for noting in notings if noting.look.knows(tensor)), None)


class Improving:
    """Explains an error in a watched block with what the watch knows of it."""

    def __init__(self, noting: Noting) -> None:
        self._noting = noting

    def improve(self, error: BaseException, name: str, args: tuple[Any, ...]) -> None:
        """Puts a better explanation in place of the one that the error has."""
        known = getattr(error, "explanation", None)
        if not isinstance(known, Explanation):
            return
        self._noting.settle()
        question = Question("error", name, told=known, text=str(error))
        better = explain(diagnose(question, CallReader(self._noting, args)), linecache)
        same = (better.story, better.fix) == (known.story, known.fix)  # the watch knows no more
        errors.explain(error, known if same else better, watched=True)
