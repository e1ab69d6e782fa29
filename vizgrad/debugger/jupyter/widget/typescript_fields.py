"""How a dataclass of the model is said in TypeScript: its fields, their types and readers, its comments."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
from functools import cache
from types import ModuleType
from typing import Any, cast

#: Characters of a line; prettier is told the same.
WIDTH = 100
_SIMPLE = {"int": "number", "float": "number", "str": "string", "bool": "boolean"}
_READERS = {"int": "integer", "float": "float", "str": "string", "bool": "boolean"}


# --- annotations ------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Form:
    """How a value of some annotation is written in TypeScript: its type, and the reader of one."""

    type: str
    reader: str
    #: Names of other classes and words that type and reader refer to.
    names: tuple[str, ...] = ()


def _form(annotation: str, module: ModuleType) -> Form:
    return _of(ast.parse(annotation, mode="eval").body, vars(module))


def _of(node: ast.expr, names: dict[str, Any]) -> Form:
    match node:
        case ast.Name(id=name) if name in _SIMPLE:
            return Form(_SIMPLE[name], _READERS[name])
        case ast.Name(id=name):
            # A name that may be any word is written as itself: its comment says which there are.
            simple = names[name] is str
            return Form(name, "string" if simple else f"read{name}", (name,))
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return _of(ast.Name(name), vars(cast("ModuleType", names[module])))
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            inner = _of(left, names)
            return Form(f"{inner.type} | null", f"nullable({inner.reader})", inner.names)
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=elements)):
            if isinstance(elements[-1], ast.Constant) and elements[-1].value is ...:
                inner = _of(elements[0], names)
                element = f"({inner.type})" if " " in inner.type else inner.type
                return Form(f"readonly {element}[]", f"array({inner.reader})", inner.names)
            if len(elements) == 2:
                both = [_of(element, names) for element in elements]
                return Form(
                    f"readonly [{both[0].type}, {both[1].type}]",
                    f"pair({both[0].reader}, {both[1].reader})",
                    (*both[0].names, *both[1].names),
                )
        case _:
            pass
    raise TypeError(f"no TypeScript is defined for the annotation {ast.unparse(node)!r}")


@dataclasses.dataclass(frozen=True)
class Field:
    name: str
    form: Form
    comment: str
    #: The reader of a field that may be left out gives this for it; None: it may not be.
    default: str | None

    @property
    def reader(self) -> str:
        reader = self.form.reader
        return reader if self.default is None else f"optional({reader}, {self.default})"


@cache
def fields_of(cls: type) -> tuple[Field, ...]:
    module = inspect.getmodule(cls)
    assert module is not None
    comments = _comments(cls)
    return tuple(
        Field(
            field.name,
            _form(str(field.type), module),
            comments.get(field.name, ""),
            None if field.default is dataclasses.MISSING else _value(field.default),
        )
        for field in dataclasses.fields(cls)
    )


def _value(default: Any) -> str:
    if default is None:
        return "null"
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, int | float):
        return f"{default:g}"
    if isinstance(default, str):
        return quoted(default)
    if default == ():
        return "[]"
    if dataclasses.is_dataclass(default) and default == type(default)():
        return f"read{type(default).__name__}({{}})"
    raise TypeError(f"no TypeScript is defined for the default {default!r}")


def quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


# --- comments ---------------------------------------------------------------------------------------


def _comments(cls: type) -> dict[str, str]:
    """The `#:` comment above each field that has one."""
    return marked(textwrap.dedent(inspect.getsource(cls)).splitlines(), "    ")


def marked(lines: list[str], indent: str) -> dict[str, str]:
    """`#:` lines by the name that the line below them gives a value or a type."""
    found: dict[str, str] = {}
    words: list[str] = []
    for line in lines:
        text = line.removeprefix(indent)
        if text.startswith("#:"):
            words.append(text[2:].strip())
            continue
        name = text.partition(":")[0].partition(" =")[0]
        if words and name.isidentifier():
            found[name] = " ".join(words)
        words = []
    return found


def comment(text: str, indent: str = "") -> str:
    """A comment of one line or several; double backquotes are of Python's documents."""
    text = inspect.cleandoc(text).replace("``", "`").replace("*/", "* /")
    one = f"{indent}/** {' '.join(text.split())} */"
    if not text:
        return ""
    if "\n\n" not in text and len(one) <= WIDTH:
        return one + "\n"
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        if lines:
            lines.append(f"{indent} *")
        for point in paragraph.replace("\n- ", "\n\n- ").split("\n\n"):
            room = textwrap.TextWrapper(WIDTH, break_long_words=False, break_on_hyphens=False)
            room.initial_indent = room.subsequent_indent = f"{indent} * "
            room.subsequent_indent += "  " if point.startswith("- ") else ""
            lines += room.wrap(" ".join(point.split()))
    return "\n".join([f"{indent}/**", *lines, f"{indent} */", ""])


def docstring(cls: type) -> str:
    text = cls.__doc__ or ""
    return "" if text.startswith(f"{cls.__name__}(") else text  # dataclasses write one


def marked_behind(module: ModuleType) -> dict[str, str]:
    """Comments behind the value, on its line."""
    found: dict[str, str] = {}
    for line in inspect.getsource(module).splitlines():
        code, mark, text = line.partition("  # ")
        name = code.partition(" =")[0]
        if mark and name.isidentifier():
            found[name] = text.strip()
    return found
