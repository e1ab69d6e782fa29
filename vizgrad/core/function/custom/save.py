"""Saving at the end of `apply` (F-35 ... F-37)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.errors import explained, function_place
from vizgrad.core.function.custom.backward_class import CustomNode
from vizgrad.core.graph.node import Edge
from vizgrad.core.graph.packing import pack
from vizgrad.core.graph.saved import SavedDual, SavedResult
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.tensor import Tensor, storage_of


def save(ctx: Any, node: CustomNode, args: tuple[Any, ...], results: tuple[Any, ...]) -> None:
    """Puts `ctx.to_save` into the forms of `vizgrad.core.graph.saved`.

    An input is kept as the object. An output of this node is kept as memory: the tensor refers to the
    node, and keeping it would be a cycle.
    """
    forms: list[Any] = []
    origins: list[int | None] = []
    hooks = MODES.saved_hooks
    for index, tensor in enumerate(ctx.to_save or ()):
        if tensor is None:
            forms.append(None)
            origins.append(None)
            continue
        if not isinstance(tensor, Tensor):
            raise explained(
                TypeError(
                    "save_for_backward can only save variables, but argument "
                    f"{index} is of type {type(tensor).__name__}"
                ),
                kind="function-return",
                culprit=function_place(
                    ctx._forward_cls.setup_context
                    if ctx._forward_cls._is_split()
                    else ctx._forward_cls.forward
                ),
                tensor=ctx.name(),
                fix="keep values that are no tensors as attributes, e.g. `ctx.dim = dim`",
            )
        nr = _output_nr(tensor, node)
        if nr is None:
            form: Any = tensor
            origin = None
            for i, arg in enumerate(args):
                if arg is tensor:
                    origin = i
                    break
        else:
            form = SavedResult(tensor._array, storage_of(tensor), nr)
            if tensor._rare is not None and tensor._rare.tangents is not None:
                form = SavedDual(form, tensor._rare.tangents)
            origin = -1 - nr
        forms.append(form if hooks is None else pack(form, tensor, hooks.pack, hooks.unpack))
        origins.append(origin)
    ctx._fn_saved = tuple(forms)
    ctx._fn_origins = tuple(origins)


def _output_nr(tensor: Tensor, node: CustomNode) -> int | None:
    """Which output of `node` the tensor is; None if it is not."""
    edge = tensor._edge
    if edge is node:
        return 0
    if edge.__class__ is Edge and edge.node is node:
        return edge.input_nr
    return None
