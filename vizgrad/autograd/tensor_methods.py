"""`Tensor.backward` and the hooks of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.autograd.running import prepare_backward, was_done
from vizgrad.core.errors import explained, hide_frames, place_of
from vizgrad.core.function.transform_tensor import Wrapped, wrap
from vizgrad.core.graph.edges import gradient_edge
from vizgrad.core.graph.node import RemovableHandle, add_hook, hooks_of, new_hooks
from vizgrad.core.tensor import copying as copying
from vizgrad.core.tensor.first_use import FIRST_USE
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor, rare_of


def backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Adds to `.grad` of the leaves the gradients of this tensor; see `vizgrad.autograd.backward`."""
    try:
        if not was_done(self, gradient, retain_graph, create_graph, inputs):
            prepare_backward(self, gradient, retain_graph, create_graph, inputs).run()
    except Exception as error:
        hide_frames(error)
        raise


def register_hook(self: Tensor, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """`hook(grad) -> Tensor | None` is called when this tensor's gradient is known."""
    # E-70
    if not self.requires_grad:
        raise _unhookable()
    if self.__class__ is Wrapped:
        return _register_for_examples(self, hook)
    if self.is_leaf:
        rare = rare_of(self)
        with FIRST_USE:
            if rare.hooks is None:
                rare.hooks = new_hooks()
        return add_hook(rare.hooks, hook)
    node, nr = gradient_edge(self)
    return add_hook(hooks_of(node).tensor.setdefault(nr, new_hooks()), hook)


def _register_for_examples(self: Any, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """`hook` of one example, at what stands for all of them; it sees all, if the vmap is over by then."""
    level, shared = self.level, vars(self).get("shared", False)

    def of_all(grad: Tensor) -> Tensor | None:
        if shared or not level.open:
            return hook(grad)
        one = wrap(level, grad)
        found = hook(one)
        return level.together(found, one)[0] if isinstance(found, Tensor) else found

    return register_hook(self.value, of_all)


def register_post_accumulate_grad_hook(
    self: Tensor, hook: Callable[[Tensor], None]
) -> RemovableHandle:
    """`hook(param)` is called after backward has updated `.grad`; leaves only."""
    # E-74
    if not self.requires_grad:
        raise _unhookable()
    if not self.is_leaf:
        raise explained(
            RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors"),
            kind="not-a-leaf",
            culprit=place_of(caller()),
            tensor=self.grad_fn.name(),
            fix="use register_hook on a result, or register it on the leaf",
        )
    rare = rare_of(self)
    with FIRST_USE:
        if rare.post_accumulate is None:
            rare.post_accumulate = new_hooks()
    return add_hook(rare.post_accumulate, hook)


def _unhookable() -> RuntimeError:
    return explained(
        RuntimeError("cannot register a hook on a tensor that doesn't require gradient"),
        kind="cut-detach",
        culprit=place_of(caller()),
        fix="call requires_grad_() first, or register it on a tensor that requires grad",
        title="Does not require grad",
    )


for _method in (backward, register_hook, register_post_accumulate_grad_hook):
    setattr(Tensor, _method.__name__, _method)
