"""One run of PyTorch's engine in a block that is watched: what is noted of it, what is said if it fails."""

from __future__ import annotations

from typing import Any

import torch

from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.engines.pytorch.torch_errors import explain_run
from vizgrad.debugger.engines.pytorch.torch_notes import TorchNoting
from vizgrad.debugger.engines.pytorch.torch_tensors import LOOK, graph_below, node_of
from vizgrad.debugger.engines.pytorch.watched_backward import MOST_NODES, Listened
from vizgrad.debugger.watch.backwards import Run
from vizgrad.debugger.watch.tensor_adapter import tensors_in


class Engine:
    """`args` and `kwargs` are those of `torch.autograd.graph._engine_run_backward`: tensors, gradients,
    retain_graph, create_graph, inputs.
    """

    def __init__(
        self, noting: TorchNoting, args: tuple[Any, ...], kwargs: dict[str, Any], site: Site | None
    ) -> None:
        self._noting = noting
        self._listened: Listened | None = None
        self._kind = "backward" if kwargs.get("accumulate_grad") else "grad"
        outputs, _, keeps, creates, inputs, *_ = (*args, None, False, False, None)
        self._outputs = list(tensors_in(outputs, LOOK))
        self._inputs = tuple(tensors_in(inputs or (), LOOK))
        self._run: Run | None = None
        if torch._C._functorch.peek_interpreter_stack() is not None:
            return  # within a transform
        run = Run(
            noting.memory, noting.gradients, creates=bool(creates), keeps=bool(keeps), site=site
        )
        run.kind = self._kind
        run.roots = tuple(noting.note_of(each) for each in self._outputs)
        noting.memory.look()
        roots = {id(node): node for each in outputs if (node := _node(each)) is not None}
        nodes = graph_below(list(roots.values()))
        self._run = run
        self._listened = Listened(noting, run, nodes)
        if len(nodes) <= MOST_NODES:
            self._listened.begin()
        noting.runs.append(run)

    def end(self) -> None:
        """However it ended: the hooks are taken away."""
        if self._listened is not None:
            self._listened.end()

    def ran(self, result: Any) -> None:
        if self._run is not None and self._listened is not None:
            self._listened.stored()
            self._noting.ran(self._run, self._kind)
            if self._kind == "grad":
                self._noting.grad_taken(self._run, tensors_in(result or (), LOOK))

    def failed(self, error: Exception) -> None:
        nodes = [] if self._listened is None else self._listened.nodes
        args = (self._outputs, self._inputs) if self._kind == "grad" else (self._outputs,)
        explain_run(self._noting, error, self._kind, args, nodes)


def _node(root: Any) -> Any:
    """Of a tensor, or of an edge of a graph."""
    return node_of(root) if isinstance(root, torch.Tensor) else getattr(root, "node", None)
