"""Graphs that are kept alive for nothing: carried from step to step, by a list of losses, by a gradient."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from vizgrad.core.errors import Place, is_library, place_at
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.explain.cause import NOTHING, Cause, Phrase, cause
from vizgrad.debugger.explain.wording import leaf_name
from vizgrad.debugger.model.arrays import bytes_text
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note, Weight

# --- carried state ---------------------------------------------------------------------------------------
# Values that carry the graphs of earlier steps along.


#: So many backwards a history has to reach over.
_TURNS = 2


def carried(noting: Noting) -> Iterator[Cause]:
    found = [note for note in noting.carried.values() if note.turns >= _TURNS]
    for note in sorted(found, key=lambda each: -each.turns)[:1]:
        if note.carried is not None:
            known = noting.weights.get(note.carried.site, []) if note.carried.site else []
            last = noting.weigh(note)
            steps = note.turns + (not note.late)
            tensor = note.tensor()
            one = tensor is None or noting.look.array(tensor).size == 1
            weights = [*known, last] if last is not None else known
            site = note.carried.site
            used = any(root.site == site for run in noting.runs for root in run.roots)
            yield _carried(note.carried, steps, note.turns, weights, one=one, used=used)


def _kept(nodes: int, steps: int, turns: int, weights: list[Weight]) -> Phrase:
    """How many operations and bytes it keeps, and by how many that grows. It reaches over so many `turns`."""
    if not weights:
        return Phrase("operations-by-now", nodes=nodes)
    last = weights[-1]
    weighed = max(1, last.turns + steps - turns)  # so many steps it carried when it was weighed
    size = more_size = after = NOTHING
    if last.nbytes > 1024:  # less is no reason
        size = Phrase("and-bytes", size=bytes_text(last.nbytes))
        more_size = Phrase("and-bytes", size=bytes_text(round(last.nbytes / weighed)))
    if weighed != steps:
        after = Phrase("after-one-step") if weighed == 1 else Phrase("after-steps", steps=weighed)
    return Phrase(
        "weighed", nodes=last.nodes, size=size, after=after,
        more=max(1, round(last.nodes / weighed)), more_size=more_size,
    )  # fmt: skip


def _carried(
    note: Note, steps: int, turns: int, weights: list[Weight], *, one: bool, used: bool
) -> Cause:
    """`one`: is it a single number, as far as is known? `used`: does a backward begin at it, which needs the
    history of the last step?
    """
    site = note.site
    name = source_expressions.assigned(site) or source_expressions.variable(site) or note.op
    nodes = sum(each.node is not None for each in note.tracked())
    fix, term = "cut-each-step", ""
    if not used and note.op.strip("_") in ("add", "iadd", "radd", "cat", "stack"):
        operands = source_expressions.operands(site)
        added = next((text for text in reversed(operands) if text != name), "")
        term = _without_history(added, name)
        if term and term == added and name in operands:
            fix = "add-number" if one else "add-detached"
        elif term:
            fix = "compute-number" if one else "compute-detached"
    return cause(
        "history-kept", "carried", site, name,
        fix=fix, name=name, term=term, steps=steps, kept=_kept(nodes, steps, turns, weights),
    )  # fmt: skip


def _without_history(added: str, name: str) -> str:
    """The part of what is added to `name` that is to be cut, as written: what has a call as a whole, else the
    last variable; "" if there is none.
    """
    if not added:
        return ""
    tree = ast.parse(added, mode="eval").body
    if any(isinstance(node, ast.Call) for node in ast.walk(tree)):
        return added if isinstance(tree, _ATOMS) else f"({added})"
    return next((text for text in reversed(list(_variables(tree))) if text != name), "")


_ATOMS = ast.Name, ast.Attribute, ast.Subscript, ast.Call


def _variables(tree: ast.AST) -> Iterator[str]:
    """Names, attributes and elements, each as a whole."""
    if isinstance(tree, _ATOMS):
        yield ast.unparse(tree)
        return
    for child in ast.iter_child_nodes(tree):
        yield from _variables(child)


# --- retained graphs -------------------------------------------------------------------------------------
# Graphs that are kept alive for nothing: by a gradient with a history, by a list of losses.


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
            yield cause(
                "reference-cycle", "gradient-holds-its-leaf", run.site, name,
                clocks=noting.clocks_of(run), name=name,
            )  # fmt: skip
            return


def lists(noting: Noting) -> Iterator[Cause]:
    """Losses that were run backward, and are kept with their graphs."""
    for made, backward in noting.habits.kept.values():
        site, name = made, source_expressions.assigned(made)
        if backward is not None and is_library(
            made.file
        ):  # a model returned it: the user's name of it
            site = backward
            name = source_expressions.text_of(backward).partition(".backward(")[0]
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
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.lineno in lines:
            for inside, parameter in _functions_given(tree, node, name):
                found = _container(inside, parameter)
                if found is not None:
                    return place_at(site.code, node.lineno), ast.unparse(found)
    return None, ""


def _functions_given(tree: ast.Module, call: ast.Call, name: str) -> Iterator[tuple[ast.AST, str]]:
    """The pieces of the function of the same file that a call gives the variable, and what it is called
    there.
    """
    at = next((n for n, each in enumerate(call.args) if ast.unparse(each) == name), None)
    if at is None or not isinstance(call.func, ast.Name):
        return
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name == call.func.id:
            parameters = [each.arg for each in function.args.args]
            if at < len(parameters):
                yield from ((each, parameters[at]) for each in ast.walk(function))


def _container(node: ast.AST, name: str) -> ast.expr | None:
    """The container that a piece of a program puts the variable into: `losses.append(loss)`, `losses +=
    [loss]`, `losses[step] = loss`.
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
