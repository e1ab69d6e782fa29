"""Graphs that are kept alive for nothing: by a gradient with a history, by a list of losses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from vizgrad.errors import Explanation, Place, place_at
from vizgrad.explaining.said import leaf_name, line, said
from vizgrad.provenance import written
from vizgrad.provenance.noting import Noting
from vizgrad.tensor.place import Site


def cycles(noting: Noting) -> Iterator[Explanation]:
    """`backward(create_graph=True)` left a gradient whose history leads back to its leaf."""
    for leaf in noting.gradients.all():
        tensor, run = leaf.tensor(), leaf.run
        if tensor is None or run is None or not run.creates or run.kind != "backward":
            continue
        grad = noting.look.grad(tensor)
        if grad is not None and grad.requires_grad and not grad.is_leaf:
            name = leaf_name(noting, leaf)
            yield said(
                "reference-cycle", run.site, name,
                f"backward on {line(run.site)} gave `{name}` a .grad with a history, and that "
                f"leads back to `{name}`: "
                "only the garbage collector can free them.",
                f"use autograd.grad(..., create_graph=True), or set {name}.grad = None when you are done",
            )  # fmt: skip
            return


def lists(noting: Noting) -> Iterator[Explanation]:
    """Losses that were run backward, and are kept with their graphs."""
    for site, _ in noting.habits.kept.values():
        name = written.assigned(site)
        place, holder = _appended(site, name)
        if place is not None:
            yield said(
                "history-kept", place, name,
                f"`{holder}` keeps each `{name}` with its graph: line "
                f"{place.line} adds the tensor "
                "itself.",
                f"keep a plain number: {holder}.append({name}.item()) (or {name}.detach())",
            )  # fmt: skip
            return


def _appended(site: Site, name: str) -> tuple[Place | None, str]:
    """The line beside `site` that appends the variable to something."""
    tree = written.tree_of(site.file)
    if tree is None or not name:
        return None, ""
    lines = [each for _, _, each in site.code.co_lines() if each]
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "append"
            and len(node.args) == 1
            and ast.unparse(node.args[0]) == name
            and node.lineno in lines
        ):
            return place_at(site.code, node.lineno), ast.unparse(node.func.value)
    return None, ""
