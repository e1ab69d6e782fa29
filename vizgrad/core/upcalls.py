"""Upcalls: functions of upper layers that lower layers call (see README.md).

Imports only point down. A function of an upper layer that a lower one needs stands here with its type;
the module that defines the function sets it when it is imported: with vizgrad, but that of tangents
when forward mode is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vizgrad.core.function.declared import Declared
    from vizgrad.core.graph.node import Node
    from vizgrad.core.tensor.tensor import Tensor


class Upcalls:
    """One attribute a function. AttributeError, which names it, where it is called before it is set."""

    __slots__ = (
        "accumulate_tensor", "device_to_enter", "gather_operands", "regenerate_view", "region_of_tangent",
        "show_saved", "show_saved_group",
    )  # fmt: skip

    #: (root, view, tangent of the root) -> the view's part of the tangent; `ops.tangents.layouts`.
    region_of_tangent: Callable[[Tensor, Tensor, Tensor], Tensor]
    #: (node, name) -> a saved value as an object that hooks can be put on (E-8, V-65); `graph.packing`.
    show_saved: Callable[[Node, str], Any]
    #: The same for a value of several tensors.
    show_saved_group: Callable[[Node, str], Any]
    #: Brings a view's history up to date with its base; `function.inplace`.
    regenerate_view: Callable[[Tensor], None]
    #: Adds a gradient to a leaf's `.grad`, with history; `engine.leaf`.
    accumulate_tensor: Callable[[Tensor, Tensor], object]
    #: (operation, operands) -> the operands on one device, None if they are; `function.devices`.
    gather_operands: Callable[[Declared, tuple[Any, ...]], tuple[Any, ...] | None]
    #: (operation, operands) -> their device as a context, None if it is the current one; `function.devices`.
    device_to_enter: Callable[[Declared, tuple[Any, ...]], Any]


UPCALLS = Upcalls()
