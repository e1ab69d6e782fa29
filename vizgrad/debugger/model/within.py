"""Where a run stands within the visit of one node."""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.debugger.model.code import CodeStep
from vizgrad.debugger.model.records import StageRecord


@dataclass(frozen=True, slots=True)
class Within:
    """The first `done` of the `stages` of the visit of `node` are shown as done, and the first `lines` of the
    `code` of a person's that it ran; of what these and the next line made the first `made`.

    The node has run as a whole when it was gone into: what later stages did to `.grad` and saved values is
    undone as long as they are not done here, what they did to other objects of Python is not.
    """

    node: int
    done: int
    stages: tuple[StageRecord, ...]
    lines: int = 0
    code: tuple[CodeStep, ...] = ()
    made: int = 0

    @property
    def following(self) -> CodeStep | None:
        """The line that comes next; None where a stage does."""
        coming = self.code[self.lines : self.lines + 1]
        return next((line for line in coming if line.stage <= self.done), None)
