"""Do numbers that were taken out of a tensor on one line go into a tensor made on another? Read "
"off the source.
"""

from __future__ import annotations

import ast

from vizgrad.provenance.written import tree_of
from vizgrad.tensor.place import Site

#: Rounds of going from names to what was assigned to them.
_ROUNDS = 8


def flows(out: Site | None, back: Site | None) -> bool:
    """From the line of `out` to that of `back`, by names alone; False where the text is not to be had."""
    if out is None or back is None or out.file != back.file:
        return False
    tree = tree_of(out.file)
    if tree is None:
        return False
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    end = _innermost(statements, back.line())
    if end is None:
        return False
    goal = out.line()
    if _covers(end, goal):
        return True
    names, called = _read(end)
    for _ in range(_ROUNDS):
        before = len(names) + len(called)
        for statement in statements:
            if _feeds(statement, names) or _is_return_of(statement, tree, called):
                if _covers(statement, goal):
                    return True
                more, calls = _read(statement)
                names |= more
                called |= calls
        if len(names) + len(called) == before:
            return False
    return False


def _innermost(statements: list[ast.stmt], line: int) -> ast.stmt | None:
    found = [s for s in statements if _covers(s, line)]
    return min(found, key=lambda s: (s.end_lineno or s.lineno) - s.lineno, default=None)


def _covers(statement: ast.stmt, line: int) -> bool:
    if isinstance(statement, ast.For):
        return bool(statement.lineno == line)
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.If, ast.With, ast.While)):
        return False
    return statement.lineno <= line <= (statement.end_lineno or statement.lineno)


def _read(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """Names that a statement reads, and names of functions that it calls."""
    names: set[str] = set()
    called: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            func = node.func
            called.add(func.id if isinstance(func, ast.Name) else getattr(func, "attr", ""))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names.add(node.id)
    return names, called


def _feeds(statement: ast.stmt, names: set[str]) -> bool:
    """Does it put something into one of the variables?"""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign, ast.For)):
        targets = [statement.target]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        func = statement.value.func
        if isinstance(func, ast.Attribute) and func.attr in (
            "append",
            "extend",
            "update",
            "add",
            "insert",
        ):
            targets = [func.value]
    return any(
        isinstance(node, ast.Name) and node.id in names
        for target in targets
        for node in ast.walk(target)
    )


def _is_return_of(statement: ast.stmt, tree: ast.Module, called: set[str]) -> bool:
    if not isinstance(statement, ast.Return):
        return False
    return any(
        isinstance(node, ast.FunctionDef)
        and node.name in called
        and node.lineno <= statement.lineno <= (node.end_lineno or node.lineno)
        for node in ast.walk(tree)
    )
