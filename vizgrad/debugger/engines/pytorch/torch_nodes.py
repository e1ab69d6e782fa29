"""The facts of PyTorch's nodes: their edges, their names and kinds, and where they were recorded.

PyTorch does not note where. A watch (`torch_watch.py`, `line_watch.py`) puts an `Origin` into the node's own
metadata, which live as long as the node does, however often its Python object is made anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from inspect import getsource
from textwrap import dedent
from typing import Any

import torch

from vizgrad.core import errors
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.summarizer import NOWHERE, Origin
from vizgrad.debugger.model import Place

#: The keys of the notes in the metadata of a node: the edges below it, and where it was recorded.
EDGES, ORIGIN = "vizgrad edges", "vizgrad"


def edges_of(node: Any) -> tuple[tuple[Any, int], ...]:
    """The nodes below a node, and which of their outputs. No node is asked in another way."""
    known: tuple[tuple[Any, int], ...] | None = node.metadata.get(EDGES)
    if known is not None:
        return known
    edges: tuple[tuple[Any, int], ...] = node.next_functions
    if edges:
        node.metadata[EDGES] = edges
    return edges


def edge_of(tensor: Any) -> tuple[Any, int]:
    """The node that a gradient of a tensor goes to, and which of its outputs that is."""
    with torch._C.DisableTorchFunction():
        try:
            edge = torch.autograd.graph.get_gradient_edge(tensor)
        except (NotImplementedError, RuntimeError):
            if not tensor.is_leaf or not tensor.requires_grad:
                raise
            with (
                torch.enable_grad()
            ):  # PyTorch asks for a view of the leaf, which a sparse one has not
                return tensor.clone().grad_fn.next_functions[0]
    return edge.node, edge.output_nr


#: The source of a node that torch.compile made. Its class is PyTorch's own.
_COMPILED = (
    "# torch.compile made one node of everything that its function does: what happens inside cannot be\n"
    "# stepped. Call the function without torch.compile to see its nodes."
)


def dtype_of(tensor: Any) -> str:
    """The name of the dtype of any object that has one of PyTorch's."""
    return str(tensor.dtype).removeprefix("torch.")


def clock_of(node: Any) -> int:
    """When a node was recorded; those of leaves have the largest number there is."""
    return int(node._sequence_nr())


#: Classes that PyTorch has for one operation each -> the name of their nodes.
_NAMES: dict[type, str] = {}


def name_of(node: Any) -> str:
    """``MulBackward0``."""
    known = _NAMES.get(node.__class__)
    if known is None:
        known = node.name().rpartition("::")[2]
        if node.__class__.__name__ == known and not is_custom(node):
            _NAMES[node.__class__] = known
    return known


def built_in(node: Any) -> str | None:
    """`name_of` a node of PyTorch's own, once it was asked for; None of others."""
    return _NAMES.get(node.__class__)


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
    """For a custom Function its backward, as the user wrote it. PyTorch does not tell its own."""
    if is_compiled(node):
        return (model.Formula("", _COMPILED),)
    if not is_custom(node):
        return ()
    try:
        return (model.Formula("", dedent(getsource(node._forward_cls.backward)).rstrip()),)
    except (OSError, TypeError):
        return ()


def hooks_of(node: Any) -> tuple[str, ...]:
    """The names of a leaf's hooks; those of other nodes cannot be read."""
    variable = getattr(node, "variable", None)
    if variable is None:
        return ()
    after: Iterable[Any] = (getattr(variable, "_post_accumulate_grad_hooks", None) or {}).values()
    before: Iterable[Any] = (getattr(variable, "_backward_hooks", None) or {}).values()
    return tuple(getattr(hook, "__qualname__", type(hook).__name__) for hook in (*before, *after))


def as_list(tensors: Any) -> list[Any]:
    """A list of one, or of several."""
    if isinstance(tensors, torch.Tensor | torch.autograd.graph.Node):
        return [tensors]
    return list(tensors)


#: The class of the nodes of leaves.
LEAF = torch._C._functions.AccumulateGrad


def note_one(node: Any, origin: Origin) -> None:
    """Keeps where a node was recorded that was not there before its call."""
    metadata = node.metadata
    metadata[ORIGIN] = origin
    metadata[EDGES] = node.next_functions


def note_all(nodes: list[Any], origin: Origin, since: int) -> None:
    """Keeps where these nodes were recorded, and those below them: as far down as nodes have numbers from
    `since` on, and nothing is known of them yet: who notes a node first was nearest. Empties the list.
    """
    while nodes:
        node = nodes.pop()
        if node.__class__ is LEAF:
            continue
        metadata = node.metadata
        if ORIGIN in metadata:
            continue
        edges = node.next_functions
        if edges:
            metadata.setdefault(EDGES, edges)
        if node._sequence_nr() < since:
            continue
        metadata[ORIGIN] = origin
        for below, _ in edges:
            if below is not None:
                nodes.append(below)


def recorded_at(node: Any) -> Origin:
    """The notes on it."""
    return node.metadata.get(ORIGIN, NOWHERE)


def scope_of(origin: Origin) -> tuple[str, ...]:
    """The names of the calls that a node was recorded in."""
    return tuple(call.name for call in origin.calls)


def site_of(origin: Origin) -> Site | None:
    """The instruction that recorded it: where a module of PyTorch's did, the one that called it."""
    spot = origin.users
    return None if spot is None else Site(spot.code, spot.offset)


def origin_place(origin: Origin) -> Place | None:
    """The line that recorded it: where a module of PyTorch's did, the line that called it."""
    return errors.place_of(site_of(origin))
