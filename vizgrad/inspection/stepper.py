"""Stepping a backward, forwards and backwards.

The engine only ever goes forward; every visit leaves an entry in a log. Stepping back undoes an entry's
effects on the world (`.grad`, version counters, released values) and moves the cursor; stepping forward
again redoes them, without running anything twice, so hooks and custom Functions run exactly once and in
the order of an uninterrupted run. Only at the end of the log does a step run a new node.
"""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Sequence

from vizgrad.arrays.quiet import hush, unhush
from vizgrad.engine.task import GraphTask
from vizgrad.graph.accumulate import AccumulateGrad
from vizgrad.inspection import model
from vizgrad.inspection.effects import Effect
from vizgrad.inspection.snapshot import Reader
from vizgrad.inspection.summary import summarize
from vizgrad.inspection.visitlog import Entry, VisitLog
from vizgrad.inspection.waiting import Waiting

#: Steps that can be taken back; older ones are forgotten, and the values they keep alive with them.
STEPS_KEPT = 10_000


class Stepper:
    """A suspended `GraphTask` with a log. `position` visits are done, `recorded` have been at some time.

    Not thread-safe: `Session` holds the lock.
    """

    def __init__(
        self,
        task: GraphTask,
        reader: Reader,
    ) -> None:
        self.task = task
        self.reader = reader
        self.position = 0
        self.earliest = 0
        self.error: BaseException | None = None
        self.finished = False
        self._log = VisitLog(task, reader.ids)
        self._needed = dict(task.dependencies)
        task.watch = self._log
        task.pausing = True
        self._run = task.loop()
        #: The node that comes next, at each position.
        self._currents: list[int | None] = []
        self._resume()
        self._waiting = Waiting(task, reader, self.entries)

    # --- moving ---------------------------------------------------------------------------------

    @property
    def recorded(self) -> int:
        return len(self._log.entries)

    @property
    def entries(self) -> list[Entry]:
        return self._log.entries

    @property
    def total(self) -> int:
        """How many visits an undisturbed run makes."""
        if self.finished or self.error is not None:
            return self.recorded
        if self.task.reach is None:
            return len(self.reader.nodes)
        return sum(map(self.will_run, range(len(self.reader.nodes))))

    def will_run(self, number: int) -> bool:
        """Is this node visited in this run (if only for its hooks, or to capture its gradient)?"""
        task, node = self.task, self.reader.nodes[number]
        if task.reach is None or node in task.reach or node in (task.captures or ()):
            return True
        return len(task.roots) == 1 and node is task.roots[0][0]

    @property
    def at_end(self) -> bool:
        """Nothing is left to step over, neither in the log nor in the engine."""
        return self.position == self.recorded and (self.finished or self.error is not None)

    def step(self) -> model.Visit:
        """Does one visit. Raises what the node raises; StopIteration when nothing is left."""
        if self.position < self.recorded:
            entry = self.entries[self.position]
            redone: list[Effect] = []
            try:
                for effect in entry.effects:
                    effect.redo()
                    redone.append(effect)
            except BaseException:
                for effect in reversed(redone):
                    effect.undo()
                raise
            self.position += 1
            assert entry.visit is not None
            return entry.visit
        if self.finished or self.error is not None:
            raise StopIteration("the backward has been run to its end")
        self._resume()
        assert self.entries[-1].visit is not None
        return self.entries[-1].visit

    def back(self) -> model.Visit:
        """Takes the last visit back; StopIteration when none can be."""
        if self.position <= self.earliest:
            raise StopIteration(
                "this is the first step" if self.earliest == 0 else "older steps are not kept"
            )
        entry = self.entries[self.position - 1]
        undone: list[Effect] = []
        try:
            for effect in reversed(entry.effects):
                effect.undo()
                undone.append(effect)
        except BaseException:
            for effect in reversed(undone):
                effect.redo()
            raise
        self.position -= 1
        assert entry.visit is not None
        return entry.visit

    def seek(self, position: int) -> None:
        """Goes to where `position` visits are done, or to the end if there are not so many.

        IndexError, without a move, for a position before `earliest`.
        """
        position = max(position, 0)
        if position < self.earliest:
            raise IndexError(
                f"cannot go back to where {position} nodes were done: older steps are not kept, "
                f"{self.earliest} is the earliest position; debug the loss anew to start over"
            )
        while self.position > position:
            self.back()
        while self.position < position and not self.at_end:
            self.step()

    def close(self) -> None:
        """Abandons the rest: releases what a failed backward would release, and lets go of the graph.

        The visits stay; nothing can be moved afterwards.
        """
        self._run.close()
        self.task.abandon()
        self.reader.close()
        self._needed.clear()
        self._log.let_go()
        self.error = None  # its traceback refers to the frames that ran the node
        self._forget(self.recorded)

    def _resume(self) -> None:
        """Runs the engine to just before the next visit, in the run's own grad mode (M-10)."""
        first = not self._currents
        self.task.enter()
        token = hush()
        try:
            next(self._run)
        except StopIteration:
            self.finished = True
        except BaseException as error:
            self.error = error
            self._log.close(f"{type(error).__name__}: {error}")
            self.position = self.recorded
            self._currents.append(None)
            raise
        finally:
            unhush(token)
            self.task.leave()
        self._log.close()
        current = None if self.finished else self.task.current
        self._currents.append(None if current is None else self.reader.ids[current])
        if not first:
            self._waiting.note(self.task, self.reader)
            self.position += 1
            if self.recorded - self.earliest > STEPS_KEPT:
                self._forget(self.earliest + 1)

    def _forget(self, before: int) -> None:
        for entry in self.entries[self.earliest : before]:
            entry.effects.clear()
        self.earliest = max(self.earliest, before)

    # --- looking --------------------------------------------------------------------------------

    @property
    def current(self) -> int | None:
        """Id of the node that the next step runs (or redoes); None at the end."""
        return self._currents[self.position]

    @property
    def buffers(self) -> tuple[model.Buffer, ...]:
        """What has arrived and is not used yet, at the current position."""
        return self._waiting.buffers(self.position)

    @property
    def status(self) -> model.RunStatus:
        if self.position < self.recorded:
            return "paused"
        return "failed" if self.error is not None else "finished" if self.finished else "paused"

    def state(self, breakpoints: Sequence[int] = ()) -> model.Run:
        """The whole run at `position`, as data."""
        status = self.status
        ready = self._waiting.ready(self.position)
        failed = status == "failed"
        done = self.entries[: self.position]
        return model.Run(
            status=status,
            position=self.position,
            recorded=self.recorded,
            total=self.total,
            current=self.current,
            nodes=self._nodes(ready, done, failed),
            ready=ready,
            buffers=self.buffers,
            edges=tuple(
                model.EdgeRun(entry.node, d.edge, None if d.value is None else d.value.norm)
                for entry in done
                for d in entry.deliveries
            ),
            breakpoints=tuple(sorted(breakpoints)),
            earliest=self.earliest,
            error=_told(self.error) if failed else "",
        )

    def _nodes(
        self, queue: tuple[model.Ready, ...], done: Sequence[Entry], failed: bool
    ) -> tuple[model.NodeRun, ...]:
        delivered: dict[int, int] = {}
        order: dict[int, Entry] = {}
        for entry in done:
            order[entry.node] = entry
            for d in entry.deliveries:
                delivered[d.target] = delivered.get(d.target, 0) + 1
        current, ready = self.current, {r.node for r in queue}
        failing = done[-1].node if failed and done else None
        runs: list[model.NodeRun] = []
        for number, node in enumerate(self.reader.nodes):
            entry = order.get(number)
            reason = ""
            state: model.NodeState
            if number == failing:
                state = "error"
            elif entry is not None:
                state = "done" if entry.full else "captured"
                reason = "" if entry.full else "its gradient was asked for; it is not run itself"
            elif number == current:
                state = "current"
            elif number in ready:
                state = "ready"
            elif not self.will_run(number):
                state, reason = "skipped", "no asked-for tensor is reachable from it"
            else:
                state = "waiting"
            norm = None
            if entry is not None and entry.visit is not None and entry.visit.incoming:
                norm = entry.visit.incoming[0].norm if entry.visit.incoming[0] else None
            runs.append(
                model.NodeRun(
                    state=state,
                    delivered=delivered.get(number, 0),
                    needed=self._needed.get(node, 0),
                    order=None if entry is None or entry.visit is None else entry.visit.index,
                    reason=reason,
                    grad_norm=norm,
                )
            )
        return tuple(runs)

    def visit_of(self, node: int) -> model.Visit | None:
        """The visit of a node, if it is done at the current position."""
        for entry in self.entries[: self.position]:
            if entry.node == node:
                return entry.visit
        return None

    def arrived(self, node: int, slots: int) -> tuple[model.TensorSummary | None, ...]:
        """What has arrived at each slot of a node and is not used yet."""
        found = {b.input_nr: b.value for b in self.buffers if b.node == node}
        return tuple(found.get(nr) for nr in range(slots))

    def leaf_grad(self, node: int) -> model.TensorSummary | None:
        """`.grad` of a leaf as it is at the current position."""
        found = self.reader.nodes[node] if self.reader.nodes else None
        return summarize(found.variable._grad) if isinstance(found, AccumulateGrad) else None


def _told(error: BaseException | None) -> str:
    """What went wrong, and below it the notes: where it was recorded, what to do."""
    return "\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())])
