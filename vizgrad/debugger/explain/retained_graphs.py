"""Graphs that are kept alive for nothing: by a gradient with a history, by a list of losses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from vizgrad.core.errors import Place, place_at
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.explain.cause import Cause, cause
from vizgrad.debugger.explain.wording import leaf_name
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Noting


def cycles(noting: Noting) -> Iterator[Cause]:
    """`backward(create_graph=True)` left a gradient whose history leads back to its leaf."""
    for leaf in noting.gradients.all():
        tensor = leaf.tensor()
        made = (run for run in reversed(noting.runs) if run.creates and leaf.key in run.leaves)
        run = next(made, None)  # a later backward adds to that gradient, which keeps its history
        if tensor is None or run is None:
            continue
        grad = noting.look.grad(tensor)
        if grad is not None and grad.requires_grad and not grad.is_leaf:
            name = leaf_name(noting, leaf)
            yield cause("reference-cycle", "gradient-holds-its-leaf", run.site, name, name=name)
            return


def lists(noting: Noting) -> Iterator[Cause]:
    """Losses that were run backward, and are kept with their graphs."""
    for site, _ in noting.habits.kept.values():
        name = source_expressions.assigned(site)
        place, holder = _held(site, name)
        if place is not None:
            yield cause(
                "history-kept", "kept-in-a-container", place, name, holder=holder, name=name
            )
            return


def _held(site: Site, name: str) -> tuple[Place | None, str]:
    """The line beside `site` that puts the variable into a container, and what that is called."""
    tree = source_expressions.tree_of(site.file)
    if tree is None or not name:
        return None, ""
    lines = {each for _, _, each in site.code.co_lines() if each}
    for node in ast.walk(tree):
        found = _container(node, name)
        if found is not None and (line := getattr(node, "lineno", None)) in lines:
            return place_at(site.code, line), ast.unparse(found)
    return None, ""


def _container(node: ast.AST, name: str) -> ast.expr | None:
    """What a piece of a program puts the variable into: `losses.append(loss)`, `losses += [loss]`,
    `losses[step] = loss`.
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        added = node.func.attr in ("append", "extend")
        return node.func.value if added and any(_holds(a, name) for a in node.args) else None
    if isinstance(node, ast.AugAssign):
        listed = isinstance(node.value, (ast.List, ast.Tuple))
        return node.target if listed and _holds(node.value, name) else None
    if isinstance(node, ast.Assign) and _holds(node.value, name):
        target = node.targets[0]
        return target.value if isinstance(target, ast.Subscript) else None
    return None


def _holds(value: ast.expr, name: str) -> bool:
    """Is it the variable itself, or a tuple, list or dict with it?"""
    parts: list[ast.expr] = []
    if isinstance(value, (ast.List, ast.Tuple)):
        parts = value.elts
    elif isinstance(value, ast.Dict):
        parts = value.values
    return ast.unparse(value) == name or any(_holds(part, name) for part in parts)
