"""A suspended `GraphTask` as a run that can be stepped: the engine's loop, resumed node by node."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from vizgrad.arrays.quiet import hush, unhush
from vizgrad.engine.plan import planned_order
from vizgrad.inspection import model
from vizgrad.stepping.steplog import StepLog, priority_of

if TYPE_CHECKING:
    from vizgrad.engine.task import GraphTask
    from vizgrad.stepping.source import EngineGraph
    from vizgrad.stepping.step import EngineStep


class EngineRun:
    """See `vizgrad.inspection.protocols.Run`. The first node is about to run when it is made."""

    can_step_back = True

    def __init__(self, task: GraphTask, source: EngineGraph) -> None:
        self._task = task
        self._source = source
        self._log = StepLog(task, source.ids)
        needed = tuple(map(task.dependencies.get, source.nodes, (0,) * len(source)))
        skipped: tuple[int, ...] = ()
        if task.reach is not None:
            skipped = tuple(i for i, node in enumerate(source.nodes) if not self._will_run(i))
        task.watch = self._log
        task.pausing = True
        self._loop = task.loop()
        self._moving = False
        with self.moving():
            next(self._loop, None)
        current = self._current()
        queue = [entry[2] for entry in sorted(task.ready)]
        if task.current is not None:
            queue.insert(0, task.current)  # taken out already
        ready = {source.ids[node]: priority_of(node) for node in [*queue, *task.leaves]}
        self.start = model.Start(
            total=len(source) - len(skipped),
            current=current,
            ready=tuple(model.Ready(node, priority) for node, priority in ready.items()),
            buffers=self._log.note_start(),
            needed=needed,
            skipped=skipped,
        )

    def _will_run(self, number: int) -> bool:
        """Is this node visited in this run (if only for its hooks, or to capture its gradient)?"""
        task, node = self._task, self._source.nodes[number]
        if task.reach is None or node in task.reach or node in (task.captures or ()):
            return True
        return len(task.roots) == 1 and node is task.roots[0][0]

    def planned(self) -> list[int]:
        """The numbers of all nodes in the order in which they run."""
        return [self._source.ids[node] for node in planned_order(self._task)]

    @contextmanager
    def moving(self) -> Generator[None]:
        """In the run's own grad mode (M-10), and with the warnings of its formulas hushed."""
        if self._moving:
            yield
            return
        self._moving = True
        self._task.enter()
        token = hush()
        try:
            yield
        finally:
            self._moving = False
            unhush(token)
            self._task.leave()

    def step(self) -> tuple[EngineStep, BaseException | None]:
        error: BaseException | None = None
        before = self._current()
        with self.moving():
            try:
                next(self._loop, None)
            except BaseException as raised:  # noqa: BLE001  handed over with the step
                error = raised
        step = self._log.finish(None if error is not None else self._current(), error)
        if step.node < 0:
            assert before is not None
            step.node = before
        if step.released:
            self._source.released[step.node] = step
        try:
            return step, error
        finally:
            error = None  # its traceback refers to this frame

    def _current(self) -> int | None:
        current = self._task.current
        return None if current is None else self._source.ids[current]

    def close(self) -> None:
        self._loop.close()
        self._task.abandon()
        self._log.let_go()
