"""Where the turns of one line begin: how often it was evaluated, in a loop or in calls of its function.

A turn goes on as long as instructions come one after the other. One instruction may record several nodes:
in a loop or a function these are several turns if they repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vizgrad.debugger.engines.api.node_origin import Spot
from vizgrad.debugger.session.grouping.places import Places
from vizgrad.debugger.session.grouping.repeats import period

_WITHIN = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>")


def first_of_turns(
    nodes: Sequence[int], spots: Sequence[Spot], name: Callable[[int], str], places: Places
) -> list[int]:
    """Places in `nodes` (those of one line, the latest recorded first) at which turns begin, as a backward
    meets them.
    """
    firsts: list[int] = []
    outer: Spot | None = None  # the last instruction of the turn that is in no comprehension
    at = 0
    while at < len(nodes):
        last, length = _row(at, nodes, spots, name, places)
        spot = spots[at]
        if at == 0 or not _goes_on(outer, spots[at - 1], spot):
            firsts.append(at)
            outer = None
        if spot.code.co_name not in _WITHIN:
            outer = spot
        if outer is None or outer is spot:  # a comprehension is of the turn that it is evaluated in
            firsts += range(at + length, last, length)
        at = last
    return firsts


def _goes_on(outer: Spot | None, after: Spot, spot: Spot) -> bool:
    """Was this evaluated in one turn with what is `after` it?"""
    if outer is not None and spot.code is not outer.code:
        return spot.code.co_name in _WITHIN
    after = after if outer is None else outer
    return spot.code is after.code and spot.offset < after.offset


def _row(
    at: int, nodes: Sequence[int], spots: Sequence[Spot], name: Callable[[int], str], places: Places
) -> tuple[int, int]:
    """Behind the last node that the same instruction recorded in a row, and how many are one turn's."""
    spot, last = spots[at], at + 1
    while last < len(nodes) and nodes[last] == nodes[last - 1] + 1 and _same(spots[last], spot):
        last += 1
    if last - at == 1:
        return last, 1
    position = places.position(spot)
    if position.many or not (position.loops or position.function.name):
        return last, last - at
    return last, period([name(node) for node in nodes[at:last]])


def _same(one: Spot, other: Spot) -> bool:
    return one.code is other.code and one.offset == other.offset
