"""What operations there are, as data: for documentation, tests, and tools (spec T-96).

`operations()` are the declarations, each a kernel and its formulas. `functions(module)` are the public
functions of a module with the operations that each records, read from its code: nothing is run.
`dtypes(name)` tries an operation on each element type. `python -m vizgrad.ops` prints all that.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import FunctionType, ModuleType
from typing import Any, Literal

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import ALL, DType
from vizgrad.core.function.declared import saved_by
from vizgrad.core.function.primitive import REGISTRY, Primitive
from vizgrad.core.graph.node import Node
from vizgrad.core.ops.call_graph import CallGraph, is_ours
from vizgrad.core.ops.tangents.table import kind_of
from vizgrad.core.tensor.tensor import Tensor, new_tensor


@dataclass(frozen=True, slots=True)
class Operation:
    """A declaration: what it takes, what its node is called and saves, and how it is differentiated."""

    name: str
    summary: str
    #: Tensors, and after them attributes, which are plain values.
    inputs: tuple[str, ...]
    attributes: tuple[str, ...]
    outputs: tuple[str, ...]
    differentiable: tuple[str, ...]
    #: How element types are brought together: "promote", "float" (and integers become the default
    #: float), "same" (or RuntimeError), "keep" (each is what it is).
    typing: Literal["promote", "float", "same", "keep"]
    complex: bool
    view: bool
    #: Facts from which batching and forward mode follow: "pointwise", "linear".
    structure: frozenset[str]
    node: str | None
    #: How tangents go through it in forward mode: "linear", "pointwise", "product", "reduction", "rule", ...;
    #: "transposed" is the general way, by two gradients. Empty: there is no derivative.
    tangent: str
    saved: tuple[str, ...]
    #: For each differentiable input the text of its formula.
    formulas: dict[str, str]


@dataclass(frozen=True, slots=True)
class Function:
    """A public function, and under which other names it is there."""

    name: str
    signature: str
    summary: str
    out: bool
    method: bool
    in_place: bool
    #: Names of the operations that its code names; those it writes as operators (a * b) come on top.
    operations: tuple[str, ...]
    #: Names of nodes written by hand, for operations with any number of inputs or outputs.
    nodes: tuple[str, ...]


def operations() -> dict[str, Operation]:
    """Every declared operation, by name; also of files that no program has needed so far."""
    for module in iter_modules([str(Path(__file__).parent)], "vizgrad.core.ops."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    return {name: _operation(op) for name, op in sorted(REGISTRY.items())}


def functions(module: ModuleType, graph: CallGraph | None = None) -> dict[str, Function]:
    """The public functions of `module` that compute with tensors, by name.

    Several modules are looked at faster with one `graph`: they call the same functions.
    """
    graph = graph or CallGraph()
    found = {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and not name.endswith("_") and _of_tensors(value)
    }
    return {name: _function(name, value, graph) for name, value in sorted(found.items())}


def dtypes(name: str) -> tuple[str, ...] | None:
    """Element types that an operation takes, all inputs alike; None if it needs attributes to be tried."""
    op = REGISTRY[name]
    if op.attributes:
        return None
    return tuple(dtype.name for dtype in ALL if _takes(op, dtype))


def _takes(op: Primitive, dtype: DType) -> bool:
    square = new_tensor(xp.ones((2, 2), dtype.np))
    try:
        op.record(*[square] * len(op.inputs))
    except (TypeError, RuntimeError, IndexError, ValueError):
        return False
    return True


def _operation(op: Primitive) -> Operation:
    tensors, plain = saved_by(op) if op.formulas else ((), ())
    return Operation(
        name=op.name,
        summary=_first_line(op.__doc__),
        inputs=op.inputs,
        attributes=op.attributes,
        outputs=op.outputs,
        differentiable=op.differentiable,
        typing=op.typing,
        complex=not op.real_only,
        view=op.view,
        structure=op.structure,
        node=op.node_name if op.formulas else None,
        tangent=kind_of(op),
        saved=(*tensors, *plain),
        formulas={name: op.maths.get(name) or _text(f) for name, f in op.formulas.items()},
    )


def _of_tensors(value: Any) -> bool:
    if not isinstance(value, FunctionType) and not isinstance(value, Primitive):
        return False
    return isinstance(value, Primitive) or is_ours(value)


def _function(name: str, value: Callable[..., Any], graph: CallGraph) -> Function:
    signature = inspect.signature(value)
    primitives, nodes = graph.reached(value)
    return Function(
        name=name,
        signature=_readable(signature),
        summary=_first_line(value.__doc__),
        out="out" in signature.parameters,
        method=hasattr(Tensor, name),
        in_place=hasattr(Tensor, name + "_"),
        operations=tuple(sorted(p.name for p in primitives)),
        nodes=tuple(sorted(n.__name__ for n in nodes if n is not Node)),
    )


class _Text(str):
    """An annotation that is printed without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def _readable(signature: inspect.Signature) -> str:
    parameters = [
        p.replace(annotation=_Text(p.annotation)) if isinstance(p.annotation, str) else p
        for p in signature.parameters.values()
    ]
    returned = signature.return_annotation
    if isinstance(returned, str):
        returned = _Text(returned)
    return str(signature.replace(parameters=parameters, return_annotation=returned))


def _first_line(doc: str | None) -> str:
    return (doc or "").strip().partition("\n")[0]


def _text(formula: Callable[..., Any]) -> str:
    """The source of a formula without its head; of a single return, what is returned."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(formula)))
    function = next(_functions(tree))
    if isinstance(function, ast.Lambda):
        return ast.unparse(function.body)
    body = function.body
    if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
        return ast.unparse(body[0].value)
    return "\n".join(map(ast.unparse, body))


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.Lambda]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            yield node
