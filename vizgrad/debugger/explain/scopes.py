"""Scopes of a source text: a name in one function is not the same variable in another."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field


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
