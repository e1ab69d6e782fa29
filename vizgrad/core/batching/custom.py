"""Custom Functions under vmap (F-84, D-6 ... D-8): by their own `vmap`, or by what is generated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from vizgrad.core.batching.values import closed, filled, marked, to_front, unwrapped
from vizgrad.core.errors import class_place, explained, function_place
from vizgrad.core.function.custom.function import Function
from vizgrad.core.function.transform_tensor import Wrapped, wrap
from vizgrad.core.ops.reduce import sum_dims
from vizgrad.core.tensor.tensor import Tensor


class VmapInfo(NamedTuple):
    """The facts about a vmap that a Function's `vmap` receives."""

    batch_size: int
    randomness: str


def applied(level: Any, cls: Any, args: tuple[Any, ...], generated: Callable[..., Any]) -> Any:
    """`cls.apply(*args)`, where an argument is wrapped by `level`; `generated` makes a rule (D-8)."""
    own = cls.vmap is not Function.vmap
    if own and cls.generate_vmap_rule:
        raise error_of(
            cls,
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an "
            "overridden vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap "
            "staticmethod to avoid ambiguity",
            "choose one of the two",
        )
    if not own and not cls.generate_vmap_rule:
        raise error_of(
            cls,
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and "
            "implement the vmap staticmethod or set generate_vmap_rule=True",
            "generate_vmap_rule = True in the class, if its methods are made of differentiable operations",
        )
    values = mapped(lambda arg: unwrapped(level, arg)[0], args)
    dims = mapped(lambda arg: 0 if unwrapped(level, arg)[1] else None, args)
    if not own:
        return generated(level, cls, values, mapped(lambda dim: dim is not None, dims))
    found = cls.vmap(VmapInfo(level.size, level.randomness), dims, *values)
    if not isinstance(found, tuple) or len(found) != 2:
        got = f"{len(found)} returns" if isinstance(found, tuple) else f"a {type(found)}"
        raise error_of(
            cls,
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree "
            f"structure compatible with the output. Got {got} instead",
            "return output, out_dims",
            cls.vmap,
        )
    return _wrapped(level, cls, *found)


def error_of(cls: Any, message: str, fix: str, method: Any = None) -> RuntimeError:
    return explained(
        RuntimeError(message),
        kind="function-return",
        culprit=class_place(cls) if method is None else function_place(method),
        tensor=cls.__name__,
        fix=fix,
    )


def mapped(function: Callable[[Any], Any], values: Any) -> Any:
    """`function` of all that lies in tuples, lists and dicts."""
    if isinstance(values, dict):
        return {name: mapped(function, value) for name, value in values.items()}
    if isinstance(values, (tuple, list)):
        return type(values)(mapped(function, value) for value in values)
    return function(values)


def _wrapped(level: Any, cls: Any, output: Any, dims: Any) -> Any:
    """The output of a `vmap`, whose examples lie along `dims`: one number for all, or of its structure."""
    if isinstance(output, (tuple, list)):
        if not isinstance(dims, (tuple, list)):
            dims = [dims] * len(output)
        if len(dims) != len(output):
            raise error_of(
                cls,
                "Expected the vmap staticmethod to have out_dims with pytree structure compatible with the "
                f"output: {len(output)} outputs, {len(dims)} out_dims",
                "return one out_dim for each output, None for what is not batched",
                cls.vmap,
            )
        return type(output)(_wrapped(level, cls, o, d) for o, d in zip(output, dims, strict=True))
    dim: Any = dims[0] if isinstance(dims, (tuple, list)) and len(dims) == 1 else dims
    if dim is None or not isinstance(output, Tensor):
        return output
    return closed(level.wrapped(to_front(output, dim % output.ndim)))


# `generate_vmap_rule`: a Function on a batch, each of whose methods is run under a vmap of its own (D-8).


def generated(level: Any, cls: Any, values: tuple[Any, ...], batched: tuple[Any, ...]) -> Any:
    """The result of `cls.apply` for values of which some are batches of `level`."""
    call = _Batched(level, cls, batched)
    body: dict[str, Any] = {
        "forward": staticmethod(call.forward),
        "setup_context": staticmethod(call.setup_context),
        "backward": staticmethod(call.backward),
        "generate_vmap_rule": True,
        "__module__": cls.__module__,
    }
    if cls.jvp is not Function.jvp:
        body["jvp"] = staticmethod(call.jvp)
    made: Any = type(f"Vmapped{cls.__name__}", (Function,), body)
    results = made.apply(*values)
    for result, of_batch in zip(_several(results), _several(call.of_output), strict=False):
        if of_batch is True:
            marked(level, result)
    return _dressed(level, results, call.of_output)


def _dressed(level: Any, values: Any, batched: Any) -> Any:
    """Values as wrappers of `level`, where they are batches."""
    if isinstance(values, (tuple, list)):
        pairs = zip(values, batched, strict=True)
        return type(values)(_dressed(level, value, flag) for value, flag in pairs)
    if isinstance(values, dict):
        return {name: _dressed(level, value, batched[name]) for name, value in values.items()}
    return wrap(level, values) if batched and isinstance(values, Tensor) else values


def _several(output: Any) -> tuple[Any, ...]:
    return output if isinstance(output, tuple) else (output,)


class _Batched:
    """One call: the methods of the Function, which see one example, for those of its batched form."""

    def __init__(self, level: Any, cls: Any, of_args: tuple[Any, ...]) -> None:
        self.cls = cls
        #: For each argument: is it a batch?
        self.of_args = of_args
        #: For each output, once forward has run.
        self.of_output: Any = None
        #: For the values that were saved for backward, and for forward.
        self.of_saved: tuple[bool, ...] = ()
        self.of_saved_forward: tuple[bool, ...] = ()
        self._another: Callable[[], Any] = lambda: type(level)(level.size, level.randomness)

    def forward(self, *args: Any) -> Any:
        with self._another() as level:
            output = self.cls.forward(*_dressed(level, args, self.of_args))
            self.of_output = mapped(lambda o: unwrapped(level, o)[1], output)
            return mapped(lambda o: unwrapped(level, o)[0], output)

    def setup_context(self, ctx: Any, inputs: Any, output: Any) -> None:
        with self._another() as level:
            given = _dressed(level, inputs, self.of_args)
            made = _dressed(level, output, self.of_output)
            self.cls.setup_context(_Context(ctx, self, level), given, made)

    def backward(self, ctx: Any, *grads: Any) -> Any:
        with self._another() as level:
            saved = _dressed(level, ctx.saved_tensors, self.of_saved)
            arrived = _dressed(level, grads, _several(self.of_output))
            found = _several(
                self.cls._own_backward()[0](_Context(ctx, self, level, saved), *arrived)
            )
            count = len(self.of_args)
            pairs = zip(found, self.of_args, strict=False)
            return tuple(_gradient(level, *pair) for pair in pairs) + found[count:]

    def jvp(self, ctx: Any, *tangents: Any) -> Any:
        with self._another() as level:
            saved = _dressed(level, ctx.saved_tensors, self.of_saved_forward)
            given = _dressed(level, tangents, self.of_args)
            found = self.cls.jvp(_Context(ctx, self, level, saved), *given)
            pairs = zip(_several(found), _several(self.of_output), strict=False)
            parts = tuple(_tangent(level, *pair) for pair in pairs)
            return parts if isinstance(found, tuple) else parts[0]


def _gradient(level: Any, gradient: Any, batched: Any) -> Any:
    """For an argument that is the same in all examples, the sum of what it gets from each."""
    if not isinstance(gradient, Tensor):
        return gradient
    value, of_batch = unwrapped(level, gradient)
    if batched:
        return filled(value, of_batch, level.size)
    return sum_dims.record(value, dims=(0,), keepdim=False) if of_batch else value * level.size


def _tangent(level: Any, tangent: Any, batched: Any) -> Any:
    if not isinstance(tangent, Tensor):
        return tangent
    value, of_batch = unwrapped(level, tangent)
    return filled(value, of_batch, level.size) if batched else value


class _Context:
    """The context as a method sees it for one example: what it saves is kept as a batch."""

    def __init__(self, ctx: Any, call: _Batched, level: Any, saved: Any = None) -> None:
        vars(self).update(_ctx=ctx, _call=call, _level=level, _saved=saved)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ctx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Wrapped):
            raise error_of(
                self._call.cls,
                f"ctx.{name} would keep a tensor of one example: with generate_vmap_rule=True tensors are "
                "kept by save_for_backward and save_for_forward alone",
                "save it with ctx.save_for_backward",
            )
        setattr(self._ctx, name, value)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        return self._saved

    def _kept(self, tensors: tuple[Any, ...]) -> tuple[list[Any], tuple[bool, ...]]:
        pairs = [unwrapped(self._level, tensor) for tensor in tensors]
        return [value for value, _ in pairs], tuple(batched for _, batched in pairs)

    def save_for_backward(self, *tensors: Any) -> None:
        values, self._call.of_saved = self._kept(tensors)
        self._ctx.save_for_backward(*values)

    def save_for_forward(self, *tensors: Any) -> None:
        values, self._call.of_saved_forward = self._kept(tensors)
        self._ctx.save_for_forward(*values)

    def mark_non_differentiable(self, *tensors: Any) -> None:
        self._ctx.mark_non_differentiable(*self._kept(tensors)[0])

    def mark_dirty(self, *tensors: Any) -> None:
        raise error_of(
            self._call.cls,
            "generate_vmap_rule=True: a Function that changes its arguments in place has no generated rule",
            "write a vmap staticmethod",
        )
