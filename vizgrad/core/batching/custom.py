"""Custom Functions under vmap (F-84, D-6 ... D-8): by their own `vmap`, or by what is generated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from vizgrad.core.batching.marking import closed
from vizgrad.core.batching.values import to_front, unwrapped
from vizgrad.core.errors import class_place, explained, function_place
from vizgrad.core.function.custom.function import Function
from vizgrad.core.tensor.tensor import Tensor


class VmapInfo(NamedTuple):
    """What a Function's `vmap` is told of the vmap."""

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
    if isinstance(dims, (tuple, list)) and len(dims) == 1:
        dims = dims[0]
    if dims is None or not isinstance(output, Tensor):
        return output
    return closed(level.wrapped(to_front(output, dims % output.ndim)))
