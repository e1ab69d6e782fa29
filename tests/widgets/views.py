"""Views for tests: a Controller whose messages end in a list, checked on their way as a browser would.

`View` only asks and hears; `Following` folds what it hears, as the browser does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from vizgrad.inspection import model
from vizgrad.inspection.fold import Fold
from vizgrad.inspection.publishing import Update
from vizgrad.inspection.session import Session
from vizgrad.inspection.wire import decode_message, encode_message
from vizgrad.widgets import protocol as p
from vizgrad.widgets.controller import Controller

MESSAGES = tuple(
    dict.fromkeys([*(a for answers in p.ANSWERS.values() for a in answers), *p.EVENTS, p.Failed])
)


class View:
    """Sends requests as dataclasses or as raw content; `inbox` holds what came back, decoded."""

    def __init__(self, bound: Session | None = None) -> None:
        self.inbox: list[Any] = []
        self.raw: list[dict[str, Any]] = []
        self._number = 0
        self.controller = Controller(self._receive, bound)

    def _receive(self, content: dict[str, Any]) -> None:
        text = json.dumps(content, allow_nan=False)  # what a comm does
        self.raw.append(json.loads(text))
        self.inbox.append(decode_message(json.loads(text), MESSAGES))

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
    """A view that keeps its own picture of the run: `run()` is what it would draw."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.load(self.ask(p.Attach, session.id))

    def load(self, snapshot: p.Snapshot) -> None:
        """Begins anew, from everything."""
        self.graph = snapshot.graph
        self.start = snapshot.start
        self._take(snapshot.revision, snapshot.run, snapshot.graph.storages)

    def _take(self, revision: int, run: model.Run, storages: tuple[model.Storage, ...]) -> None:
        """The state as it was sent; from here on it is folded."""
        self.revision = revision
        self.state = run
        self.storages = {storage.id: storage for storage in storages}
        self.fold = Fold(self.start, run)
        self.turned = {(s.node, s.name): s for s in run.saved if s.state != "freed"}

    def hear(self, updates: list[Update]) -> None:
        """Folds what came; asks for what is missing."""
        for update in updates:
            if update.revision > self.revision + 1:
                return self.ask_since()
            if update.revision == self.revision + 1:
                self._apply(update)
        return None

    def ask_since(self) -> None:
        answer = self.ask(p.Since, self.session.id, self.revision)
        if isinstance(answer, p.Snapshot):
            self.load(answer)
        else:
            assert isinstance(answer, p.Updates)
            self.hear(list(answer.updates))

    def _apply(self, update: Update) -> None:
        if update.jumped:
            state = self.ask(p.GetState, self.session.id)
            self._take(state.revision, state.run, state.storages)
            return
        fold = self.fold
        forward = update.position >= update.before
        for record in update.records if forward else reversed(update.records):
            (fold.apply if forward else fold.unapply)(record)
        for change in update.changes:
            self._written(change)
            self.turned.update({(s.node, s.name): s for s in change.saved})
        self.revision = update.revision
        self.state = replace(
            self.state,
            status=update.status,
            position=update.position,
            recorded=update.recorded,
            total=update.total,
            earliest=update.earliest,
            breakpoints=update.breakpoints,
            error=update.error,
            modes=update.modes,
            current=fold.current,
            nodes=tuple(map(fold.node, range(len(self.graph.nodes)))),
            ready=fold.queue,
            buffers=fold.waiting,
            edges=tuple(model.EdgeRun(n, e, norm) for (n, e), norm in fold.flows.items()),
            saved=tuple(self._saved()),
        )

    def _saved(self) -> Iterator[model.SavedRun]:
        """Saved values that are not as the graph says: released, or stale."""
        for node in self.graph.nodes:
            for saved in node.saved:
                if saved.name in self.fold.released.get(node.id, ()):
                    yield model.SavedRun(node.id, saved.name, "freed", 0)
                    continue
                now = self.turned.get((node.id, saved.name))
                if saved.storage is None:
                    continue
                state, culprit = (
                    (saved.state, saved.culprit) if now is None else (now.state, now.culprit)
                )
                version = self.storages[saved.storage].version
                if (state, version) != (saved.state, saved.version_now):
                    yield model.SavedRun(node.id, saved.name, state, version, culprit)

    def _written(self, change: model.StorageChange) -> None:
        if change.opened is not None:
            self.storages[change.storage] = change.opened
            return
        old = self.storages[change.storage]
        self.storages[change.storage] = replace(
            old,
            version=change.version,
            writes=(*old.writes, *change.writes),
            writes_dropped=change.writes_dropped,
        )
