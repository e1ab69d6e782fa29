"""Turns a declaration into straight-line code, once, as `dataclasses` and `attrs` do.

A dispatcher that interprets the declaration at every call costs more than the operation itself
(`performance.md`); the code written here has no loop and no `*args`. What it does is what the readable
functions of `vizgrad.function.generic` do, and tests compare the two.

It is written when it is first called: a program uses few of all operations, and `import vizgrad` should
not take longer for the others.
"""

from __future__ import annotations

import linecache
import sys
from dis import get_instructions
from functools import cache
from itertools import count
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from vizgrad.arrays import xp
from vizgrad.arrays.backend import as_array
from vizgrad.arrays.fusion import fused
from vizgrad.arrays.quiet import NAMELESS
from vizgrad.function.failing import kernel_error
from vizgrad.function.saving import conjugates, run_tensors, save_result
from vizgrad.function.typing import arrays_for, number
from vizgrad.function.views import become_view
from vizgrad.graph.edges import cut_off, edge_of
from vizgrad.graph.node import Meta, Node
from vizgrad.graph.saved import unpack_array, unpack_tensor
from vizgrad.tensor.clock import tick
from vizgrad.tensor.modes import GUARD, MODES, noted
from vizgrad.tensor.place import INTERNAL
from vizgrad.tensor.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from vizgrad.function.primitive import Primitive


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


_numbers = count(1)


@cache
def _code(source: str) -> CodeType:
    """Compiled source. Operations of one form have one source: most of compiling is saved by this.

    The text is kept in linecache so that tracebacks can show it.
    """
    filename = f"<vizgrad form {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    return compile(source, filename, "exec")


def _define(source: str, name: str, scope: dict[str, Any]) -> Any:
    """Executes generated source and returns what it defines as `name`."""
    scope["__package__"] = "vizgrad.function"  # not a person's code: `place.caller` passes over it
    exec(_code(source), scope)  # noqa: S102  our own text, made from declarations
    return scope[name]


def _at_first_call(name: str, scope: dict[str, Any], write: Callable[[], str]) -> Any:
    """A function over the globals `scope` whose source is written and compiled when it is first called.

    It stays the same object, whoever holds it: only what it does is replaced.
    """

    def become() -> Any:
        written = _define(write(), name, {})
        function.__code__, function.__defaults__ = written.__code__, written.__defaults__
        return function

    scope["become"] = become
    waiting = f"def {name}(*args, **kwargs):\n    return become()(*args, **kwargs)\n"
    function = _define(waiting, name, scope)
    return function


# --- the node class -----------------------------------------------------------------------------


def compile_node(op: Primitive) -> type[Node]:
    """The class of the nodes of `op`, with one slot per saved value."""
    tensors, plain = saved_by(op)
    body: dict[str, Any] = {
        "__slots__": tuple("_" + n for n in (*tensors, *plain)),
        "__module__": "vizgrad.ops",
        "__doc__": f"Backward of `{op.name}`.",
        "saved_names": tensors,
        "plain_names": plain,
        "input_names": op.differentiable,
        "op": op,
        "run_tensors": run_tensors,
    }
    for name in tensors:
        body["_saved_" + name] = property(_saved_reader(name))
    for name in plain:
        body["_saved_" + name] = property(_plain_reader(name))
    scope: dict[str, Any] = {
        "unpack_array": unpack_array, "conjugates": conjugates, "ndarray": xp.ndarray,
        "__name__": "vizgrad.ops.compiled",
    }  # fmt: skip

    def run_source() -> str:
        for name, formula in op.formulas.items():
            scope["formula_" + name] = plain = _over_arrays(formula)
            if _gains(op, formula):
                scope["fused_" + name] = fused()(plain)
        return _run_source(op, tensors)

    body["run"] = _at_first_call("run", scope, run_source)
    body["release"] = _at_first_call("release", {}, lambda: _release_source(tensors))
    return type(op.node_name, (Node,), body)


def _saved_reader(name: str) -> Callable[[Node], Any]:
    return lambda node: unpack_tensor(node, name)


def _plain_reader(name: str) -> Callable[[Node], Any]:
    return lambda node: getattr(node, "_" + name)


#: The globals of a module -> the same with kernels in the place of primitives.
_kernels: dict[int, dict[str, Any]] = {}


def _over_arrays(formula: Callable[..., Any]) -> Callable[..., Any]:
    """The formula for arrays alone: it calls kernels where it names primitives.

    A primitive that is given arrays runs its kernel, so nothing changes but the time to find that out.
    """
    from vizgrad.function.primitive import Primitive

    module = formula.__globals__
    scope = _kernels.get(id(module))
    if scope is None:
        scope = _kernels[id(module)] = {
            name: value.forward if isinstance(value, Primitive) else value
            for name, value in module.items()
        }
    return FunctionType(
        formula.__code__, scope, formula.__name__, formula.__defaults__, formula.__closure__
    )


def _gains(op: Primitive, formula: Callable[..., Any]) -> bool:
    """Would the formula be several launches on a device? One operation need not be fused."""
    return op.fuses and sum(i.opname in _WORK for i in get_instructions(formula)) > 1


_WORK = ("BINARY_OP", "CALL", "CALL_KW", "UNARY_NEGATIVE", "COMPARE_OP")


def _run_source(op: Primitive, tensors: tuple[str, ...]) -> str:
    lines = ["def run(node, grad, real=False):"]
    if op.holomorphic:
        lines += [
            "    if grad.dtype.kind == 'c' and not real:",
            "        return conjugates(node.run(grad.conj(), True))",
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
    for i, name in enumerate(op.differentiable):
        pad = "    "
        if count > 1:
            lines += [f"    g{i} = None", f"    if e{i} is not None:"]
            pad = "        "
        arguments = formula_parameters(op.formulas[name])
        given = ", ".join(
            a if a == "grad" else f"v_{a}" if a in tensors else f"node._{a}" for a in arguments
        )
        formula = f"formula_{name}"
        if _gains(op, op.formulas[name]):
            formula = f"({formula} if grad.__class__ is ndarray else fused_{name})"
        call = f"{formula}({given})"
        lines.append(f"{pad}g{i} = {call}" if count > 1 else f"{pad}return {call}")
    if count > 1:
        lines.append("    return " + ", ".join(f"g{i}" for i in range(count)))
    return "\n".join(lines) + "\n"


def _release_source(tensors: tuple[str, ...]) -> str:
    lines = ["def release(node, token):"]
    for name in tensors:
        lines += [f"    if node._{name} is not None:", f"        node._{name} = token"]
    return "\n".join(lines if tensors else [*lines, "    pass"]) + "\n"


# --- the recording function -----------------------------------------------------------------------


def _gathered(op: Primitive, tensors: tuple[Any, ...]) -> tuple[Any, ...] | None:
    # Not at the top: that module declares a primitive, which this one compiles.
    from vizgrad.function.devices import gathered

    return gathered(op, tensors)


def compile_record(op: Primitive) -> Callable[..., Any]:
    """The function that runs `op` on Tensors and records it."""
    scope: dict[str, Any] = {
        "Tensor": Tensor, "new": object.__new__, "ndarray": xp.ndarray, "as_array": as_array,
        "kernel": op.forward, "GUARD": GUARD, "MODES": MODES, "noted": noted, "edge_of": edge_of,
        "cut_off": cut_off,
        "tick": tick, "getframe": sys._getframe, "INTERNAL": INTERNAL, "NodeClass": op.node_class,
        "Meta": Meta, "save_result": save_result, "arrays_for": arrays_for, "number": number,
        "op": op, "become_view": become_view, "kernel_error": kernel_error, "gathered": _gathered,
        "__name__": NAMELESS, "__package__": "vizgrad.ops",
    }  # fmt: skip

    def record_source() -> str:
        if _kernel(op) != "kernel":
            scope["fused_kernel"] = fused()(op.forward)
        return _record_source(op)

    record = _at_first_call("record", scope, record_source)
    record.__name__ = record.__qualname__ = op.name
    record.__doc__ = op.__doc__
    return record


def _record_source(op: Primitive) -> str:
    inputs, attributes = op.inputs, op.attributes
    arrays = [f"a{i}" for i in range(len(inputs))]
    passed = ", ".join([*arrays, *(f"{a}={a}" for a in attributes)])
    keywords = ["*", *attributes] if attributes else []
    lines = [f"def record({', '.join([*inputs, *keywords])}):"]
    lines += _read_arrays(op)
    if op.real_only:
        lines.append("    if a0.dtype.kind == 'c': raise op.refuse_complex(a0)")
    lines += [
        "    try:",  # costs nothing when nothing is raised
        f"        r = {_kernel(op)}({passed})",
        "    except Exception as error:",
        f"        moved = gathered(op, ({', '.join(inputs)},))",
        f"        if moved is None: raise kernel_error(op, error, {', '.join(arrays)}) from None",
        f"        return record({', '.join(['*moved', *(f'{a}={a}' for a in attributes)])})",
    ]
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
        lines.append(f"    become_view(out, {inputs[0]}, op.name)")
    if op.node_class is not None:
        lines += _record_node(op, results, outs)
    if not op.view:  # a view shares its source's storage, whatever the mode
        word = "if" if op.node_class is None else "elif"
        storages = " = ".join(f"{out}._storage" for out in outs)
        lines.append(f"    {word} GUARD.inference: {storages} = MODES.inference")
    lines.append("    return " + ", ".join(outs))
    return "\n".join(lines) + "\n"


def _kernel(op: Primitive) -> str:
    """What computes the result: on a device one launch, also of what is several of numpy's functions."""
    if not op.fuses or not hasattr(op.forward, "__code__"):
        return "kernel"
    return "(kernel if a0.__class__ is ndarray else fused_kernel)"


def _read_arrays(op: Primitive) -> list[str]:
    inputs = op.inputs
    lines: list[str] = []
    slow = f"{', '.join(f'a{i}' for i in range(len(inputs)))}{',' if len(inputs) == 1 else ''}"
    call = f"        {slow} = arrays_for(op, ({', '.join(inputs)},))"
    if op.typing in ("promote", "float") and len(inputs) == 2:
        first, second = inputs
        lines += [
            f"    c = {second}.__class__",
            f"    if c is float or c is int: {second} = number({second}, {first})",
        ]
    lines.append("    try:")
    lines += [f"        a{i} = {name}._array" for i, name in enumerate(inputs)]
    lines.append("    except AttributeError:")
    if op.typing in ("promote", "float") and len(inputs) > 1:
        lines += [
            f"        {', '.join(inputs)} = op.coerce({', '.join(inputs)})",
            *[f"        a{i} = {name}._array" for i, name in enumerate(inputs)],
        ]
    else:
        lines.append(f"        raise op.type_error({', '.join(inputs)}) from None")
    if op.typing in ("promote", "same") and len(inputs) > 1:
        test = " or ".join(f"a0.dtype is not a{i}.dtype" for i in range(1, len(inputs)))
        lines += [f"    if {test}:", call]
    elif op.typing == "float":
        test = " or ".join(
            ["a0.dtype.kind != 'f'"]
            + [f"a0.dtype is not a{i}.dtype" for i in range(1, len(inputs))]
        )
        lines += [f"    if {test}:", call]
    return lines


def _record_node(op: Primitive, results: list[str], outs: list[str]) -> list[str]:
    tensors, _ = saved_by(op)
    names = op.differentiable
    edges = [f"e{i}" for i in range(len(names))]
    asked = " or ".join(f"{n}._tracked" for n in names)
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
        "            while INTERNAL[f.f_globals.get('__package__')] and f.f_back is not None:",
        "                f = f.f_back",
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
            value = f"save_result({out})"
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
            lines.append(f"            node._{name} = Meta({array}.shape, {array}.dtype)")
        else:
            lines.append(f"            node._{name} = {name}")
    lines += [f"            {outs[0]}._edge = node"]
    if not op.view:
        lines += [f"            {outs[0]}._tracked = 1"]
    lines += [f"            if GUARD.scoped: node.scope = noted(node, ({', '.join(outs)},))"]
    return lines
