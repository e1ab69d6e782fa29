"""Views for tests: a Controller whose messages end in a list, checked on their way as a browser would.

`View` only asks and hears; `Following` folds what it hears, as the browser does.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tests.debugger.jupyter.widget.standing_fold import StandingFold
from tests.fixtures.whole import whole
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.controller import Controller
from vizgrad.debugger.jupyter.widget.drawing import Folding, Standing
from vizgrad.debugger.session.run_control import Update
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.wire.wire import decode_message, encode_message, messages

MESSAGES = tuple(
    dict.fromkeys([*(a for answers in p.ANSWERS.values() for a in answers), *p.EVENTS, p.Failed])
)


#: A browser's numbers hold whole ones exactly up to this. Python in a browser makes a BigInt of a larger
#: one, which no browser writes as JSON.
LARGEST = 2**53 - 1


def _whole_number(digits: str) -> int:
    number = int(digits)
    assert abs(number) <= LARGEST, digits
    return number


class View:
    """Sends requests as dataclasses or as raw content; `inbox` holds what came back, decoded."""

    def __init__(self, bound: Session | None = None) -> None:
        self.inbox: list[Any] = []
        self.raw: list[dict[str, Any]] = []
        self._number = 0
        self.controller = Controller(self._receive, bound)

    def _receive(self, content: dict[str, Any]) -> None:
        text = json.dumps(content, allow_nan=False)  # what a comm does
        self.raw.append(json.loads(text, parse_int=_whole_number))
        self.inbox.append(decode_message(json.loads(text), messages(MESSAGES)))

    def ask(self, request: type, *arguments: Any) -> Any:
        """Sends one request; returns its one answer, which is of a class that the protocol says."""
        self._number += 1
        self.controller.receive(json.loads(json.dumps(encode_message(
            request(self._number, *arguments)
        ))))  # fmt: skip
        answers = [m for m in self.inbox if getattr(m, "request", None) == self._number]
        assert len(answers) == 1, f"{len(answers)} answers to {request.__name__}"
        assert isinstance(answers[0], (*p.ANSWERS[request], p.Failed))
        return answers[0]

    def events(self) -> list[Any]:
        """What came unasked since the last call."""
        found = [m for m in self.inbox if not getattr(m, "request", 0)]
        self.inbox.clear()
        return found

    def updates(self) -> list[Update]:
        """The updates among them."""
        return [m.update for m in self.events() if isinstance(m, p.Updated)]


class Following(View):
    """A view that keeps its own standing: `standing` is what it would draw."""

    def __init__(self, session: Session, folding: Folding | None = None) -> None:
        super().__init__()
        self.session = session
        self.folding = folding or Folding()
        self.load(self.ask(p.Attach, session.id, self.folding))

    def look(self, folding: Folding | None = None) -> None:
        """Asks for what is to be seen, so folded; of a drawing that it has only for the standing."""
        self.folding = folding or self.folding
        self.load(self.ask(p.Look, self.session.id, self.folding, self.drawing.digest))

    def load(self, shown: p.Shown) -> None:
        if shown.drawing is not None:
            self.drawing = shown.drawing
        self.revision = shown.revision
        self.fold = StandingFold(self.drawing, shown.standing)

    @property
    def standing(self) -> Standing:
        return self.fold.standing

    def hear(self, updates: list[Update]) -> None:
        """Folds what came; asks for what is missing."""
        for update in updates:
            if update.revision > self.revision + 1:
                return self.ask_since()
            if update.revision == self.revision + 1:
                if update.jumped or update.changes:
                    self.look()
                else:
                    self.fold.hear(update)
                    self.revision = update.revision
        return None

    def ask_since(self) -> None:
        answer = self.ask(p.Since, self.session.id, self.revision)
        if isinstance(answer, p.Behind):
            self.look()
        else:
            assert isinstance(answer, p.Updates)
            self.hear(list(answer.updates))

    def agrees(self) -> None:
        """What was folded is what a view that comes now is shown; only the standing was asked for."""
        assert self.revision == self.session.revision
        view = View()
        fresh = view.ask(p.Look, self.session.id, self.folding, self.drawing.digest)
        view.controller.close()
        assert fresh.drawing is None
        # As text: of NaN nothing else is equal to itself.
        assert whole(_foldable(self.standing)) == whole(_foldable(fresh.standing))


def _foldable(standing: Standing) -> Standing:
    """Without names, which are told once, without the states of saves, which `saved` says, and how far the
    current branch is, which the run says.
    """
    storages = tuple(
        replace(each, saves=tuple(replace(mark, state="alive") for mark in each.saves))
        for each in standing.storages
    )
    branches = tuple(
        replace(each, position=0, recorded=0) if each.current else each
        for each in standing.branches
    )
    return replace(standing, names=(), storages=storages, branches=branches)
