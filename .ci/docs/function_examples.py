"""The examples of functions that the reference shows, with what they give, which comes from running them.

`notebooks/site/functions/` has them: statements, then an expression, whose function they are an example of.
Each begins from nothing, after `import vizgrad as vg` and `manual_seed(0)`. A function that works in place
and has no example of its own has that of the plain function, on a tensor with a name.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "notebooks" / "site" / "functions"


@dataclass(frozen=True)
class Example:
    """Statements, and the expression after them."""

    name: str
    before: str
    expression: str

    def run(self, library: Any) -> Any:
        """Its value, with `library` (vizgrad, or PyTorch) as `vg`."""
        library.manual_seed(0)
        scope: dict[str, Any] = {"vg": library}
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # some of PyTorch's names are there for old programs alone
            exec(self.before, scope)
            return eval(self.expression, scope)

    def shown(self, library: Any) -> str:
        """As in a terminal, with the value."""
        lines = [*self.before.splitlines(), *self.expression.splitlines()]
        value = self.run(library)
        said = "" if value is None else f"\n{value!r}"
        return "\n".join(f">>> {line}" for line in lines) + said


def name_of(node: ast.expr) -> str:
    """The function of `vg` that an expression calls ("linalg.inv"). SystemExit if there is none."""
    match node:
        case ast.Call(func=ast.Attribute() as called) if (name := _dotted(called)).startswith(
            "vg."
        ):
            return name.removeprefix("vg.")
        case ast.Call(func=ast.Attribute(value=inner)) | ast.Attribute(value=inner):
            return name_of(inner)
        case ast.Subscript(value=inner) | ast.Compare(left=inner) | ast.BinOp(left=inner):
            return name_of(inner)
    raise SystemExit(f"{ast.unparse(node)} is an example of no function")


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=inner, attr=name):
            return f"{_dotted(inner)}.{name}"
    return ""


def _read(path: Path) -> Iterator[Example]:
    text = path.read_text("utf-8")
    before: list[str] = []
    for statement in ast.parse(text).body:
        source = ast.get_source_segment(text, statement) or ""
        if isinstance(statement, ast.Expr):
            yield Example(name_of(statement.value), "\n".join(before), source)
            before = []
        elif source != "import vizgrad as vg":
            before.append(source)


def _in_place(plain: Example) -> Example:
    """``vg.abs(vg.tensor([1.0]))`` as ``x = vg.tensor([1.0])`` and ``vg.abs_(x)``."""
    call = ast.parse(plain.expression, mode="eval").body
    if not isinstance(call, ast.Call):
        raise SystemExit(f"{plain.name}_ needs an example of its own")
    made = ast.unparse(call.args[0])
    call.args[0] = ast.Name("x")
    called = ast.unparse(call).replace(f"vg.{plain.name}(", f"vg.{plain.name}_(", 1)
    return Example(f"{plain.name}_", f"x = {made}", called)


def function_examples(names: list[str]) -> dict[str, Example]:
    """By names of functions. Raises SystemExit where two are of one function, or one of none of `names`."""
    found: dict[str, Example] = {}
    for path in sorted(FOLDER.glob("*.py")):
        for example in _read(path):
            if example.name in found or example.name not in names:
                raise SystemExit(f"{path.name}: {example.name} is there twice, or no function")
            found[example.name] = example
    for name in names:
        plain = name.removesuffix("_")
        if name != plain and name not in found and plain in found:
            found[name] = _in_place(found[plain])
    return found
