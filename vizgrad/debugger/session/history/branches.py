"""The lines of a run: the original, and branches that left it, or one another, at some position.

One of them is in the world at a time: `.grad`, released values and edited ones are as it left them. To go to
another its steps are undone as far as both have them in common, and the steps of the other redone from there.
A branch has the steps before it left as its own (they are the same objects), so each line looks like a run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite

from vizgrad.core.upcalls import UPCALLS
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Branching
from vizgrad.debugger.engines.api.protocols import Run
from vizgrad.debugger.session.history.fold import Edits
from vizgrad.debugger.session.history.history import History

#: A node's step on one line and on another, and how they differ.
Compared = tuple[int | None, int | None, model.Difference]

#: The name of the line without a parent.
ORIGINAL = "original"


class Line:
    """One way that a run went. It left `parent` after `left` steps and the first `edits` of all its edits."""

    def __init__(
        self, name: str, history: History, parent: Line | None = None, left: int = 0, edits: int = 0
    ) -> None:
        self.name = name
        self.history = history
        self.parent = parent
        self.left, self.edits = left, edits

    @property
    def run(self) -> Branching:
        """ValueError for an engine that has no branches."""
        run = self.history.run
        if not isinstance(run, Branching):
            raise ValueError(
                "this run has one branch: its engine runs a node only once, and a recorded run runs none"
            )
        return run

    def told(self, current: Line) -> model.Branch:
        history = self.history
        return model.Branch(
            self.name,
            self is current,
            self.parent.name if self.parent is not None else "",
            self.left,
            _position(self, current),
            history.recorded,
            history.edits.told(),
        )


class Branches:
    """All lines of a run; the first is the original."""

    def __init__(self, history: History) -> None:
        self.current = Line(ORIGINAL, history)
        self.all = [self.current]
        #: The part of an unused session that is closed. Not the histories: once a node has raised,
        #: they refer to the session, through the frames of a traceback, and would keep it for ever.
        self.runs: list[Run] = [history.run]
        #: The differences of two lines, as far as they were asked for (`branch_comparison.py`).
        self.compared: dict[tuple[Line, Line], dict[int, Compared]] = {}
        #: Other runs that were laid beside this one, by name.
        self.traces: dict[str, model.Trace] = {}
        #: The relative differences that do not count there; None: those that number types explain.
        self.tolerances: dict[str, float | None] = {}

    def told(self) -> tuple[model.Branch, ...]:
        return tuple(line.told(self.current) for line in self.all)

    def told_traces(self) -> tuple[model.Branch, ...]:
        return tuple(
            model.Branch(name, False, position=len(t.records), recorded=len(t.records), trace=True)
            for name, t in self.traces.items()
        )

    def lay_beside(self, trace: model.Trace, name: str) -> str:
        """The name that it is given: another, if that is taken."""
        taken = {line.name for line in self.all} | self.traces.keys()
        given = next((known for known, one in self.traces.items() if one is trace), None)
        if given is None:
            tries = (f"{name} {i}" if i > 1 else name for i in range(1, len(taken) + 2))
            given = next(each for each in tries if each not in taken)
            self.traces[given] = trace
        return given

    def of(self, name: str) -> Line:
        found = next((line for line in self.all if line.name == name), None)
        if found is None:
            known = ", ".join(line.name for line in self.all)
            raise ValueError(f"there is no branch {name!r}, but {known}")
        return found

    def begin(self, name: str = "") -> Line:
        """A new one, which leaves the current line where it stands."""
        if not name:
            taken = {line.name for line in self.all}
            name = next(n for i in range(1, len(taken) + 1) if (n := f"branch {i}") not in taken)
        elif name in self.traces or any(line.name == name for line in self.all):
            raise ValueError(f"there is a branch {name!r} already")
        parent = self.current
        history = parent.history
        history.whole()
        position = history.position
        known = history.edits.until(position)
        run = parent.run.fork(position)
        made = History(run, history.budget, base=history, edits=Edits(known))
        history.left_at = position
        line = Line(name, made, parent, position, len(known))
        self.all.append(line)
        self.runs.append(run)
        self._enter(line)
        return line

    @staticmethod
    def common(one: Line, other: Line) -> tuple[int, int]:
        """As far as two lines are the same: (steps, edits)."""
        return _common(one, other)

    def switch(self, line: Line) -> None:
        """Makes the world as `line` left it. WorldChanged where other code changed it, IndexError where
        steps on the way are not kept any more: it stands on the way, then, on the line that it was on.
        """
        if line is self.current:
            return
        position, edits = _common(self.current, line)
        here = self.current.history
        here.leave_to(position, edits)
        self._enter(line)
        line.history.come_from(position, edits, here.position)

    def _enter(self, line: Line) -> None:
        self.current = line
        line.run.enter()

    def drop(self, line: Line) -> None:
        """Throws a line away with those that left it, and goes back to its parent if it is on one of them."""
        if line.parent is None:
            raise ValueError("the original cannot be deleted; close the session instead")
        gone = [one for one in self.all if line in _ancestry(one)]
        if self.current in gone:
            self.switch(line.parent)
        self.all = [one for one in self.all if one not in gone]
        for pair in [pair for pair in self.compared if pair[0] in gone or pair[1] in gone]:
            del self.compared[pair]
        for one in reversed(gone):
            one.history.close()
        self.runs[:] = [line.history.run for line in self.all]

    def close(self) -> None:
        self.traces.clear()
        for line in reversed(self.all):
            line.history.close()
        self.runs.clear()


def _position(line: Line, current: Line) -> int:
    return line.history.position if line is current else line.history.left_at


def _ancestry(line: Line) -> list[Line]:
    """The line itself, its parent, and so on."""
    found = [line]
    while found[-1].parent is not None:
        found.append(found[-1].parent)
    return found


def _common(one: Line, other: Line) -> tuple[int, int]:
    """As far as two lines are the same: (steps, edits)."""
    ways = [_ancestry(one), _ancestry(other)]
    meeting = next(line for line in ways[0] if line in ways[1])
    ends: list[tuple[int, int]] = []
    for way in ways:
        # A branch may leave its parent before the place where that left its own.
        ends += [(line.left, line.edits) for line in way[: way.index(meeting)]]
    return min(ends, default=(0, 0))


# --- how two lines of a run differ ------------------------------------------------------------------


#: Behind all that ran.
_NEVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Comparison:
    """How one line of a run, or another run, differs from a line of this one. `first` is the first node that
    differs, in the order in which they ran; `text` says of nodes that only one of two runs has.

    `unfinished` is a branch that was left before its end, empty if neither was; the differences are then of
    nodes that both have run.
    """

    differences: tuple[model.Difference, ...]
    first: int | None = None
    text: str = ""
    unfinished: str = ""


def comparison(
    branches: Branches, name: str, other: str, trace: Callable[[], model.Trace]
) -> Comparison:
    """The comparison of the line or trace `name` with the line `other` (empty: the one that it left;
    for a trace the one that the run is on). `trace()` is the run so far.
    """
    beside = branches.traces.get(name)
    if beside is not None:
        if other and branches.of(other) is not branches.current:
            raise ValueError(f"the run is on {branches.current.name!r}: go to {other!r} first")
        tolerance = branches.tolerances.get(name, 0.0)
        return UPCALLS.filing().diff(trace(), beside, tolerance).comparison(name)
    there = branches.of(name)
    here = branches.of(other) if other else there.parent or there
    found = differences(branches, here, there)
    orders = (here.history.past.orders, there.history.past.orders)

    def order(difference: model.Difference) -> int:
        return min(own.get(difference.node, _NEVER) for own in orders)

    left = [line for line in (here, there) if _is_unfinished(line)]
    if left:
        found = tuple(each for each in found if all(each.node in own for own in orders))
    apart = [each for each in found if differs(each)]
    first = min(apart, key=order, default=None)
    away = next((line for line in left if line is not branches.current), None)
    return Comparison(
        found,
        None if first is None else first.node,
        "" if away is None else _where_left(away),
        "" if away is None else away.name,
    )


def _is_unfinished(line: Line) -> bool:
    """Are there nodes that it has never run? After a node that raised there is no way on."""
    history = line.history
    return history.recorded < history.total and history.error is None


def _where_left(line: Line) -> str:
    return f"{line.name} was left after {line.history.recorded} of {line.history.total} nodes"


def name_beside(title: str, trace: model.Trace) -> str:
    """The name of a trace beside a run of this title."""
    return trace.title if trace.title not in ("", title) else "the other run"


def differs(found: model.Difference) -> bool:
    """Is there a difference, as far as something arrived?"""
    return (found.here, found.there) != (None, None) and found.relative != 0


def differences(branches: Branches, here: Line, there: Line) -> tuple[model.Difference, ...]:
    """The differences of gradients at each node that one of them has run since they parted."""
    common, _ = branches.common(here, there)
    mine, others = _since(here, common), _since(there, common)
    known = branches.compared.setdefault((here, there), {})
    for node in mine.keys() | others.keys():
        at, beside = mine.get(node), others.get(node)
        # A step that a line has made stays as it is: it is compared once.
        if node not in known or known[node][:2] != (at, beside):
            norms = here.run.apart(at, there.run, beside)
            difference = model.Difference(node, _relative(*norms), norms[0], norms[1])
            known[node] = (at, beside, difference)
    return tuple(known[node][2] for node in sorted(mine.keys() | others.keys()))


def _since(line: Line, common: int) -> dict[int, int]:
    """The steps by node, of those of this line alone, if they are undone now."""
    return {n: index for n, index in line.history.past.orders.items() if index >= common}


def _relative(here: float | None, there: float | None, apart: float | None) -> float | None:
    if here is None or there is None or apart is None:
        return None
    if not (isfinite(here) and isfinite(apart)):
        return inf
    if here == 0:
        return inf if apart else 0.0
    return apart / here
