"""`Function.apply`: the life of one call, from arguments to wrapped outputs (spec 01 B, C, E).

An object that forward returned is

- a fresh tensor: the node's output;
- a view, of an input or made inside: the node's output, and a view that must not be written to;
- an input, as it is: a new view of it that is the node's output;
- an input marked dirty: the same object, with the node as its new history;
- an integer tensor, or a marked one: no gradient; an input comes back as a detached alias;
- anything else: as it is, holding a slot.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import Device, device_of
from vizgrad.core.errors import Place, explained, function_place, place_of, returning_place
from vizgrad.core.function.custom.backward_class import CustomNode, record
from vizgrad.core.function.custom.signature import bind
from vizgrad.core.function.inplace import check_write, rebase, written_view
from vizgrad.core.function.transform_tensor import innermost, tensors_in
from vizgrad.core.function.views import become_view
from vizgrad.core.graph.edges import edge_of, retaining, set_history
from vizgrad.core.graph.node import Edge, Meta
from vizgrad.core.graph.packing import pack
from vizgrad.core.graph.saved import SavedDual, SavedResult
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.modes import GUARD, MODES, in_a_transform, noted, set_grad_mode
from vizgrad.core.tensor.source_location import Site, caller
from vizgrad.core.tensor.state import Creation
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import UNTRACKED, Tensor, new_tensor, storage_of

# --- the treatment of each object that forward returned (spec 01 C, E) --------------------------------


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


# --- the call -----------------------------------------------------------------------------------------


# Saving at the end of `apply` (F-35 ... F-37).


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
    """Which output of `node` the tensor is; None if it is not.

    A view that `node` has written is its output, though its history begins with a region of the base.
    """
    edge = tensor._edge
    if tensor._view is not None and written_view(node) is tensor:
        return 0
    if edge is node:
        return 0
    if edge.__class__ is Edge and edge.node is node:
        return edge.input_nr
    return None


NONE: frozenset[int] = frozenset()


def apply(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any], ctx: Any = None) -> Any:
    """Runs `cls` on the arguments; `ctx` may bring attributes of its own."""
    split = cls._is_split()
    if split or kwargs:
        args = bind(cls, args, kwargs, all_defaults=split)
    if GUARD.transforms:
        level = _level_of(cls, args)
        if level is not None:
            return level.apply(cls, args)
    if ctx is None:
        ctx = cls._backward_cls()
    if not split:
        return run(cls, ctx, args, lambda: cls.forward(ctx, *args))

    def forward() -> Any:
        output = cls.forward(*args)
        cls.setup_context(ctx, args, output)
        return output

    return run(cls, ctx, args, forward)


def _level_of(cls: Any, args: tuple[Any, ...]) -> Any:
    """The innermost vmap of which an argument is; RuntimeError for a Function of the old style (D-6).

    Where tangents alone are batches one of the old style runs on them as it is (Y-21).
    """
    if not cls._is_split():
        if not in_a_transform():
            return None
        raise explained(
            RuntimeError(
                "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, "
                "...), it must override the setup_context staticmethod: a forward that takes ctx may do "
                "anything with it"
            ),
            kind="function-return",
            culprit=function_place(cls.forward),
            tensor=cls.__name__,
            fix="take ctx out of forward, and save what backward needs in setup_context(ctx, inputs, output)",
        )
    return innermost(tensors_in(args))


def run(cls: Any, ctx: Any, args: tuple[Any, ...], forward: Callable[[], Any]) -> Any:
    """The call itself: `forward()` computes the outputs; `args` are what gradients are wanted for."""
    tensors: list[Tensor] = []
    takes: list[bool] = []
    needs: list[bool] = []
    for arg in args:
        is_tensor = isinstance(arg, Tensor)
        takes.append(is_tensor)
        if is_tensor:
            tensors.append(arg)
            needs.append(arg.requires_grad)
        else:
            needs.append(False)
    ctx._fn_takes = tuple(takes)
    ctx.needs_input_grad = tuple(needs)
    recorded = True in needs and MODES.grad
    # where gradients go is settled before forward, which may write to the inputs (F-50)
    edges = tuple(map(edge_of, tensors)) if recorded else ()
    began = tick()

    tangents = _forward_mode().tangents_of(args) if DUALS.on else None
    output = _unrecorded(forward)
    site = caller()
    several = isinstance(output, tuple)
    found: tuple[Any, ...] = tuple(output) if several else (output,)
    if cls._context_reads_class and not ctx.dirty_tensors and tensors:
        _mark_first_if_written(ctx, tensors[0], found, began)
    dirty = mark_dirty(ctx, cls, tensors, found, site) if ctx.dirty_tensors else NONE
    node = None
    if recorded:
        metas = metas_of(found)
        for tensor in tensors:
            storage = tensor._storage
            if storage is not None and storage.last_write > began and id(tensor) not in dirty:
                _warn_unmarked(ctx, tensor, tensors, found, dirty, began)
        if None in metas and nests_tensors(found):
            _warn_opaque(cls)
        ctx._fn_devices = _devices(tensors)
        node = record(ctx, edges, metas, site, MODES.scope)
    if cls._is_split():
        refuse_saved_input(ctx, tensors, found, dirty)
    results = wrap(ctx, cls, node, tensors, found, dirty)
    if tangents:
        _forward_mode().carry(cls, ctx, args, results, tangents, dirty)
    if node is not None:
        save(ctx, node, args, results)
        if GUARD.scoped:
            node.scope = noted(node, [r for r in results if isinstance(r, Tensor)])
    ctx.to_save = ctx.dirty_tensors = ctx.non_differentiable = None
    return results if several else results[0]


def _unrecorded(forward: Callable[[], Any]) -> Any:
    """The result of forward: the graph, and tangents, pass it by."""
    before, levels = set_grad_mode(False), MODES.levels
    if levels:
        MODES.levels = ()
    try:
        return forward()
    finally:
        set_grad_mode(before)
        if levels:
            MODES.levels = levels


def _forward_mode() -> Any:
    # late: programs without forward mode do not need it
    from vizgrad.core.function.custom import jvp

    return jvp


def _devices(tensors: list[Tensor]) -> tuple[Device, ...] | None:
    """Where the gradients must be (F-66); None for the CPU throughout."""
    for tensor in tensors:
        if type(tensor._array) is not xp.ndarray:
            return tuple(device_of(t._array) for t in tensors)
    return None


def _mark_first_if_written(ctx: Any, tensor: Tensor, found: tuple[Any, ...], began: int) -> None:
    """An InplaceFunction need not mark the argument it wrote to and returns (F-113)."""
    storage = tensor._storage
    if getattr(ctx, "inplace", None) is not True or storage is None:
        return
    if storage.last_write > began and any(out is tensor for out in found):
        ctx.dirty_tensors = (tensor,)


def _warn_unmarked(
    ctx: Any,
    tensor: Tensor,
    tensors: list[Tensor],
    found: tuple[Any, ...],
    dirty: frozenset[int] | set[int],
    began: int,
) -> None:
    """Forward wrote to an input and did not say so: the recorded graph may be wrong (F-56).

    Not for a constant that is only a place to write to, such as a running statistic.
    """
    if not tensor.requires_grad and all(out is not tensor for out in found):
        return
    if any(id(t) in dirty and t._storage is tensor._storage for t in tensors):
        return
    storage = tensor._storage
    written = None if storage is None else storage.first_write_after(began)
    where = place_of(None if written is None else written.site)
    name = ctx._tensor_names()[next(i for i, t in enumerate(tensors) if t is tensor)]
    warnings.warn(
        f"{ctx._forward_cls.__name__}.forward changed its input `{name}` in place without "
        f"ctx.mark_dirty({name}): the recorded graph does not know of the change and gradients "
        "may be wrong. Mark it dirty and return it, or change a clone."
        + (f" It was written at {where}." if where else ""),
        UserWarning,
        stacklevel=5,
    )


def _warn_opaque(cls: Any) -> None:
    """Once per class: tensors within a list or dict come back without history (F-22)."""
    if cls.__dict__.get("_fn_warned_opaque"):
        return
    cls._fn_warned_opaque = True
    warnings.warn(
        f"{cls.__name__}.forward returned tensors inside a list, dict or other container: such an "
        "output is opaque to autograd, and the tensors in it have no history. Return a tuple of "
        "tensors, or derive from NestedIOFunction.",
        UserWarning,
        stacklevel=4,
    )
