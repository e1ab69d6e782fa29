"""The treatment of each object that forward returned (spec 01 C, E).

- a fresh tensor: the node's output;
- a view, of an input or made inside: the node's output, and a view that must not be written to;
- an input, as it is: a new view of it that is the node's output;
- an input marked dirty: the same object, with the node as its new history;
- an integer tensor, or a marked one: no gradient; an input comes back as a detached alias;
- anything else: as it is, holding a slot.
"""

from __future__ import annotations

import warnings
from typing import Any

from vizgrad.core.arrays.backend import device_of
from vizgrad.core.errors import Place, explained, function_place, place_of, returning_place
from vizgrad.core.function.copy_slices import rebase
from vizgrad.core.function.custom.backward_class import CustomNode
from vizgrad.core.function.inplace import check_write
from vizgrad.core.function.views import become_view
from vizgrad.core.graph.edges import retaining, set_history
from vizgrad.core.graph.node import Meta
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.state import Creation
from vizgrad.core.tensor.tensor import UNTRACKED, Tensor, new_tensor, storage_of


def metas_of(found: tuple[Any, ...]) -> tuple[Meta | None, ...]:
    """The shape and dtype that the gradient for each output must have."""
    metas: list[Meta | None] = []
    for out in found:
        if isinstance(out, Tensor):
            array = out._array
            metas.append(Meta(array.shape, array.dtype, device_of(array)))
        else:
            metas.append(None)
    return tuple(metas)


def mark_dirty(
    ctx: Any, cls: Any, tensors: list[Tensor], found: tuple[Any, ...], site: Site | None
) -> set[int]:
    """Counts a write of each dirty tensor; returns the ids of those that are inputs (F-50 ... F-53)."""
    inputs = {id(t) for t in tensors}
    returned = {id(out) for out in found}
    dirty: set[int] = set()
    for index, tensor in enumerate(ctx.dirty_tensors):
        if not isinstance(tensor, Tensor):
            raise explained(
                RuntimeError(
                    f"mark_dirty can only accept variables, but argument {index} is of type "
                    f"{type(tensor).__name__}"
                ),
                kind="function-dirty",
                culprit=_mark_dirty_place(cls),
                tensor=cls.__name__,
                fix="give mark_dirty the input tensors that forward changed in place",
            )
        storage_of(tensor).wrote(f"{cls.__name__} (mark_dirty)", site)
        if id(tensor) not in returned:
            raise explained(
                RuntimeError(
                    "Some elements marked as dirty during the forward method were not returned as "
                    "output. The inputs that are modified inplace must all be outputs of the Function."
                ),
                kind="function-dirty",
                culprit=returning_place(cls.forward),
                tensor=cls.__name__,
                fix="return the input that was changed, the same object",
            )
        if id(tensor) in inputs:
            dirty.add(id(tensor))
        else:
            warnings.warn(
                "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that "
                f"have been mutated should be passed to ctx.mark_dirty() ({cls.__name__}.forward, "
                f"argument {index}).",
                UserWarning,
                stacklevel=5,
            )
    return dirty


def _mark_dirty_place(cls: Any) -> Place | None:
    return function_place(cls.setup_context if cls._is_split() else cls.forward)


def nests_tensors(found: tuple[Any, ...]) -> bool:
    """Does a container among the outputs hold floating tensors, whose history is lost (F-22)?"""
    return any(_holds_tensors(out) for out in found if isinstance(out, (list, dict, tuple, set)))


def _holds_tensors(thing: Any) -> bool:
    if isinstance(thing, Tensor):
        return thing._array.dtype.kind in "fcV" and not thing.requires_grad
    if isinstance(thing, dict):
        return any(map(_holds_tensors, thing.values()))
    return isinstance(thing, (list, tuple, set)) and any(map(_holds_tensors, thing))


def refuse_saved_input(
    ctx: Any, tensors: list[Tensor], found: tuple[Any, ...], dirty: frozenset[int] | set[int]
) -> None:
    """Split style: an input that is returned as it is must not be saved too (F-30)."""
    saved = {id(t) for t in (*(ctx.to_save or ()), *(ctx.saved_for_forward or ()))}
    inputs = {id(t) for t in tensors}
    for out in found:
        if id(out) in saved and id(out) in inputs and id(out) not in dirty:
            raise explained(
                RuntimeError(
                    "A input that has been returned as-is as output is being saved for backward. "
                    "This is not supported if you override setup_context. You should return and save "
                    "a view of the input instead, e.g. with x.view_as(x) or setup ctx inside the "
                    "forward function itself."
                ),
                kind="function-return",
                culprit=returning_place(ctx._forward_cls.forward),
                tensor=ctx.name(),
                fix="return `x.view_as(x)` in place of `x`",
            )


def wrap(
    ctx: Any,
    cls: Any,
    node: CustomNode | None,
    tensors: list[Tensor],
    found: tuple[Any, ...],
    dirty: frozenset[int] | set[int],
) -> tuple[Any, ...]:
    """The outputs as the caller gets them, with their history (F-20 ... F-29)."""
    inputs = {id(t) for t in tensors}
    excluded = _excluded(ctx) if ctx.non_differentiable else ()
    results: list[Any] = []
    views: list[Tensor] = []
    differentiable_count = 0
    for nr, out in enumerate(found):
        if not isinstance(out, Tensor):
            results.append(out)
            continue
        written = id(out) in dirty
        differentiable = (
            node is not None and out._array.dtype.kind in "fcV" and id(out) not in excluded
        )
        differentiable_count += differentiable
        if differentiable:
            if written:
                _rewrite_history(cls, node, nr, out, tensors, len(found))
                result = out
            else:
                result = _alias_view(out, cls) if id(out) in inputs else out
                # an output that differentiates has a node
                set_history(result, node, nr)  # pyright: ignore[reportArgumentType]
        else:
            result = _without_history(out, id(out) in inputs, written, cls)
        if result._view is not None and not written:
            views.append(result)
        results.append(result)
    for view in views:
        info = view._view
        assert info is not None
        info.creation = (
            Creation.MULTI_OUTPUT if differentiable_count > 1 else Creation.CUSTOM_FUNCTION
        )
        info.maker = ctx.name()
        if view._edge is not None:  # its history is made now, after the writes of forward
            info.clock = storage_of(view).last_write
    return tuple(results)


def _excluded(ctx: Any) -> set[int]:
    """Ids of the outputs marked as non-differentiable."""
    marked = ctx.non_differentiable
    for tensor in marked:
        if not isinstance(tensor, Tensor):
            raise explained(
                RuntimeError(
                    "mark_non_differentiable only accepts variable arguments, but got "
                    f"{type(tensor).__name__}"
                ),
                kind="function-return",
                culprit=function_place(ctx._forward_cls.forward),
                tensor=ctx.name(),
                fix="give mark_non_differentiable the output tensors that have no derivative",
            )
    return {id(t) for t in marked}


def _alias_view(source: Tensor, cls: Any) -> Tensor:
    """A new tensor viewing the input, for the Function's history (F-27)."""
    out = new_tensor(source._array)
    become_view(out, source, cls.__name__, Creation.CUSTOM_FUNCTION)
    return out


def _without_history(out: Tensor, is_input: bool, written: bool, cls: Any) -> Tensor:
    """An output that gets no gradient; inputs themselves are left as they are (F-26, F-27, F-52)."""
    if not out.requires_grad:
        return _alias_view(out, cls) if is_input and not written else out
    if is_input:
        alias = new_tensor(out._array)
        alias._storage = storage_of(out)
        return alias
    if out._view is None:  # a history that forward made with grad mode on
        out._edge = None
        out._tracked = UNTRACKED
    return out


def _rewrite_history(
    cls: Any, node: Any, nr: int, out: Tensor, tensors: list[Tensor], count: int
) -> None:
    """A dirty input stays the same object; the node is its new history (F-51 ... F-55)."""
    check_write(out, recorded=True)
    if out._view is None:
        with retaining(out):
            set_history(out, node, nr)
        out._grad = None
        if out._rare is not None:
            out._rare.hooks = out._rare.post_accumulate = None
        return
    if count > 1:
        raise explained(
            RuntimeError(
                "If your Function modifies inplace an input that is a view of another Tensor, your "
                "Function cannot return more than one Tensor. This is not supported by the current "
                "autograd engine. You should either make sure the input is not a view (using "
                ".clone() for example) or make your Function only return one Tensor (potentially "
                "splitting it into two Functions)."
            ),
            kind="function-dirty",
            culprit=place_of(node.site),
            tensor=node.name(),
            fix="give the Function a clone, or let it return one tensor",
        )
    at = next(i for i, t in enumerate(tensors) if t is out)
    rebase(out, node, at)
    out._grad = None
