"""What the controller tells unasked: to every view, in order, without gaps, and to none that is gone."""

from __future__ import annotations

from typing import Any
from weakref import ref

import pytest

import vizgrad
from tests.debugger.jupyter.widget.views import Following, View
from tests.fixtures.sessions import small
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.controller import after_cell
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.session import Session


def test_two_views_of_a_session_follow_each_other(session: Session) -> None:
    first, second = View(), View(session)
    for view in (first, second):
        view.ask(p.Attach)
        view.events()
    first.ask(p.Step, session.id, 2)
    second.ask(p.StepBack, session.id)
    session.step(3)
    heard = first.updates()
    assert [u.position for u in heard] == [2, 1, 4]
    assert second.updates() == heard


def test_revisions_in_events_have_no_gaps(session: Session) -> None:
    view = View()
    revisions = [view.ask(p.Attach).revision]
    view.events()
    for wish in (session.step, session.step, session.back, session.continue_):
        wish()
        revisions += [u.revision for u in view.updates()]
    assert revisions == list(range(revisions[0], revisions[0] + len(revisions)))


def test_opening_and_closing_sessions_is_told_to_the_panel() -> None:
    view = View()
    _, _, session = small()
    (opened,) = view.events()
    assert [s.session for s in opened.sessions] == [session.id]
    session.close()
    (closed,) = view.events()
    assert closed.sessions == ()
    view.controller.close()
    small()
    assert view.events() == []


def test_attaching_elsewhere_ends_the_events_of_the_first() -> None:
    _, _, first = small()
    _, _, second = small()
    view = View()
    view.ask(p.Attach, first.id)
    view.ask(p.Attach, second.id)
    view.events()
    first.step()
    assert view.events() == []
    second.step()
    assert [e.session for e in view.events()] == [second.id]


def test_a_session_lives_as_long_as_a_view_shows_it() -> None:
    name = small()[2].id
    assert registry.find(name) is None  # nobody holds it
    bound = View(small()[2])
    session = ref(next(iter(registry.sessions())))
    panel = View()
    panel.ask(p.Attach)
    bound.ask(p.Detach)
    assert session() is not None
    panel.events()
    panel.ask(p.Detach)
    assert session() is None
    after_cell()
    assert panel.events()[-1].sessions == ()


def test_a_write_in_a_later_cell_shows_as_versions() -> None:
    x, _, session = small()
    view = View()
    view.ask(p.Attach)
    view.events()
    with vizgrad.no_grad():
        x *= 2
    assert session.notice_writes()
    (update,) = view.updates()
    assert (update.before, update.position, update.records) == (0, 0, ())
    (change,) = update.changes
    (storage,) = [s for s in session.versions if s.version]
    assert (change.storage, change.version, change.writes) == (storage.id, 1, storage.writes)
    told = view.ask(p.Look, session.id).standing
    assert set(change.saved) == {saved for saved in told.saved if saved.state == "stale"}
    assert told.stale == len(change.saved)
    view.events()
    assert {s.state for s in change.saved} == {"stale"}
    assert session.notice_writes() is False
    assert view.events() == []


def test_a_view_that_is_gone_hears_nothing(view: View, session: Session) -> None:
    view.controller.close()
    view.controller.close()
    session.step()
    assert view.events() == []


def test_a_lost_message_makes_no_view_deaf(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    view = Following(session)
    carry = view.controller._carry

    def broken(content: Any) -> None:
        raise OSError("the browser is gone")

    view.controller._carry = broken
    session.step()
    assert "the browser is gone" in caplog.text
    view.controller._carry = carry
    session.step()
    view.hear(view.updates())
    view.agrees()
    # lost, and nothing comes after it: the next cell tells
    view.controller._carry = broken
    session.step()
    view.controller._carry = carry
    after_cell()
    assert p.AtRevision(session.id, session.revision) in view.events()
    view.ask_since()
    view.agrees()


def test_a_broken_panel_does_not_stop_sessions_from_opening_and_closing() -> None:
    view = View()

    def broken(content: Any) -> None:
        raise OSError("the browser is gone")

    view.controller._carry = broken
    _, _, session = small()
    session.close()
    assert session.closed
