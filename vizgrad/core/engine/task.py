"""GraphTask: one backward, as a value that can be suspended between any two nodes.

The loop below is the only one. It is a generator that yields nothing unless `pausing` is set, in which
case it yields each node just before its visit; running at full speed is driving it to its end. All
state is kept in attributes, so whoever holds a paused task can read what is ready, what waits, and what
has been delivered (`vizgrad.debugger.session`).

Order (E-42): the ready node with the largest `sequence_nr` runs next; AccumulateGrad runs as soon as it
is ready, before any other. A node is ready when gradients, undefined ones too, have come over all its
incoming edges (E-40).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from heapq import heappop, heappush
from time import perf_counter
from typing import Any

from vizgrad.core.arrays.current_device import DEVICES, keeping_the_device, make_current
from vizgrad.core.arrays.errstate import hush, unhush
from vizgrad.core.engine.deep import LEVELS, on_another_thread
from vizgrad.core.engine.explain import unfinished_error
from vizgrad.core.engine.observer import Guarded, Trail
from vizgrad.core.engine.task_state import Capture as Capture
from vizgrad.core.engine.task_state import GraphRoot, TaskState
from vizgrad.core.engine.visit import store, visit
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.tensor.modes import MODES, tell_recorder


class GraphTask(TaskState):
    """One run of the engine."""

    __slots__ = ()

    # --- the loop -----------------------------------------------------------------------------

    def loop(self) -> Generator[Node, None, None]:
        """Runs node after node; yields each before its visit while `pausing`."""
        return keeping_the_device(self._visits()) if DEVICES.several else self._visits()

    # Long on purpose: a branch moved out of here would be a call for each node of each backward.
    def _visits(self) -> Generator[Node, None, None]:  # noqa: C901, PLR0915
        several = DEVICES.several
        ready, leaves, buffers, borrowed = self.ready, self.leaves, self.buffers, self.borrowed
        dependencies, captures, reach = self.dependencies, self.captures, self.reach
        domain, keep_graph, freed = self.domain, self.keep_graph, self.freed
        fit, accumulate, watch, raw = domain.fit, domain.accumulate, self.watch, domain.raw
        trail = None if watch is None else watch.trail
        if trail is not None:
            watch = None  # `visit` tells it of the others
        share_memory = domain.share_memory
        # Nobody is told of each stage and nothing is captured: a node without hooks is run right here.
        journal = None if watch is None else watch.journal
        unobserved = (watch is None or journal is not None) and raw and captures is None
        quick = unobserved and not MODES.anomaly and (journal is None or journal.open)
        told, began, timed = watch, 0.0, watch is not None or trail is not None
        # The same where gradients are captured, or are Tensors.
        lean = not timed and not unobserved and not MODES.anomaly
        note, savers, readied = (
            (None, {}, []) if journal is None else (journal.visited, journal.saved, journal.readied)
        )
        while True:
            if leaves:
                node = leaves.popleft()
                if (
                    quick
                    and watch is None
                    and node.hooks is None
                    and not self.pausing
                    and isinstance(node, AccumulateGrad)
                ):
                    variable = node.variable
                    if variable._rare is None:
                        incoming = buffers.pop(node, None)
                        if several:
                            make_current(incoming)
                        if trail is not None:
                            trail = self._accumulate(trail, node, incoming)
                        elif incoming is not None and variable._tracked:
                            accumulate(variable, incoming, node in borrowed)
                        continue
            elif ready:
                node = heappop(ready)[2]
            else:
                break
            if self.pausing and type(node) is not GraphRoot:
                self.current = node
                yield node
                quick = unobserved and not MODES.anomaly and (journal is None or journal.open)
            incoming = buffers.pop(node, None)
            if several:  # in PyTorch, too, a node runs on the device of its forward
                make_current(*(incoming if incoming.__class__ is list else (incoming,)))

            # --- the visit: stages 1 to 10 -------------------------------------------------------
            if (
                quick
                and node.hooks is None
                and node.__class__ is not AccumulateGrad
                and not node.wants_tensors
            ):
                foreign = node.outputs > 1
                if timed:
                    told, began = None, perf_counter()
                if incoming is None:
                    routed: Any = (None,) * len(node.edges)
                else:
                    try:
                        routed = node.run_all(incoming) if foreign else node.run(incoming)
                    except BaseException as error:
                        self._failed(trail, node, incoming, began, error)
                        raise
                if trail is not None:
                    try:
                        trail.ran(node, incoming, began)
                    except Exception as error:  # noqa: BLE001  it is told nothing more
                        self._lost(error)
                        trail = None
                elif note is not None:
                    ended = perf_counter()
                    saved = None if keep_graph else savers[node.__class__](node)
                    note((node, incoming, routed, saved, began, ended, len(readied)))
                if not keep_graph:
                    node.release(freed)
            elif (
                quick
                and journal is not None
                and isinstance(node, AccumulateGrad)
                and node.hooks is None
                and node.variable._rare is None
            ):
                began, before = perf_counter(), journal.before_storing(node)
                done = store(self, node, incoming)
                journal.stored(node, incoming, before, done, (began, perf_counter()))
                continue
            elif type(node) is GraphRoot:
                routed, foreign, told = node.grads, True, watch
            elif (
                lean
                and node.hooks is None
                and incoming is not None
                and node.outputs == 1
                and not (captures and node in captures)
                and (reach is None or node in reach)
                and not node.wants_tensors
                and not self.pausing
                and node.__class__ is not AccumulateGrad
            ):
                foreign = False
                try:
                    if raw:
                        routed = node.run(incoming)
                    else:
                        self.current = node
                        self.enter()
                        routed = node.run_tensors((incoming,))
                except Exception as error:
                    domain.explain(error, node)
                    raise
                if not keep_graph:
                    node.release(freed)
            else:
                told = watch
                full = reach is None or node in reach
                incoming, routed, foreign = visit(self, node, incoming, full)
                if trail is not None and self.watch is not None:
                    trail = self.watch.trail
                # a hook or a custom Function has run: it may have switched anomaly mode
                quick = unobserved and not MODES.anomaly and (journal is None or journal.open)
                lean = not timed and not unobserved and not MODES.anomaly
                if not full:
                    continue

            # --- stage 11: delivery -----------------------------------------------------------------
            if routed.__class__ is not tuple:
                routed = (routed,)
            index = -1
            for edge in node.edges:
                index += 1
                if edge is None:
                    continue
                if type(edge) is Edge:
                    slot, target = edge.input_nr, edge.node
                else:
                    slot, target = 0, edge
                if reach is not None and target not in reach and target not in (captures or ()):
                    continue
                grad = routed[index]
                if grad is not None:
                    computed = grad
                    if target.outputs == 1:
                        if not raw or grad.shape != target.shape or grad.dtype is not target.dtype:
                            grad = fit(grad, target.meta(0), node, index)
                        before = buffers.get(target)
                        if before is None:
                            buffers[target] = grad
                            if (
                                foreign
                                or grad is incoming
                                or (
                                    raw
                                    and grad.base is not None
                                    # What a formula computes is the engine's alone, or `incoming`, or a
                                    # part of it, and no formula hands out saved memory. So it is a
                                    # question of who else holds `incoming`, and of two views of one block.
                                    and (
                                        (node in borrowed and share_memory(grad, incoming))
                                        or (
                                            len(routed) > 1 and self._is_shared(grad, index, routed)
                                        )
                                    )
                                )
                            ):
                                borrowed.add(target)
                        else:
                            buffers[target] = self._add(target, before, grad)
                    else:
                        grad = fit(grad, target.meta(slot), node, index)
                        slots = buffers.get(target)
                        if slots is None:
                            slots = buffers[target] = [None] * target.outputs
                        before = slots[slot]
                        if several:
                            make_current(before)
                        slots[slot] = grad if before is None else domain.add(before, grad)
                    if watch is not None:
                        if journal is not None and (grad is not computed or before is not None):
                            now = buffers[target]
                            total = now if target.outputs == 1 else now[slot]
                            journal.delivered(index, grad, before, total)
                        if told is not None:
                            told.routed(node, index, computed, grad)
                elif told is not None:
                    told.routed(node, index, None, None)
                left = dependencies[target] - 1
                dependencies[target] = left
                if left == 0:
                    if journal is not None:
                        readied.append(target)
                    if target.runs_first:
                        leaves.append(target)
                    else:
                        self.order += 1
                        heappush(ready, (-target.sequence_nr, self.order, target))
        self.current = None
        if self.callbacks is not None:
            while self.callbacks:
                self.callbacks.pop(0)()
        if buffers:
            raise unfinished_error(list(buffers))

    def _accumulate(self, trail: Trail, node: Node, grad: Any) -> Trail | None:
        """A leaf without hooks takes its gradient, and `trail` is told; None if that raises."""
        assert isinstance(node, AccumulateGrad)
        began = perf_counter()
        try:
            decision, reason = store(self, node, grad)
        except BaseException as error:
            self._tell(trail.ran, node, grad, began, _words(error))
            raise
        self._tell(trail.stored, node, grad, began, decision, reason)
        return None if self.watch is None else self.watch.trail

    def _failed(
        self, trail: Trail | None, node: Node, grad: Any, began: float, error: BaseException
    ) -> None:
        """The formula of a node without hooks raised."""
        if trail is not None:
            self._tell(trail.ran, node, grad, began, _words(error))
        if isinstance(error, Exception):
            self.domain.explain(error, node)

    def _tell(self, told: Callable[..., None], *what: Any) -> None:
        try:
            told(*what)
        except Exception as error:  # noqa: BLE001  it is told nothing more
            self._lost(error)

    def _lost(self, error: Exception) -> None:
        """A trail has raised."""
        if isinstance(self.watch, Guarded):
            self.watch.raised(error)

    def _add(self, target: Node, before: Any, grad: Any) -> Any:
        """Adds to a buffer: in place only where the engine alone holds it (E-52)."""
        if DEVICES.several:
            make_current(before)
        if target not in self.borrowed and self.domain.can_add_in_place(before, grad):
            if self.watch is not None and self.watch.journal is not None:
                if before.strides == grad.strides:
                    return before + grad
                before = before.copy(order="K")  # a journal refers to what was there
            before += grad
            return before
        self.borrowed.discard(target)
        return self.domain.add(before, grad)

    def _is_shared(self, grad: Any, index: int, routed: tuple[Any, ...]) -> bool:
        """Does another edge get a view of the memory of `grad`, which edge `index` gets?"""
        shared = self.domain.share_memory
        for at, other in enumerate(routed):
            if at != index and other is not None and shared(grad, other):
                return True
        return False

    # --- driving ------------------------------------------------------------------------------

    def run(self) -> None:
        """Runs to the end in one go; on this thread, unless it is too deep in nested backwards (E-90)."""
        around = MODES.task
        if around is not None:
            self.depth = around.depth + 1
            if self.depth % LEVELS == 0:
                on_another_thread(self._run)
                return
        self._run()

    def _run(self) -> None:
        if MODES.recorder is not None and self.watch is None:
            self.watch = tell_recorder("watch", self)
        if self.watch is not None and not isinstance(self.watch, Guarded):
            self.watch = Guarded(self.watch)
        if not self.domain.raw:
            self.enter()
        token = hush()
        try:
            for _ in self.loop():
                pass
        finally:
            unhush(token)
            if self.modes is not None:
                self.leave()
            self.buffers.clear()
            if isinstance(self.watch, Guarded):
                self.watch.end()


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
