"""The controller: every request has its answer, whatever is asked, and nothing ever hangs or raises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from weakref import ref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vizgrad
from tests.fixtures.sessions import held, leaf, no_sessions, small
from tests.widgets.views import Following, View
from vizgrad.inspection import registry
from vizgrad.inspection import session as session_module
from vizgrad.inspection.session import Session
from vizgrad.stepping.opener import open_session
from vizgrad.tensor.tensor import new_tensor
from vizgrad.widgets import controller as controller_module
from vizgrad.widgets import protocol as p
from vizgrad.widgets.controller import after_cell


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


def test_moves_are_answered_once_and_told_as_updates(view: View, session: Session) -> None:
    wishes: list[tuple[Any, ...]] = [
        (p.Step, session.id), (p.Step, session.id, 2), (p.StepBack, session.id, 1),
        (p.Continue, session.id), (p.Seek, session.id, 1), (p.RunTo, session.id, 0),
        (p.Restart, session.id), (p.SetBreakpoint, session.id, 1, True),
    ]  # fmt: skip
    first = session.revision
    for wish in wishes:
        answer = view.ask(*wish)
        assert isinstance(answer, p.Done)
        assert (answer.session, answer.revision) == (session.id, session.revision)
    updates = view.updates()
    assert [u.position for u in updates] == [1, 3, 2, 5, 1, 0, 0]  # the last moves nothing
    assert [u.revision for u in updates] == list(range(first + 1, first + 8))
    assert [len(u.records) for u in updates] == [1, 2, 1, 3, 4, 1, 0]
    assert [r.visit.index for u in updates[:4] for r in u.records] == [0, 1, 2, 2, 2, 3, 4]
    assert updates[-1].breakpoints == session.run.breakpoints == (1,)


def test_the_state_can_be_asked_for(view: View, session: Session) -> None:
    session.step(2)
    answer = view.ask(p.GetState, session.id)
    assert (answer.run, answer.storages) == (session.run, session.versions)
    assert answer.revision == session.revision


def test_a_far_move_is_told_without_its_steps(monkeypatch: pytest.MonkeyPatch, view: View) -> None:
    monkeypatch.setattr(session_module, "RECORDS_CARRIED", 2)
    session = next(iter(registry.sessions()))
    session.step(2)
    session.step(3)
    near, far = view.updates()
    assert (near.jumped, len(near.records)) == (False, 2)
    assert (far.jumped, far.records, far.before, far.position) == (True, (), 2, 5)


def test_what_was_missed_is_told_again(view: View, session: Session) -> None:
    first = session.revision
    session.step()
    session.step()
    heard = view.updates()
    answer = view.ask(p.Since, session.id, first)
    assert isinstance(answer, p.Updates)
    assert list(answer.updates) == heard
    assert view.ask(p.Since, session.id, session.revision).updates == ()
    for strange in (first - 5, session.revision + 1):
        assert isinstance(view.ask(p.Since, session.id, strange), p.Snapshot)


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
    view.ask(p.Stop, session.id)
    last = view.updates()[-1]
    assert (last.status, last.position, last.before) == ("closed", 1, 1)
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
    assert isinstance(bound.ask(p.Step, session.id), p.Done)
    assert [u.position for u in bound.updates()] == [1]  # and no lists of sessions for a widget


# --- events -------------------------------------------------------------------------------------------


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
    assert change.saved == session.run.saved
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
    assert (view.revision, view.state) == (session.revision, session.run)
    # lost, and nothing comes after it: the next cell tells
    view.controller._carry = broken
    session.step()
    view.controller._carry = carry
    after_cell()
    assert p.AtRevision(session.id, session.revision) in view.events()
    view.ask_since()
    assert view.state == session.run


def test_a_broken_panel_does_not_stop_sessions_from_opening_and_closing() -> None:
    view = View()

    def broken(content: Any) -> None:
        raise OSError("the browser is gone")

    view.controller._carry = broken
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


def test_a_graph_that_is_too_large_to_draw_says_so_and_can_be_stepped(
    monkeypatch: pytest.MonkeyPatch, session: Session
) -> None:
    monkeypatch.setattr(controller_module, "MOST_NODES", 4)
    view = View(session)
    answer = view.ask(p.Attach)
    assert isinstance(answer, p.Failed)
    assert "5 nodes, more than the 4" in answer.message
    session.step()
    assert session.position == 1


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
    session = open_session(h * x, new_tensor(x._array), names={})
    view = View()
    view.ask(p.Attach)
    answer = view.ask(p.Continue, session.id)
    assert isinstance(answer, p.Failed)
    assert answer.message.startswith("ZeroDivisionError: the hook's own fault")
    assert "a note of its own" in answer.message
    (update,) = view.updates()
    assert update.status == "failed"
    assert "the hook's own fault" in update.error
    # the API raised nothing twice, and the view can go back
    assert isinstance(view.ask(p.StepBack, session.id), p.Done)
    assert session.status == "paused"


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
    assert isinstance(view.ask(p.Step, session.id), p.Done)
    assert session.position == 1


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
     "set_breakpoint", "list_sessions", "get_snapshot", "get_state", "since", "detach", "snapshot",
     "__class__", "Step", ""]
)  # fmt: skip
_fields = st.sampled_from(
    ["request", "session", "count", "node", "position", "enabled", "revision", "more"]
)
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
            assert isinstance(view.ask(p.Restart, session.id), p.Done)


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
    session = open_session(h, new_tensor(x._array), names={id(x): HOSTILE}, title=HOSTILE)
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
