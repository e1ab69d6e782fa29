"""Do numbers that were taken out of a tensor on one line go into a tensor made on another?

Read off the source: by the names of variables, each in its scope, and by what functions take and return.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.watch.source_expressions import tree_of

# --- scopes ----------------------------------------------------------------------------------------------
# Scopes of a source text: a name in one function is not the same variable in another.


@dataclass(eq=False)
class Scope:
    """A function, or the module: the names that it binds, and those that it says are bound outside."""

    name: str = ""
    outer: Scope | None = None
    parameters: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)

    def variable(self, name: str) -> Variable:
        """The variable that a name stands for in this scope."""
        scope = self
        while scope.outer is not None and (name not in scope.bound or name in scope.outside):
            scope = scope.outer
        return scope, name


#: A variable is its name and the scope that binds it.
Variable = tuple[Scope, str]


def scopes_of(tree: ast.Module) -> dict[ast.stmt, Scope]:
    """The scope in which each statement stands."""
    found: dict[ast.stmt, Scope] = {}
    _enter(tree, Scope(), found)
    return found


def _enter(node: ast.AST, scope: Scope, found: dict[ast.stmt, Scope]) -> None:
    for child in ast.iter_child_nodes(node):
        inner = scope
        if isinstance(child, ast.stmt):
            found[child] = scope
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            arguments = [a.arg for a in ast.walk(child.args) if isinstance(a, ast.arg)]
            scope.bound.add(child.name)
            inner = Scope(child.name, scope, set(arguments), set(arguments))
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            scope.bound.add(child.id)
        elif isinstance(child, (ast.Global, ast.Nonlocal)):
            scope.outside |= set(child.names)
        _enter(child, inner, found)


# --- number flow -----------------------------------------------------------------------------------------


#: Rounds of going from names to what was assigned to them.
_ROUNDS = 8
_COMPOUND = (ast.For, ast.FunctionDef, ast.ClassDef, ast.If, ast.With, ast.While, ast.Try)


def flows(out: Site | None, back: Site | None) -> bool:
    """From the line of `out` to that of `back`, by names alone; False where the text is not available."""
    if out is None or back is None or out.file != back.file:
        return False
    tree = tree_of(out.file)
    if tree is None:
        return False
    scopes = scopes_of(tree)
    statements = list(scopes)
    end = _innermost(statements, back.line())
    if end is None:
        return False
    goal = out.line()
    if _covers(end, goal):
        return True
    names, called = _read(end, scopes[end])
    for _ in range(_ROUNDS):
        before = len(names) + len(called)
        for statement in statements:
            scope = scopes[statement]
            if (
                _feeds(statement, names, scope)
                or _is_return_of(statement, scope, called)
                or _passes(statement, names)
            ):
                if _covers(statement, goal):
                    return True
                more, calls = _read(statement, scope)
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


def _read(statement: ast.stmt, scope: Scope) -> tuple[set[Variable], set[str]]:
    """Variables that a statement reads, and names of functions that it calls; the head alone of a loop."""
    names: set[Variable] = set()
    called: set[str] = set()
    for node in ast.walk(statement.iter if isinstance(statement, ast.For) else statement):
        if isinstance(node, ast.Call):
            called.add(_name_of(node))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names.add(scope.variable(node.id))
    return names, called


def _name_of(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def _feeds(statement: ast.stmt, names: set[Variable], scope: Scope) -> bool:
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
        isinstance(node, ast.Name) and scope.variable(node.id) in names
        for target in targets
        for node in ast.walk(target)
    )


def _passes(statement: ast.stmt, names: set[Variable]) -> bool:
    """Does it call a function of which a parameter is one of the variables?"""
    if isinstance(statement, _COMPOUND):
        return False
    wanted = {scope.name for scope, name in names if name in scope.parameters}
    return bool(wanted) and any(
        isinstance(node, ast.Call) and _name_of(node) in wanted for node in ast.walk(statement)
    )


def _is_return_of(statement: ast.stmt, scope: Scope, called: set[str]) -> bool:
    return isinstance(statement, ast.Return) and scope.name in called
