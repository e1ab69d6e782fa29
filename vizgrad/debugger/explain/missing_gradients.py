"""Why there is no gradient: where the way from the tensor to the loss was cut."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from vizgrad.core.errors import Explanation
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.explain.number_flow import flows
from vizgrad.debugger.explain.wording import (
    THE_LOSS,
    call,
    code,
    healthy,
    line,
    name_of,
    number,
    operand_of,
    said,
)
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.backwards import Run
from vizgrad.debugger.watch.events import Event
from vizgrad.debugger.watch.grad_history import Leaf
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import MOST, Note
from vizgrad.debugger.watch.tensor_adapter import look_of

#: They give places.
_CHOOSING = ("arg", "sort", "topk", "max", "min", "nonzero", "searchsorted", "bucketize")


def of_gradient(noting: Noting | None, tensor: Any, name: str) -> Explanation | None:
    """`tensor.grad` is None: why; None if that is as it should be, or not known."""
    note = None if noting is None else noting.notes.get(tensor)
    if not tensor.requires_grad:
        frozen = type(tensor).__name__ == "Parameter"  # its values may come from anywhere
        return None if note is None or frozen else of_cut(note, name)
    if not tensor.is_leaf:
        return _not_a_leaf(noting, tensor, note, name)
    leaf = None if noting is None else noting.gradients.known(tensor)
    if noting is None or (note is None and leaf is None):
        if noting is not None and any(run.kind == "backward" for run in noting.runs):
            return not_used(noting, None, name)
        return None
    return of_leaf(noting, leaf, note, name)


def of_leaf(noting: Noting, leaf: Leaf | None, note: Note | None, name: str) -> Explanation | None:
    """The same of a leaf of which something is known; `note` is that of its value."""
    runs = _runs_after_use(noting, leaf)
    if not runs or (leaf is not None and any(leaf.key in run.leaves for run in runs)):
        return None  # it had one, and was cleared
    for run in runs:
        for root in run.roots:
            found = _way(root, note) if note is not None else None
            if found is not None:
                return _cut_on(found, name) or not_used(noting, leaf, name)
    for run in runs:
        for root in run.roots:
            explained = _through_numbers(noting, root, note, name)
            if explained is not None:
                return explained
    return not_used(noting, leaf, name)


def _runs_after_use(noting: Noting, leaf: Leaf | None) -> list[Run]:
    """Backwards that might have reached a leaf, the last first: none if it was used only later."""
    runs = [run for run in reversed(noting.runs) if run.kind == "backward" and run.roots]
    used_at = 0 if leaf is None else leaf.used_at
    return runs if any(run.clock > used_at for run in runs) else []


def of_cut(note: Note, name: str) -> Explanation | None:
    """A tensor does not require grad: where its history was lost; None if it never had one."""
    for each in note.ancestors():
        if each.cut and each.cut != "create_graph":
            return _cut(each, name, from_loss=True)
    return None


def of_way(root: Note, goal: Note, name: str) -> Explanation | None:
    """The way from `goal` to `root` was cut: where; None if there is none, or no cut on it."""
    way = _way(root, goal)
    return None if way is None else _cut_on(way, name)


def _way(root: Note, goal: Note) -> list[Note] | None:
    """Notes from `goal` to `root`, one made of the other; the way with the fewest cuts."""
    child: dict[int, Note | None] = {id(root): None}
    late: list[Note] = []
    todo = [root]
    while todo or late:
        if not todo:
            todo, late = late, []
        note = todo.pop(0)
        if note is goal:
            way = [note]
            following = child[id(note)]
            while following is not None:
                way.append(following)
                following = child[id(following)]
            return way
        if len(child) > MOST:
            return None
        for parent in note.parents:
            if id(parent) not in child:
                child[id(parent)] = note
                (late if _ends(parent, note) else todo).append(parent)
    return None


def _cut_on(way: list[Note], name: str) -> Explanation | None:
    for before, after in pairwise(way):
        if _ends(before, after):
            return _cut(after, name)
    return None


def _ends(before: Note, after: Note) -> bool:
    """Had the operand a history, and its result has none, or begins another, as a new leaf?"""
    return before.requires and (not after.requires or bool(after.cut))


def _cut(note: Note, name: str, *, from_loss: bool = False) -> Explanation:
    """The words for one cut, seen from a leaf that misses its gradient, or from a loss without history."""
    where, text = line(note.site), call(note)
    shown = source_expressions.variable(note.site) or name_of(note, name)
    ends = (
        f"so {code(name)} has no history" if from_loss else f"the way from {code(name)} ends there"
    )
    if note.cut == "dtype":
        result = name_of(note, shown)
        chosen = note.op.startswith(_CHOOSING)
        return said(
            "cut-dtype", note.site, result,
            f"{text} on {where} gives {_type(note)}, which has no derivative: {ends}.",
            "compute the loss from the values themselves: softmax, cross_entropy or gumbel_softmax in place "
            f"of {note.op}"
            if chosen
            else "stay in floating point, or pass the gradient straight through: x + (rounded - x).detach()",
        )  # fmt: skip
    if note.cut in ("no_grad", "inference"):
        if note.cut == "no_grad" and source_expressions.alone(note.off):
            return said(
                "grad-mode", note.off, name,
                f"Gradients were switched off on {line(note.off)}, and not on again: {text} on {where} "
                f"was not recorded, {ends}.",
                "switch them on again behind what needs none, set_grad_enabled(True), or put that into "
                "`with no_grad():`",
            )  # fmt: skip
        mode = "no_grad" if note.cut == "no_grad" else "inference_mode"
        return said(
            "grad-mode", note.site, name,
            f"{text} on {where} ran under {mode}, so it was not recorded: {ends}.",
            f"remove {mode} (or enter enable_grad) around it, at least for training",
        )  # fmt: skip
    if note.cut == "create_graph":
        return said(
            "second-order-cut", note.site, name_of(note, shown),
            f"the gradient taken on {where} has no history, because it was taken without create_graph.",
            "take the gradient with create_graph=True",
        )  # fmt: skip
    if note.requires:
        inner = source_expressions.variable(note.site)
        values, itself = (
            (f"the values of {code(inner)}", f"{code(inner)}")
            if inner
            else ("values", "the tensor")
        )
        return said(
            "cut-detach", note.site, shown,
            f"{text} on {where} made a new leaf of {values}: {ends}.",
            f"go on with {itself} itself: what is made of its values alone has no history",
        )  # fmt: skip
    if note.cut == "copied":
        return said(
            "cut-detach", note.site, shown,
            f"{text} on {where} copies values without their history: {ends}.", _keep_history(note),
        )  # fmt: skip
    if note.cut == "step":
        op = note.op.strip("_")
        return said(
            "cut-detach", note.site, shown, f"{text} on {where} has no derivative: {ends}.",
            f"use an operation that has a derivative in place of {op}, or pass the gradient straight "
            "through: x + (rounded - x).detach()",
        )  # fmt: skip
    word = "detach()" if note.cut == "detach" else ".data"
    return said(
        "cut-detach", note.site, shown,
        f"{text} on {where}: {word} cut the history: {ends}.",
        f"take out the {word} here: detach only what is logged, not what the loss is "
        "computed from",
    )  # fmt: skip


def _keep_history(note: Note) -> str:
    """What to write in place of tensor() and the like."""
    of = source_expressions.arguments(note.site)
    if len(note.parents) == 1 and len(of) >= 1 and of[-1].isidentifier():
        return f"go on with `{of[-1]}` itself, or with {of[-1]}.clone(): both keep the history"
    return "make one tensor of several with stack() or cat(): both keep the history"


def _type(note: Note) -> str:
    kind = note.dtype.kind
    return "booleans" if kind == "b" else "integers"


def _not_a_leaf(
    noting: Noting | None, tensor: Any, note: Note | None, name: str
) -> Explanation | None:
    if tensor.retains_grad and noting is not None:
        return None
    if noting is not None:
        runs = [run for run in noting.runs if run.kind == "backward"]
        if not runs or any(root.tensor() is tensor for run in runs for root in run.roots):
            return None
    look = look_of(tensor)
    made = None if look is None else look.made(tensor)
    if made is None:
        return None
    site = made.site
    if look is not None and note is None and not tensor.shape:  # of a loss its value is meant
        value = look.array(tensor).reshape(()).item()
        shown = f": {number(value)}" if isinstance(value, float) else ""
        return healthy(
            f"{f'{code(name)}' if name else 'The value'} is finite{shown}. Its .grad is None, as that of "
            "every result: backward fills .grad of leaves alone."
        )
    mine = name or source_expressions.assigned(site)
    shown, it = (f"{code(mine)}", f"{code(mine)}") if mine else ("It", "it")
    return said(
        "not-a-leaf", site, mine,
        f"{shown} is the result of {_written(site) or made.name} on {line(site)}, not a leaf: "
        "backward fills "
        ".grad of leaves alone.",
        f"make {it} a leaf (compute it first, then .detach().requires_grad_()), or call "
        f"{mine or 'the tensor'}.retain_grad() before backward",
    )  # fmt: skip


def _written(site: Site | None) -> str:
    text = source_expressions.text_of(site)
    return f"{code(text)}" if text and len(text) <= 60 else ""


def _through_numbers(
    noting: Noting, root: Note, goal: Note | None, name: str
) -> Explanation | None:
    """The way led through Python numbers or numpy."""
    if goal is None:
        return None
    made = [note for note in root.ancestors() if note.constant]
    for leak in reversed(noting.leaks):
        if leak.note is None:
            continue
        way = _way(leak.note, goal)
        if way is None:
            continue
        for note in made:
            if note.clock > leak.clock and flows(leak.site, note.site):
                if (cut := _cut_on(way, name)) is not None and cut.kind != "cut-detach":
                    return cut
                return _by_numbers(leak, leak.note, note, name)
    return None


def of_numbers(noting: Noting, root: Note, name: str) -> Explanation | None:
    """A loss has no history: was it made of numbers that came out of tensors with one?"""
    made = [note for note in root.ancestors() if note.constant]
    for leak in reversed(noting.leaks):
        if leak.note is None or not any(note.requires for note in leak.note.ancestors()):
            continue
        for note in made:
            if note.clock > leak.clock and flows(leak.site, note.site):
                found = None if leak.note.requires else of_cut(leak.note, name)
                return found or _by_numbers(leak, leak.note, note, name)
    return None


def _by_numbers(leak: Event, source: Note, note: Note, name: str) -> Explanation:
    word = f"{leak.op.strip('_')}()"
    if source.site is None:
        shown = operand_of(source, name)
    elif source_expressions.statement_of(source.site) == source_expressions.statement_of(leak.site):
        shown = (
            source_expressions.operand(leak.site) or source.op
        )  # the statement's name is that of the numbers
    else:
        shown = name_of(source)
    return said(
        "cut-detach", leak.site, shown,
        f"{word} on {line(leak.site)} made plain numbers of {code(shown)}, and {call(note)} on "
        f"{line(note.site)} went on with them: the way from {code(name)} ends there.",
        f"compute with the tensor itself in place of {word}: numbers and numpy arrays "
        "have no history (stack or cat makes one tensor of several)",
    )  # fmt: skip


def not_used(noting: Noting, leaf: Leaf | None, name: str) -> Explanation:
    sites = list(leaf.uses.values()) if leaf is not None else []
    roots = [root for run in noting.runs for root in run.roots]
    loss = name_of(roots[-1], THE_LOSS) if roots else THE_LOSS
    if sites:
        result = source_expressions.assigned(sites[-1])
        story = f"{code(name)} is used on {line(sites[-1])}, but the result"
        story += f", {code(result)}," if result else ""
        story += f" never reaches {code(loss)}."
        feed = f"{code(result)}" if result else "the result of that line"
        return said(
            "unused", sites[-1], name, story,
            f"feed {feed} into what follows, so that it reaches {code(loss)}",
        )  # fmt: skip
    return said(
        "unused", None, name, f"Nothing that {code(loss)} was computed from used {code(name)}.",
        f"use {code(name)} on the way to {code(loss)} (connect it), or leave it out of the parameters",
    )  # fmt: skip
