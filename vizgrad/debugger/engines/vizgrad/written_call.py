"""What an operation is called where a person wrote it: `mul` of ``a * b``, `where` of ``vg.where(...)``."""

from __future__ import annotations

import ast
import linecache
from functools import lru_cache
from itertools import islice
from textwrap import dedent
from types import CodeType

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.MatMult: "matmul",
    ast.Pow: "pow", ast.Mod: "remainder", ast.FloorDiv: "floor_divide", ast.USub: "neg",
    ast.Gt: "gt", ast.Lt: "lt", ast.GtE: "ge", ast.LtE: "le", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip


@lru_cache(1024)
def written_call(code: CodeType, offset: int) -> str:
    """Of the instruction at `offset`; empty where that cannot be told."""
    at = offset // 2
    line, end_line, first, last = next(islice(code.co_positions(), at, at + 1), (None,) * 4)
    if line is None or end_line is None or first is None or last is None:
        return ""
    lines = [
        linecache.getline(code.co_filename, n).encode("utf-8", "surrogatepass")
        for n in range(line, end_line + 1)
    ]
    lines[-1] = lines[-1][:last]
    lines[0] = lines[0][first:]
    text = b"".join(lines).decode("utf-8", "replace")
    try:
        parsed = ast.parse(dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return _named(parsed.body[0]) if len(parsed.body) == 1 else ""


def _named(node: ast.AST) -> str:
    match node:
        case ast.Expr(value=value):
            return _named(value)
        case ast.Call(func=called):
            return _named(called)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case ast.AugAssign(op=operator):
            name = _OPERATORS.get(type(operator), "")
            return f"{name}_" if name else ""
        case ast.BinOp(op=operator) | ast.UnaryOp(op=operator):
            return _OPERATORS.get(type(operator), "")
        case ast.Compare(ops=[operator]):
            return _OPERATORS.get(type(operator), "")
        case ast.Subscript():
            return "getitem"
        case ast.Assign(targets=[ast.Subscript()]):
            return "setitem"
        case _:
            return ""
