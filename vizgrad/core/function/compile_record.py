"""The function that runs an operation on Tensors and records it, as straight-line code.

A dispatcher that interprets the declaration at every call costs more than the operation itself (0.9 us
beside 0.6); the code written here has no loop and no `*args`.

It is written when it is first called: a program uses few of all operations, and `import vizgrad` should
not take longer for the others.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import DEVICES, as_array
from vizgrad.core.arrays.dtypes import NARROW, float32, float64
from vizgrad.core.arrays.errstate import NAMELESS
from vizgrad.core.arrays.fusion import as_laid_out, fused
from vizgrad.core.function.bfloat16 import BY_NUMBER, narrowed, widened
from vizgrad.core.function.compile_node import at_first_call
from vizgrad.core.function.declared import GROUPS, saved_by, users_of
from vizgrad.core.function.failing import kernel_error
from vizgrad.core.function.transform_tensor import interpreted
from vizgrad.core.function.typing import (
    arrays_for,
    coerce,
    number,
    refuse_complex,
    refuse_integers,
    type_error,
)
from vizgrad.core.function.views import become_view
from vizgrad.core.graph.edges import cut_off, edge_of
from vizgrad.core.graph.node import Meta, Node
from vizgrad.core.graph.saved import SavedGroup, SavedResult
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.modes import GUARD, MODES, inference_blocks, noted
from vizgrad.core.tensor.source_location import INTERNAL, outermost
from vizgrad.core.tensor.storage import first_storage, tick
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.core.upcalls import UPCALLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from vizgrad.core.function.declared import Declared


def _gathered(op: Declared, tensors: tuple[Any, ...]) -> tuple[Any, ...] | None:
    return UPCALLS.gather_operands(op, tensors)  # it declares an operation, so it is set later


def _away(op: Declared, operands: tuple[Any, ...]) -> Any:
    return UPCALLS.device_to_enter(op, operands)


def compile_record(op: Declared, node_class: Callable[[], type[Node] | None]) -> Callable[..., Any]:
    """The function that runs `op` on Tensors and records it; `node_class` gives the class of its nodes."""
    scope: dict[str, Any] = {
        "Tensor": Tensor, "new": object.__new__, "ndarray": xp.ndarray, "as_array": as_array,
        "kernel": op.forward, "GUARD": GUARD, "MODES": MODES, "noted": noted,
        "edge_of": edge_of, "cut_off": cut_off, "inference_blocks": inference_blocks,
        "tick": tick, "getframe": sys._getframe, "INTERNAL": INTERNAL, "outermost": outermost,
        "Meta": Meta, "new_meta": tuple.__new__, "SavedResult": SavedResult,
        "first_storage": first_storage, "arrays_for": arrays_for, "number": number,
        "coerce": coerce, "type_error": type_error, "refuse_complex": refuse_complex,
        "refuse_integers": refuse_integers,
        "op": op, "become_view": become_view, "kernel_error": kernel_error, "gathered": _gathered,
        "away": _away,
        "interpreted": interpreted,
        "FLOAT": float32.np, "DOUBLE": float64.np, "NARROW": NARROW,
        "widened": widened, "narrowed": narrowed,
        "SavedGroup": SavedGroup, "DUALS": DUALS,
        "__name__": NAMELESS, "__package__": "vizgrad.core.ops",
    }  # fmt: skip

    def record_source() -> str:
        scope["NodeClass"] = node_class()
        if scope["kernel"] is op.forward:  # and not what asks a selective checkpoint
            scope["kernel"] = op.kernel
        if _kernel(op) != "kernel":
            one = fused() if hasattr(op.forward, "__code__") else as_laid_out
            scope["fused_kernel"] = one(op.forward)
        if DUALS.armed:
            own = dict(scope)
            scope["plain"] = at_first_call(op.name, "record", own, lambda: _record_source(op))
        source = _asking_for_tangents(op) if DUALS.armed else _record_source(op)
        return _asking_for_the_device(op, source) if DEVICES.several else source

    record = at_first_call(op.name, "record", scope, record_source)
    record.__name__ = record.__qualname__ = op.name
    record.__doc__ = op.__doc__
    return record


def _record_source(op: Declared) -> str:
    inputs, attributes = op.inputs, op.attributes
    arrays = [f"a{i}" for i in range(len(inputs))]
    passed = ", ".join([*arrays, *(f"{a}={a}" for a in attributes)])
    keywords = ["*", *attributes] if attributes else []
    lines = [f"def record({', '.join([*inputs, *keywords])}):"]
    lines += _read_arrays(op)
    if op.real_only:
        lines.append("    if a0.dtype.kind == 'c': raise refuse_complex(op, a0)")
    if op.floats_only:
        lines.append("    if a0.dtype.kind in 'iub': raise refuse_integers(op, a0)")
    lines += [
        "    try:",  # costs nothing when nothing is raised
        f"        r = {_kernel(op)}({passed})",
        "    except Exception as error:",
        f"        moved = gathered(op, ({', '.join(inputs)},))",
        f"        if moved is None: raise kernel_error(op, error, {', '.join(arrays)}) from None",
        f"        return record({', '.join(['*moved', *(f'{a}={a}' for a in attributes)])})",
    ]
    if _may_be_widened(op):
        lines.append("    if w is not None: r = narrowed(r, w)")
    several = len(op.outputs) > 1
    results = [f"r{i}" for i in range(len(op.outputs))] if several else ["r"]
    if several:
        lines.append(f"    {', '.join(results)} = r")
    outs = [f"out{i}" for i in range(len(results))] if several else ["out"]
    for r, out in zip(results, outs, strict=True):
        lines += [
            f"    if {r}.__class__ is not ndarray: {r} = as_array({r})",
            f"    {out} = new(Tensor)",
            f"    {out}._array = {r}",
            f"    {out}._storage = {out}._edge = {out}._view = {out}._grad = {out}._rare = None",
            f"    {out}._tracked = 0",
        ]
    if op.view:
        lines.append(f"    recorded = become_view(out, {inputs[0]}, op.name)")
    if op.formulas:
        lines += _record_node(op, results, outs)
    if not op.view:  # a view shares its source's storage, whatever the mode
        word = "if" if not op.formulas else "elif"
        storages = " = ".join(f"{out}._storage" for out in outs)
        lines.append(f"    {word} GUARD.inference: {storages} = MODES.inference")
    lines.append("    return " + ", ".join(outs))
    return "\n".join(lines) + "\n"


def _asking_for_tangents(op: Declared) -> str:
    """The code once forward mode was used: the same, but for one question before all else."""
    head, body = _record_source(op).split("\n", 1)
    given = ", ".join(f"{name!r}: {name}" for name in op.attributes)
    operands = f"({', '.join(op.inputs)},)"
    asked = f"    if DUALS.on: return DUALS.run(op, plain, {operands}, {{{given}}})"
    return f"{head}\n{asked}\n{body}"


def _asking_for_the_device(op: Declared, source: str) -> str:
    """The code where there are several devices: the same, on that of the operands."""
    head, body = source.split("\n", 1)
    given = ", ".join([*op.inputs, *(f"{a}={a}" for a in op.attributes)])
    return (
        f"{head}\n"
        f"    place = away(op, ({', '.join(op.inputs)},))\n"
        "    if place is not None:\n"
        f"        with place: return record({given})\n"
        f"{body}"
    )


def _may_be_widened(op: Declared) -> bool:
    """Must operands of a narrow type be looked for, or a number beside halves?

    Where elements are only moved, any type will do.
    """
    return op.name in BY_NUMBER or (bool(NARROW) and not op.view and op.typing != "moved")


def _kernel(op: Declared) -> str:
    """The kernel for the result: on a device one launch, also for several of numpy's functions, and laid out
    as its operands are.
    """
    if not op.fuses:
        return "kernel"
    return "(kernel if a0.__class__ is ndarray else fused_kernel)"


def _read_arrays(op: Declared) -> list[str]:
    inputs = op.inputs
    lines: list[str] = []
    slow = f"{', '.join(f'a{i}' for i in range(len(inputs)))}{',' if len(inputs) == 1 else ''}"
    call = f"        {slow} = arrays_for(op, ({', '.join(inputs)},))"
    if op.typing in ("promote", "float") and len(inputs) == 2 and op.numbers != "none":
        first, second = inputs
        lines += [
            f"    c = {second}.__class__",
            f"    if c is float or c is int: {second} = number({second}, {first})",
        ]
    lines.append("    try:")
    lines += [f"        a{i} = {name}._array" for i, name in enumerate(inputs)]
    settings = f"{{{', '.join(f'{a!r}: {a}' for a in op.attributes)}}}"
    lines += [
        "    except AttributeError:",
        f"        r = interpreted(op, ({', '.join(inputs)},), {settings})",
        "        if r is not None: return r",
    ]
    if op.typing in ("promote", "float") and len(inputs) > 1:
        lines += [
            f"        {', '.join(inputs)} = coerce(op, {', '.join(inputs)})",
            *[f"        a{i} = {name}._array" for i, name in enumerate(inputs)],
        ]
    else:
        lines.append(f"        raise type_error(op, {', '.join(inputs)}) from None")
    narrow = _may_be_widened(op)
    alike = [f"d is not a{i}.dtype" for i in range(1, len(inputs))]
    # what most tensors are of has its answer in itself: a type is looked up, and its kind, for others
    other = "d is not FLOAT and d is not DOUBLE"
    if op.typing == "float":
        tests = [*alike, f"{other} and d.kind != 'f'"]
    else:
        tests = alike if op.typing in ("promote", "same") else []
    if tests or narrow:
        lines.append("    d = a0.dtype")
    if not narrow:
        return [*lines, f"    if {' or '.join(tests)}:", call] if tests else lines
    types = [f"a{i}.dtype in NARROW" for i in range(len(inputs))] if NARROW else []
    each = " or ".join([*types, *(["d.char == 'e'"] if op.name in BY_NUMBER else [])])
    lines += [
        "    w = None",
        f"    if {' or '.join([*alike, other])}:",
        f"        if {each}: w, {slow} = widened(op, ({', '.join(inputs)},))",
    ]
    if tests:
        lines += [f"        elif {' or '.join(tests)}:", "    " + call]
    return lines


def _record_node(op: Declared, results: list[str], outs: list[str]) -> list[str]:
    tensors, _ = saved_by(op)
    names = op.differentiable
    edges = [f"e{i}" for i in range(len(names))]
    asked = " or ".join(f"{n}._tracked" for n in names)
    if op.view:
        asked = f"recorded and ({asked})"
    lines = [f"    if ({asked}) and (not GUARD.no_grad or MODES.grad):"]
    for edge, name in zip(edges, names, strict=True):
        lines += [
            f"        t = {name}._tracked",
            f"        {edge} = {name}._edge if t == 1 else edge_of({name}) if t else None",
        ]
    lines += [
        f"        if {' or '.join(f'{e} is not None' for e in edges)} or cut_off({', '.join(names)}):",
        "            node = new(NodeClass)",
        "            node.sequence_nr = tick()",
        f"            node.edges = ({', '.join(edges)},)",
        "            node.hooks = None",
        f"            node.shape = {results[0]}.shape",
        f"            node.dtype = {results[0]}.dtype",
        "            f = getframe(1)",
        "            try:",
        "                while INTERNAL[f.f_globals['__package__']] and f.f_back is not None:",
        "                    f = f.f_back",
        "            except KeyError: f = outermost(f)",
        "            node.code = f.f_code",
        "            node.lasti = f.f_lasti",
        "            node.scope = None",
    ]
    for saved in tensors:
        users = users_of(op, saved)
        needed = " or ".join(f"e{i} is not None" for i in users)
        everyone = len(users) == len(names)
        if saved in op.outputs:
            out = outs[op.outputs.index(saved)]
            # as memory; its storage is made now: later writes must be seen
            value = f"SavedResult({out}._array, {out}._storage or first_storage({out}))"
        else:
            value = saved
        lines.append(
            f"            node._{saved} = {value}"
            if everyone
            else f"            node._{saved} = {value} if {needed} else None"
        )
    for name in saved_by(op)[1]:
        if name.endswith("_meta"):
            array = f"{op.inputs[op.inputs.index(name.removesuffix('_meta'))]}._array"
            lines.append(
                f"            node._{name} = new_meta(Meta, ({array}.shape, {array}.dtype, None))"
            )
        else:
            value = f"SavedGroup({name})" if name in GROUPS else name
            lines.append(f"            node._{name} = {value}")
    lines += [f"            {outs[0]}._edge = node"]
    if op.view:  # nothing has made it one if the memory is not shared: that of a sparse tensor
        lines += [f"            if {outs[0]}._tracked == 0: {outs[0]}._tracked = 1"]
    else:
        lines += [f"            {outs[0]}._tracked = 1"]
    lines += [
        "            if GUARD.scoped:",
        "                node.scope = MODES.scope",
        "                if MODES.on_record or inference_blocks:",
        f"                    node.scope = noted(node, ({', '.join(outs)},))",
    ]
    return lines
