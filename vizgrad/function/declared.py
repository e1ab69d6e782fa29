"""What a declaration says of saving: read off the parameters of its formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from vizgrad.function.primitive import Primitive


#: Attributes that are made of tensors (`vizgrad.graph.saved_group`): saved like tensors, not like numbers.
GROUPS = frozenset({"indices"})


def formula_parameters(formula: Callable[..., Any]) -> tuple[str, ...]:
    """Names of a formula's parameters (read off its code: `inspect.signature` would cost import time)."""
    code = formula.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def saved_by(op: Primitive) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(saved tensors, plain values) that the formulas of `op` ask for, in a fixed order."""
    wanted = {p for f in op.formulas.values() for p in formula_parameters(f)} - {"grad"}
    tensors = [n for n in op.inputs + op.outputs if n in wanted]
    plain = [n for n in op.attributes if n in wanted]
    plain += [n + "_meta" for n in op.inputs if n + "_meta" in wanted]
    if unknown := wanted - set(tensors) - set(plain):
        raise TypeError(f"{op.name}: formulas ask for {sorted(unknown)}, which nobody provides")
    return tuple(tensors), tuple(plain)


def users_of(op: Primitive, name: str) -> list[int]:
    """Numbers of the edges whose formula reads `name`."""
    return [
        i for i, n in enumerate(op.differentiable) if name in formula_parameters(op.formulas[n])
    ]
