"""Forward mode through a custom Function: its `jvp`, called if an argument has a tangent (F-80 ... F-83)."""

from __future__ import annotations

from typing import Any, NamedTuple

from vizgrad.core.arrays import xp
from vizgrad.core.errors import explained, returning_place
from vizgrad.core.function.custom.backward_class import SavedForForward
from vizgrad.core.tensor.duals import (
    DualLevel,
    active,
    follow,
    root_of,
    set_tangent,
    tangent_of,
    within,
)
from vizgrad.core.tensor.tensor import Tensor, new_tensor


class Pending(NamedTuple):
    """The tangents of the arguments under one level, as they were before forward ran."""

    level: DualLevel
    outside: tuple[DualLevel, ...]
    tangents: tuple[Tensor | None, ...]


def tangents_of(args: tuple[Any, ...]) -> list[Pending]:
    """The levels under which an argument has a tangent, the outermost first."""
    found: list[Pending] = []
    levels = active()
    for depth, level in enumerate(levels):
        tangents = tuple(
            [tangent_of(each, level) if isinstance(each, Tensor) else None for each in args]
        )
        if any(t is not None for t in tangents):
            found.append(Pending(level, levels[:depth], tangents))
    return found


def carry(
    cls: Any,
    ctx: Any,
    args: tuple[Any, ...],
    results: tuple[Any, ...],
    pending: list[Pending],
    written: frozenset[int] | set[int],
) -> None:
    """Calls `jvp` once for each level, and gives the outputs the tangents that it returns.

    Raises RuntimeError for another number of tangents than there are outputs, another shape, one for an
    output without derivative, and for a view or a dirty input whose tangent is not treated alike.
    """
    _follow_views(args, results)
    excluded = {id(t) for t in ctx.non_differentiable or ()}
    for level, outside, tangents in pending:
        given = [_materialized(ctx, arg, t) for arg, t in zip(args, tangents, strict=True)]
        versions = {id(t): t._version for t in tangents if t is not None}
        saved, ctx._fn_saved = ctx._fn_saved, SavedForForward(ctx.saved_for_forward or ())
        try:
            with within(outside):
                returned = cls.jvp(ctx, *given)
        finally:
            ctx._fn_saved = saved
        returned = returned if isinstance(returned, tuple) else (returned,)
        if len(returned) != len(results):
            raise _wrong(
                cls,
                "Function's jvp returned an invalid number of forward gradients (expected "
                f"{len(results)} but got {len(returned)})",
                "return one tangent per output, None for those without a derivative",
            )
        for nr, (out, tangent) in enumerate(zip(results, returned, strict=True)):
            if not isinstance(out, Tensor):
                continue
            differentiable = out._array.dtype.kind in "fcV" and id(out) not in excluded
            _check(cls, nr, out, tangent, differentiable)
            if tangent is None or not differentiable:
                continue
            if id(out) in written:
                _check_dirty(cls, level, out, tangent, versions)
                continue
            if out._view is not None:
                _check_view(cls, out, tangent, args, tangents)
            set_tangent(out, level, _of_type(tangent, out, outside))


def _follow_views(args: tuple[Any, ...], results: tuple[Any, ...]) -> None:
    """An output that is a view of an argument follows that one's tangent."""
    for out in results:
        if isinstance(out, Tensor) and out._view is not None:
            for arg in args:
                if isinstance(arg, Tensor) and _shown(arg, out):
                    follow(out, arg)
                    break


def _materialized(ctx: Any, arg: Any, tangent: Tensor | None) -> Any:
    """As `jvp` gets it: zeros where there is none, unless `set_materialize_grads(False)` (F-44)."""
    if tangent is not None or not isinstance(arg, Tensor) or not ctx.materialize_grads:
        return tangent
    array = arg._array
    return new_tensor(xp.zeros_like(array)) if array.dtype.kind in "fcV" else None


def _of_type(tangent: Tensor, out: Tensor, outside: tuple[DualLevel, ...]) -> Tensor:
    """In the output's type."""
    if tangent._array.dtype == out._array.dtype:
        return tangent
    with within(outside):
        return tangent.to(out.dtype)


def _check(cls: Any, nr: int, out: Any, tangent: Any, differentiable: bool) -> None:
    if tangent is None:
        return
    if not isinstance(tangent, Tensor):
        raise _wrong(
            cls,
            f"expected Variable or None (got {type(tangent).__name__}) for grad output {nr}.",
            "return a Tensor or None there, and several tangents as a tuple",
        )
    if not differentiable:
        raise _wrong(
            cls,
            f"Function's jvp returned a gradient at position {nr}, but the corresponding forward output "
            "is not a differentiable Tensor. You should return None at that position instead.",
            f"return None at position {nr}",
        )
    if tangent.shape != out.shape:
        raise _wrong(
            cls,
            "Trying to set a forward gradient that has a different size than that of the original Tensor, "
            f"this is not supported. Tensor is of size {list(out.shape)} while the given forward gradient "
            f"is of size {list(tangent.shape)}.",
            "return a tangent of the output's shape",
        )


def _check_dirty(
    cls: Any, level: DualLevel, out: Tensor, tangent: Tensor, versions: dict[int, int]
) -> None:
    own = tangent_of(out, level)
    if own is None:
        set_tangent(out, level, tangent)  # its tangent was None, or the zeros that jvp was given
        return
    if tangent is not own or own._version == versions.get(id(own)):
        raise _wrong(
            cls,
            "An inplace custom Function is not modifying the forward mode gradients inplace. If the "
            "forward is modifying an input inplace, then the jvp function must modify the corresponding "
            "gradient inplace.",
            "change the tangent of the dirty input in place, and return that very tensor",
        )


def _check_view(
    cls: Any, out: Tensor, tangent: Tensor, args: tuple[Any, ...], tangents: tuple[Any, ...]
) -> None:
    """`out` is a view of an argument: then its tangent must be one of that one's, if that one has any."""
    pairs = zip(args, tangents, strict=True)
    given = next((t for arg, t in pairs if isinstance(arg, Tensor) and _shown(arg, out)), None)
    if given is None:
        return
    root = root_of(given)
    if tangent._view is None:
        what = "a view"
    elif root_of(tangent) is root:
        return
    elif given is root:
        what = "a view of the given grad input"
    else:
        what = "a view of the same base as the given grad input"
    raise _wrong(
        cls,
        "A custom Function's forward is returning a view (or an input as-is) but the jvp is not "
        f"returning {what}.",
        "return the same view of the input's tangent, e.g. `t.view_as(t)` for an input returned as it is",
    )


def _shown(arg: Tensor, out: Tensor) -> bool:
    """Is `out` a view of the memory of `arg`?"""
    return arg is not out and arg._storage is out._storage


def _wrong(cls: Any, message: str, fix: str) -> RuntimeError:
    return explained(
        RuntimeError(message),
        kind="function-return",
        culprit=returning_place(cls.jvp),
        tensor=cls.__name__,
        fix=fix,
    )
