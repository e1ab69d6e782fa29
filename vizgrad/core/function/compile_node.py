"""The class of an operation's nodes: slots for what is saved, and its formulas as straight-line code."""

from __future__ import annotations

from dis import get_instructions
from types import FunctionType
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import NARROW, float32, float64
from vizgrad.core.arrays.fusion import fused
from vizgrad.core.function.declared import (
    GROUPS,
    Declared,
    formula_parameters,
    saved_by,
    users_of,
)
from vizgrad.core.function.generated import at_first_call
from vizgrad.core.function.saving import conjugates, run_tensors
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import unpack_array, unpack_tensor
from vizgrad.core.tensor.source_location import INTERNAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from vizgrad.core.function.declared import Declared


def compile_node(op: Declared) -> type[Node]:
    """The class of the nodes of `op`, with one slot per saved value."""
    tensors, plain = saved_by(op)
    groups = tuple(n for n in plain if n in GROUPS)
    body: dict[str, Any] = {
        "__slots__": tuple("_" + n for n in (*tensors, *plain)),
        "__module__": "vizgrad.core.ops",
        "__doc__": f"Backward of `{op.name}`.",
        "saved_names": tensors,
        "plain_names": tuple(n for n in plain if n not in GROUPS),
        "group_names": groups,
        "input_names": op.differentiable,
        "runs_first": op.node_name == "NotImplemented",  # its formulas raise
        "op": op,
        "run_tensors": run_tensors,
    }
    for name in tensors:
        body["_saved_" + name] = property(_saved_reader(name))
    for name in plain:
        read = _group_reader(name) if name in groups else _plain_reader(name)
        body["_saved_" + name] = property(read)
    scope: dict[str, Any] = {
        "unpack_array": unpack_array, "conjugates": conjugates, "ndarray": xp.ndarray,
        "FLOAT": float32.np, "DOUBLE": float64.np, "NARROW": NARROW, "wide": _wide,
        "__name__": "vizgrad.core.ops.compiled",
    }  # fmt: skip

    def run_source() -> str:
        for name, formula in op.formulas.items():
            scope["formula_" + name] = plain = _over_arrays(formula)
            if _gains(op, formula):
                scope["fused_" + name] = fused()(plain)
        return _run_source(op, tensors, groups)

    body["run"] = at_first_call(op.name, "run", scope, run_source)
    body["release"] = at_first_call(
        op.name, "release", {}, lambda: _release_source(tensors, groups)
    )
    return type(op.node_name, (Node,), body)


def _wide(array: Any) -> Any:
    from vizgrad.core.function.bfloat16 import wide

    return wide(array)


def _saved_reader(name: str) -> Callable[[Node], Any]:
    return lambda node: unpack_tensor(node, name)


def _plain_reader(name: str) -> Callable[[Node], Any]:
    return lambda node: getattr(node, "_" + name)


def _group_reader(name: str) -> Callable[[Node], Any]:
    return lambda node: getattr(node, "_" + name).tensors(node, name)


#: The globals of a module of vizgrad's -> the same with kernels in the place of primitives.
_kernels: dict[int, dict[str, Any]] = {}


def _over_arrays(formula: Callable[..., Any]) -> Callable[..., Any]:
    """The formula for arrays alone: it calls kernels where it names primitives.

    A primitive that is given arrays runs its kernel, so nothing changes but the time to find that out.
    Only in vizgrad's own modules, which are whole when the first formula runs, and stay as they are: a
    person's module, above all a notebook, is looked at anew by each formula each time.
    """
    module = formula.__globals__
    if not INTERNAL[module.get("__package__")]:
        return formula
    scope = _kernels.get(id(module))
    if scope is None:
        scope = _kernels[id(module)] = {
            name: value.forward if isinstance(value, Declared) else value
            for name, value in module.items()
        }
    return FunctionType(
        formula.__code__, scope, formula.__name__, formula.__defaults__, formula.__closure__
    )


def _gains(op: Declared, formula: Callable[..., Any]) -> bool:
    """Would the formula be several launches on a device? One operation need not be fused."""
    if not op.fuses:
        return False
    work = sum(i.opname in _WORK for i in get_instructions(formula))
    return work > 1 or (work == 1 and _calls_several(formula))


def _calls_several(formula: Callable[..., Any]) -> bool:
    """Does it call an operation whose kernel is several of numpy's functions?"""
    named = (formula.__globals__.get(name) for name in formula.__code__.co_names)
    return any(
        isinstance(op, Declared) and op.fuses and hasattr(op.forward, "__code__") for op in named
    )


_WORK = ("BINARY_OP", "CALL", "CALL_KW", "UNARY_NEGATIVE", "COMPARE_OP")


def _run_source(op: Declared, tensors: tuple[str, ...], groups: tuple[str, ...]) -> str:
    lines = ["def run(node, grad, real=False):"]
    if NARROW or op.holomorphic:
        # what most gradients are of has its answer in itself
        lines += ["    d = grad.dtype", "    if d is not FLOAT and d is not DOUBLE:"]
    if NARROW:
        lines.append("        if d in NARROW: grad = wide(grad)")
    if op.holomorphic:
        lines += [
            "        if d.kind == 'c' and not real:",
            "            return conjugates(node.run(grad.conj(), True))",
        ]
    count = len(op.differentiable)
    unpacked = ", ".join(f"e{i}" for i in range(count)) + ("," if count == 1 else "")
    if count > 1:
        lines.append(f"    {unpacked} = node.edges")
    # each once, in the order of saving: an unpack hook may be watching (V-60)
    for saved in tensors:
        pad = "    "
        users = users_of(op, saved)
        if len(users) < count:
            lines.append(f"    if {' or '.join(f'e{i} is not None' for i in users)}:")
            pad = "        "
        lines += [
            f"{pad}try:",
            f"{pad}    s = node._{saved}",
            f"{pad}    v_{saved} = s._array",
            f"{pad}    s = s._storage",
            f"{pad}except AttributeError:",
            f"{pad}    v_{saved} = unpack_array(node, {saved!r})",
            f"{pad}else:",
            f"{pad}    if s is not None and s.last_write > node.sequence_nr:",
            f"{pad}        v_{saved} = unpack_array(node, {saved!r})",
        ]
        if NARROW:
            lines += [
                f"{pad}d = v_{saved}.dtype",
                f"{pad}if d is not FLOAT and d in NARROW: v_{saved} = wide(v_{saved})",
            ]
    lines += [f"    v_{name} = node._{name}.read(node, {name!r})" for name in groups]
    for i, name in enumerate(op.differentiable):
        pad = "    "
        if count > 1:
            lines += [f"    g{i} = None", f"    if e{i} is not None:"]
            pad = "        "
        arguments = formula_parameters(op.formulas[name])
        given = ", ".join(
            a if a == "grad" else f"v_{a}" if a in tensors or a in groups else f"node._{a}"
            for a in arguments
        )
        formula = f"formula_{name}"
        if _gains(op, op.formulas[name]):
            formula = f"({formula} if grad.__class__ is ndarray else fused_{name})"
        call = f"{formula}({given})"
        lines.append(f"{pad}g{i} = {call}" if count > 1 else f"{pad}return {call}")
    if count > 1:
        lines.append("    return " + ", ".join(f"g{i}" for i in range(count)))
    return "\n".join(lines) + "\n"


def _release_source(tensors: tuple[str, ...], groups: tuple[str, ...]) -> str:
    lines = ["def release(node, token):"]
    for name in tensors:
        lines += [f"    if node._{name} is not None:", f"        node._{name} = token"]
    lines += [f"    node._{name}.release(token)" for name in groups]
    return "\n".join(lines if len(lines) > 1 else [*lines, "    pass"]) + "\n"
