"""Opens the backward of a vizgrad tensor for stepping: the engine's side of `vizgrad.debug`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vizgrad.autograd.running import grad, prepare_backward
from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.api.local_backward import LocalBackward, run_locally
from vizgrad.debugger.engines.api.openers import open_backward, open_picture
from vizgrad.debugger.engines.api.process_groups import register_distributed
from vizgrad.debugger.engines.api.protocols import Backward
from vizgrad.debugger.engines.common.local_run import run_to_leaves
from vizgrad.debugger.engines.common.released_graph import refusal
from vizgrad.debugger.engines.common.variable_names import names_around, variables_of
from vizgrad.debugger.engines.vizgrad.graph_source import EngineGraph, roots_of
from vizgrad.debugger.engines.vizgrad.process_group import EngineDistributed
from vizgrad.debugger.engines.vizgrad.released_nodes import released_in
from vizgrad.debugger.engines.vizgrad.run import EngineRun, current_modes
from vizgrad.debugger.session.opening import READING, Opening, seldom_collecting
from vizgrad.debugger.session.session import Session


@open_backward.register(Tensor)
def open_tensor(loss: Any, options: Mapping[str, Any]) -> Backward:
    """The backward of one tensor, or of several, before its first node. Raises what backward raises, of a
    graph that an earlier one has released at once, unless `allow_released`.
    """
    names = options.get("names")
    if names is None:
        names = names_around()
    title = options.get("title", "")
    if not title and isinstance(loss, Tensor):
        title = names.get(id(loss), "")
    roots = (loss,) if isinstance(loss, Tensor) else tuple(loss)
    task = prepare_backward(
        roots,
        options.get("gradient"),
        options.get("retain_graph"),
        options.get("create_graph", False),
        options.get("inputs"),
    )
    task.freed.site = options.get("site")  # that of `debug`, for a backward that comes too late
    with seldom_collecting(READING):
        source = EngineGraph([(node, nr) for node, nr, _ in task.roots], names)
        released = released_in(source.nodes, task.will_run)
        if released is not None and not options.get("allow_released"):
            raise refusal(released)
        run = EngineRun(task, source, lent=options.get("gradient") is not None)
    loss_array = roots[0]._array
    variables = variables_of(names, roots[0], loss_array if loss_array.size == 1 else None)
    return Backward(source, run, title or "backward", current_modes, variables)


@open_picture.register(Tensor)
@open_picture.register(Node)
def open_graph(
    tensors: Any, names: Mapping[int, str], limit: int | None = None, *, bare: bool = False
) -> EngineGraph:
    """The graph of a tensor, of several, or of a node. Raises as `openers.open_picture`."""
    none = bare and isinstance(tensors, Tensor) and not tensors.requires_grad
    return EngineGraph([] if none else roots_of(tensors), names, limit=limit)


def open_session(
    tensors: Any,
    gradient: Any = None,
    *,
    keep: int | None = None,
    opening: Opening | None = None,
    **options: Any,
) -> Session:
    """A session on the backward of `tensors`, by the engine that knows their type.

    `options` as `openers.open_backward` takes them; `keep` and `opening` as `Session`.
    """
    backward = open_backward(tensors, {"gradient": gradient, "keep": keep, **options})
    return Session(backward, keep=keep, opening=opening)


@run_locally.register(Tensor)
def run_tensor_locally(loss: Any, names: Mapping[int, str], title: str) -> LocalBackward:
    """See `vizgrad.debugger.engines.api.local_backward`."""

    def gradients(leaves: Sequence[Any]) -> Sequence[Any]:
        return grad(loss, leaves, retain_graph=True, allow_unused=True)

    return run_to_leaves(EngineGraph(roots_of(loss), names), title, gradients)


register_distributed(EngineDistributed())
