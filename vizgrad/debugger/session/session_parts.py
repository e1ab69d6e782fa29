"""The parts that a session is moved and changed with: `session.stages`, `.breakpoints`, `.branches`.

A part is made of the session's `RunControl` and keeps no state of a run itself.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, overload

from vizgrad.core.upcalls import UPCALLS
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Change, Inward, runs_one_way
from vizgrad.debugger.session.breakpoints.breakpoints import Condition
from vizgrad.debugger.session.breakpoints.node_selectors import choose, leaf_called
from vizgrad.debugger.session.history.branches import Comparison, Line, comparison, name_beside
from vizgrad.debugger.session.history.history import Between, History, Where
from vizgrad.debugger.session.history.lanes import Lane
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.run_control import RunControl

# --- stages -------------------------------------------------------------------------------------------


class SessionStages:
    """Moves a run by the stages of a visit and by the lines of the user's code that it runs."""

    def __init__(self, control: RunControl) -> None:
        self._control = control

    @property
    def within(self) -> model.Within | None:
        """Where the run stands within the visit of a node; None between two nodes."""
        with self._control.owned():
            return self._control.state.within

    @property
    def lane(self) -> Lane | None:
        """See `Session.lane`."""
        with self._control.owned():
            return self._control.state.lane

    def go(self, n: int = 1) -> Where:
        """See `Session.stage`."""
        if not isinstance(n, int):  # pyright: ignore[reportUnnecessaryIsInstance]  a user's call
            raise TypeError(f"stage() takes a number of stages, like stage(1), not {n!r}")

        def move(history: History, between: Between) -> None:
            for _ in range(abs(n)):
                history.stage(1 if n > 0 else -1)
                between()

        return self._control.move(move)

    def step_in(self) -> Where:
        """See `Session.step_in`."""

        def move(history: History, between: Between) -> None:
            if history.within is None and not history.at_end:
                self._note_lines(history)
            history.stage(1, fine=True)

        return self._control.move(move)

    def step_out(self) -> Where:
        """See `Session.step_out`."""
        return self._control.move(lambda history, between: history.out())

    def _note_lines(self, history: History) -> None:
        """Runs the next node so that its lines are known, and takes it back."""
        live, node = self._control.live(), history.current
        assert node is not None
        data = live.source.describe(node)
        if data.kind != "function" and not data.hooks:
            return
        if history.position == history.recorded:
            run = history.run
            with run.noting_lines() if isinstance(run, Inward) else nullcontext():
                history.forward()
            history.back()
            return
        if not getattr(history.steps[history.position], "code", ()):
            raise ValueError(
                f"{data.name} (#{history.position + 1}) has been run, and its lines were not noted: begin a "
                "branch here (branch()), where it runs again, and step into it there"
            )


# --- breakpoints --------------------------------------------------------------------------------------


class SessionBreakpoints(Sequence[model.Breakpoint]):
    """Where `continue_` stops: all breakpoints, enabled or not, in the order in which they were made.

    A sequence of what they are now: `tuple(session.breakpoints)` is how they are at one moment.
    """

    def __init__(self, control: RunControl) -> None:
        self._control = control
        self._points = control.points

    def add(
        self,
        op: str | None = None,
        *,
        node: Any = None,
        tensor: Any = None,
        line: int | str | None = None,
        when: Condition | str | None = None,
        written: Any = None,
        condition: Condition | str | None = None,
        hits: int = 0,
        enabled: bool = True,
        log: str | None = None,
    ) -> model.Breakpoint:
        """See `Session.break_at`."""
        with self._changing() as live:
            made = self._points.add(
                op=op,
                node=node,
                tensor=tensor,
                line=line,
                when=when,
                written=written,
                condition=condition,
                hits=hits,
                enabled=enabled,
                log=log,
            )
            return made.told(live.position)

    def add_text(
        self,
        kind: model.BreakpointKind,
        text: str,
        *,
        condition: str = "",
        hits: int = 0,
        log: str = "",
    ) -> model.Breakpoint:
        """See `Session.add_breakpoint`."""
        with self._changing() as live:
            text = text.strip()
            wanted: Any = text
            if kind in ("tensor", "data"):
                wanted = leaf_called(live.source, text)
            elif kind == "node":
                wanted = int(text) if text.isdecimal() else text
            where = {"tensor": "node", "data": "written"}.get(kind, kind)
            settings: Any = {"condition": condition or None, "hits": hits, "log": log or None}
            made = self._points.add(**{where: wanted}, **settings)
            return made.told(live.position)

    def enable(self, number: int, enabled: bool = True) -> None:
        """Lets `continue_` stop there, or pass by. ValueError if there is none of this number."""
        with self._changing():
            self._points.enable(number, enabled)

    def remove(self, number: int) -> None:
        """ValueError if there is none of this number."""
        with self._changing():
            self._points.remove(number)

    def clear(self) -> None:
        """Removes all of them."""
        with self._changing():
            self._points.clear()

    def clear_log(self) -> None:
        """Forgets the messages that breakpoints have written (`Session.logged`)."""
        with self._changing():
            self._points.log.clear()

    def toggle(self, node: int, enabled: bool) -> None:
        """The breakpoint that the user toggles on one node; taken away, no other stops there either."""
        with self._changing():
            self._points.toggle(node, enabled)

    def toggle_line(self, line: str, enabled: bool, *, condition: str = "", hits: int = 0) -> None:
        """The breakpoint that the user toggles beside a line, ``"train.py:7"``. ValueError as `add`."""
        with self._changing():
            if enabled:
                self._points.add(line=line, condition=condition or None, hits=hits)
                return
            for each in self._points.at_line(line):
                self._points.remove(each.id)

    def keep_line(
        self, line: str, *, condition: str = "", hits: int = 0, log: str = "", enabled: bool = True
    ) -> None:
        """One that was set beside a line in an earlier session. A condition or a message that is not
        understood here is no error: it says so itself (`Breakpoint.refused`). ValueError where nothing
        was recorded at the line.
        """
        with self._changing():
            settings: Any = {"condition": condition or None, "hits": hits, "log": log or None}
            self._points.add(line=line, enabled=enabled, kept=True, **settings)

    @property
    def stop_at_nonfinite(self) -> bool:
        """Does `continue_` stop after a node that makes a NaN or an infinity of finite gradients?"""
        return self._points.nonfinite

    @stop_at_nonfinite.setter
    def stop_at_nonfinite(self, on: bool) -> None:
        with self._changing():
            self._points.nonfinite = bool(on)

    @contextmanager
    def _changing(self) -> Generator[Live]:
        control = self._control
        with control.owned():
            live = control.live()
            yield live
            control.publish(live, live.position)

    # --- a sequence -------------------------------------------------------------------------------

    def _all(self) -> tuple[model.Breakpoint, ...]:
        with self._control.owned():
            return self._points.told()

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[model.Breakpoint]:
        return iter(self._all())

    @overload
    def __getitem__(self, index: int) -> model.Breakpoint: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[model.Breakpoint, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._all()[index]

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, SessionBreakpoints) else other)

    __hash__ = None  # type: ignore[assignment]  # they change

    def __repr__(self) -> str:
        return repr(self._all())


# --- branches -----------------------------------------------------------------------------------------


class SessionBranches(Sequence[model.Branch]):
    """The original of a run, and the branches that left it: a sequence of what they are now.

    A change is made on a branch: the current one, if it stands where that has come to, else a new one. The
    original stays as it is, bit for bit, and can be gone back to. Code of the user's runs again on a
    branch: a hook that was called in the original is called there too, as its gradients are others; what it
    writes to tensors is taken back with the branch, what else it does is not.
    """

    def __init__(self, control: RunControl, title: str) -> None:
        """`title`: that of the session; another run that is laid beside it gets another name."""
        self._control = control
        self._lines = control.lines
        self._title = title

    def begin(self, name: str = "") -> model.Branch:
        """See `Session.branch`."""
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]  a user's call
            raise TypeError(f"branch() takes a name, like branch('larger steps'), not {name!r}")
        with self._changing():
            return self._lines.begin(name.strip()).told(self._lines.current)

    def switch(self, name: str) -> model.Branch:
        """See `Session.switch`."""
        with self._changing():
            line = self._lines.of(name)
            self._lines.switch(line)
            return line.told(line)

    def finish(self, name: str) -> None:
        """Runs a branch, or the "original", to its end, past breakpoints, and goes back to where the run
        stands. A branch that was left early can then be compared as a whole. Raises as `switch`.
        """
        here = self._lines.current.name
        self.switch(name)
        try:
            self._control.move(lambda history, between: history.seek(history.total, between))
        finally:
            self.switch(here)

    def drop(self, name: str) -> None:
        """Throws a branch away with those that left it; on one of them, it goes back to where the parent was
        left. Raises as `switch`. Another run that was laid beside this one is put away.
        """
        with self._control.owned():
            live = self._control.live()
            if self._lines.traces.pop(name, None) is not None:
                self._control.publish(live, live.position, live.source.written(), jumped=True)
                return
        with self._changing():
            self._lines.drop(self._lines.of(name))

    def compare(
        self, name: Any, other: str = "", *, tolerance: float | None = 0.0
    ) -> tuple[model.Difference, ...]:
        """See `Session.compare`."""
        if not isinstance(name, str):
            name, other = self._lay_beside(name, other), ""
            self._lines.tolerances[name] = tolerance
        return self.comparison(name, other).differences

    def comparison(self, name: str, other: str = "") -> Comparison:
        """See `Session.comparison`."""
        with self._control.owned():
            live = self._control.live()
            return comparison(self._lines, name, other, live.trace)

    def _lay_beside(self, run: Any, name: str) -> str:
        trace = UPCALLS.filing().trace_of(run)
        with self._control.owned():
            live = self._control.live()
            before = len(self._lines.traces)
            given = self._lines.lay_beside(trace, name.strip() or name_beside(self._title, trace))
            if len(self._lines.traces) > before:
                self._control.publish(live, live.position, live.source.written(), jumped=True)
            return given

    def set_grad(self, node: Any, value: Any, slot: int = 0) -> model.Edit:
        """See `Session.set_grad`."""
        run = self._control.live().history.run
        if runs_one_way(run):
            return self._change_for_good(node, lambda number: run.put_grad(number, slot, value))
        return self._change(node, lambda line, number: line.run.put_grad(number, slot, value))

    def set_saved(self, node: Any, name: str, value: Any) -> model.Edit:
        """See `Session.set_saved`."""
        return self._change(node, lambda line, number: line.run.put_saved(number, name, value))

    def set_leaf(self, leaf: Any, value: Any) -> model.Edit:
        """See `Session.set_leaf`."""
        return self._change(leaf, lambda line, number: line.run.put_leaf(number, value))

    def undo_change(self) -> None:
        """Takes back the last change that was made where the run stands. A branch that only this change has
        begun is deleted, and the session stands on the one that it left.

        ValueError where nothing was changed here, or a node has run since: step back first, or in PyTorch's
        backward, which runs a node only once, compute the loss again.
        """
        with self._changing() as live:
            history, line = live.history, self._lines.current
            own = history.edits.all[line.edits :]
            if not own or own[-1][0] != history.position:
                raise ValueError("nothing was changed where the run stands")
            run = history.run
            if history.position < history.recorded:
                raise ValueError(
                    "PyTorch runs a node only once, and the changed one has run: compute the loss again"
                    if runs_one_way(run)
                    else "the run has gone on with the change: delete the branch (drop_branch), or switch to "
                    "another (switch)"
                )
            if runs_one_way(run):
                run.take_back()
                history.unedited()
            elif line.parent is not None and len(own) == 1:
                self._lines.drop(line)
            else:
                raise ValueError(
                    f"{len(own)} changes were made on this branch: delete it (drop_branch), or make another "
                    "change"
                )

    def _change_for_good(self, node: Any, put: Callable[[int], Change]) -> model.Edit:
        with self._changing() as live:
            number, history = self._number(live, node), live.history
            if history.position < history.recorded:
                raise ValueError(
                    "this backward cannot be run twice: what comes next has been run already; go to where it "
                    f"has come to (seek({history.recorded})), and change what waits there"
                )
            history.edited(put(number))
            return history.edits.told()[-1]

    def _change(self, node: Any, put: Callable[[Line, int], Change]) -> model.Edit:
        with self._changing() as live:
            number = self._number(live, node)
            order = live.history.fold.order(number)
            if order is not None:
                raise ValueError(
                    f"{live.source.name(number)} (#{order + 1}) has been run: go back to before it "
                    f"(seek({order})), and change it there"
                )
            before, line = self._lines.current, self._lines.current
            made = line.parent is None or line.history.position < line.history.recorded
            if made:
                line = self._lines.begin()
            try:
                change = put(line, number)
            except BaseException:
                if made:
                    self._lines.switch(before)
                    self._lines.drop(line)
                raise
            line.history.edited(change)
            return line.history.edits.told()[-1]

    def _number(self, live: Live, node: Any) -> int:
        source = live.source
        if isinstance(node, str):
            if node in {source.label(n) for n in range(source.inner, len(source))}:
                return leaf_called(source, node)
            fold = live.history.fold
            found = sorted(choose(source, op=node)[0].nodes)
            left = [n for n in found if fold.order(n) is None]
            current = live.history.current
            return current if current in left else (left or found)[0]
        return min(choose(source, node=node)[0].nodes)

    @contextmanager
    def _changing(self) -> Generator[Live]:
        with self._control.owned():
            live = self._control.live()
            self._control.refuse_within()
            before, position = live.branches, live.position
            try:
                yield live
            finally:
                self._control.enter_line()
                if live.branches != before:
                    live.stopped_by = None
                    self._control.publish(live, position, live.source.written(), jumped=True)

    # --- a sequence -------------------------------------------------------------------------------

    def _all(self) -> tuple[model.Branch, ...]:
        with self._control.owned():
            return self._control.live().branches

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[model.Branch]:
        return iter(self._all())

    @overload
    def __getitem__(self, index: int) -> model.Branch: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[model.Branch, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._all()[index]

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, SessionBranches) else other)

    __hash__ = None  # type: ignore[assignment]  # they change

    def __repr__(self) -> str:
        return repr(self._all())
