"""Where in a run a NaN or an infinity was born: at a step to which only finite gradients came."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.backend import to_host
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.statistics import is_finite, odd
from vizgrad.core.graph.saved import bare
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.effects import ReleaseEffect
from vizgrad.debugger.engines.vizgrad.origin_of_nan import made_by, saved_now

if TYPE_CHECKING:
    from vizgrad.core.graph.node import Node
    from vizgrad.debugger.engines.vizgrad.captured_value import CapturedArray
    from vizgrad.debugger.engines.vizgrad.step import EngineStep

#: Saved values that are named at most.
MOST_OPERANDS = 3


@quiet
def birth_of(
    step: EngineStep,
    node: Node,
    number: Callable[[Node], int | None],
    saved: Callable[[Node], Mapping[str, Any]] = saved_now,
) -> model.Birth | None:
    """What `step`, which ran `node`, made of finite gradients that is not finite itself; None if nothing.
    `number` gives that of a node, `saved` what nodes have saved: without, those have let go of it that ran.
    """
    if not all(map(_finite, step.incoming)):
        return None
    hook = _hook(step)
    for edge, held in _made(step):
        if held is None or held.array is None or is_finite(held.array):
            continue
        found = odd(held.array)
        operands, forward, born = (), False, None
        if not hook and edge is not None and found.first is not None:
            values = saved_before(step, node)
            operands, forward = _operands(values, held.array.shape, found.first)
            born = made_by(node, values, saved) if forward else None
        return model.Birth(
            step.node,
            found.nans,
            found.infs,
            found.size,
            edge,
            found.first,
            operands,
            forward,
            hook,
            None if born is None else number(born),
        )
    return None


def _finite(held: CapturedArray | None) -> bool:
    """Was it finite? What was let go of is known by its summary."""
    if held is None:
        return True
    if held.array is None:
        return not (held.summary.nans or held.summary.infs)
    return is_finite(held.array)


def _made(step: EngineStep) -> Iterator[tuple[int | None, CapturedArray | None]]:
    """What a step has computed and handed on, and what it has added to."""
    for out in step.routed:
        yield out.edge, out.computed
        yield out.edge, out.routed
    for arrived in step.arrived:
        yield None, arrived.after
    if step.accumulated is not None:
        yield None, step.accumulated.after


def _hook(step: EngineStep) -> str:
    """The hook that made it, if one changed the gradient before the formula had it."""
    for stage in step.stages:
        after = stage.after
        if stage.stage in ("tensor_hooks", "prehooks") and after and (after.nans or after.infs):
            return stage.detail
    return ""


def saved_before(step: EngineStep, node: Node) -> dict[str, Any]:
    """What the node had saved before the step."""
    values = dict(node.saved_values())
    for effect in step.effects:
        if isinstance(effect, ReleaseEffect):
            values |= effect.values
    return values


def _operands(
    values: Mapping[str, Any], shape: tuple[int, ...], index: tuple[int, ...]
) -> tuple[tuple[model.Operand, ...], bool]:
    """The saved values at that place that say why, if some do, and whether one was not finite itself."""
    found: list[model.Operand] = []
    for name, value in values.items():
        array = getattr(bare(value), "_array", None)
        if array is None:
            continue
        there = _value_at(array, shape, index)
        if there is not None:
            found.append(model.Operand(name, there))
    telling = [o for o in found if o.value == 0 or not isfinite(o.value)]
    forward = any(not isfinite(o.value) for o in found)
    return tuple((telling or found)[:MOST_OPERANDS]), forward


def _value_at(array: Any, shape: tuple[int, ...], index: tuple[int, ...]) -> float | None:
    """The value that met the one at `index` of an array of `shape`; None where that cannot be told."""
    if getattr(array, "ndim", len(shape) + 1) > len(shape):
        return None
    behind = len(shape) - array.ndim
    for size, whole in zip(array.shape, shape[behind:], strict=True):
        if size not in (1, whole):
            return None
    place = tuple(
        0 if size == 1 else at for size, at in zip(array.shape, index[behind:], strict=True)
    )
    value = to_host(array[place] if place else array).item()
    return float(abs(value)) if isinstance(value, complex) else float(value)
