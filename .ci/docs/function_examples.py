"""The examples of functions and methods that the reference shows, with the values that running them gives.

`notebooks/site/functions/` has them: statements, then an expression, whose function they are an example of;
an empty line comes after one that names no function of `vg`. Each begins from nothing, after
`import vizgrad as vg` and `manual_seed(0)`. A function that works in place and has no example of its own has
that of the plain function, on a tensor with a name; a method that of the function, called on its first
argument. `notebooks/site/methods.py` has those of other methods.
"""

from __future__ import annotations

import ast
import functools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

METHODS = Path(__file__).parents[2] / "notebooks" / "site" / "methods.py"
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
    """The function or class of `vg` that an expression calls ("linalg.inv"); "" if there is none."""
    match node:
        case ast.Call(func=ast.Attribute() as called) if (name := _dotted(called)).startswith(
            "vg."
        ):
            return name.removeprefix("vg.")
        case ast.Call(func=ast.Attribute(value=inner)) | ast.Attribute(value=inner):
            return name_of(inner)
        case ast.Call(func=ast.Call() as inner):
            return name_of(inner)
        case ast.Subscript(value=inner) | ast.Compare(left=inner) | ast.BinOp(left=inner):
            return name_of(inner)
    return ""


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=inner, attr=name) if inner_name := _dotted(inner):
            return f"{inner_name}.{name}"
    return ""


@functools.cache
def _read(path: Path) -> list[Example]:
    return [*_examples_in(path)]


def _examples_in(path: Path) -> Iterator[Example]:
    text = path.read_text("utf-8")
    lines = text.encode().splitlines()
    before: list[str] = []
    body = ast.parse(text).body
    for statement, after in zip(body, [*body[1:], None], strict=True):
        # ast.get_source_segment() would split the text anew for each
        end = statement.end_lineno or 0
        last = lines[end - 1][: statement.end_col_offset]
        source = b"\n".join([*lines[statement.lineno - 1 : end - 1], last]).decode()
        if isinstance(statement, ast.Expr):
            name = name_of(statement.value)
            if path == METHODS:
                name = _method_of(statement.value)
            if not name and after is not None and after.lineno == (statement.end_lineno or 0) + 1:
                before.append(source)  # a call on the way, as of `loss.backward()`
                continue
            name = name or _name_before(before)
            if not name:
                raise SystemExit(f"{path.name}: {source} is an example of no function")
            yield Example(name, "\n".join(before), source)
            before = []
        elif source != "import vizgrad as vg":
            before.append(source)


def _name_before(statements: list[str]) -> str:
    """The last class or function of a part of `vg` that is inherited from or called.

    So `w.detach()` after a step is an example of the optimizer.
    """
    found = ""
    for statement in ast.parse("\n".join(statements)).body:
        if isinstance(statement, ast.ClassDef):
            found = _dotted(statement.bases[0]).removeprefix("vg.")
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and (called := _dotted(node.func)).count(".") > 1:
                found = called.removeprefix("vg.")
    return found


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


def method_examples(functions: dict[str, Example], names: list[str]) -> dict[str, Example]:
    """By names of methods of Tensor: those of `methods.py`, then those that follow from functions'.

    Raises SystemExit where one is of none of `names`.
    """
    found: dict[str, Example] = {}
    for example in _read(METHODS):
        called = ast.parse(example.expression, mode="eval").body
        name = _method_of(called)
        if name not in names or name in found:
            raise SystemExit(
                f"{METHODS.name}: {example.expression} is there twice, or of no method"
            )
        found[name] = Example(name, example.before, example.expression)
    for name in names:
        plain = functions.get(name) or functions.get(name.removesuffix("_"))
        if (
            name not in found
            and plain is not None
            and (made := _as_method(plain, name)) is not None
        ):
            found[name] = made
    return found


#: Read of results that are too long, or random.
_OF_RESULTS = {"shape", "tolist", "nbytes", "name"}


def _method_of(node: ast.expr) -> str:
    """The last attribute that is read or called, but for what says something of the result."""
    while not isinstance(node, ast.Attribute) or node.attr in _OF_RESULTS:
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value
        else:
            raise SystemExit(f"{ast.unparse(node)} calls no method")
    return node.attr


def _as_method(plain: Example, name: str) -> Example | None:
    """``vg.add(x, y)`` as ``x.add(y)``, and for ``add_`` on a tensor with a name; None of another form."""
    call = ast.parse(plain.expression, mode="eval").body
    if not (isinstance(call, ast.Call) and _dotted(call.func) == f"vg.{plain.name}" and call.args):
        return None
    first, *rest = call.args
    if not isinstance(first, ast.Name | ast.Call):
        return None
    before = plain.before
    if name != plain.name and isinstance(first, ast.Call):
        before = f"{before}\nx = {ast.unparse(first)}".strip()
        first = ast.Name("x")
    method = ast.Call(ast.Attribute(first, name), rest, call.keywords)
    return Example(name, before, ast.unparse(method))
