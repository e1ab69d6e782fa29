"""`python -m vizgrad.core.ops.stub`: writes `vizgrad/__init__.pyi`, where typing tools find its names.

Operations get their names when they are declared, which no such tool can see. A function written by
hand is named by its home; one made from a declaration is written out with its signature.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import vizgrad
from vizgrad.core.ops.forms import FORMS, Forms

STUB = Path(vizgrad.__file__).with_suffix(".pyi")
_HEAD = '"""Written by `python -m vizgrad.ops.stub` from what operations say of themselves: do not edit."""\n'


def text() -> str:
    """The stub."""
    body = ast.parse(Path(vizgrad.__file__).read_text("utf-8")).body
    imports = {"from typing import Any as _Any", *_imports(body), *_by_hand(), *_later()}
    made = [f for _, f in sorted(FORMS.items()) if f.function and f.operation]
    made.sort(key=lambda forms: bool(forms.alias_of))
    return "\n".join(
        [_HEAD, *sorted(imports), "", *map(_written_out, made), "", *_values(body), ""]
    )


def _imports(body: list[ast.stmt]) -> Iterator[str]:
    """The imports of `vizgrad/__init__.py`."""
    for statement in body:
        if isinstance(statement, ast.ImportFrom):
            for each in statement.names:
                name = each.asname or each.name
                if not name.startswith("_") or name == "__version__":
                    yield f"from {statement.module} import {each.name} as {name}"


def _values(body: list[ast.stmt]) -> Iterator[str]:
    """The names that it gives a second name."""
    for statement in body:
        match statement:
            case ast.Assign([ast.Tuple(names)], ast.Tuple(values)):
                for name, value in zip(names, values, strict=True):
                    yield f"{ast.unparse(name)} = {ast.unparse(value)}"
            case ast.Assign([ast.Name(name)], value) if not name.startswith("_"):
                yield f"{name} = {ast.unparse(value)}"


def _by_hand() -> Iterator[str]:
    for name, forms in FORMS.items():
        function = forms.function
        if function is not None and forms.operation is None:
            yield f"from {forms.home} import {function.__name__} as {name}"


def _later() -> Iterator[str]:
    for package, names in vizgrad._LATER.items():
        if "." not in package:
            yield f"from vizgrad import {package} as {package}"
        for name in names.split():
            yield f"from vizgrad.{package} import {name} as {name}"


def _written_out(forms: Forms) -> str:
    if forms.alias_of:
        return f"{forms.name} = {forms.alias_of}"
    parameters: list[str] = []
    for each in inspect.signature(forms.function).parameters.values():
        if each.kind is each.KEYWORD_ONLY and "*" not in parameters:
            parameters.append("*")
        kind = (
            "Tensor" if each.name == "input" else "Tensor | None" if each.name == "out" else "_Any"
        )
        parameters.append(f"{each.name}: {kind}" + (" = None" if each.name == "out" else ""))
    return f"def {forms.name}({', '.join(parameters)}) -> Tensor: ..."


if __name__ == "__main__":
    STUB.write_text(text(), "utf-8")
