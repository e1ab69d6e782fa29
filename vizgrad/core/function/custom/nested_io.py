"""NestedIOFunction: a Function whose inputs and outputs are nested structures of tensors (spec 01 L)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vizgrad.core.function.custom.apply import run
from vizgrad.core.function.custom.backward_class import FunctionBase
from vizgrad.core.function.custom.context import FunctionCtx
from vizgrad.core.function.custom.function import Function, any_arguments, context_like, missing
from vizgrad.core.function.custom.nested import _iter_tensors, _nested_map, _unflatten
from vizgrad.core.function.custom.signature import after_context, argument_names, per_input
from vizgrad.core.graph.saved import Freed, freed_error
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.tensor import Tensor

#: The placeholder of a tensor in a prototype.
PLACE = "tensor"
_structure = _nested_map(
    lambda thing: isinstance(thing, Tensor), lambda tensor: PLACE, condition_msg="Tensors"
)


class NestedIOFunction(Function):
    """Takes and gives lists, tuples, namedtuples and dicts of tensors, and None.

        class Scale(NestedIOFunction):
            def forward_extended(self, parts, factor):
                self.save_for_backward(parts, factor)
                return {name: part * factor for name, part in parts.items()}

            def backward_extended(self, grads):
                parts, factor = self.saved_tensors
                ...
                return {name: g * factor for name, g in grads.items()}, d_factor

        Scale()(parts, factor)    # or Scale.apply(parts, factor)

    In both methods (which may be static, with ctx first) `self` is the context: it has the instance's
    attributes and methods. A tuple or list of outputs comes to `backward_extended` as separate arguments,
    anything else as one; it returns gradients in the structure of the inputs. Raises ValueError for
    anything that is not a structure of tensors.
    """

    _context_reads_class = True

    def __init__(self) -> None:
        pass

    def __call__(self, *args: Any) -> Any:
        return _apply(type(self), context_like(self), args)

    @classmethod
    def apply(cls, *args: Any) -> Any:
        return _apply(cls, cls._backward_cls(), args)

    @any_arguments
    def forward_extended(self, *input: Any) -> Any:
        """Computes the outputs from inputs in their own structure."""
        raise missing(
            type(self)._forward_cls,  # pyright: ignore[reportAttributeAccessIssue]  contexts have it
            "NestedIOFunction subclasses must implement forward_extended",
        )

    @any_arguments
    def backward_extended(self, *grad_output: Any) -> Any:
        """Gradients in the structure of the inputs, from those in the structure of the outputs."""
        raise missing(
            type(self)._forward_cls,  # pyright: ignore[reportAttributeAccessIssue]  contexts have it
            "NestedIOFunction subclasses must implement backward_extended",
        )

    def forward(self, *args: Any) -> Any:
        """Runs `forward_extended`; the result, flat (F-125)."""
        ctx: Any = self
        result = ctx._forward_cls.forward_extended(ctx, *ctx._fn_nested_input)
        ctx._fn_nested_output = _structure(result)
        return tuple(_iter_tensors(result))

    def backward(self, *gradients: Any) -> Any:
        """Runs `backward_extended` on gradients in the structure of the output (F-129)."""
        ctx: Any = self
        if isinstance(ctx._fn_saved, Freed):
            raise freed_error(ctx.engine_node(), ctx._fn_saved)
        task = MODES.task
        ctx.retain_variables = True if task is None else task.keep_graph
        try:
            nested = _unflatten(gradients, ctx._fn_nested_output)
            if not isinstance(nested, (list, tuple)):
                nested = (nested,)
            result = ctx._forward_cls.backward_extended(ctx, *nested)
        finally:
            del ctx.retain_variables
        return per_input(result, ctx._fn_nested_input)


def _apply(cls: Any, ctx: Any, args: tuple[Any, ...]) -> Any:
    flat = tuple(_iter_tensors(args))
    ctx._fn_nested_input = args
    try:
        results = run(cls, ctx, flat, lambda: cls.forward(ctx, *flat))
    finally:
        ctx._fn_nested_input = _structure(args)  # the tensors themselves are the caller's to keep
    return _unflatten(results, ctx._fn_nested_output)


# --- what contexts of these Functions do differently ----------------------------------------------


def _save_for_backward(self: Any, *args: Any) -> None:
    """Keeps nested structures, for `saved_tensors` to give back as they are (F-130)."""
    self.to_save = tuple(_iter_tensors(args))
    if self._fn_saved is None:  # in backward it has no effect (F-36)
        self._fn_nested_saved = _structure(args)


def _saved_tensors(self: Any) -> Any:
    # a property with a getter
    saved = FunctionBase.saved_tensors.fget(self)  # pyright: ignore[reportOptionalCall]
    proto = self.__dict__.get("_fn_nested_saved")
    return saved if proto is None or self._fn_saved is None else _unflatten(saved, proto)


def _mark_dirty(self: Any, *args: Any, **kwargs: Any) -> None:
    FunctionCtx.mark_dirty(self, *_iter_tensors((args, kwargs)))


def _mark_non_differentiable(self: Any, *args: Any, **kwargs: Any) -> None:
    FunctionCtx.mark_non_differentiable(self, *_iter_tensors((args, kwargs)))


def _argument_names(self: Any) -> tuple[str, ...]:
    """Each input tensor by its path, e.g. ``parts['a']``."""
    proto = self.__dict__.get("_fn_nested_input", ())
    extended = self._forward_cls.forward_extended
    names: list[str] = []
    for name, inner in zip(argument_names(after_context, extended, len(proto)), proto, strict=True):
        _paths(name, inner, names)
    return tuple(names)


def _paths(name: str, proto: Any, names: list[str]) -> None:
    if isinstance(proto, (list, tuple)):
        fields = getattr(proto, "_fields", None)
        for i, inner in enumerate(proto):
            _paths(f"{name}.{fields[i]}" if fields else f"{name}[{i}]", inner, names)
    elif isinstance(proto, Mapping):
        for key, inner in proto.items():
            _paths(f"{name}[{key!r}]", inner, names)
    elif proto is not None:
        names.append(name)


def _until_freed(attribute: str, name: str) -> property:
    """A structure that is gone when a backward has released the node (F-132)."""

    def read(self: Any) -> Any:
        if attribute not in self.__dict__ or isinstance(self._fn_saved, Freed):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.__dict__[attribute]

    return property(read)


NestedIOFunction._context_members = {
    "_argument_names": _argument_names,
    "save_for_backward": _save_for_backward,
    "saved_tensors": property(_saved_tensors),
    "mark_dirty": _mark_dirty,
    "mark_non_differentiable": _mark_non_differentiable,
    "_nested_output": _until_freed("_fn_nested_output", "_nested_output"),
    "_to_save_nested": _until_freed("_fn_nested_saved", "_to_save_nested"),
}
