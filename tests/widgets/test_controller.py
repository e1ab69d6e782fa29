"""The controller: every request has its answer, whatever is asked, and nothing ever hangs or raises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vizgrad
from tests.fixtures.sessions import held, leaf, no_sessions, small
from tests.widgets.views import View
from vizgrad.inspection import session as session_module
from vizgrad.inspection.session import Session
from vizgrad.tensor.tensor import new_tensor
from vizgrad.widgets import protocol as p


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    with no_sessions():
        yield


@pytest.fixture
def session() -> Session:
    return small()[2]


@pytest.fixture
def view(session: Session) -> View:
    made = View()
    made.ask(p.Attach)
    made.events()
    return made


# --- one request after the other ----------------------------------------------------------------------


def test_the_list_of_sessions(session: Session) -> None:
    answer = View().ask(p.ListSessions)
    assert answer.sessions == (p.SessionInfo(session.id, "out", "paused", 0, 5),)
    assert answer.vizgrad_version == vizgrad.__version__
    assert answer.protocol_version == p.PROTOCOL_VERSION


def test_attach_gives_everything_that_is_needed_to_draw(session: Session) -> None:
    session.step(2)
    view = View()
    for name in (None, session.id):
        answer = view.ask(p.Attach, name)
        assert isinstance(answer, p.Snapshot)
        assert (answer.session, answer.revision) == (session.id, session.revision)
        assert answer.graph == replace(session.graph, storages=session.versions)
        assert answer.run == session.run


def test_a_snapshot_can_be_asked_for_again(view: View, session: Session) -> None:
    answer = view.ask(p.GetSnapshot, session.id)
    assert answer.run == session.run


def test_moves_are_answered_by_the_state(view: View, session: Session) -> None:
    wishes: list[tuple[Any, ...]] = [
        (p.Step, session.id), (p.Step, session.id, 2), (p.StepBack, session.id, 1),
        (p.Continue, session.id), (p.Seek, session.id, 1), (p.RunTo, session.id, 0),
        (p.Restart, session.id), (p.SetBreakpoint, session.id, 1, True),
    ]  # fmt: skip
    positions: list[int] = []
    revisions = [session.revision]
    for wish in wishes:
        answer = view.ask(*wish)
        assert isinstance(answer, p.State)
        assert answer.run == session.run
        assert answer.revision == session.revision
        positions.append(answer.run.position)
        revisions.append(answer.revision)
    assert positions == [1, 3, 2, 5, 1, 0, 0, 0]
    assert revisions == sorted(revisions)
    assert session.run.breakpoints == (1,)
    assert view.events() == []  # who asks gets a reply, no event


def test_inspect(view: View, session: Session) -> None:
    answer = view.ask(p.Inspect, session.id, 0)
    assert isinstance(answer, p.Inspection)
    assert answer.node == session.graph.nodes[0]
    assert answer.visit is None
    assert answer.buffers[0] is not None  # the root's gradient has arrived
    view.ask(p.Continue, session.id)
    leaf_number = next(n.id for n in session.graph.nodes if n.label == "x")
    answer = view.ask(p.Inspect, session.id, leaf_number)
    assert answer.visit is not None
    assert answer.grad is not None
    assert answer.visit.accumulate.after == answer.grad


def test_stop_closes_and_the_last_state_stays(view: View, session: Session) -> None:
    view.ask(p.Step, session.id)
    answer = view.ask(p.Stop, session.id)
    assert (answer.run.status, answer.run.position) == ("closed", 1)
    assert any(isinstance(m, p.Closed) for m in view.inbox)
    answer = view.ask(p.GetSnapshot, session.id)
    assert answer.run.status == "closed"
    answer = view.ask(p.Inspect, session.id, 0)
    assert answer.node.name == "MulBackward0"
    for move in (p.Step, p.StepBack, p.Continue, p.Restart):
        answer = view.ask(move, session.id)
        assert isinstance(answer, p.Failed)
        assert "closed" in answer.message


def test_a_widget_keeps_its_session_though_newer_ones_open(session: Session) -> None:
    bound = View(session)
    small()
    assert bound.ask(p.Attach).session == session.id
    assert bound.ask(p.Step, session.id).run.position == 1
    assert bound.events() == []  # no lists of sessions for a widget


# --- events -------------------------------------------------------------------------------------------


def test_two_views_of_a_session_follow_each_other(session: Session) -> None:
    first, second = View(), View(session)
    for view in (first, second):
        view.ask(p.Attach)
        view.events()
    first.ask(p.Step, session.id, 2)
    (event,) = second.events()
    assert isinstance(event, p.State)
    assert (event.request, event.run) == (0, session.run)
    second.ask(p.StepBack, session.id)
    session.step(3)
    assert [e.run.position for e in first.events()] == [1, 4]
    assert [e.run.position for e in second.events()] == [4]


def test_revisions_in_events_have_no_gaps(session: Session) -> None:
    view = View()
    revisions = [view.ask(p.Attach).revision]
    view.events()
    for wish in (session.step, session.step, session.back, session.continue_):
        wish()
        revisions += [e.revision for e in view.events()]
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


def test_a_write_in_a_later_cell_shows_as_versions() -> None:
    x, _, session = small()
    view = View()
    view.ask(p.Attach)
    view.events()
    with vizgrad.no_grad():
        x *= 2
    assert session.notice_writes()
    (event,) = view.events()
    assert isinstance(event, p.Versions)
    assert event.storages == session.versions
    assert max(s.version for s in event.storages) == 1
    assert {s.state for s in event.run.saved} == {"stale"}
    assert session.notice_writes() is False
    assert view.events() == []


def test_a_view_that_is_gone_hears_nothing(view: View, session: Session) -> None:
    view.controller.close()
    view.controller.close()
    session.step()
    assert view.events() == []


def test_a_broken_connection_is_dropped_and_the_run_goes_on(session: Session) -> None:
    view = View()
    view.ask(p.Attach)

    def broken(content: Any) -> None:
        raise OSError("the browser is gone")

    view.controller._send = broken
    with pytest.warns(RuntimeWarning, match="the browser is gone"):
        session.step()
    session.step()
    assert session.position == 2
    view.controller.close()


def test_a_broken_panel_does_not_stop_sessions_from_opening_and_closing() -> None:
    view = View()

    def broken(content: Any) -> None:
        raise OSError("the browser is gone")

    view.controller._send = broken
    with pytest.warns(RuntimeWarning, match="the browser is gone"):
        _, _, session = small()
    session.close()
    assert session.closed


# --- what cannot be done ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wish",
    [
        (p.Step, 1, -1), (p.Step, 1, 10**7), (p.StepBack, 1, -1), (p.RunTo, 1, 99), (p.RunTo, 1, -1),
        (p.Inspect, 1, 99), (p.Inspect, 1, -1), (p.SetBreakpoint, 1, 99, True),
    ],
)  # fmt: skip
def test_impossible_wishes_fail_and_move_nothing(
    view: View, session: Session, wish: tuple[Any, ...]
) -> None:
    answer = view.ask(wish[0], session.id, *wish[2:])
    assert isinstance(answer, p.Failed)
    assert answer.message
    assert session.position == 0


def test_an_unknown_session(view: View) -> None:
    for wish in ((p.Attach, "s999"), (p.Step, "s999"), (p.GetSnapshot, "")):
        answer = view.ask(*wish)
        assert isinstance(answer, p.Failed)
        assert "vizgrad.debug" in answer.message


def test_no_session_at_all() -> None:
    answer = View().ask(p.Attach)
    assert isinstance(answer, p.Failed)
    assert "no debugging session is open" in answer.message


def test_an_error_in_a_node_is_a_failure_and_a_state_that_says_so() -> None:
    x = leaf()
    h = x.tanh()

    def broken(grad: Any) -> Any:
        error = ZeroDivisionError("the hook's own fault")
        error.add_note("a note of its own")
        raise error

    h.register_hook(broken)
    session = Session(h * x, new_tensor(x._array), names={})
    view = View()
    view.ask(p.Attach)
    answer = view.ask(p.Continue, session.id)
    assert isinstance(answer, p.Failed)
    assert answer.message.startswith("ZeroDivisionError: the hook's own fault")
    assert "a note of its own" in answer.message
    states = [m for m in view.inbox if isinstance(m, p.State)]
    assert states[-1].run.status == "failed"
    assert "the hook's own fault" in states[-1].run.error
    # the API raised nothing twice, and the view can go back
    assert view.ask(p.StepBack, session.id).run.status == "paused"


class CountedLock:
    """Notes how long each caller is ready to wait."""

    def __init__(self, lock: Any, waits: list[float]) -> None:
        self.lock = lock
        self.waits = waits

    def acquire(self, timeout: float) -> bool:
        self.waits.append(timeout)
        return self.lock.acquire(timeout=timeout)

    def release(self) -> None:
        self.lock.release()


def test_a_busy_session_fails_soon(monkeypatch: pytest.MonkeyPatch, session: Session) -> None:
    monkeypatch.setattr(session_module, "LOCK_TIMEOUT", 0.2)
    view = View()
    view.ask(p.Attach)
    with held(session):
        waits: list[float] = []
        monkeypatch.setattr(session, "_lock", CountedLock(session._lock, waits))
        answer = view.ask(p.Step, session.id)
        assert isinstance(answer, p.Failed)
        assert "another thread" in answer.message
        assert waits == [0.2], "it waits once"
        assert len(view.ask(p.ListSessions).sessions) == 1
        assert waits == [0.2], "the list does not wait at all"
        monkeypatch.setattr(session, "_lock", session._lock.lock)
    assert view.ask(p.Step, session.id).run.position == 1


# --- what is not even a request -----------------------------------------------------------------------

_json: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
_names = st.sampled_from(
    ["step", "step_back", "attach", "run_to", "seek", "continue", "restart", "inspect", "stop",
     "set_breakpoint", "list_sessions", "get_snapshot", "snapshot", "__class__", "Step", ""]
)  # fmt: skip
_fields = st.sampled_from(["request", "session", "count", "node", "position", "enabled", "more"])
_messages = st.builds(
    lambda name, fields: {"type": name, **fields},
    _names | _json,
    st.dictionaries(_fields, _json | st.just("SESSION"), max_size=4),
)


@given(_messages | _json)
@settings(deadline=None)
def test_no_message_raises_or_goes_unanswered(content: Any) -> None:
    with no_sessions():
        _, _, session = small()
        view = View()
        view.ask(p.Attach)
        view.inbox.clear()
        if isinstance(content, dict):
            content = {k: session.id if v == "SESSION" else v for k, v in content.items()}
        view.controller.receive(content)
        assert view.inbox
        # and the session can still be used
        if not session.closed:
            assert isinstance(view.ask(p.Restart, session.id), p.State)


@pytest.mark.parametrize(
    "content",
    [
        None, [], "step", {}, {"type": "step"}, {"type": ["step"]}, {"type": "step", "request": "1"},
        {"type": "step", "request": 1, "session": 5}, {"type": "eval", "request": 1, "code": "1"},
        {"type": "seek", "request": 1, "session": "s1", "position": 1.5},
    ],
)  # fmt: skip
def test_malformed_messages_are_named_as_such(content: Any) -> None:
    view = View()
    view.controller.receive(content)
    (answer,) = view.inbox
    assert isinstance(answer, p.Failed)
    assert answer.message.startswith("malformed message")


# --- strings of strangers -----------------------------------------------------------------------------

HOSTILE = "<img src=x onerror=alert(1)>"


def test_hostile_names_arrive_as_the_characters_they_are() -> None:
    x, y = leaf(1), leaf(2)
    with vizgrad.scope(HOSTILE):
        h = x * y

    def hook(grad: Any) -> Any:
        raise ValueError(HOSTILE)

    hook.__qualname__ = hook.__name__ = HOSTILE
    h.register_hook(hook)
    session = Session(h, new_tensor(x._array), names={id(x): HOSTILE}, title=HOSTILE)
    view = View()
    snapshot = view.ask(p.Attach)
    assert snapshot.graph.title == HOSTILE
    node = snapshot.graph.nodes[0]
    assert node.scope == (HOSTILE,)
    assert node.hooks == (HOSTILE,)
    assert [n.label for n in snapshot.graph.nodes if n.kind == "leaf"].count(HOSTILE) == 1
    assert any(s.label == HOSTILE for s in snapshot.graph.storages)
    assert view.ask(p.ListSessions).sessions[0].title == HOSTILE
    answer = view.ask(p.Step, session.id)
    assert HOSTILE in answer.message
    assert HOSTILE in session.run.error
    answer = view.ask(p.Attach, HOSTILE)
    assert isinstance(answer, p.Failed)


def test_a_reply_carries_no_object_but_json(view: View, session: Session) -> None:
    view.ask(p.Continue, session.id)
    view.ask(p.Inspect, session.id, 0)

    def plain(value: Any) -> bool:
        if isinstance(value, dict):
            return all(isinstance(k, str) and plain(v) for k, v in value.items())
        if isinstance(value, list):
            return all(map(plain, value))
        return value is None or isinstance(value, (str, int, float, bool))

    assert all(map(plain, view.raw))
