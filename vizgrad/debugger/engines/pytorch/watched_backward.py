"""Listening to a run of PyTorch's engine in a block that is watched: a hook behind each node, and what is
said if it fails.

The hooks look at what came and what goes on, and change nothing: they are the last of their node, and return
nothing. For a leaf it is one before, because the earlier `.grad` is inspected.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from vizgrad.core.errors import is_library
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.summarizer import NOWHERE, Origin
from vizgrad.debugger.engines.pytorch.backward_log import LoggedRun, visit_of
from vizgrad.debugger.engines.pytorch.collective_watch import (
    CollectiveWatch,
    in_a_group,
    may_call,
)
from vizgrad.debugger.engines.pytorch.saved import raw_values
from vizgrad.debugger.engines.pytorch.summary import summarize
from vizgrad.debugger.engines.pytorch.torch_errors import explain_run
from vizgrad.debugger.engines.pytorch.torch_nodes import (
    EDGES,
    LEAF,
    ORIGIN,
    built_in,
    clock_of,
    edges_of,
    kind_of,
    name_of,
    recorded_at,
    site_of,
)
from vizgrad.debugger.engines.pytorch.torch_notes import TorchNoting
from vizgrad.debugger.engines.pytorch.torch_reader import keys_of
from vizgrad.debugger.engines.pytorch.torch_tensors import (
    LOOK,
    counted_below,
    node_of,
    readable,
    size_anew,
)
from vizgrad.debugger.watch.backwards import Changed, Visit, odd
from vizgrad.debugger.watch.kept_backwards import BackwardRecord, NodeFacts, key_of_leaf
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Near
from vizgrad.debugger.watch.tensor_adapter import tensors_in

#: A larger graph has no listeners.
MOST_NODES = 100_000
_INF = float("inf")


class Listened:
    """One backward, from the nodes of its roots on."""

    def __init__(
        self, noting: Noting, run: LoggedRun, roots: list[Any], record: BackwardRecord | None = None,
        *, everywhere: bool = True,
    ) -> None:  # fmt: skip
        """`record`: what notes it for a trace. `everywhere`: does it run all nodes below?"""
        self._noting = noting
        self._record = record
        #: Leaves that `record` notes.
        self._noted: list[tuple[Any, Any, Any]] = []
        self._run = run
        self.nodes, self._arrivals = counted_below(roots)
        self._keys = keys_of(self.nodes)
        #: How large what waits for a node is, as long as only one has come.
        self._waiting: dict[int, float | None] = {}
        #: Leaves that were reached, and whether each held a gradient before.
        self._arrived: list[tuple[Any, bool]] = []
        #: Leaves that nobody listens to, as one edge leads to each.
        self._silent: list[tuple[Any, bool]] = []
        self._handles: list[Any] = []
        self._hooked = noting.hooked() if noting.hooks else {}
        #: The collectives of a backward that is noted for a trace, in a process of several ranks.
        self._calls = CollectiveWatch(self.nodes) if record is not None and in_a_group() else None
        #: Are there nodes whose sizes are known without listening to them?
        self._skips = record is None and not noting.hooks and everywhere
        self._onward = run.passing.last

    def begin(self) -> None:
        if self._calls is not None:
            for number, node in enumerate(self.nodes):
                if may_call(node):
                    self._handles.append(node.register_prehook(self._begins(number)))
        keys, arrivals, skips = self._keys, self._arrivals, self._skips
        holds, passing = self._run.gradients.holds, self._run.passing
        handles, ran = self._handles, self._ran
        for node in self.nodes:
            once = skips and arrivals[id(node)] == 1
            if node.__class__ is LEAF:
                variable = node.variable
                if once:
                    self._silent.append((variable, holds(variable)))
                else:
                    handles.append(node.register_prehook(self._of_leaf(variable)))
            elif once and (name := name_of(node)) in _PASSING_ON:
                ((below, _),) = edges_of(node)
                passing.add(keys[id(node)], name, recorded_at(node).users, keys[id(below)])
            else:
                handles.append(node.register_hook(ran or self._of_node(node)))
            if self._calls is not None and may_call(node):
                handles.append(node.register_hook(self._called))
        passing.close()

    def _begins(self, number: int) -> Callable[[Any], None]:
        def begins(given: Any) -> None:
            assert self._calls is not None  # registered where there is one
            self._calls.begins(number)

        return begins

    def _called(self, *_: Any) -> None:
        """The node has given its results, and hooks of others behind it have run."""
        calls, record = self._calls, self._record
        assert calls is not None  # registered where there is one
        calls.ends()
        found = calls.over(0, 0)
        if record is not None and found:
            record.called(
                [
                    replace(
                        call, nodes=tuple(key_of_leaf(self.nodes[n].variable) for n in call.nodes)
                    )
                    for call in found
                ]
            )

    def end(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def stored(self) -> None:
        """Gradients that arrived at leaves are in their `.grad` by now."""
        if self._calls is not None:
            self._calls.settle()
            self._called()  # DistributedDataParallel has waited for those that it had begun
            self._calls.close()
        run, waiting = self._run, self._waiting
        for leaf in self._silent:
            key = -id(leaf[0])
            if key in waiting:
                size = waiting[key]
                if size is None:  # a hook has run a part of this graph, too
                    size = _largest((leaf[0].grad,))
                run.note(key, "AccumulateGrad", None, size)
                self._arrived.append(leaf)
        for variable, held in self._arrived:
            run.leaves.add(id(variable))
            run.gradients.arrived(variable, run, held)
        for visit, variable, before in self._noted:
            decision = "stored" if before is None else "added"  # how, PyTorch does not say
            visit.accumulate = model.AccumulateRecord(
                decision, "", before, summarize(variable.grad)
            )

    def _of_leaf(self, variable: Any) -> Callable[[Any], None]:
        noting, arriving = self._noting, self._arriving

        def begins(given: Any) -> None:
            if torch.compiler.is_compiling():
                return  # it would become a part of what is compiled
            with _Unheard():
                Noting.guarded(noting, arriving, variable, given)

        return begins

    @property
    def _ran(self) -> Callable[[Any, Any], None] | None:
        """The hook of all nodes; None where PyTorch does not say which of them runs."""
        if _running is None:
            return None
        noting, visited, running = self._noting, self._visited, _running
        observer = noting._observer

        def ran(routed: Any, given: Any) -> None:
            if _is_compiling():
                return  # it would become a part of what is compiled
            if observer is None or not observer.active:
                return
            with _Unheard():
                noting.busy = True  # as `guarded`, without a call of its own
                try:
                    visited(running(), routed, given)
                except Exception as error:  # noqa: BLE001  whatever it was, it is reported
                    observer.raised(error)
                finally:
                    noting.busy = False

        return ran

    def _of_node(self, node: Any) -> Callable[[Any, Any], None]:
        noting, visited = self._noting, self._visited

        def ran(routed: Any, given: Any) -> None:
            if torch.compiler.is_compiling():
                return  # it would become a part of what is compiled
            with _Unheard():
                Noting.guarded(noting, visited, node, routed, given)

        return ran

    def _arriving(self, variable: Any, given: Any) -> None:
        run, key = self._run, -id(variable)
        known = self._waiting.pop(key, None)
        size = self._given(key, known, given)
        run.note(key, "AccumulateGrad", None, size)
        self._arrived.append((variable, run.gradients.holds(variable)))
        if self._record is not None:
            facts = NodeFacts(
                key, "AccumulateGrad", "leaf", 0, (), (), NOWHERE, None, weakref.ref(variable)
            )
            visit = self._record.enter(facts, given, summarize)
            if visit is not None:
                self._noted.append((visit, variable, summarize(variable.grad)))

    def _visited(self, node: Any, routed: Any, given: Any) -> None:
        keys, waiting, onward, index = self._keys, self._waiting, self._onward, -1
        key = keys[id(node)]
        known = waiting.pop(key, None)
        came = known if known is not None and not self._hooked else self._given(key, known, given)
        incoming = given[0] if len(given) == 1 else None
        deliveries: list[Any] = []
        metadata = node.metadata
        is_odd, name = False, built_in(node)
        # a custom Function may have written to what it was given, and return it
        last, sent = incoming if name else None, came
        for grad, (below, _) in zip(routed, metadata.get(EDGES) or edges_of(node), strict=False):
            index += 1
            if below is None:
                continue
            target = keys.get(id(below))
            if target is None:
                continue
            if grad is None:
                if (to := onward.get(target, target)) < 0:
                    waiting.setdefault(to, 0.0)  # a leaf is reached all the same
                continue
            if grad is not last:
                last, sent = grad, size_anew(grad)
            deliveries += target, index, sent
            to = onward.get(target, target)
            waiting[to] = None if to in waiting else sent
            if not 0.0 < sent < _INF:
                is_odd = True
        run, spot, name = self._run, metadata.get(ORIGIN, NOWHERE).users, name or name_of(node)
        run.note(key, name, spot, came, deliveries)
        if is_odd or run.memory.hidden:
            visit = visit_of(key, name, spot, came, deliveries).delivered(0, len(deliveries))
            self._look_closer(node, visit, routed, given)
        if self._record is not None:
            self._note(self._record, node, routed, given)

    def _look_closer(self, node: Any, visit: Visit, routed: Any, given: Any) -> None:
        """It delivered what is zero or not finite, or memory is known that may be written unseen."""
        if self._run.memory.hidden:
            self._look_for_hidden(node, visit)
        for _, index, size in visit.out:
            if not 0.0 < size < _INF:
                self._odd_delivery(node, visit, index, routed[index], given, size)

    def _note(self, record: BackwardRecord, node: Any, routed: Any, given: Any) -> None:
        """All for a trace."""
        origin, keys = recorded_at(node), self._keys
        targets = [
            (None if below is None else keys.get(id(below)), nr) for below, nr in edges_of(node)
        ]
        facts = NodeFacts(
            keys[id(node)], name_of(node), kind_of(node), clock_of(node), tuple(targets), (), origin,
            site_of(origin),
        )  # fmt: skip
        visit = record.enter(facts, given, summarize)
        if visit is not None:
            for index, (grad, (target, _)) in enumerate(zip(routed, targets, strict=False)):
                if grad is not None and target is not None:
                    record.sent(visit, index, grad, grad, summarize, waits=False)

    def _given(self, key: int, known: float | None, given: Any) -> float:
        """How large what a node was given is, after the hooks of its tensor. `known`: before them."""
        if key not in self._hooked:
            return _largest(given) if known is None else known
        size = _largest(given)
        if size != known and (known is not None or size == 0.0 or not size < _INF):
            self._run.changed[key] = Changed(known, size)
        return size

    def _odd_delivery(
        self, node: Any, visit: Visit, index: int, grad: Any, given: Any, size: float
    ) -> None:
        """A delivered gradient is zero, or not finite."""
        if size == 0.0:
            if visit.incoming > 0.0:
                self._run.kills.append(self._odd(node, visit, index, grad, given))
        elif not size < _INF and visit.incoming < _INF:
            self._run.births.append(self._odd(node, visit, index, grad, given))

    def _odd(self, node: Any, visit: Visit, index: int, grad: Any, given: Any) -> Any:
        near = near_origin(recorded_at(node))
        if near is not None:
            self._run.near[visit.key] = near
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


#: Nodes that only move elements, or copy them: what they deliver is as large as what came.
_PASSING_ON = frozenset(
    f"{name}Backward0" for name in (
        "Alias", "Clone", "Permute", "Select", "Slice", "Squeeze", "T", "Transpose", "UnsafeView",
        "Unsqueeze", "View",
    )
) | {"SqueezeBackward1", "ReshapeAliasBackward0"}  # fmt: skip
#: The node that runs on this thread; None: PyTorch does not say.
_running = getattr(torch._C, "_current_autograd_node", None)
_is_compiling = torch.compiler.is_compiling
#: While it is on, no mode of functions hears of what is looked at.
_Unheard = torch._C.DisableTorchFunction


def _largest(grads: Any) -> float:
    if len(grads) == 1:
        return 0.0 if grads[0] is None else size_anew(grads[0])
    sizes = [size_anew(grad) for grad in grads if grad is not None]
    strange = [size for size in sizes if size != size]
    return strange[0] if strange else max(sizes, default=0.0)


def near_origin(origin: Origin) -> Near | None:
    """Where the user's code called the library that a node was recorded in; None of other nodes."""
    made = site_of(origin)
    if made is None or not is_library(made.file):
        return None
    spots = [call.spot for call in origin.calls if call.spot is not None]
    mine = [spot for spot in spots if not is_library(spot.code.co_filename)]
    site = Site(mine[-1].code, mine[-1].offset) if mine else None
    return Near(site, "/".join(call.name.partition(": ")[0] for call in origin.calls))


class Engine:
    """`args` and `kwargs` are those of `torch.autograd.graph._engine_run_backward`: tensors, gradients,
    retain_graph, create_graph, inputs.
    """

    def __init__(
        self, noting: TorchNoting, args: tuple[Any, ...], kwargs: dict[str, Any], site: Site | None
    ) -> None:
        self._noting = noting
        self._listened: Listened | None = None
        self.kind = "backward" if kwargs.get("accumulate_grad") else "grad"
        outputs, _, keeps, creates, inputs, *_ = (*args, None, False, False, None)
        self._outputs = list(tensors_in(outputs, LOOK))
        self._inputs = tuple(tensors_in(inputs or (), LOOK))
        self._run: LoggedRun | None = None
        if torch._C._functorch.peek_interpreter_stack() is not None:
            return  # within a transform
        run = LoggedRun(
            noting.memory, noting.gradients, creates=bool(creates), keeps=bool(keeps), site=site
        )
        noting.rounds.begin(run.clock)
        run.kind = self.kind
        run.roots = tuple(noting.note_of(each) for each in self._outputs)
        noting.memory.look()
        roots = {id(node): node for each in outputs if (node := _node(each)) is not None}
        self._run = run
        record = None if noting.kept is None else noting.kept.begin(run.clock)
        self._listened = Listened(
            noting, run, list(roots.values()), record,
            everywhere=self.kind == "backward" and not self._inputs,
        )  # fmt: skip
        if len(self._listened.nodes) <= MOST_NODES:
            self._listened.begin()
        noting.runs.append(run)

    def end(self) -> None:
        """However it ended: the hooks are taken away."""
        if self._listened is not None:
            self._listened.end()

    def ran(self, result: Any) -> None:
        if self._run is not None and self._listened is not None:
            self._listened.stored()
            self._noting.ran(self._run, self.kind)
            if self.kind == "grad":
                self._noting.grad_taken(self._run, tensors_in(result or (), LOOK))

    def failed(self, error: Exception) -> None:
        nodes = [] if self._listened is None else self._listened.nodes
        args = (self._outputs, self._inputs) if self.kind == "grad" else (self._outputs,)
        explain_run(self._noting, error, self.kind, args, nodes)


def _node(root: Any) -> Any:
    """The node of a tensor, or of an edge of a graph."""
    return node_of(root) if isinstance(root, torch.Tensor) else getattr(root, "node", None)
