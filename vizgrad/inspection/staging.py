"""Going through the visit of one node: stage by stage, and line by line where it ran code of a person's.

A node runs as a whole. Gone into, its effects are undone but those of the stages that are shown as done, and
redone one after another: a step back within a step, with the same checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vizgrad.inspection import model
from vizgrad.inspection.abilities import Staged
from vizgrad.inspection.protocols import Effect, Step


class Mark(NamedTuple):
    """A place within a visit: so many stages are done, and so many lines."""

    stages: int
    lines: int


class Visiting:
    """A visit that is gone through. Its first mark is behind the first line or stage, the last at the end."""

    def __init__(self, step: Step) -> None:
        if not isinstance(step, Staged):
            raise ValueError("this engine does not tell what a node does in which order")
        self._staged: Sequence[tuple[model.StageRecord, Sequence[Effect]]] = step.staged
        self.node = step.node
        self.code = step.code
        self.marks: list[Mark] = []
        lines = 0
        for number in range(len(self._staged)):
            while lines < len(self.code) and self.code[lines].stage <= number:
                lines += 1
                self.marks.append(Mark(number, lines))
            self.marks.append(Mark(number + 1, lines))

    def effects(self, first: int, last: int) -> list[Effect]:
        """What the stages between two marks have changed (0: before the first mark)."""
        done = [self.marks[at - 1].stages if at else 0 for at in (first, last)]
        return [effect for _, effects in self._staged[done[0] : done[1]] for effect in effects]

    def told(self, at: int) -> model.Within:
        mark = self.marks[at - 1]
        stages = tuple(stage for stage, _ in self._staged)
        return model.Within(self.node, mark.stages, stages, mark.lines, self.code)

    def behind_code(self, at: int) -> int:
        """The mark behind the stage whose lines `at` is among; the last one where it is among none."""
        stage, lines = self.marks[at - 1]
        if not lines or self.code[lines - 1].stage < stage:
            return len(self.marks)
        return next(
            (n for n, mark in enumerate(self.marks, 1) if n > at and mark.stages > stage),
            len(self.marks),
        )
