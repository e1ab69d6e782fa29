"""Where a custom Function keeps something on its ctx, read off its source."""

from __future__ import annotations

import ast
from typing import Any

from vizgrad.core.errors import Place, place_at
from vizgrad.debugger.watch.source_expressions import tree_of


def kept_at(cls: Any, name: str) -> tuple[Place | None, str]:
    """The line of forward, or setup_context, that assigns `ctx.NAME`, and what it assigns."""
    for method in (cls.__dict__.get("forward"), cls.__dict__.get("setup_context")):
        code = getattr(getattr(method, "__func__", method), "__code__", None)
        tree = None if code is None else tree_of(code.co_filename)
        if code is None or tree is None:
            continue
        last = max((each for _, _, each in code.co_lines() if each), default=code.co_firstlineno)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Assign) or not code.co_firstlineno <= node.lineno <= last:
                continue
            for target in node.targets:
                if isinstance(target, ast.Attribute) and target.attr == name:
                    return place_at(code, node.lineno), ast.unparse(node.value)
    return None, ""
