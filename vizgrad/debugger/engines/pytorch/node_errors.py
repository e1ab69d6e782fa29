"""The text added to an error that is raised while a node of PyTorch runs: which node, and the fault."""

from __future__ import annotations

from traceback import walk_tb

from vizgrad.core.errors import explained, running
from vizgrad.core.graph.saved import FIX_OF_STEP, fix_of_write
from vizgrad.debugger import model
from vizgrad.debugger.engines.pytorch.call_places import is_passed
from vizgrad.debugger.engines.pytorch.graph_source import TorchGraph
from vizgrad.debugger.engines.pytorch.torch_nodes import origin_place


def explain(error: BaseException, source: TorchGraph, node: int) -> None:
    """Says which node was running, which line recorded it if that is known, and which line raised; once per
    error.
    """
    if isinstance(error, RuntimeError) and not hasattr(error, "explanation"):
        _explain_saved(error, source, node)
    running(error, source.name(node), origin_place(source.origin(node)))


def _explain_saved(error: RuntimeError, source: TorchGraph, node: int) -> None:
    text, recorded = str(error), origin_place(source.origin(node))
    who = source.name(node) + ("" if recorded is None else f", recorded at {recorded},")
    states: dict[model.SavedState, list[model.Saved]] = {}
    for saved in source.saved(node):
        states.setdefault(saved.state, []).append(saved)
    if "modified by an inplace operation" in text and "stale" in states:
        saved = states["stale"][0]
        writes, culprit = saved.version_now - (saved.version_saved or 0), saved.culprit
        story = f"{who} saved `{saved.name}` for its backward; "
        if culprit is None:
            story += f"it was changed in place {'once' if writes == 1 else f'{writes} times'} since"
        else:
            story += f"{culprit.op} changed it in place"
        explained(
            error,
            kind="saved-overwritten",
            culprit=None if culprit is None else culprit.place,
            tensor=source.label_of(node, saved.name) or saved.name,
            fix=_fix(source, node, saved),
            story=story,
        )
    elif "a second time" in text and "freed" in states:
        names = ", ".join(f"`{saved.name}`" for saved in states["freed"])
        explained(
            error,
            kind="graph-freed",
            tensor=source.name(node),
            fix="pass retain_graph=True to the earlier backward, or run the forward again",
            story=f"{who} had saved {names}, which an earlier backward has released",
        )


def _fix(source: TorchGraph, node: int, saved: model.Saved) -> str:
    """A leaf that requires grad is written by the step of an optimizer, or by one made by hand."""
    value = source.value(node, saved.name)
    leaf = value is not None and source.is_of_leaf(value)
    if saved.culprit is None and leaf:
        return FIX_OF_STEP
    return fix_of_write(None if saved.culprit is None else saved.culprit.place)


def of_a_hook(error: BaseException) -> bool:
    """Did a hook raise, or return what it must not? PyTorch itself refuses behind a node what that gave."""
    modules = (frame.f_globals.get("__name__") or "" for frame, _ in walk_tb(error.__traceback__))
    return "hook" in str(error) or not all(map(is_passed, modules))
