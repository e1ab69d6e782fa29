"""Going through the visit of one node, finer than a step: `session.stages`."""

from __future__ import annotations

from contextlib import nullcontext

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Inward
from vizgrad.debugger.session.history.history import Between, History, Where
from vizgrad.debugger.session.history.lanes import Lane
from vizgrad.debugger.session.run_control import RunControl


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
                f"{data.name} (node {node}) has been run, and its lines were not noted: begin a branch "
                "here (branch()), where it runs again, and step into it there"
            )
