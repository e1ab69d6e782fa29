"""The fast loop: `reference_loop.py` for a backward that nobody pauses, and of whose stages nobody is told.

It does the same, faster: a node without hooks is run right here, with no call but that of its formula, and
its gradients are delivered right here where nothing has to be summed or cast. Everything else goes through
a visit and `deliver` as in the reference loop.
"""

from __future__ import annotations

from heapq import heappop, heappush, heappushpop
from time import perf_counter
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.backend import DEVICES, make_current
from vizgrad.core.engine.reference_loop import reference_loop
from vizgrad.core.engine.visit import (
    add,
    another_shares,
    deliver,
    follow_failure,
    follow_fit,
    follow_leaf,
    follow_visit,
    lost,
    visit,
)
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Edge
from vizgrad.core.tensor.modes import MODES

if TYPE_CHECKING:
    from vizgrad.core.engine.task_state import TaskState


# Long on purpose: a branch moved out of here would be a call for each node of each backward.
def fast_loop(task: TaskState) -> None:  # noqa: C901, PLR0915
    """Runs the task to its end. If a hook switches anomaly mode on, the reference loop goes on from there.

    The watch may have a trail, which is told of a node without hooks once, when it has run.
    """
    several = DEVICES.several
    ready, leaves, buffers, borrowed = task.ready, task.leaves, task.buffers, task.borrowed
    missing, captures, reach = task.dependencies, task.captures, task.reach
    domain, keep_graph, freed = task.domain, task.keep_graph, task.freed
    raw, fit, accumulate = domain.raw, domain.fit, domain.accumulate
    trail, began = None if task.watch is None else task.watch.trail, 0.0
    order = task.order
    following: Any = (
        None  # an entry for `ready` that is most often the next node: it need not go in
    )
    # Where gradients are captured or are Tensors, the watch is told of all stages instead.
    inline = trail is None or (raw and captures is None)
    anomaly = False
    while not anomaly:
        if leaves:
            node = leaves.popleft()
            if (
                node.hooks is None
                and isinstance(node, AccumulateGrad)
                and node.variable._rare is None
                and raw
                and captures is None
            ):
                arrived = buffers.pop(node, None)
                if several:
                    make_current(arrived)
                if trail is not None:
                    trail = follow_leaf(task, trail, node, arrived)
                elif arrived is not None and node.variable._tracked:
                    accumulate(node.variable, arrived, node in borrowed)
                arrived = None
                continue
        elif following is not None:
            node, following = heappushpop(ready, following)[2], None
        elif ready:
            node = heappop(ready)[2]
        else:
            break

        # --- the visit: stages 1 to 10 -------------------------------------------------------------
        plain = (
            inline
            and node.hooks is None
            and not node.wants_tensors
            and node.__class__ is not AccumulateGrad
            and (reach is None or (node in reach and not (captures and node in captures)))
        )
        arrived: Any = buffers.pop(node, None) if plain else None
        if arrived is None:
            arrived, computed, foreign, _ = visit(task, node)
            # code of the user's has run: it may have switched the mode, and the watch may have raised
            anomaly = MODES.anomaly
            trail = follow_visit(task, node, computed)
        else:
            foreign = node.outputs > 1
            if several:  # in PyTorch, too, a node runs on the device of its forward
                make_current(*(arrived if foreign else (arrived,)))
            if trail is not None:
                began = perf_counter()
            try:
                if raw:
                    computed: Any = node.run_all(arrived) if foreign else node.run(arrived)
                else:
                    task.current = node
                    task.enter()
                    computed = node.run_tensors(tuple(arrived) if foreign else (arrived,))
            except BaseException as error:
                follow_failure(task, trail, node, arrived, began, error)
                if isinstance(error, Exception):
                    domain.explain(error, node)
                raise
            if computed.__class__ is not tuple:
                computed = (computed,)
            if trail is not None:
                try:
                    trail.ran(node, arrived, computed, began)
                except Exception as error:  # noqa: BLE001  it is told nothing more
                    trail = lost(task, error)
            if not keep_graph:
                node.release(freed)

        # --- stage 11: delivery --------------------------------------------------------------------
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
            grad = computed[index]
            if grad is not None:
                if target.outputs != 1:
                    slots, meta = buffers.get(target), target.meta(slot)
                    if (
                        raw
                        and task.watch is None
                        and (slots is None or slots[slot] is None)
                        and grad.shape == meta.shape
                        and grad.dtype is meta.dtype
                    ):
                        if slots is None:
                            slots = buffers[target] = [None] * target.outputs
                        slots[slot] = grad
                        slots = None
                    else:
                        visited = arrived, computed, foreign, None
                        grad = deliver(task, node, index, target, slot, visited)
                        visited = slots = None
                        if trail is not None:
                            trail = follow_fit(task, trail, node, index, grad)
                else:
                    if not raw or grad.shape != target.shape or grad.dtype is not target.dtype:
                        grad = fit(grad, target.meta(0), node, index)
                        if trail is not None:
                            trail = follow_fit(task, trail, node, index, grad)
                    waiting = buffers.get(target)
                    if waiting is not None:
                        buffers[target] = add(task, target, waiting, grad)
                        waiting = None
                    else:
                        buffers[target] = grad
                        if (
                            foreign
                            or grad is arrived
                            or (
                                raw
                                and grad.base is not None
                                and (
                                    (node in borrowed and domain.share_memory(grad, arrived))
                                    or (
                                        len(computed) > 1
                                        and another_shares(domain, grad, index, computed)
                                    )
                                )
                            )
                        ):
                            borrowed.add(target)
            left = missing[target] - 1
            missing[target] = left
            if left == 0:
                if target.runs_first:
                    leaves.append(target)
                else:
                    order += 1
                    if following is not None:
                        heappush(ready, following)
                    following = -target.sequence_nr, order, target
        arrived = computed = grad = None  # as early as in the reference loop
    task.order = order
    if following is not None:
        heappush(ready, following)
    if anomaly:
        for _ in reference_loop(task):
            pass
    else:
        task.finish()
