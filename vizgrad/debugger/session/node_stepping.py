"""Going through the visit of a node, and runs to a node, a leaf or a line: finer and coarser steps."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Self

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Growing, Inward
from vizgrad.debugger.engines.api.protocols import Backward
from vizgrad.debugger.session.breakpoints.targets import find_visit, nodes_ahead
from vizgrad.debugger.session.history.history import Between, History
from vizgrad.debugger.session.history.lanes import Lane
from vizgrad.debugger.session.history.stop_conditions import Until
from vizgrad.debugger.session.run_position import Where
from vizgrad.debugger.session.session_view import Seen


class Inside(Seen):
    """The part of a `Session` that moves by stages and lines, and to what a person names."""

    def _move(self, moved: Callable[[History, Between], None], *, stops: bool = False) -> Where:
        raise NotImplementedError

    @property
    def within(self) -> model.Within | None:
        """Where the run stands within the visit of a node; None between two nodes."""
        with self._owned():
            return self._state.within

    @property
    def lane(self) -> Lane | None:
        """What ran within the node that the run is in, if it was gone into line by line; else the graph that
        create_graph=True makes, as far as it was made. None where there is neither.
        """
        with self._owned():
            return self._state.lane

    def second(self, gradient: Any = None) -> Self:
        """Opens the backward of the gradients that this one has put into `.grad` so far, with
        create_graph=True: a session of its own, of the graph that it has made.

        `gradient` is what it starts from, one for each `.grad` in the order in which they were made (default:
        ones). Like `x.grad.sum().backward()` it adds to `.grad`; while it has, this session refuses to step
        back over the leaves. ValueError where there is no such graph.
        """
        with self._owned():
            live = self._live()
            run = live.history.run
            if not isinstance(run, Growing) or not run.grows:
                raise ValueError("there is no graph of second order: debug with create_graph=True")
            return self._opened(run.second(live.position, gradient))

    def _opened(self, backward: Backward) -> Self:
        raise NotImplementedError

    def stage(self, n: int = 1) -> Where:
        """Goes `n` stages of the visit of a node on, of those that do something (-1: one back).

        The node runs as a whole with its first stage; what the others did to `.grad` and to saved values is
        undone, and done as they are come to. Raises as `step`; ValueError for an engine that does not tell
        its stages.
        """

        def move(history: History, between: Between) -> None:
            for _ in range(abs(n)):
                history.stage(1 if n > 0 else -1)
                between()

        return self._move(move)

    def step_in(self) -> Where:
        """Goes into the code of a person's that the next node runs, a custom Function's backward or a hook,
        to behind its first line; within it to behind the next, and where a line calls a backward of its own
        from node to node of that. Into a node that runs no such code as `stage` does.

        The lines are noted when the node runs: ValueError for one that has been run without.
        """

        def move(history: History, between: Between) -> None:
            if history.within is None and not history.at_end:
                self._note_lines(history)
            history.stage(1, fine=True)

        return self._move(move)

    def _note_lines(self, history: History) -> None:
        """Runs the next node so that its lines are known, and takes it back."""
        live, node = self._live(), history.current
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

    def step_out(self) -> Where:
        """Goes on to behind the backward that a line calls, or the code, that it is in, else to behind the
        node.
        """
        return self._move(lambda history, between: history.out())

    def run_to(self, target: Any = None, *, line: int | str | None = None) -> Where:
        """Goes to where `target` is the next to run: a node's number, a node, a name or pattern; or on to
        where a node comes next that was recorded at `line`, as for `break_at`.

        A name means the first such node ahead, or the last one behind. ValueError if there is none, and for a
        line if none of its nodes comes any more.
        """
        if line is not None:
            return self._move(
                lambda h, between: h.to(nodes_ahead(self._live().source, h, line), between)
            )

        def run(history: History, between: Between) -> None:
            found = find_visit(target, self._live().source, history)
            if isinstance(found, int):
                history.seek(found, between)
                return
            history.seek(history.recorded, between)
            if history.current not in found:
                history.on(Until(history, nodes=found), between)

        return self._move(run)

    def run_to_leaf(self) -> Where:
        """Runs until a leaf is the next to take its gradient, or to the end."""

        def move(history: History, between: Between) -> None:
            source = self._live().source
            leaves = frozenset(range(source.inner, len(source)))
            history.to(leaves, between)

        return self._move(move)
