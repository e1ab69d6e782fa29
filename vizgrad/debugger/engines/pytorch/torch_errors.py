"""The explanation of PyTorch's own errors during a watch: kind, line, tensor and what to do.

Class and text of an error stay PyTorch's; what is known more is `error.explanation` and a note. Errors are
told apart by the phrases that PyTorch has used since 2.4; one that is not known is left as it is.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from traceback import walk_tb
from types import CodeType
from typing import Any

import torch

from vizgrad.core.errors import (
    Place,
    explained,
    function_place,
    place_of,
    raising_place,
    returning_place,
    running,
)
from vizgrad.core.graph.saved import fix_of_write
from vizgrad.core.tensor.source_location import Site, written_name
from vizgrad.debugger.engines.common.variable_names import names_around
from vizgrad.debugger.engines.pytorch.released_nodes import releasing_runs
from vizgrad.debugger.engines.pytorch.saved import raw_values
from vizgrad.debugger.engines.pytorch.torch_nodes import name_of, recorded_at, site_of
from vizgrad.debugger.engines.pytorch.torch_tensors import LOOK
from vizgrad.debugger.engines.pytorch.value_errors import explain_values
from vizgrad.debugger.engines.pytorch.write_lines import writer
from vizgrad.debugger.watch.note_recorder import Noting, near_of
from vizgrad.debugger.watch.source_expressions import SHORT, assigned, text_of, variable

Explain = Callable[[Noting, Exception, list[Any], Site | None], None]


def explain_call(
    noting: Noting, error: Exception, name: str, args: tuple[Any, ...], site: Site | None,
    kwargs: Mapping[str, Any] | None = None,
) -> None:  # fmt: skip
    """A function that a person called raised."""
    if not hasattr(error, "explanation"):
        _explain(_OF_CALLS, noting, error, [], site)
        if not hasattr(error, "explanation"):
            explain_values(noting, error, name, args, kwargs or {}, site)
        _improve(noting, error, name, args)


def explain_parameter(
    noting: Noting, error: Exception, parameters: Iterable[Any], site: Site | None
) -> None:
    """An optimizer was not given what it can change."""
    if hasattr(error, "explanation") or "non-leaf" not in str(error):
        return
    result = next((each for each in parameters if LOOK.knows(each) and not each.is_leaf), None)
    made = None if result is None else LOOK.made(result)
    if made is None:
        return
    name = assigned(made.site) or _named(result)
    near = near_of(made.site, str)
    at = made.site if near is None or near.site is None else near.site
    by = text_of(made.site)
    explained(
        error,
        kind="not-a-leaf",
        culprit=place_of(at or site),
        tensor=name,
        fix=f"make a leaf of its values: `{name or 'x'}.detach().requires_grad_()`, or give the optimizer "
        "the leaves that it is computed from",
        story=f"{_quoted(name, 'A parameter')} is the result of "
        f"{f'`{by}`' if by and len(by) <= SHORT else made.name}, and no leaf: a step would change a result "
        "that the next forward replaces.",
    )


def explain_run(
    noting: Noting, error: Exception, name: str, args: tuple[Any, ...], nodes: list[Any]
) -> None:
    """A backward raised. `nodes` are those it would have run."""
    if not hasattr(error, "explanation"):
        run = noting.runs[-1] if noting.runs else None
        _explain(_OF_RUNS, noting, error, nodes, None if run is None else run.site)
        _improve(noting, error, name, args)
        if not hasattr(error, "explanation"):
            _of_the_user(error)


def _explain(
    table: tuple[tuple[str, Explain], ...], noting: Noting, error: Exception, nodes: list[Any],
    site: Site | None,
) -> None:  # fmt: skip
    text = str(error)
    for phrase, explain in table:
        if re.search(phrase, text):
            explain(noting, error, nodes, site)
            return


def _improve(noting: Noting, error: Exception, name: str, args: tuple[Any, ...]) -> None:
    if noting.on_error is not None and hasattr(error, "explanation"):
        noting.on_error(error, name, args)


def _quoted(name: str, other: str = "The tensor") -> str:
    """A name of the program as code, else words for it."""
    return f"`{name}`" if name else other


# --- of writes ---------------------------------------------------------------------------------------


def _leaf(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    name = written_name(site) or variable(site)
    explained(
        error,
        kind="forbidden-write",
        culprit=place_of(site),
        tensor=name,
        fix=f"write to {_quoted(name, 'it')} inside `with torch.no_grad():`, or out of place on a clone()",
        story=f"{_quoted(name)} is a leaf that requires grad (or a view of one), and was to be changed in "
        "place while autograd records.",
    )


def _view(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    name = written_name(site) or variable(site)
    explained(
        error,
        kind="forbidden-write",
        culprit=place_of(site),
        tensor=name,
        fix=f"write to a clone (`{name or 'x'}.clone()`), or out of place, or to the tensor that it is a "
        "view of; views of several, or made under no_grad, cannot be written",
        story=f"{_quoted(name)} is a view that autograd cannot write through.",
    )


def _inference(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    explained(
        error,
        kind="grad-mode",
        culprit=place_of(site),
        tensor=variable(site),
        fix="compute it under no_grad in place of inference_mode, or clone it outside",
        story="A tensor that was made in inference mode takes no part in autograd.",
    )


def _in_vmap(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    explained(
        error,
        kind="wrong-call",
        culprit=place_of(site),
        tensor=variable(site),
        fix="write it with tensors alone (`where` in place of `if`, no item()), or do it outside of vmap",
        story="Within vmap a tensor stands for all samples at once and has no single value.",
    )


def _write_in_vmap(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    name = written_name(site) or variable(site)
    explained(
        error,
        kind="forbidden-write",
        culprit=place_of(site),
        tensor=name,
        fix="write out of place, or make the tensor from a batched one, with `x.new_zeros(...)`",
        story=f"{_quoted(name)} is one tensor for all samples of vmap, and cannot hold what differs from "
        "sample to sample.",
    )


# --- of backwards ------------------------------------------------------------------------------------


def _stale(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    told = re.search(r"is at version (\d+); expected version (\d+)", str(error))
    if told is None:
        return
    now, before = int(told[1]), int(told[2])
    for node in nodes:
        for name, slot in raw_values(node):
            saved = slot.data
            if isinstance(saved, torch.Tensor) and _is_stale(node, name, saved, now, str(error)):
                _explain_stale(noting, error, (node, name, saved), before, now)
                return


def _explain_stale(
    noting: Noting, error: Exception, what: tuple[Any, str, Any], before: int, now: int
) -> None:
    node, name, saved = what
    known = writer(saved, before + 1)
    op, wrote = known if known is not None else ("", None)
    place, at = place_of(wrote), place_of(site_of(recorded_at(node)))
    shown = written_name(wrote) or name
    if place is not None and ".step(" in place.text:  # that is the optimizer
        shown = _named(saved) or name
    story = f"{name_of(node)}{'' if at is None else f', recorded at {at},'} saved "
    story += f"`{name}` for its backward; "
    if place is None:
        times = "once" if now - before == 1 else f"{now - before} times"
        story += f"it was changed in place {times} since"
    else:
        through = f" through `{shown}`" if shown != name else ""
        story += f"{op} on line {place.line} changed it in place{through} before that ran"
    explained(
        error,
        kind="saved-overwritten",
        culprit=place,
        tensor=shown,
        fix=fix_of_write(place),
        story=story + ".",
    )


def _named(saved: torch.Tensor) -> str:
    """The user's name of a tensor, or of one that shows the same memory."""
    names = names_around(kinds=(torch.Tensor,))
    where = LOOK.span(saved)
    for tensor in names.tensors():
        same = any(where) and LOOK.span(tensor) == where and tensor.shape == saved.shape
        if tensor is saved or same:
            return str(names.get(id(tensor), ""))
    return ""


def _is_stale(node: Any, name: str, saved: Any, now: int, text: str) -> bool:
    """Is this the saved value that the error tells of?"""
    if saved.is_inference() or saved._version != now:
        return False
    attribute = (
        "saved_tensors" if hasattr(node, "_forward_cls") else f"_saved_{name.partition('[')[0]}"
    )
    try:
        getattr(node, attribute)
    except RuntimeError as error:
        return text.partition("Hint")[0][:200] == str(error).partition("Hint")[0][:200]
    return False


def _freed(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    keys = {node._sequence_nr(): node for node in nodes if not hasattr(node, "variable")}
    for run in releasing_runs(noting):
        shared = [node for key, node in keys.items() if key in run.visits and _was_freed(node)]
        if shared:
            first = place_of(run.site)
            last = max(shared, key=lambda node: node._sequence_nr())
            at = place_of(site_of(recorded_at(last)))
            where = "" if at is None else f", recorded on line {at.line}: {at.text},"
            explained(
                error,
                kind="graph-freed",
                culprit=first,
                tensor=name_of(last),
                fix="add the losses and call backward once, or give the earlier backward "
                "retain_graph=True, or run the forward again",
                story=f"{name_of(last)}{where} has no saved values any more: "
                + ("an earlier backward" if first is None else f"the backward on line {first.line}")
                + " released them.",
            )
            return
    explained(
        error,
        kind="graph-freed",
        fix="pass retain_graph=True to the earlier backward, or run the forward again",
        story="An earlier backward outside the watch released the saved tensors that this one needs.",
    )


def _was_freed(node: Any) -> bool:
    """Has it no saved tensors, or lost them?"""
    return all(slot.data is None for _, slot in raw_values(node))


def _no_history(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    explained(
        error,
        kind="cut-detach",
        culprit=place_of(site),
        tensor=variable(site),
        fix="make it from tensors that require grad, outside no_grad and without detach()",
        story=f"{_quoted(variable(site), 'The loss')} has no history.",
        title="Does not require grad",
    )


def _unused(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    explained(
        error,
        kind="unused",
        culprit=place_of(site),
        fix="use the tensor on the way to the output, or pass allow_unused=True",
        story="One of the inputs was not used to compute the outputs.",
    )


def _returned(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    text = str(error)
    told = re.search(r"[Ff]unction (\w+) ", text)
    title = "" if told is None else told[1]
    node = next((node for node in nodes if _is_called(node, title)), None)
    if node is None:
        return
    explained(
        error,
        kind="function-return",
        culprit=returning_place(node._forward_cls.backward),
        tensor=title,
        fix=_wanted(text, node._forward_cls.forward),
    )
    running(error, name_of(node), place_of(site_of(recorded_at(node))))


def _wanted(text: str, forward: Any) -> str:
    """The advice on what a backward has to return."""
    count = re.search(r"incorrect number of gradients \(expected (\d+)", text)
    if count is not None:
        several = "1 value" if count[1] == "1" else f"{count[1]} values"
        return f"return {several}, one per argument of forward, None for those without a gradient"
    shape = re.search(r"at index (\d+) - got .* but expected shape compatible with (\[.*\])", text)
    if shape is not None:
        names = list(inspect.signature(forward).parameters)[1:]  # without ctx
        number = int(shape[1])
        return f"return a gradient of shape {shape[2]} for `{names[min(number, len(names) - 1)]}`"
    return "return one gradient per argument of forward, each as the argument is, and None for those without"


def _hook(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    told = re.search(r"hook '(\w+)'", str(error))
    name = "" if told is None else told[1]
    known = [code for code in noting.hook_codes if code.co_name == name or not name]
    explained(
        error,
        kind="hook-effect",
        culprit=returning_place(known[0]) if len(known) == 1 else None,
        fix=f"let {name or 'the hook'} return a gradient as it was given, or None to leave it as it is",
    )
    running(error, f"hook {name}" if name else "a hook", None)


def _anomaly(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    run = noting.runs[-1] if noting.runs else None
    visit = None if run is None else next(reversed(run.visits.values()), None)
    told = re.search(r"Function '(\w+)'", str(error))
    known = visit is not None and told is not None and visit.name == told[1]
    explained(
        error,
        kind="nonfinite-backward",
        culprit=place_of(visit.site) if visit is not None and known else None,
        tensor="" if told is None else told[1],
        fix="look at the values this operation had in the forward pass",
    )


def _not_scalar(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    explained(
        error,
        kind="not-scalar",
        culprit=place_of(site),
        tensor=variable(site),
        fix="reduce it to one number first (`.sum()`, `.mean()`), or pass the gradient",
    )


def _of_the_user(error: Exception) -> None:
    """Code of the user's raised, which a node or a hook called."""
    if raising_place(error) is None:
        return
    nodes = [
        frame.f_locals.get("self")
        for frame, _ in walk_tb(error.__traceback__)
        if frame.f_code in _CALLERS
    ]
    node = nodes[-1] if nodes else None
    if node is None:
        running(error, "a hook", None)
    else:
        running(error, name_of(node), place_of(site_of(recorded_at(node))))


#: They call the backward of a custom Function.
_CALLERS = {
    method.__code__
    for name in ("apply", "apply_boxed")
    if (method := getattr(torch.autograd.function.BackwardCFunction, name, None)) is not None
}


def _hook_returned(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    told = re.search(r"hook '(.*)' has changed the (\w+)", str(error))
    what = "gradient" if told is None else told[2]
    explained(
        error,
        kind="hook-effect",
        culprit=_returned_by("" if told is None else told[1], noting),
        fix="let the hook return a gradient of the shape, type and device of the one that it is given",
        story=f"A hook returned a gradient of another {what} than it was given.",
    )


def _returned_by(name: str, noting: Noting) -> Place | None:
    """The line where the hook of this name returned; where it was registered, if its code is not known."""
    known: set[CodeType] = getattr(noting, "hook_codes", set())
    codes = [code for code in known if code.co_name == name]
    if len(codes) == 1:
        return returning_place(codes[0])
    sites = [event.site for event in noting.hooks if event.site is not None]
    return place_of(sites[0]) if len(sites) == 1 and not known else None


def _recomputed(noting: Noting, error: Exception, nodes: list[Any], site: Site | None) -> None:
    function = getattr(noting, "recomputed", None)
    explained(
        error,
        kind="not-repeatable",
        culprit=None if function is None else function_place(function),
        tensor=getattr(function, "__name__", ""),
        fix="let the function do the same whenever it is called with the same arguments: no counters or "
        "random numbers of its own, nothing changed in place that it reads, preserve_rng_state=True",
        story="The checkpointed function ran again in backward and did something else than in forward.",
    )


def _is_called(node: Any, title: str) -> bool:
    return hasattr(node, "_forward_cls") and name_of(node).startswith(title)


_ANY_CALL: tuple[tuple[str, Explain], ...] = (
    (r"leaf Variable that requires grad", _leaf),
    (r"is a view .{0,120}modified inplace|A view was created in (no_grad|inference) mode", _view),
    (r"[Ii]nference tensors? ", _inference),
    (r"vmap: It looks like you're ", _in_vmap),
    (r"vmap: inplace arithmetic", _write_in_vmap),
)
_OF_CALLS = (
    (r"grad can be implicitly created only for scalar outputs", _not_scalar),
    *_ANY_CALL,
)
_OF_RUNS = (
    (r"modified by an inplace operation", _stale),
    (r"a second time", _freed),
    (r"does not require grad and does not have a grad_fn", _no_history),
    (r"appears to not have been used", _unused),
    (r"utils.checkpoint: (A different number|Recomputed values|trying to save more)", _recomputed),
    (r"hook '.*' has changed the ", _hook_returned),
    (r"returned an (incorrect number of gradients|invalid gradient)", _returned),
    (r"hook '.*' has changed|but hook returned", _hook),
    (r"returned nan values in its", _anomaly),
    *_ANY_CALL,
)
