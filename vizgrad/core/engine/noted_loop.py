"""The noted loop: `reference_loop.py` for a stretch of a debugger's run where nobody need be told of a node.

A journal notes each node in one tuple, so that each can be looked at, and undone, later. It does what
`observed_visit` and `deliver` do, with no call but that of a node's formula. A run takes it where a user says
"go on": up to a node that may stop the run, that has hooks, or that calls code of the user's.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from heapq import heappop, heappush, heappushpop
from time import perf_counter
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.backend import DEVICES
from vizgrad.core.arrays.statistics import is_small
from vizgrad.core.engine.visit import add, another_shares, deliver, store
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.tensor.modes import MODES

if TYPE_CHECKING:
    from vizgrad.core.engine.observer import Journal
    from vizgrad.core.engine.task_state import TaskState


def may_be_noted(task: TaskState) -> bool:
    """Is all that a run does at a node without hooks what this loop does?"""
    watch = task.watch
    journal = None if watch is None else watch.journal
    return (
        journal is not None
        and journal.open
        and task.reach is None
        and task.captures is None
        and task.domain.raw
        and not MODES.anomaly
        and not DEVICES.several
    )


def is_quiet(node: Node) -> bool:
    """Does a visit of the node call no code of the user's, and hand no gradient to any?"""
    if node.hooks is not None or node.wants_tensors:
        return False
    return not isinstance(node, AccumulateGrad) or node.variable._rare is None


class Row:
    """How far the loop is to go: `most` nodes, or the time `until`; not into one of `stops`, which are
    numbers of nodes by `ids`. With `births` it ends behind what made a NaN or an infinity of finite
    gradients.
    """

    __slots__ = ("births", "born", "ids", "most", "stops", "until")

    def __init__(
        self, ids: Mapping[Node, int], stops: AbstractSet[int] | None, most: int, until: float,
        *, births: bool,
    ) -> None:  # fmt: skip
        self.ids, self.stops, self.most, self.until = ids, stops, most, until
        self.births = births
        #: It ended there.
        self.born = False


# Long on purpose: a branch moved out of here would be a call for each node of each Continue.
def noted_loop(task: TaskState, journal: Journal, row: Row) -> None:  # noqa: C901, PLR0915
    """Runs `task.current`, which is quiet, and what follows; `task.current` is then the node that comes
    next, taken out of the queue, or None. `may_be_noted` has said yes.
    """
    ready, leaves, buffers, borrowed = task.ready, task.leaves, task.buffers, task.borrowed
    missing, keep_graph, freed = task.dependencies, task.keep_graph, task.freed
    domain, fit = task.domain, task.domain.fit
    noted, savers, readied = journal.visited, journal.saved, journal.readied
    ids, stops, births, until = row.ids, row.stops, row.births, row.until
    # With every step so far known to be finite only what is new has to be looked at.
    known = births and journal.finite_until == len(journal)
    odd = False
    left = row.most
    node: Any = task.current
    leaf = isinstance(node, AccumulateGrad)
    #: An entry for `ready` that is most often the next node: it need not go in.
    following: Any = None
    arrived: Any = None
    while True:
        index = -1
        arrived = buffers.pop(node, None)
        began = perf_counter()
        if leaf:
            before = journal.before_storing(node)
            done = store(task, node, arrived)
            ended = perf_counter()
            journal.stored(node, arrived, before, done, (began, ended))
            odd = known and done[0] != "taken" and arrived is not None
        else:
            several = node.outputs != 1
            if arrived is None and not node.runs_on_undefined:
                made: Any = (None,) * len(node.edges)
            else:
                try:
                    made = node.run_all(arrived) if several else node.run(arrived)
                except Exception as error:
                    domain.explain(error, node)
                    raise
            ended = perf_counter()
            saved = None if keep_graph else savers[node.__class__](node)
            noted((node, arrived, made, saved, began, ended, len(readied)))
            if not keep_graph:
                node.release(freed)
            computed = made if made.__class__ is tuple else (made,)
            for edge in node.edges:
                index += 1
                if edge is None:
                    continue
                if type(edge) is Edge:
                    slot, target = edge.input_nr, edge.node
                else:
                    slot, target = 0, edge
                grad = computed[index]
                if grad is not None:
                    if known and grad is not arrived and not is_small(grad):
                        odd = True
                    if target.outputs != 1:
                        deliver(task, node, index, target, slot, (arrived, computed, several, None))
                        odd = odd or known
                    else:
                        fitted = grad
                        if grad.shape != target.shape or grad.dtype is not target.dtype:
                            fitted = fit(grad, target.meta(0), node, index)
                        waiting = total = buffers.get(target)
                        if waiting is not None:
                            total = buffers[target] = add(task, target, waiting, fitted)
                        else:
                            buffers[target] = fitted
                            if (
                                several
                                or fitted is arrived
                                or (
                                    fitted.base is not None
                                    and (
                                        (node in borrowed and domain.share_memory(fitted, arrived))
                                        or another_shares(domain, fitted, index, computed)
                                    )
                                )
                            ):
                                borrowed.add(target)
                        if fitted is not grad or waiting is not None:
                            journal.delivered(index, fitted, waiting, total)
                            if known and not is_small(fitted if total is None else total):
                                odd = True
                        waiting = total = fitted = None
                missing[target] -= 1
                if missing[target] == 0:
                    readied.append(target)
                    if target.runs_first:
                        leaves.append(target)
                    else:
                        task.order += 1
                        if following is not None:
                            heappush(ready, following)
                        following = -target.sequence_nr, task.order, target
        arrived = made = computed = grad = None
        if leaves:
            node = leaves.popleft()
            if following is not None:
                heappush(ready, following)
                following = None
        elif following is not None:
            node, following = heappushpop(ready, following)[2], None
        elif ready:
            node = heappop(ready)[2]
        else:
            task.current = None
            return
        task.current = node
        if known:
            if not odd:
                journal.finite_until += 1
            else:
                odd = False
                row.born = journal.made_nonfinite(len(journal) - 1)
                known = journal.finite_until == len(journal)
        elif births:
            row.born = journal.made_nonfinite(len(journal) - 1)
        left -= 1
        leaf = isinstance(node, AccumulateGrad)
        if (
            left == 0
            or row.born
            or ended > until
            or (stops and ids[node] in stops)
            or node.hooks is not None
            or (node.variable._rare is not None if leaf else node.wants_tensors)
        ):
            return
