"""Is a tensor one that a function got from around it, and not as an argument? (C-7)

Nothing marks tensors that are made inside of a transform. But what a function reaches by its closure, its
globals or what it is bound to was there before, and that is asked only when something is written in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

from vizgrad.core.errors import explained
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.utils._pytree import tree_leaves


def is_captured(target: Tensor, function: Any, args: tuple[Any, ...]) -> bool:
    """Is `target`, or what it is a view of, captured by `function`?"""
    written = {id(target), id(getattr(target._view, "base", target))}
    if any(_below(leaf) & written for leaf in tree_leaves(args)):
        return False
    return any(_below(tensor) & written for tensor in _tensors(function, set()))


def refuse_captured(target: Tensor, function: Any, args: tuple[Any, ...]) -> None:
    """C-7: what was made outside of a transform is not written to."""
    if is_captured(target, function, args):
        raise explained(
            RuntimeError(
                "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call "
                "in-place operation that would mutate a captured Tensor. This is not supported: what was "
                "written would belong to the transform, and the tensor does not."
            ),
            kind="forbidden-write",
            fix="pass the tensor as an argument and return it, or write out of place",
        )


def _below(thing: Any) -> set[int]:
    """A tensor, and what it stands for below the wrappers of vmaps: that is what is written."""
    found = {id(thing)}
    while isinstance(thing, Wrapped):
        thing = thing.value
        found.add(id(thing))
    return found


def _tensors(thing: Any, seen: set[int]) -> Iterator[Tensor]:
    """The tensors that can be reached from a function's surroundings."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, Tensor):
        yield thing
        return
    for part in _parts(thing):
        yield from _tensors(part, seen)


def _parts(thing: Any) -> Iterator[Any]:
    if isinstance(thing, FunctionType):
        if thing.__module__ and thing.__module__.partition(".")[0] == "vizgrad":
            yield from _cells(thing)
            return
        yield from _cells(thing)
        for name in _names(thing.__code__):
            if name in thing.__globals__:
                found = thing.__globals__[name]
                if isinstance(found, (Tensor, list, tuple, dict, FunctionType)) or _is_module(
                    found
                ):
                    yield found
    elif isinstance(thing, MethodType):
        yield thing.__self__
        yield thing.__func__
    elif isinstance(thing, partial):
        yield from (thing.func, *thing.args, *thing.keywords.values())
    elif isinstance(thing, (list, tuple)):
        yield from thing
    elif isinstance(thing, dict):
        yield from thing.values()
    elif _is_module(thing):
        yield from thing.parameters()
        yield from thing.buffers()


def _cells(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # nothing was bound yet
            continue


def _names(code: CodeType) -> Iterator[str]:
    """Names that a function, and those that it defines, look up outside of themselves."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_module(thing: Any) -> bool:
    return hasattr(thing, "named_buffers") and not isinstance(thing, type)
