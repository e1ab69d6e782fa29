"""Views: sharing memory, and following the base when it is written in place (spec 03 D)."""

from __future__ import annotations

from typing import Any

from vizgrad import errors
from vizgrad.graph import edges
from vizgrad.tensor.modes import MODES
from vizgrad.tensor.place import caller
from vizgrad.tensor.storage import InferenceStorage
from vizgrad.tensor.tensor import VIEW, Tensor, storage_of
from vizgrad.tensor.views import Creation, ViewInfo


def become_view(
    out: Tensor, source: Tensor, maker: str, creation: Creation = Creation.DEFAULT
) -> None:
    """Makes `out`, which shares memory with `source`, a view of the root of `source`."""
    storage = out._storage = storage_of(source)
    if storage.__class__ is InferenceStorage:
        return  # views of inference tensors are not tracked (M-20)
    parent = source._view
    if not MODES.grad:
        creation = Creation.NO_GRAD if MODES.inference is None else Creation.INFERENCE
    if parent is None:
        base = source
    else:
        base = parent.base
        if parent.creation is not Creation.DEFAULT:
            creation = parent.creation  # what the parent may not do, this may not (V-44)
    out._view = ViewInfo(base, creation, storage.last_write, maker)
    out._tracked = VIEW


_REFUSALS = {
    Creation.NO_GRAD: (
        (
            "Output {nr} of {name} is a view and {what} inplace. This view was created in no_grad "
            "mode, so autograd does not know how it depends on its base."
        ),
        "make the view outside no_grad, or write to a clone",
    ),
    Creation.MULTI_OUTPUT: (
        (
            "Output {nr} of {name} is a view and {what} inplace. This view is the output of a "
            "function that returns multiple views. Such functions do not allow the output views to "
            "be modified inplace."
        ),
        "write to a clone, or take the parts one by one with indexing or narrow()",
    ),
    Creation.CUSTOM_FUNCTION: (
        (
            "Output {nr} of {name} is a view and {what} inplace. This view was created inside a "
            "custom Function (or because an input was returned as-is) and the autograd logic to "
            "handle view+inplace would override the custom backward associated with the custom "
            "Function."
        ),
        "clone the output of the custom Function before writing to it",
    ),
    Creation.INFERENCE: (
        (
            "Output {nr} of {name} is a view and {what} inplace. This view was created in inference "
            "mode from a normal tensor."
        ),
        "make the view outside inference mode, or write to a clone",
    ),
}


def refuse(view: Tensor, by_base: bool) -> RuntimeError:
    """The error for a view of a kind that in-place writes cannot be followed through (V-42 ... V-47)."""
    info = view._view
    assert info is not None
    text, fix = _REFUSALS[info.creation]
    edge: Any = view._edge
    node = getattr(edge, "node", edge)
    what = "is being modified"
    if by_base:
        what = "its base or another view of its base has been modified"
    name = node.name() if node is not None else info.maker
    written = storage_of(view).first_write_after(info.clock) if by_base else None
    return errors.explained(
        RuntimeError(text.format(nr=getattr(edge, "input_nr", 0), name=name, what=what)),
        kind="forbidden-write",
        culprit=errors.place_of(caller() if not by_base else written and written.site),
        tensor=name,
        fix=fix,
    )


def regenerate(view: Tensor) -> None:
    """Gives a view a new history from its base's, after the memory was written (V-30 (4), (5))."""
    info, storage = view._view, view._storage
    assert info is not None
    assert storage is not None
    if info.creation is not Creation.DEFAULT:
        raise refuse(view, by_base=True)
    from vizgrad.function.strided import as_strided_node

    node = as_strided_node(info.base, view)
    if node is not None:
        if info.sequence_nr > storage.last_write:
            node.sequence_nr = (
                info.sequence_nr
            )  # its turn is that of the write through this view (E-42)
        with edges.retaining(view):
            view._edge = node
    info.clock = storage.last_write


edges.regenerate_view = regenerate
