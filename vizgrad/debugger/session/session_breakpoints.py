"""The breakpoints of a session, as the user sets them: `session.breakpoints`."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, overload

from vizgrad.debugger import model
from vizgrad.debugger.session.breakpoints.breakpoints import Condition
from vizgrad.debugger.session.breakpoints.node_selectors import leaf_called
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.run_control import RunControl


class SessionBreakpoints(Sequence[model.Breakpoint]):
    """Where `continue_` stops: all breakpoints, enabled or not, in the order in which they were made.

    A sequence of what they are now: `tuple(session.breakpoints)` is how they are at one moment.
    """

    def __init__(self, control: RunControl) -> None:
        self._control = control
        self._points = control.points

    def add(
        self,
        op: str | None = None,
        *,
        node: Any = None,
        tensor: Any = None,
        line: int | str | None = None,
        when: Condition | str | None = None,
        written: Any = None,
        condition: Condition | str | None = None,
        hits: int = 0,
        enabled: bool = True,
    ) -> model.Breakpoint:
        """See `Session.break_at`."""
        with self._changing() as live:
            made = self._points.add(
                op=op,
                node=node,
                tensor=tensor,
                line=line,
                when=when,
                written=written,
                condition=condition,
                hits=hits,
                enabled=enabled,
            )
            return made.told(live.position)

    def add_text(
        self, kind: model.BreakpointKind, text: str, *, condition: str = "", hits: int = 0
    ) -> model.Breakpoint:
        """See `Session.add_breakpoint`."""
        with self._changing() as live:
            text = text.strip()
            wanted: Any = text
            if kind in ("tensor", "data"):
                wanted = leaf_called(live.source, text)
            elif kind == "node":
                wanted = int(text) if text.isdecimal() else text
            where = {"tensor": "node", "data": "written"}.get(kind, kind)
            made = self._points.add(**{where: wanted}, condition=condition or None, hits=hits)
            return made.told(live.position)

    def enable(self, number: int, enabled: bool = True) -> None:
        """Lets `continue_` stop there, or pass by. ValueError if there is none of this number."""
        with self._changing():
            self._points.enable(number, enabled)

    def remove(self, number: int) -> None:
        """ValueError if there is none of this number."""
        with self._changing():
            self._points.remove(number)

    def clear(self) -> None:
        """Removes all of them."""
        with self._changing():
            self._points.clear()

    def toggle(self, node: int, enabled: bool) -> None:
        """The breakpoint that the user toggles on one node; taken away, no other stops there either."""
        with self._changing():
            self._points.toggle(node, enabled)

    def toggle_line(self, line: str, enabled: bool, *, condition: str = "", hits: int = 0) -> None:
        """The breakpoint that the user toggles beside a line, ``"train.py:7"``. ValueError as `add`."""
        with self._changing():
            if enabled:
                self._points.add(line=line, condition=condition or None, hits=hits)
                return
            for each in self._points.at_line(line):
                self._points.remove(each.id)

    @property
    def stop_at_nonfinite(self) -> bool:
        """Does `continue_` stop after a node that makes a NaN or an infinity of finite gradients?"""
        return self._points.nonfinite

    @stop_at_nonfinite.setter
    def stop_at_nonfinite(self, on: bool) -> None:
        with self._changing():
            self._points.nonfinite = bool(on)

    @contextmanager
    def _changing(self) -> Generator[Live]:
        control = self._control
        with control.owned():
            live = control.live()
            yield live
            control.publish(live, live.position)

    # --- a sequence -------------------------------------------------------------------------------

    def _all(self) -> tuple[model.Breakpoint, ...]:
        with self._control.owned():
            return self._points.told()

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[model.Breakpoint]:
        return iter(self._all())

    @overload
    def __getitem__(self, index: int) -> model.Breakpoint: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[model.Breakpoint, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._all()[index]

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, SessionBreakpoints) else other)

    __hash__ = None  # type: ignore[assignment]  # they change

    def __repr__(self) -> str:
        return repr(self._all())
