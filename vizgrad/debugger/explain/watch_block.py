"""`vizgrad.watch()`: a block that is listened to, and what was wrong in it without an error."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from vizgrad.core.errors import Explanation, Findings
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.api.frameworks import listening
from vizgrad.debugger.engines.api.openers import known_types
from vizgrad.debugger.engines.common.variable_names import names_around
from vizgrad.debugger.explain import findings, improved_errors, loss_faults
from vizgrad.debugger.watch.call_recorder import Tapping
from vizgrad.debugger.watch.note_recorder import Noting


class Watch:
    """A block of a person's code with forensics on. `findings` are its silent problems, worst first.

    While it is on, `vizgrad.why` knows lines and names, and errors explain more. Nothing is changed: values,
    versions, lifetimes and the order of hooks are those of an unwatched block.
    """

    def __init__(self) -> None:
        #: One for each engine: vizgrad's own first, then those whose framework was imported.
        self._notings: list[Noting] = [Tapping()]
        self._found: list[Explanation] | None = None
        self._open = False
        self._others = listening()

    def __enter__(self) -> Self:
        global _last
        if self._open or self._found is not None:
            raise RuntimeError("a watch is entered once: make another with vizgrad.watch()")
        own = self._notings[0]
        self._notings += self._others.__enter__()
        for noting in self._notings:
            noting.lookers.append(loss_faults.Suspects(noting).look)
            noting.looked_at = loss_faults.OPERATIONS
            noting.on_error = improved_errors.Improving(noting).improve
        own.start()
        self._open = True
        _last = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            names = names_around(kinds=(Tensor, *known_types()))
            for noting in self._notings:
                noting.names = names
            self._found = self._all()
        finally:
            self._open = False
            self._notings[0].stop()
            self._others.__exit__(kind, error, trace)

    def _all(self) -> list[Explanation]:
        return [found for noting in self._notings for found in findings.all_of(noting)]

    @property
    def findings(self) -> Findings:
        """Silent problems, worst first; complete when the block has ended."""
        return Findings(self._all() if self._found is None else self._found)

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


def known(tensor: Any) -> Noting | None:
    """The latest note on tensors like this one: by the open watch, or by the last one, which may
    have ended.
    """
    notings = [] if _last is None else _last._notings
    return next((noting for noting in notings if noting.look.knows(tensor)), None)
