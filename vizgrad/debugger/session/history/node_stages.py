"""Going through the visit of one node: stage by stage, and line by line where it ran code of a person's.

A node runs as a whole. Gone into, its effects are undone but those of the stages that are shown as done, and
redone one after another: a step back within a step, with the same checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Staged
from vizgrad.debugger.engines.api.protocols import Effect, Step

#: Stages of a leaf that come behind its storing.
_BEHIND_STORE = ("post_accumulate", "posthooks")


def stages_of(
    stages: Sequence[model.StageRecord], stored: tuple[str, str] | None
) -> list[model.StageRecord]:
    """Those of a visit; what a leaf does with its gradient, and why (`stored`), is its formula."""
    found = [*stages]
    if stored is not None:
        at = next((i for i, s in enumerate(found) if s.stage in _BEHIND_STORE), len(found))
        found.insert(at, model.StageRecord("formula", f"{stored[0]}: {stored[1]}"))
    return found


class Mark(NamedTuple):
    """A place within a visit: so many stages are done, so many lines, and so much of what these made."""

    stages: int
    lines: int
    made: int
    #: Within a line: behind a node that a backward of the line's own has run.
    fine: bool = False


class Visiting:
    """A visit that is gone through. Its first mark is behind the first line or stage, the last at the end."""

    def __init__(self, step: Step) -> None:
        if not isinstance(step, Staged):
            raise ValueError("this engine does not tell what a node does in which order")
        self._staged: Sequence[tuple[model.StageRecord, Sequence[Effect]]] = step.staged
        self.node = step.node
        self.code = step.code
        self.marks: list[Mark] = []
        lines = made = 0
        for number in range(len(self._staged)):
            while lines < len(self.code) and self.code[lines].stage <= number:
                for one in self.code[lines].made:
                    made += 1
                    if one.kind == "visit":
                        self.marks.append(Mark(number, lines, made, fine=True))
                lines += 1
                self.marks.append(Mark(number, lines, made))
            self.marks.append(Mark(number + 1, lines, made))

    def effects(self, first: int, last: int) -> list[Effect]:
        """What the stages between two marks have changed (0: before the first mark)."""
        done = [self.marks[at - 1].stages if at else 0 for at in (first, last)]
        return [effect for _, effects in self._staged[done[0] : done[1]] for effect in effects]

    def told(self, at: int) -> model.Within:
        mark = self.marks[at - 1]
        stages = tuple(stage for stage, _ in self._staged)
        return model.Within(self.node, mark.stages, stages, mark.lines, self.code, mark.made)

    def beside(self, at: int, way: int, *, fine: bool) -> int:
        """The mark after `at`, or with way -1 before it; over what a line's own backward runs, unless `fine`
        or where it is in there. 0: before the first.
        """
        fine = fine or (way < 0 and at > 0 and self.marks[at - 1].fine)
        at += way
        while not fine and 0 < at <= len(self.marks) and self.marks[at - 1].fine:
            at += way
        return at

    def behind_code(self, at: int) -> int:
        """The mark behind the line whose own backward `at` is in; else behind the stage whose lines it is
        among; the last one where it is among none.
        """
        stage, lines, _, fine = self.marks[at - 1]
        if fine:
            return self.beside(at, 1, fine=False)
        if not lines or self.code[lines - 1].stage < stage:
            return len(self.marks)
        return next(
            (n for n, mark in enumerate(self.marks, 1) if n > at and mark.stages > stage),
            len(self.marks),
        )
