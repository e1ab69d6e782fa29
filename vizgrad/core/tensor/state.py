"""What a tensor's slots say of its history, and the slots that few tensors need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vizgrad.core.tensor.source_location import Site
    from vizgrad.core.tensor.tensor import Tensor

# How much of a tensor's history can be read off its slots. A recording function tests only this.
UNTRACKED = 0  #: no gradient is wanted
RESULT = 1  #: `_edge` is the producer, up to date
LEAF = 2  #: requires grad; `_edge` is a weak reference to its AccumulateGrad, or None
VIEW = 3  #: ask `vizgrad.core.graph.edges.edge_of`: the base may have been written meanwhile


class Rare:
    """What few tensors have, kept out of the hot slots."""

    __slots__ = (
        "accumulate", "detached", "detached_at", "hooks", "name", "post_accumulate", "retains_grad",
        "tangent_root", "tangents", "view_leaf",
    )  # fmt: skip

    def __init__(self) -> None:
        #: Weak reference to the AccumulateGrad of a view that is a leaf.
        self.accumulate: Any = None
        #: Tick of the `detach_()` that took the tensor's history away, or 0.
        self.detached = 0
        #: The line that did so.
        self.detached_at: Site | None = None
        self.hooks: Any = None
        self.post_accumulate: Any = None
        self.retains_grad = False
        self.name = ""
        #: `requires_grad_()` was called on this view: it is a leaf of its own (V-14).
        self.view_leaf = False
        #: Forward mode: the tangents, and whose tangent this is a part of (`vizgrad.core.tensor.duals`).
        self.tangents: Any = None
        self.tangent_root: Any = None


def rare_of(tensor: Tensor) -> Rare:
    rare = tensor._rare
    if rare is None:
        rare = tensor._rare = Rare()
    return rare


def forget_accumulator(tensor: Tensor) -> None:
    """Makes a leaf another one for the graphs that are recorded from now on; older ones keep theirs."""
    if tensor._tracked == LEAF:
        tensor._edge = None
    if tensor._rare is not None:
        tensor._rare.accumulate = None
