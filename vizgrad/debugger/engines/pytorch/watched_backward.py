"""Listening to a backward of PyTorch's: a hook behind each of its nodes, for as long as it runs.

The hooks look at what came and what goes on, and change nothing: they are the last of their node, and return
nothing. Of a leaf it is one before, as what its `.grad` held is to be looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from vizgrad.debugger.engines.pytorch.edges import edges_of
from vizgrad.debugger.engines.pytorch.saved import raw_values
from vizgrad.debugger.engines.pytorch.source_places import recorded_at, site_of
from vizgrad.debugger.engines.pytorch.torch_names import name_of
from vizgrad.debugger.engines.pytorch.torch_tensors import LOOK, readable
from vizgrad.debugger.watch.backwards import Run, Visit, odd
from vizgrad.debugger.watch.note_recorder import Noting

#: Of a larger graph nothing is listened to.
MOST_NODES = 100_000
_INF = float("inf")


class Listened:
    """One backward, from the nodes of its roots on."""

    def __init__(self, noting: Noting, run: Run, nodes: list[Any]) -> None:
        self._noting = noting
        self._run = run
        self.nodes = nodes
        self._keys = _numbered(nodes)
        #: How large what waits for a node is, as long as only one has come.
        self._waiting: dict[int, float | None] = {}
        #: Leaves that were reached, and whether each held a gradient before.
        self._arrived: list[tuple[Any, bool]] = []
        self._handles: list[Any] = []

    def begin(self) -> None:
        for node in self.nodes:
            variable = getattr(node, "variable", None)
            if variable is None:
                self._handles.append(node.register_hook(self._of_node(node)))
            else:
                self._handles.append(node.register_prehook(self._of_leaf(variable)))

    def end(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def stored(self) -> None:
        """What arrived at leaves is in their `.grad` by now."""
        run = self._run
        for variable, held in self._arrived:
            run.leaves.add(id(variable))
            run.gradients.arrived(variable, run, held)

    def _of_leaf(self, variable: Any) -> Callable[[Any], None]:
        def begins(given: Any) -> None:
            self._noting.guarded(self._arriving, variable, given)

        return begins

    def _of_node(self, node: Any) -> Callable[[Any, Any], None]:
        def ran(routed: Any, given: Any) -> None:
            self._noting.guarded(self._visited, node, routed, given)

        return ran

    def _arriving(self, variable: Any, given: Any) -> None:
        run, key = self._run, -id(variable)
        known = self._waiting.pop(key, None)
        size = _largest(given) if known is None else known
        run.visits[key] = Visit(key, "AccumulateGrad", None, 0, size)
        self._arrived.append((variable, run.gradients.holds(variable)))

    def _visited(self, node: Any, routed: Any, given: Any) -> None:
        run, key = self._run, self._keys[id(node)]
        known = self._waiting.pop(key, None)
        size = _largest(given) if known is None else known
        site = site_of(recorded_at(node))
        code, lasti = (None, 0) if site is None else site
        visit = run.visits[key] = Visit(key, name_of(node), code, lasti, size)
        if run.memory.hidden:
            self._look_for_hidden(node, visit)
        for index, (grad, (below, _)) in enumerate(zip(routed, edges_of(node), strict=False)):
            if grad is not None and below is not None:
                self._delivered(node, visit, index, grad, self._keys.get(id(below)), given)

    def _delivered(
        self, node: Any, visit: Visit, index: int, grad: Any, target: int | None, given: Any
    ) -> None:
        if target is None:
            return
        size = LOOK.size(grad)
        visit.deliver(target, index, size)
        self._waiting[target] = None if target in self._waiting else size
        if size == 0.0:
            if visit.incoming > 0.0:
                self._run.kills.append(self._odd(node, visit, index, grad, given))
        elif not size < _INF and visit.incoming < _INF:
            self._run.births.append(self._odd(node, visit, index, grad, given))

    def _odd(self, node: Any, visit: Visit, index: int, grad: Any, given: Any) -> Any:
        incoming = given[0] if len(given) == 1 else None
        saved = {
            name: LOOK.array(slot.data)
            for name, slot in raw_values(node)
            if isinstance(slot.data, torch.Tensor) and readable(slot.data)
        }
        came = None if incoming is None else LOOK.array(incoming)
        return odd(visit, index, came, LOOK.array(grad), saved)

    def _look_for_hidden(self, node: Any, visit: Visit) -> None:
        for name, slot in raw_values(node):
            if isinstance(slot.data, torch.Tensor):
                between = LOOK.span(slot.data)
                written = self._run.memory.hidden_write(*between, node._sequence_nr())
                if written is not None:
                    self._run.hidden.append((visit, name, written))


def _numbered(nodes: list[Any]) -> dict[int, int]:
    """The key of each node, by its id: its number; where two threads recorded, another for the second."""
    keys: dict[int, int] = {}
    taken: set[int] = set()
    for node in nodes:
        variable = getattr(node, "variable", None)
        key = node._sequence_nr() if variable is None else -id(variable)
        while key in taken:
            key += 1 << 48
        taken.add(key)
        keys[id(node)] = key
    return keys


def _largest(grads: Any) -> float:
    sizes = [LOOK.size(grad) for grad in grads if grad is not None]
    strange = [size for size in sizes if size != size]
    return strange[0] if strange else max(sizes, default=0.0)
