"""A session, a view of it, and none besides; modes that a test sets are given back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.debugger.jupyter.widget.views import View
from tests.fixtures.modes import modes_are_given_back as modes_are_given_back
from tests.fixtures.sessions import no_sessions, small
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.session.session import Session


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    with no_sessions():
        yield


@pytest.fixture
def session() -> Session:
    return small()[2]


@pytest.fixture
def view(session: Session) -> View:
    """Attached to `session`."""
    made = View()
    made.ask(p.Attach)
    made.events()
    return made
