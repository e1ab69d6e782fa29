"""`vizgrad.watch()`: a block that is listened to, and what was wrong in it without an error."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from vizgrad.errors import Explanation, Findings
from vizgrad.explaining import errors_within, findings, suspects
from vizgrad.inspection.frameworks import listening
from vizgrad.provenance.noting import Noting
from vizgrad.stepping.names import names_around


class Watch:
    """A block of a person's code with forensics on. `findings` are its silent problems, worst first.

    While it is on, `vizgrad.why` knows lines and names, and errors explain more. Nothing is changed: values,
    versions, lifetimes and the order of hooks are those of an unwatched block.
    """

    def __init__(self) -> None:
        self._noting = Noting()
        self._found: list[Explanation] | None = None
        self._open = False
        #: Other frameworks note where their nodes are recorded.
        self._others = listening()

    def __enter__(self) -> Self:
        global _last
        if self._open or self._found is not None:
            raise RuntimeError("a watch is entered once: make another with vizgrad.watch()")
        self._noting.lookers.append(suspects.Suspects(self._noting).look)
        self._noting.looked_at = suspects.OPERATIONS
        self._noting.on_error = errors_within.Improving(self._noting).improve
        self._noting.start()
        self._others.__enter__()
        self._open = True
        _last = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._others.__exit__(kind, error, trace)
        self._noting.names = names_around()
        self._found = findings.all_of(self._noting)
        self._open = False
        self._noting.stop()

    @property
    def findings(self) -> Findings:
        """Silent problems, worst first; complete when the block has ended."""
        return Findings(findings.all_of(self._noting) if self._found is None else self._found)

    def __repr__(self) -> str:
        if self._open:
            return "<Watch: open>"
        found = self._found or []
        if not found:
            return "<Watch: nothing found>"
        return "\n\n".join(str(each) for each in found)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        found = self._found
        return {
            **({} if not found else Findings(found)._repr_mimebundle_()),
            "text/plain": repr(self),
        }


_last: Watch | None = None


def known() -> Noting | None:
    """What was noted last: of the watch that is open, or of the last one, which may have ended."""
    return None if _last is None else _last._noting
