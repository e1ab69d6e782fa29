"""`python -m vizgrad.ops [NAME ...]`: the registry as text; without names all there is, a line each."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from types import FunctionType

import vizgrad
from vizgrad.core.batching import everything as everything
from vizgrad.core.batching.rules import how
from vizgrad.core.function.primitive import REGISTRY, Primitive
from vizgrad.core.ops import registry
from vizgrad.core.ops.registry import CallGraph

#: The paths of declarations are relative to this folder.
HOME = Path(vizgrad.__file__).parents[1]


def main(names: list[str]) -> int:
    """Prints what is known of each name, or the list of all; 1 if a name is unknown."""
    operations = registry.operations()
    modules = {
        "": vizgrad, "linalg.": vizgrad.linalg, "fft.": vizgrad.fft, "special.": vizgrad.special,
        "nn.functional.": vizgrad.nn.functional,
    }  # fmt: skip
    graph = CallGraph()
    functions = {
        p + n: f for p, m in modules.items() for n, f in registry.functions(m, graph).items()
    }
    if not names:
        _list(operations, functions)
        return 0
    unknown = [n for n in names if n not in operations and n not in functions]
    for name in names:
        if name in functions:
            _function(name, functions[name])
        if name in operations:
            _operation(operations[name])
    if unknown:
        print(f"No operation or function is called {', '.join(unknown)}", file=sys.stderr)
    return 1 if unknown else 0


def _list(
    operations: dict[str, registry.Operation], functions: dict[str, registry.Function]
) -> None:
    print(f"{len(functions)} functions\n")
    for name, function in functions.items():
        print(f"{name:32} {' '.join((*function.operations, *function.nodes))}")
    print(f"\n{len(operations)} operations\n")
    for name, op in operations.items():
        print(f"{name:32} {op.node or 'no derivative':36} {', '.join(op.differentiable)}")
    for way, text in (("loop", "looped under vmap"), ("refused", "refused there")):
        found = [name for name in operations if how(REGISTRY[name]) == way]
        print(f"\n{len(found)} of these are {text}: {', '.join(found) or 'none'}")


def _function(name: str, function: registry.Function) -> None:
    short = name.rpartition(".")[2]
    print(f"vizgrad.{name}{function.signature}\n    {function.summary}")
    variants = [f"Tensor.{short}"] * function.method + [f"Tensor.{short}_"] * function.in_place
    variants += ["out="] * function.out
    _facts(
        {
            "also": ", ".join(variants),
            "records": ", ".join((*function.operations, *function.nodes)),
        }
    )


def _operation(op: registry.Operation) -> None:
    print(f"operation {op.name}({', '.join((*op.inputs, *(f'{a}=' for a in op.attributes)))})")
    print(f"    {op.summary}")
    types = registry.dtypes(op.name)
    _facts(
        {
            "declared in": _place(REGISTRY[op.name]),
            "node": op.node or "none: no derivative",
            "types": f"{op.typing}; {'as the attributes say' if types is None else ' '.join(types)}",
            "facts": ", ".join((*sorted(op.structure), *["view"] * op.view)),
            "saves": ", ".join(op.saved),
            "tangent": op.tangent,
            "batching": how(REGISTRY[op.name]),
        }
    )
    for name, formula in op.formulas.items():
        print(f"    gradient of {name}:\n{textwrap.indent(formula, '        ')}")


def _place(op: Primitive) -> str:
    """The file and line of the first formula, or of the kernel; "" if both are functions of numpy."""
    functions = (*op.formulas.values(), op.kernel)
    code = next((f.__code__ for f in functions if isinstance(f, FunctionType)), None)
    return (
        "" if code is None else f"{Path(code.co_filename).relative_to(HOME)}:{code.co_firstlineno}"
    )


def _facts(facts: dict[str, str]) -> None:
    for label, text in facts.items():
        if text:
            print(f"    {label}: {text}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
