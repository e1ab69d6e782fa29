"""The public names of torch.autograd.graph, and what hooks may ask about the running backward."""

from __future__ import annotations

from collections.abc import Iterable

from vizgrad.autograd.current import current_graph_task_id as current_graph_task_id
from vizgrad.autograd.current import current_node as current_node
from vizgrad.autograd.current import execution_order as execution_order
from vizgrad.autograd.current import queue_callback as queue_callback
from vizgrad.autograd.current import will_execute as will_execute
from vizgrad.autograd.edges import GradientEdge as GradientEdge
from vizgrad.autograd.edges import Node as Node
from vizgrad.autograd.edges import get_gradient_edge as get_gradient_edge
from vizgrad.autograd.multi_grad import register_multi_grad_hook as register_multi_grad_hook
from vizgrad.autograd.mutation import (
    allow_mutation_on_saved_tensors as allow_mutation_on_saved_tensors,
)
from vizgrad.autograd.saved_hooks import disable_saved_tensors_hooks as disable_saved_tensors_hooks
from vizgrad.autograd.saved_hooks import save_on_cpu as save_on_cpu
from vizgrad.autograd.saved_hooks import saved_tensors_hooks as saved_tensors_hooks
from vizgrad.autograd.strict_mode import set_paranoid as set_paranoid
from vizgrad.core.errors import explained, place_of
from vizgrad.core.tensor.modes import GUARD
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor, storage_of


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Counts a write without doing one: for memory that was changed behind autograd's back (V-4).

    Raises RuntimeError unless given a tensor or an iterable of tensors.
    """
    if isinstance(tensor, Tensor):
        tensors = [tensor]
    elif isinstance(tensor, Iterable):
        tensors = list(tensor)
    else:
        raise _no_tensor(f"a Tensor or an Iterable[Tensor], got {type(tensor).__name__}")
    site = caller()
    for each in tensors:
        if not isinstance(each, Tensor):
            raise _no_tensor(
                f"each element of the iterable to be a tensor, got {type(each).__name__}"
            )
        if not each.is_inference():
            storage_of(each).wrote("increment_version", site)


def _no_tensor(what: str) -> RuntimeError:
    return explained(
        RuntimeError(f"increment_version expects {what}"),
        kind="hidden-write",
        culprit=place_of(caller()),
        fix="give it the tensors whose memory was changed",
    )


def set_strict_hooks(mode: bool) -> bool:
    """Whether hooks are given gradients that refuse in-place writes; returns what was set (E-72).

    A hook must not write to its gradient, which may be shared with other consumers. Without the
    setting that goes unnoticed; with it the write raises RuntimeError, on the line of the hook.
    """
    before, GUARD.strict_hooks = GUARD.strict_hooks, bool(mode)
    return before
