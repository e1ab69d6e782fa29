"""Finds the nodes of a graph that an earlier backward has released, and the backward that did it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vizgrad.core.error_lines import how_to_note_lines
from vizgrad.core.errors import Place, place_of
from vizgrad.debugger.engines.common.released_graph import Released
from vizgrad.debugger.engines.pytorch.graph_source import TorchGraph
from vizgrad.debugger.engines.pytorch.torch_nodes import clock_of, is_custom, origin_place
from vizgrad.debugger.watch.backwards import Run
from vizgrad.debugger.watch.note_recorder import Noting


def releasing_runs(noting: Noting) -> Iterator[Run]:
    """The backwards that have released what they visited, the latest first."""
    return (run for run in reversed(noting.runs) if run.ended and not run.keeps)


def released_in(
    source: TorchGraph, will_run: Callable[[int], bool], noting: Noting | None
) -> Released | None:
    """The nodes that have lost values which the backward is sure to read; None if all have them.

    A custom Function reads what it saved if its backward asks for it: only the run can tell. `noting` is
    that of the watch that may have seen the earlier backward.
    """
    lacking: list[int] = []
    saving = 0
    for number in range(source.inner):
        lacks = None if is_custom(source.nodes[number]) else source.memory.lacks(number)
        if lacks is None:
            continue
        if not lacks:
            saving += 1
        elif will_run(number):
            saving += 1
            lacking.append(number)
    if not lacking:
        return None
    first = lacking[0]
    by = None if noting is None else _line(noting, {clock_of(source.nodes[n]) for n in lacking})
    return Released(
        source.name(first),
        origin_place(source.origin(first)),
        len(lacking),
        saving,
        by,
        f"PyTorch does not note which line ran it: to see it, {how_to_note_lines()}",
    )


def _line(noting: Noting, keys: set[int]) -> Place | None:
    for run in releasing_runs(noting):
        if not keys.isdisjoint(run.visits):
            return place_of(run.site)
    return None
