"""A session, a view of it, and none besides; modes that a test sets are given back."""

from __future__ import annotations

import pytest

from tests.debugger.jupyter.widget.views import View
from tests.fixtures.modes import modes_are_given_back as modes_are_given_back
from tests.fixtures.sessions import alone as alone
from tests.fixtures.sessions import session as session
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.session.session import Session


@pytest.fixture
def view(session: Session) -> View:
    """Attached to `session`."""
    made = View()
    made.ask(p.Attach)
    made.events()
    return made
