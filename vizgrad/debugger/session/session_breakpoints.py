"""The breakpoints of a session, as a person sets them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from vizgrad.debugger import model
from vizgrad.debugger.session.breakpoints.breakpoints import Breakpoints, Condition
from vizgrad.debugger.session.breakpoints.node_selectors import leaf_called
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.session_view import Seen


class Breaking(Seen):
    """The part of a `Session` that says where `continue_` stops."""

    _breakpoints: Breakpoints

    def _publish(self, live: Live, before: int) -> None:
        raise NotImplementedError

    def break_at(
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
        """Makes `continue_` stop, and says how: before nodes named like `op` (``"Mul*"``), before `node`,
        before the producer of `tensor`, before nodes that were recorded at `line` (of the newest cell, or
        ``"train.py:7"``), in each case only where `condition` holds of what has arrived there; behind a
        visit for which `when` holds; or behind one in which the memory of the tensor `written` was written.

        A condition is a function of a `model.Visit`, or a text like ``"grad.norm > 1e3"``, ``"nonfinite"``,
        ``"iteration == 17"`` (see `vizgrad.debugger.session.breakpoints.conditions`). With `hits` it
        stops at the so manieth time only, else each time. ValueError when nothing matches, or a text is
        not understood.
        """
        with self._changing_breakpoints():
            made = self._breakpoints.add(
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
            return made.told(self.position)

    def add_breakpoint(
        self, kind: model.BreakpointKind, text: str, *, condition: str = "", hits: int = 0
    ) -> model.Breakpoint:
        """The same from text alone: "op" a name or pattern, "node" a number, "line" ``train.py:7``, "when" a
        condition, "tensor" and "data" what a person calls a leaf. ValueError as `break_at`.
        """
        with self._changing_breakpoints() as live:
            text = text.strip()
            wanted: Any = text
            if kind in ("tensor", "data"):
                wanted = leaf_called(live.source, text)
            elif kind == "node":
                wanted = int(text) if text.isdecimal() else text
            where = {"tensor": "node", "data": "written"}.get(kind, kind)
            made = self._breakpoints.add(**{where: wanted}, condition=condition or None, hits=hits)
            return made.told(self.position)

    @property
    def breakpoints(self) -> tuple[model.Breakpoint, ...]:
        """All of them, enabled or not, in the order in which they were made."""
        with self._owned():
            return self._breakpoints.told()

    def enable_breakpoint(self, number: int, enabled: bool = True) -> None:
        """Lets `continue_` stop there, or pass by. ValueError if there is none of this number."""
        with self._changing_breakpoints():
            self._breakpoints.enable(number, enabled)

    def remove_breakpoint(self, number: int) -> None:
        """ValueError if there is none of this number."""
        with self._changing_breakpoints():
            self._breakpoints.remove(number)

    def clear_breakpoints(self) -> None:
        with self._changing_breakpoints():
            self._breakpoints.clear()

    def set_breakpoint(self, node: int, enabled: bool) -> None:
        """The breakpoint that a person toggles on one node; taken away, no other stops there either."""
        with self._changing_breakpoints():
            self._breakpoints.toggle(node, enabled)

    def set_line_breakpoint(
        self, line: str, enabled: bool, *, condition: str = "", hits: int = 0
    ) -> None:
        """The breakpoint that a person toggles beside a line, ``"train.py:7"``. ValueError as `break_at`."""
        with self._changing_breakpoints():
            if enabled:
                self._breakpoints.add(line=line, condition=condition or None, hits=hits)
                return
            for each in self._breakpoints.at_line(line):
                self._breakpoints.remove(each.id)

    @property
    def stop_at_nonfinite(self) -> bool:
        """Does `continue_` stop behind a node that makes a NaN or an infinity of finite gradients?"""
        return self._breakpoints.nonfinite

    @stop_at_nonfinite.setter
    def stop_at_nonfinite(self, on: bool) -> None:
        with self._changing_breakpoints():
            self._breakpoints.nonfinite = bool(on)

    @contextmanager
    def _changing_breakpoints(self) -> Generator[Live]:
        with self._owned():
            live = self._live()
            yield live
            self._publish(live, live.position)
