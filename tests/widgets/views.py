"""A view for tests: a Controller whose messages end in a list, checked on their way as a browser would."""

from __future__ import annotations

import json
from typing import Any

from vizgrad.inspection.session import Session
from vizgrad.inspection.wire import decode_message, encode_message
from vizgrad.widgets import protocol as p
from vizgrad.widgets.controller import Controller

ANSWERS = (p.Sessions, p.Snapshot, p.State, p.Versions, p.Inspection, p.Failed, p.Closed)


class View:
    """Sends requests as dataclasses or as raw content; `inbox` holds what came back, decoded."""

    def __init__(self, bound: Session | None = None) -> None:
        self.inbox: list[Any] = []
        self.raw: list[dict[str, Any]] = []
        self.controller = Controller(self._receive, bound)
        self._number = 0

    def _receive(self, content: dict[str, Any]) -> None:
        text = json.dumps(content, allow_nan=False)  # what a comm does
        self.raw.append(json.loads(text))
        self.inbox.append(decode_message(json.loads(text), ANSWERS))

    def ask(self, request: type, *arguments: Any) -> Any:
        """Sends one request; returns the last message with its number, which is its answer."""
        self._number += 1
        self.controller.receive(json.loads(json.dumps(encode_message(
            request(self._number, *arguments)
        ))))  # fmt: skip
        answers = [m for m in self.inbox if getattr(m, "request", None) == self._number]
        assert answers, f"no answer to {request.__name__}"
        return answers[-1]

    def events(self) -> list[Any]:
        """What came unasked since the last call."""
        found = [m for m in self.inbox if not getattr(m, "request", 0)]
        self.inbox.clear()
        return found
