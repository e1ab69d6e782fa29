"""Names from source text: what did the person call the tensor that this instruction wrote?

Only the interpreter's own record of where the instruction stands in its line is used; when that, or the
line, is not to be had, there is no answer rather than a guess.
"""

from __future__ import annotations

import ast
import linecache
from functools import lru_cache

from vizgrad.core.tensor.source_location import Site


def statement_at(site: Site) -> ast.AST | None:
    """The smallest expression or statement of the source that covers the instruction."""
    line = site.line()
    columns = site.columns()
    lines = linecache.getlines(site.file)
    if not lines:
        return None
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return None
    best: ast.AST | None = None
    for node in ast.walk(tree):
        if not isinstance(node, (ast.expr, ast.stmt)) or isinstance(
            node, (ast.FunctionDef, ast.ClassDef, ast.For, ast.While, ast.If, ast.With)
        ):
            continue
        if not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        if columns is not None and isinstance(node, ast.expr):
            if (node.lineno, node.col_offset, node.end_col_offset) != (line, *columns):
                continue
            return node
        if isinstance(node, ast.stmt):
            best = node
    return best


#: What the module is usually called.
_MODULES = frozenset({"vizgrad", "vg", "torch", "T", "F", "functional", "init"})


@lru_cache(maxsize=1024)
def written_name(site: Site | None) -> str:
    """The variable that the in-place operation at `site` wrote through, as written; else ""."""
    node = None if site is None else statement_at(site)
    target: ast.AST | None = None
    if isinstance(node, ast.Expr):
        node = node.value
    if isinstance(node, ast.Call):
        out = next((k.value for k in node.keywords if k.arg == "out"), None)
        if out is not None:
            target = out
        elif isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
            target = node.func.value
            if node.args and ast.unparse(target).rpartition(".")[2] in _MODULES:
                target = node.args[0]  # `torch.relu_(x)`, `nn.init.zeros_(weight)`
    elif isinstance(node, ast.AugAssign):
        target = node.target
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        target = node.targets[0].value
    elif isinstance(node, ast.Subscript):
        target = node.value
    while isinstance(target, ast.Call) and isinstance(target.func, ast.Attribute):
        target = target.func.value
    return "" if target is None else ast.unparse(target)
