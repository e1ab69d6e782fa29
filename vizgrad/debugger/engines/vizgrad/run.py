"""A suspended `GraphTask` as a run that can be stepped: the engine's loop, resumed node by node."""

# Underscored slots of a tensor are hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, nullcontext
from heapq import heappush
from inspect import GEN_CLOSED, getgeneratorstate
from time import perf_counter
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.backend import namespace_of
from vizgrad.core.arrays.errstate import hush, unhush
from vizgrad.core.arrays.kernels.indexing import ASKED
from vizgrad.core.engine.noted_loop import Row, is_quiet, may_be_noted, noted_loop
from vizgrad.core.engine.where_raised import where_raised
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.modes import MODES, keep_before_writes, start_recording, stop_recording
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Change
from vizgrad.debugger.engines.api.openers import open_second
from vizgrad.debugger.engines.api.protocols import Backward, CutOff
from vizgrad.debugger.engines.vizgrad.edits import put_grad, put_leaf, put_saved
from vizgrad.debugger.engines.vizgrad.fork import apart, forked
from vizgrad.debugger.engines.vizgrad.nested_backwards import Nested
from vizgrad.debugger.engines.vizgrad.operation_lane import Operations, code_lines
from vizgrad.debugger.engines.vizgrad.second_order import Growth, telling, will_recompute
from vizgrad.debugger.engines.vizgrad.step import priority_of
from vizgrad.debugger.engines.vizgrad.steplog import EnginePast, StepLog
from vizgrad.debugger.model import Modes
from vizgrad.debugger.session.history.stop_conditions import foreseen
from vizgrad.debugger.session.opening import seldom_collecting

if TYPE_CHECKING:
    from vizgrad.core.engine.task import GraphTask
    from vizgrad.debugger.engines.api.protocols import Stops
    from vizgrad.debugger.engines.vizgrad.graph_source import EngineGraph
    from vizgrad.debugger.engines.vizgrad.step import EngineStep


def _ones(grad: Tensor) -> Tensor:
    array = grad._array
    return new_tensor(namespace_of(array).ones(array.shape, array.dtype))


class EngineRun:
    """See `vizgrad.debugger.engines.api.protocols.Run`. The first node is about to run when it is made."""

    can_step_back = True

    def __init__(self, task: GraphTask, source: EngineGraph, *, lent: bool = False) -> None:
        """`lent`: the caller holds the gradients that it starts from."""
        growth = Growth(source.ids, tick(), source.label_of)
        log = StepLog(task, source.ids, lent, growth)
        log.steps.nodes = source.nodes
        self._begin(task, source, log)
        source.step_of = self.steps.of_node
        needed = tuple(map(task.dependencies.get, source.nodes, (0,) * len(source)))
        skipped: tuple[int, ...] = ()
        if task.reach is not None:
            skipped = tuple(i for i, node in enumerate(source.nodes) if not self._will_run(i))
        task.pausing = True
        self._stand()
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

    def _begin(self, task: GraphTask, source: EngineGraph, log: StepLog) -> None:
        self._task = task
        self._source = source
        self._log = log
        self.steps = log.steps
        self.past = EnginePast(self.steps)
        self._nested = Nested(log, source)
        #: See `vizgrad.debugger.engines.api.abilities.Growing`.
        self.recomputes = will_recompute(source.nodes)
        self._moving = False
        self.passed: int | None = None
        #: Writes of hooks are kept, to be undone: it is a branch.
        self._keeps_writes = False

    def _stand(self) -> None:
        """Goes to before the node that comes next."""
        task = self._task
        task.watch = self._log
        self._loop = task.loop()
        with self.moving():
            next(self._loop, None)
        self.steps.current = task.current

    # --- branches -------------------------------------------------------------------------------------

    def fork(self, position: int) -> EngineRun:
        """see `vizgrad.debugger.engines.api.abilities.Branching`, as for what follows."""
        if self.steps.current is None and position == len(self.steps):
            raise ValueError("the backward is finished: go back to where a branch is to begin")
        if position < len(self.steps) and not self._task.domain.raw:
            raise ValueError(
                "with create_graph=True a branch can begin only at the latest position of the run: earlier "
                "gradients are stored without their history"
            )
        task = forked(self._task, self.steps, self._source.nodes, position)
        made = EngineRun.__new__(EngineRun)
        made._begin(task, self._source, self._log.forked(task, position))
        made._keeps_writes = True
        made.start = self.start
        made._stand()
        return made

    def enter(self) -> None:
        self._source.step_of = self.steps.of_node

    def put_grad(self, node: int, nr: int, value: Any) -> Change:
        return put_grad(self._task, self._log, self._source.nodes[node], node, nr, value)

    def put_saved(self, node: int, name: str, value: Any) -> Change:
        return put_saved(self._source.nodes[node], node, name, value)

    def put_leaf(self, node: int, value: Any) -> Change:
        return put_leaf(self._source.nodes[node], node, self._source.label(node), value)

    def apart(
        self, index: int | None, other: EngineRun, at: int | None
    ) -> tuple[float | None, float | None, float | None]:
        return apart(self._arrived(index), other._arrived(at))

    def _arrived(self, index: int | None) -> Sequence[Any]:
        """None: nothing, or it is not kept."""
        if index is None:
            return ()
        return [None if held is None else held.array for held in self.steps[index].incoming]

    # --- running --------------------------------------------------------------------------------------

    def _will_run(self, number: int) -> bool:
        """Is this node visited in this run (if only for its hooks, or to capture its gradient)?"""
        task, node = self._task, self._source.nodes[number]
        if task.reach is None or node in task.reach or node in (task.captures or ()):
            return True
        return len(task.roots) == 1 and node is task.roots[0][0]

    @contextmanager
    def moving(self) -> Generator[None]:
        """In the run's own grad mode (M-10), and with the warnings of its formulas hushed. Indices on a
        device are checked.
        """
        if self._moving:
            yield
            return
        self._moving = True
        recording, recorder = False, None
        self._task.enter()
        if self._keeps_writes:
            keep_before_writes(self._log.about_to_write)
        MODES.before_grad_write = self._log.about_to_write_grad
        token = hush()
        ASKED.times += 1
        try:
            lane = self._log.lane if self.recomputes else None
            again = nullcontext() if lane is None else telling(lane, self._log.recomputed)
            if MODES.recorder is None:  # a `vg.record()` block around listens itself
                recorder = start_recording(self._nested)
                recording = True
            with again, self._log.collectives.listening():
                yield
        finally:
            self._moving = False
            ASKED.times -= 1
            if recording:
                stop_recording(recorder)
            unhush(token)
            if self._keeps_writes:
                keep_before_writes(None)
            MODES.before_grad_write = None
            self._task.leave()

    @contextmanager
    def noting_lines(self) -> Generator[None]:
        """See `vizgrad.debugger.engines.api.abilities.Inward`."""
        before = len(self.steps)
        self._nested.lane = lane = Operations()
        try:
            with code_lines(self._log.stages_done, lane) as found:
                yield
        finally:
            self._nested.lane = None
        if found and len(self.steps) > before:
            self.steps[before].code = tuple(found)

    def step(self) -> tuple[EngineStep, BaseException | None]:
        error: BaseException | None = None
        with self.moving():
            try:
                next(self._loop, None)
            except BaseException as raised:  # noqa: BLE001  handed over with the step
                self._cut_off(raised)
                error = raised
        self._log.finish(error)
        try:
            return self.steps[-1], error
        finally:
            error = None  # its traceback refers to this frame

    def row(
        self, stops: Stops, between: Callable[[int], None], keep: Callable[[], None]
    ) -> BaseException | None:
        steps, task = self.steps, self._task
        error: BaseException | None = None
        count, due = 0, perf_counter() + _PACE
        ids = self._source.ids
        nodes, most, births = self._foreseen(stops)
        self.passed = None
        try:
            with self.moving(), seldom_collecting():
                while True:
                    before = len(steps)
                    born = self._run_some(nodes, most - count, due, births=births)
                    count += len(steps) - before
                    if (node := task.current) is None:
                        break
                    if (
                        count >= most
                        or born
                        or (nodes and ids[node] in nodes)
                        or steps.foreign
                        or perf_counter() > due
                    ):
                        steps.current, steps.foreign = node, False
                        keep()
                        if born or self._passed_by(births) or self._ends(stops, node):
                            return None
                        between(count)
                        count, due = 0, perf_counter() + _PACE
                        nodes, most, births = self._foreseen(stops)
        except BaseException as raised:
            if (
                getgeneratorstate(self._loop) != GEN_CLOSED
            ):  # `between` has raised, and the node that comes next is whole
                raise
            self._cut_off(raised)
            error = raised
        finally:
            self._log.finish(error)
            keep()
        if self._passed_by(births and error is None):
            return None
        if error is None:
            between(count)
        try:
            return error
        finally:
            error = None  # its traceback refers to this frame

    def _run_some(
        self, nodes: AbstractSet[int] | None, most: int, until: float, *, births: bool
    ) -> bool:
        """Runs the node that comes next, and such as nobody need be told of up to one of `nodes`, the number
        `most` and the time `until`; says whether the last one made a NaN or an infinity of finite gradients,
        which ends it if `births`.
        """
        task, steps = self._task, self.steps
        if most > 1 and task.current is not None and is_quiet(task.current) and may_be_noted(task):
            row = Row(self._source.ids, nodes, most, until, births=births)
            self._loop.close()
            noted_loop(task, steps, row)
            self._stand_before(task.current)
            return row.born
        next(self._loop, None)
        return births and task.current is not None and steps.made_nonfinite(len(steps) - 1)

    def _stand_before(self, node: Node | None) -> None:
        """Puts a node that was taken out of the queue back, and begins the loop there; at the end if None."""
        task = self._task
        if node is not None:
            if node.runs_first:
                task.leaves.appendleft(node)
            else:
                task.order += 1
                heappush(task.ready, (-node.sequence_nr, task.order, node))
        self._loop = task.loop()
        next(self._loop, None)

    def _cut_off(self, error: BaseException) -> None:
        """Raises CutOff where an interrupt came within a node that had done nothing yet: the run stands
        before it again.
        """
        if not isinstance(error, KeyboardInterrupt):
            return
        task = self._task
        node, incoming, _ = where_raised(error.__traceback__)
        if node is None or not self._log.take_back(node):
            return
        if incoming is not None:
            task.buffers[node] = incoming
        self._stand_before(node)
        self._log.finish(None)
        raise CutOff from error

    @property
    def collectives(self) -> Sequence[tuple[int, int, model.Collective]]:
        """See `vizgrad.debugger.engines.api.abilities.Communicating`."""
        return self._log.collectives.told

    @property
    def calling(self) -> Sequence[model.Collective]:
        """See `vizgrad.debugger.engines.api.abilities.Communicating`."""
        return self._log.collectives.calling

    @property
    def running(self) -> tuple[int, int | None]:
        node, done = self._task.current, len(self.steps)
        number = None if node is None else self._source.ids.get(node)
        if number is not None and done and self.steps.node(-1) == number:
            done -= 1  # it has been noted already
        return done, number

    def _passed_by(self, births: bool) -> bool:
        """Has the row gone past a birth on a device, for which it did not wait?"""
        late = self.steps.late_birth() if births else None
        self.passed = None if late is None else late + 1
        return late is not None

    def _foreseen(self, stops: Stops) -> tuple[AbstractSet[int] | None, int, bool]:
        """The nodes before which a row is to stop, after how many steps it asks in any case, and whether it
        is to stop behind what makes a NaN or an infinity.
        """
        if not stops.active:
            return None, _MANY, False
        known = foreseen(stops)
        nodes = None if known is None else known.nodes
        if known is None or nodes is None:
            return None, 1, False
        if known.position is None:
            return nodes, _MANY, known.nonfinite
        left = known.position - len(self.steps)
        return nodes, max(1, min(_MANY, left)), known.nonfinite

    def _ends(self, stops: Stops, node: Node) -> bool:
        """Does the row end here, where `node` comes next?"""
        if not stops.active:
            return False
        known = foreseen(stops)
        if known is not None and (nodes := known.nodes) is not None:
            if len(self.steps) == known.position:
                return True
            if self._source.ids[node] not in nodes:
                return False
        return stops.stop_at(self.steps[-1])

    @property
    def grows(self) -> bool:
        """See `vizgrad.debugger.engines.api.abilities.Growing`."""
        return self._task.domain.records

    def second(self, position: int, gradient: Any) -> Backward:
        nodes = (self._source.nodes[self.steps.node(index)] for index in range(position))
        tensors = (node.variable for node in nodes if isinstance(node, AccumulateGrad))
        leaves = ((leaf, self._source.name_of(leaf)) for leaf in tensors)
        return open_second(leaves, gradient, _ones, self._source.names, created=self.grows)

    def weigh(self, first: int, last: int) -> int:
        return self.steps.weigh(first, last)

    def _current(self) -> int | None:
        current = self._task.current
        return None if current is None else self._source.ids[current]

    def close(self) -> None:
        self._loop.close()
        self._task.abandon()
        self._log.let_go()


#: In a row of steps, the session is asked whether to go on after so many, or after so many seconds.
_MANY = 64
_PACE = 0.02


# --- the modes of the current thread, as data for the status strip --------------------------------


def current_modes() -> Modes:
    return Modes(
        grad=MODES.grad,
        inference=getattr(MODES, "inference", None) is not None,
        anomaly=MODES.anomaly,
        multithreading=MODES.multithreading,
    )
