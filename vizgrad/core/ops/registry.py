"""All operations, as data: for documentation, tests, and tools (spec T-96).

`operations()` are the declarations, each a kernel and its formulas. `functions(module)` are the public
functions of a module with the operations that each records, read from its code: nothing is run.
`dtypes(name)` tries an operation on each element type. `python -m vizgrad.ops` prints all that.
"""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import CodeType, FunctionType, ModuleType
from typing import Any, Literal

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import ALL, DType
from vizgrad.core.function.declared import saved_by
from vizgrad.core.function.primitive import REGISTRY, Primitive
from vizgrad.core.graph.node import Node
from vizgrad.core.ops.tangents.table import kind_of
from vizgrad.core.tensor.tensor import Tensor, new_tensor

# Which operations a function can record, read from its code and from that of the functions it calls.

#: Whose code is read.
_OURS = ("vizgrad.core.ops", "vizgrad.nn.functional")
_MISSING = object()


class CallGraph:
    """Which functions name what, each read once: for one look at the library, as a name may be bound anew."""

    def __init__(self) -> None:
        #: The generated functions that record, by identity: public names are often just these.
        self._recorders = {id(op.record): op for op in REGISTRY.values()}
        self._named: dict[FunctionType, tuple[Any, ...]] = {}

    def reached(self, function: Any) -> tuple[frozenset[Primitive], frozenset[type[Node]]]:
        """(primitives, node classes written by hand) that `function` names, itself or through others.

        Nothing is run, so an operation behind an `if` counts as well.
        """
        primitives: set[Primitive] = set()
        nodes: set[type[Node]] = set()
        stack, seen = [function], set[int]()
        while stack:
            value = stack.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            value = self._recorders.get(id(value), value)
            if isinstance(value, Primitive):
                primitives.add(value)
            elif isinstance(value, type) and issubclass(value, Node):
                nodes.add(value)
            elif isinstance(value, FunctionType) and is_ours(value):
                if value not in self._named:
                    self._named[value] = tuple(_named(value))
                stack.extend(self._named[value])
        return frozenset(primitives), frozenset(nodes)


def is_ours(function: Any) -> bool:
    """Is it written, or made, by vizgrad's operations?"""
    module = function.__module__ or ""
    return module == "vizgrad" or module.startswith(_OURS)


def _named(function: FunctionType) -> Iterator[Any]:
    """The names in the code of `function`: globals, attributes of modules, imports, closures."""
    for cell in function.__closure__ or ():
        if cell.cell_contents is not function:
            yield cell.cell_contents
    yield from (function.__defaults__ or ())
    wrapped = getattr(function, "__wrapped__", None)
    if wrapped is not None:  # `requirements.checked` names it only after the first call
        yield wrapped
    for code in _codes(function.__code__):
        yield from _names_in(code, function.__globals__)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


@cache
def _module(name: str) -> ModuleType:
    return import_module(name)


def _names_in(code: CodeType, scope: dict[str, Any]) -> Iterator[Any]:
    local: dict[str, Any] = {}
    value: Any = _MISSING
    for instruction in dis.get_instructions(code):
        kind, name = instruction.opname, instruction.argval
        if kind in ("LOAD_GLOBAL", "LOAD_NAME"):
            value = scope.get(name, getattr(builtins, name, _MISSING))
        elif kind in ("LOAD_ATTR", "LOAD_METHOD") and value is not _MISSING:
            value = getattr(value, name, _MISSING) if _open(value) else _MISSING
        elif kind == "IMPORT_NAME":
            value = _module(name) if name.startswith(_OURS) else _MISSING
        elif kind == "IMPORT_FROM":
            member = getattr(_module_of(code, instruction), name, _MISSING)
            yield member
            local[name] = member
            continue
        elif kind.startswith("LOAD_FAST") and isinstance(name, str) and name in local:
            value = local[name]
        elif kind not in ("PUSH_NULL", "PRECALL", "CACHE", "RESUME", "COPY_FREE_VARS"):
            value = _MISSING
        if value is not _MISSING:
            yield value


def _module_of(code: CodeType, at: dis.Instruction) -> Any:
    """The module that the `from ... import` of this instruction names."""
    name = ""
    for instruction in dis.get_instructions(code):
        if instruction.offset >= at.offset:
            break
        if instruction.opname == "IMPORT_NAME":
            name = instruction.argval
    return _module(name) if name.startswith(_OURS) else None


def _open(value: Any) -> bool:
    """Is an attribute of it a name of ours? For tensors and the like it is not known before a run."""
    return isinstance(value, (ModuleType, Primitive))


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
    except (AttributeError, TypeError, RuntimeError, IndexError, ValueError):  # of a kernel, too
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
