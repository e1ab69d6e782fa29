"""Why a run stopped, in words."""

from __future__ import annotations

from math import isfinite, isnan
from typing import Literal

from vizgrad.core.error_lines import line_not_noted
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import GraphSource
from vizgrad.debugger.session.breakpoints.breakpoints import Breakpoints, birth_at
from vizgrad.debugger.session.history.history import History
from vizgrad.debugger.session.lines.overwritten import overwritten


def at_stop(
    history: History, source: GraphSource, breakpoints: Breakpoints
) -> model.Stopped | None:
    """Why `continue_` has ended where the run stands; None if nothing but the end of the run stopped it."""
    if history.position == 0:
        return None
    last, current = history.steps[history.position - 1], history.current
    met = breakpoints.meets(last)
    birth = birth_at(last) if breakpoints.nonfinite else None
    if birth is not None:
        return _stopped("nonfinite", last.node, source, history, birth_text(birth, source), birth)
    if met is None:
        return None
    number, times = met.id, f", the {_ordinal(met.hits)} time" if met.hits else ""
    if met.writes is not None:
        who = f"{met.writes.name} was written {met.writes.latest()}".rstrip()
        text = f"{who}, in {_called(source, last.node)}{times}"
        return _stopped("written", last.node, source, history, text, by=number)
    if met.asks:
        text = f"{met.condition}, true after {_called(source, last.node)}{times}"
        return _stopped("condition", last.node, source, history, text, by=number)
    assert current is not None
    why = [met.text] if met.kind in ("line", "tensor") or "*" in met.text else []
    arrival = breakpoints.arrival(met, current)
    if arrival is not None and arrival[1] > 1:
        why.append(f"arrival {arrival[0]:,} of {arrival[1]:,}")
        times = times if met.condition else ""
    why += [met.condition] if met.condition else []
    text = f"breakpoint before {_called(source, current)}"
    text += (f" ({', '.join(why)})" if why else "") + times
    return _stopped("breakpoint", current, source, history, text, by=number)


def by_person(
    history: History,
    source: GraphSource,
    how: Literal["paused", "interrupted"],
    cut_off: bool = False,
) -> model.Stopped:
    """The user has asked to stop; `cut_off`: within the node that comes next."""
    current = history.current
    if current is None:
        where = "at the end"
    elif cut_off:
        where = f"within {_called(source, current)}; stepping restarts it"
    else:
        where = f"before {_called(source, current)}"
    kind: model.StopKind = "interrupt" if how == "interrupted" else "pause"
    return _stopped(kind, current, source, history, f"{how} {where}")


def by_error(history: History, source: GraphSource) -> model.Stopped:
    """A node has raised."""
    error, node = history.error, history.steps[history.position - 1].node
    who, place = _called(source, node), source.describe(node).place
    if (found := overwritten(error, who, place)) is not None:
        return _stopped("error", node, source, history, found.what)
    said = f"{type(error).__name__}: {error}".removesuffix(": ").splitlines()[0]
    return _stopped("error", node, source, history, f"{who} raised {said}")


def _stopped(
    kind: model.StopKind,
    node: int | None,
    source: GraphSource,
    history: History,
    text: str,
    birth: model.Birth | None = None,
    by: int | None = None,
) -> model.Stopped:
    born = node if birth is None or birth.born is None else birth.born
    described = None if born is None else source.describe(born)
    place = None if described is None else described.place
    if kind == "nonfinite" and described is not None and place is None and described.kind != "leaf":
        text += f"; {line_not_noted()}"
    return model.Stopped(kind, f"Stopped: {text}", history.position, node, place, birth, by)


def _ordinal(number: int) -> str:
    last = number % 10 if number % 100 not in (11, 12, 13) else 0
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }".replace(" ", "")


def birth_text(birth: model.Birth, source: GraphSource) -> str:
    """``SqrtBackward0 made 1 NaN of 3, at [0], where result = 0``."""
    who = _called(source, birth.node)
    if birth.hook:
        who = f"hook {birth.hook} of {who}"
    parts = [f"{who} made {_counted(birth)}{_whose(birth, source)}"]
    if birth.index and birth.size > 1:
        first = "" if birth.nans + birth.infs == 1 else "first "
        parts.append(f"{first}at {list(birth.index)}")
    if birth.operands:
        values = " and ".join(f"{o.name} = {_number(o.value)}" for o in birth.operands)
        parts.append(f"where {values}" + (" since the forward" if birth.forward else ""))
    if birth.born is not None and birth.born != birth.node:
        parts.append(_forward_of(source, birth.born))
    return ", ".join(parts)


def _forward_of(source: GraphSource, node: int) -> str:
    """The forward operation that a node was recorded by, and its line; or the leaf that was not finite."""
    if node >= source.inner:
        return f"{source.label(node) or 'a leaf'} is not finite itself"
    place = source.describe(node).place
    where = "" if place is None else f" in {place.cell or place.file}, line {place.line}"
    return f"made by the forward of {_called(source, node)}{where}"


def _counted(birth: model.Birth) -> str:
    if birth.size == 1:
        return "a NaN" if birth.nans else "an inf"
    counts = [f"{n:,} {word}" for n, word in ((birth.nans, "NaN"), (birth.infs, "inf")) if n]
    return f"{' and '.join(counts)} of {birth.size:,}"


def _whose(birth: model.Birth, source: GraphSource) -> str:
    """For which of several inputs."""
    if birth.edge is None:
        return " by adding up"
    edges = source.describe(birth.node).edges
    name = edges[birth.edge].name if birth.edge < len(edges) else ""
    others = any(e.node is not None for i, e in enumerate(edges) if i != birth.edge)
    return f" for {name}" if name and others and not birth.hook else ""


def _number(value: float) -> str:
    if isfinite(value):
        return f"{value:.4g}"
    return "NaN" if isnan(value) else f"{value}"


def _called(source: GraphSource, node: int) -> str:
    return f"{source.name(node)} {source.label(node)}".rstrip()
