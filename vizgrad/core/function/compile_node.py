"""The class of an operation's nodes: slots for what is saved, and its formulas as straight-line code."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dis import get_instructions
from functools import cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import WHEN_SEVERAL, is_on_device
from vizgrad.core.arrays.dtypes import NARROW, WHEN_NARROW, float32, float64
from vizgrad.core.arrays.fusion import as_laid_out, fused
from vizgrad.core.arrays.layout import shaped
from vizgrad.core.function.bfloat16 import wide
from vizgrad.core.function.declared import (
    GROUPS,
    Declared,
    formula_parameters,
    saved_by,
    users_of,
)
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.graph.edges import edge_of
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.graph.saved import SavedResult, unpack_array, unpack_tensor
from vizgrad.core.tensor.modes import GUARD, MODES, noted
from vizgrad.core.tensor.source_location import INTERNAL, caller
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import RESULT, Tensor, new_tensor, storage_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from vizgrad.core.function.declared import Declared
    from vizgrad.core.graph.node import Node


# --- derivatives that do not change with a value, and depend on it all the same (X-42) ----------------
#
# The gradient of `hardtanh` is the one that arrives where the input lies within bounds, and 0 elsewhere: as
# a function of the input it is flat. With ``create_graph=True`` it requires grad where the input does, and
# its own derivative by the input is zeros, not None. A declaration names such values in `flat=`; the
# gradient is then the output of one more node, which leads to them and to the history of the formula. Those
# in `undefined=` are led to as well, but nothing is sent there: the gradient of a bias of a convolution
# requires grad where the image does, and has no derivative by it.


class Flat(Node):
    """Hands a gradient on over its first edge, zeros over the next ones (`zeros` of them), else nothing."""

    __slots__ = ("zeros",)

    zeros: int

    def run(self, grad: Any) -> tuple[Any, ...]:
        return grad, *self._others(grad)

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        (grad,) = grads
        if grad is None:
            return (None,) * len(self.edges)
        zeros = self._others(grad._array)
        return grad, *(None if array is None else new_tensor(array) for array in zeros)

    def _others(self, grad: Any) -> list[Any]:
        zeros = [_zeros(grad, edge) for edge in self.edges[1 : 1 + self.zeros]]
        return zeros + [None] * (len(self.edges) - 1 - self.zeros)


def _zeros(grad: Any, edge: Node | Edge | None) -> Any:
    assert edge is not None
    meta = edge.node.meta(edge.input_nr) if isinstance(edge, Edge) else edge.meta(0)
    return shaped(xp.zeros_like, grad, shape=meta.shape, dtype=meta.dtype)


@cache
def _node_class(differentiated: str) -> type[Flat]:
    """``HardtanhBackward0`` gives ``HardtanhBackwardBackward0``."""
    return type(differentiated.removesuffix("0") + "Backward0", (Flat,), {})


def dependent(node: Node, op: Declared, grad: Tensor, results: list[Any]) -> list[Any]:
    """The gradients that the formulas of `op` gave, as functions of the values it names."""
    if not MODES.grad:
        return results
    by_name = dict(zip(op.differentiable, node.edges, strict=True)) | {"result": node}
    flat = [edge for name in op.flat if (edge := by_name[name]) is not None]
    undefined = [edge for name in op.undefined if (edge := by_name[name]) is not None]
    if not flat and not undefined:
        return results
    return [
        r if r is None or isinstance(r, Wrapped) else _dependent(node, grad, r, flat, undefined)
        for r in results
    ]


def _dependent(
    node: Node, grad: Tensor, result: Tensor, flat: list[Any], undefined: list[Any]
) -> Tensor:
    made = _node_class(node.name())()
    made.edges = (edge_of(result), *flat, *undefined)
    made.zeros = len(flat)
    # an array that the formula passed on unchanged has another owner
    fresh = result is not grad and result._view is None
    out = new_tensor(result._array if fresh else result._array.copy())
    made.sequence_nr = tick()
    made.hooks = None
    made.shape, made.dtype = out._array.shape, out._array.dtype
    made.code, made.lasti = caller() or (None, 0)
    made.scope = noted(made) if GUARD.scoped else None
    out._edge, out._tracked = made, RESULT
    return out


# --- the class of an operation's nodes ----------------------------------------------------------------

# The parts of compiled nodes that need not be straight-line code.


def save_result(out: Tensor) -> SavedResult:
    """The node's own output, saved as memory. Its storage is made now: later writes must be seen."""
    return SavedResult(out._array, storage_of(out))


def run_tensors(node: Node, grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """All formulas of a compiled node on Tensors, for create_graph."""
    op: Any = node.op  # pyright: ignore[reportAttributeAccessIssue]  of every compiled node class
    (grad,) = grads
    if grad is None:
        return (None,) * len(node.edges)
    formulas = _formulas(op)
    names = node.saved_names
    if None in node.edges:
        wanted = {
            parameter
            for (_, parameters), edge in zip(formulas, node.edges, strict=True)
            if edge is not None
            for parameter in parameters
        }
        names = [name for name in names if name in wanted]
    saved: dict[str, Any] = {name: unpack_tensor(node, name) for name in names}
    for name in node.group_names:
        saved[name] = getattr(node, "_" + name).read(node, name)
    turned = op.holomorphic and node.dtype.kind == "c"
    if turned:
        grad = conjugates(grad)
    saved["grad"] = grad
    results: list[Any] = []
    for (formula, parameters), edge in zip(formulas, node.edges, strict=True):
        if edge is None:
            results.append(None)
            continue
        values = [saved[p] if p in saved else getattr(node, "_" + p) for p in parameters]
        results.append(formula(*values))
    if op.flat or op.undefined:
        results = dependent(node, op, grad, results)
    return conjugates(tuple(results)) if turned else tuple(results)


def conjugates(results: Any) -> Any:
    """The conjugates of what a formula (or several) gave."""
    if results.__class__ is not tuple:
        return None if results is None else _conjugate(results)
    return tuple([None if result is None else _conjugate(result) for result in results])


_of_a_device = as_laid_out(xp.conjugate)


def _conjugate(value: Any) -> Any:
    """It lies in memory as `value` does; what cupy's own method gives lies in C's order."""
    return _of_a_device(value) if is_on_device(value) else value.conj()


@cache
def _formulas(op: Declared) -> list[tuple[Any, tuple[str, ...]]]:
    """Each formula, in the order of the edges, with the names of its parameters."""
    found = [op.formulas[name] for name in op.differentiable]
    return [(each, each.__code__.co_varnames[: each.__code__.co_argcount]) for each in found]


# Code that is written when it is first called: text, compiled once and kept for tracebacks.


@cache
def _code(source: str) -> CodeType:
    """Compiled source. Operations of one form have one source: most of compiling is saved by this."""
    return compile(source, "<vizgrad>", "exec")


def _define(source: str, name: str, scope: dict[str, Any]) -> Any:
    """Executes generated source and returns what it defines as `name`."""
    scope["__package__"] = (
        "vizgrad.core.function"  # not a person's code: `place.caller` passes over it
    )
    exec(_code(source), scope)  # noqa: S102  our own text, made from declarations
    return scope[name]


#: The functions that have been written so far. They are let go of with the operations that they are of.
_written: WeakSet[Any] = WeakSet()


def write_again() -> None:
    """Writes all functions anew, because what their source depends on has changed.

    That is how what few programs use (narrow types, autocast, a second device) costs nothing to others.
    """
    for function in list(_written):
        function.__globals__["become"]()


WHEN_NARROW.append(write_again)
WHEN_SEVERAL.append(write_again)


def at_first_call(owner: str, name: str, scope: dict[str, Any], write: Callable[[], str]) -> Any:
    """A function over the globals `scope` whose source is written and compiled when it is first called.

    A traceback shows it as a file ``<vizgrad mul.record>``, for the `owner` mul, with its text.
    It stays the same object for all references to it: only its code is replaced.
    """

    def become() -> Any:
        source = write()
        written = _define(source, name, {})
        filename = f"<vizgrad {owner}.{name}>"
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
        # In this order: another thread may call it in between, and the waiting form has no parameter
        # that a default could go to.
        function.__defaults__ = written.__defaults__
        function.__code__ = written.__code__.replace(co_filename=filename)
        _written.add(function)
        return function

    scope["become"] = become
    waiting = f"def {name}(*args, **kwargs):\n    return become()(*args, **kwargs)\n"
    function = _define(waiting, name, scope)
    return function


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
        "plain_results": op.outputs[1:],
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
        "FLOAT": float32.np, "DOUBLE": float64.np, "NARROW": NARROW, "wide": wide,
        "__name__": "vizgrad.core.ops.compiled",
    }  # fmt: skip

    def run_source() -> str:
        for name, formula in op.formulas.items():
            scope["formula_" + name] = plain = _over_arrays(formula)
            if _gains(op, formula):
                scope["fused_" + name] = fused()(plain)
        if op.together is not None:
            scope["together"] = _over_arrays(op.together)
        return _run_source(op, tensors, groups)

    body["run"] = at_first_call(op.name, "run", scope, run_source)
    body["release"] = at_first_call(
        op.name, "release", {}, lambda: _release_source(tensors, groups)
    )
    return type(op.node_name, (Node,), body)


def _saved_reader(name: str) -> Callable[[Node], Any]:
    """None for an operand that was not given, as in PyTorch."""

    def read(node: Node) -> Any:
        saved = unpack_tensor(node, name)
        return None if saved is not None and saved._is_absent else saved

    return read


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
            "            return conjugates(node.run(conjugates(grad), True))",
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
    lines += _together(op, (*tensors, *groups))
    for i, name in enumerate(op.differentiable):
        pad = "    "
        if count > 1:
            lines += [f"    g{i} = None", f"    if e{i} is not None:"]
            pad = "        "
        given = _given_to(op.formulas[name], (*tensors, *groups))
        formula = f"formula_{name}"
        if _gains(op, op.formulas[name]):
            formula = f"({formula} if grad.__class__ is ndarray else fused_{name})"
        call = f"{formula}({given})"
        lines.append(f"{pad}g{i} = {call}" if count > 1 else f"{pad}return {call}")
    if count > 1:
        lines.append("    return " + ", ".join(f"g{i}" for i in range(count)))
    return "\n".join(lines) + "\n"


def _together(op: Declared, unpacked: tuple[str, ...]) -> list[str]:
    if op.together is None:
        return []
    wanted = ", ".join(f"e{i} is not None" for i in range(len(op.differentiable)))
    return [
        "    if e0 is not None and e1 is not None and grad.__class__ is ndarray:",
        f"        wanted = ({wanted})",
        f"        return together({_given_to(op.together, unpacked)})",
    ]


def _given_to(formula: Callable[..., Any], unpacked: tuple[str, ...]) -> str:
    """The arguments of a call of `formula`: what arrived, what was unpacked, what the node has as it is."""
    return ", ".join(
        a if a in ("grad", "wanted") else f"v_{a}" if a in unpacked else f"node._{a}"
        for a in formula_parameters(formula)
    )


def _release_source(tensors: tuple[str, ...], groups: tuple[str, ...]) -> str:
    lines = ["def release(node, token):"]
    for name in tensors:
        lines += [f"    if node._{name} is not None:", f"        node._{name} = token"]
    lines += [f"    node._{name}.release(token)" for name in groups]
    return "\n".join(lines if len(lines) > 1 else [*lines, "    pass"]) + "\n"
