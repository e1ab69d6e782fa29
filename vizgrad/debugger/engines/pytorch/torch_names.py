"""What PyTorch's nodes and tensors are called here."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import getsource
from textwrap import dedent
from typing import Any

import torch

from vizgrad.debugger import model

#: Of a graph that torch.compile made. Its class is PyTorch's own.
_COMPILED = (
    "# torch.compile made one node of everything that its function does: what happens inside cannot be\n"
    "# stepped. Call the function without torch.compile to see its nodes."
)


def dtype_of(tensor: Any) -> str:
    """Of whatever has a dtype of PyTorch's."""
    return str(tensor.dtype).removeprefix("torch.")


def clock_of(node: Any) -> int:
    """When a node was recorded; those of leaves have the largest number there is."""
    return int(node._sequence_nr())


def name_of(node: Any) -> str:
    """``MulBackward0``."""
    return node.name().rpartition("::")[2]


def is_custom(node: Any) -> bool:
    """Is it the node of a custom Function?"""
    return hasattr(node, "_forward_cls")


def is_compiled(node: Any) -> bool:
    """Does it stand for all that torch.compile made one function of?"""
    return getattr(getattr(node, "_forward_cls", None), "__name__", "") == "CompiledFunction"


def kind_of(node: Any) -> model.NodeKind:
    """A leaf, a custom Function, or what is built in."""
    if hasattr(node, "variable"):
        return "leaf"
    if is_custom(node):
        return "function"
    return "copy_slices" if name_of(node) == "CopySlices" else "op"


def formulas_of(node: Any) -> tuple[model.Formula, ...]:
    """Of a custom Function its backward, as the person wrote it. PyTorch does not tell its own."""
    if is_compiled(node):
        return (model.Formula("", _COMPILED),)
    if not is_custom(node):
        return ()
    try:
        return (model.Formula("", dedent(getsource(node._forward_cls.backward)).rstrip()),)
    except (OSError, TypeError):
        return ()


def hooks_of(node: Any) -> tuple[str, ...]:
    """What a leaf's hooks are called; those of other nodes cannot be read."""
    variable = getattr(node, "variable", None)
    if variable is None:
        return ()
    after: Iterable[Any] = (getattr(variable, "_post_accumulate_grad_hooks", None) or {}).values()
    before: Iterable[Any] = (getattr(variable, "_backward_hooks", None) or {}).values()
    return tuple(getattr(hook, "__qualname__", type(hook).__name__) for hook in (*before, *after))


def as_list(tensors: Any) -> list[Any]:
    """Of one, or of several."""
    if isinstance(tensors, torch.Tensor | torch.autograd.graph.Node):
        return [tensors]
    return list(tensors)
