"""Which engine opens the backward of a loss: chosen by the type of the loss.

An engine that can be stepped registers itself: ``open_backward.register(Tensor, opener)``. The opener takes
the arguments of `vizgrad.debug` and gives a `protocols.Backward`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any, cast

from vizgrad.inspection.protocols import Backward


@singledispatch
def open_backward(loss: Any, options: Mapping[str, Any]) -> Backward:
    """A backward of `loss` that has not run. TypeError for what no engine knows.

    `options` are `gradient`, `retain_graph`, `create_graph`, `inputs`, as `vizgrad.autograd.backward` takes
    them, and `names`: id of a tensor -> what the person calls it.
    """
    known = ", ".join(
        sorted(
            f"{t.__module__}.{t.__qualname__}" for t in open_backward.registry if t is not object
        )
    )
    raise TypeError(
        f"cannot step the backward of {type(loss).__name__}: expected a tensor, or several"
        + (f" ({known})" if known else "")
    )


@open_backward.register(list)
@open_backward.register(tuple)
def _of_several(losses: Any, options: Mapping[str, Any]) -> Backward:
    """The first says which engine; it is given them all."""
    several = cast("Sequence[Any]", losses)
    if not several:
        raise RuntimeError("debug needs at least one tensor")
    opener = open_backward.dispatch(type(several[0]))
    if opener is open_backward.dispatch(object):
        return opener(several[0], options)
    return opener(several, options)
