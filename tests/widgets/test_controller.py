"""The controller: every request has its answer, whatever is asked, and nothing ever hangs or raises."""

from __future__ import annotations

import json
from collections.abc import Iterator
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
from vizgrad.inspection.wire import encode_message
from vizgrad.stepping.opener import open_session
from vizgrad.tensor.tensor import new_tensor
from vizgrad.widgets import protocol as p
from vizgrad.widgets.controller import after_cell
from vizgrad.widgets.drawing import AUTOMATIC


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
    assert answer.sessions == (p.SessionInfo(session.id, "out", "", "paused", 0, 5),)
    assert answer.vizgrad_version == vizgrad.__version__
    assert answer.protocol_version == p.PROTOCOL_VERSION


def test_attach_gives_what_is_to_be_seen(session: Session) -> None:
    session.step(2)
    view = View()
    for name in (None, session.id):
        answer = view.ask(p.Attach, name)
        assert isinstance(answer, p.Shown)
        assert (answer.session, answer.revision) == (session.id, session.revision)
        assert (answer.title, answer.nodes, answer.leaves) == ("out", 5, 2)
        assert [node.id for node in answer.drawing.nodes] == [0, 1, 2, 3, 4]
        assert answer.standing.nodes == session.run.nodes
        assert answer.standing.ready == session.run.ready
        assert answer.standing.position == 2


def test_a_drawing_that_is_there_is_not_sent_again(view: View, session: Session) -> None:
    first = view.ask(p.Look, session.id)
    session.step(2)
    again = view.ask(p.Look, session.id, AUTOMATIC, first.drawing.digest)
    assert again.drawing is None
    assert again.standing.position == 2
    assert view.ask(p.Look, session.id, AUTOMATIC, "another").drawing == first.drawing


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
        assert isinstance(view.ask(p.Since, session.id, strange), p.Behind)


def test_an_update_names_the_nodes_that_it_speaks_of(view: View, session: Session) -> None:
    view.ask(p.Step, session.id)
    (update,) = view.updates()
    (record,) = update.records
    spoken = {record.visit.node, record.current, *(r.edge.node for r in record.visit.routed)}
    nodes = session.graph.nodes
    assert {(n.node, n.name, n.label, n.needed) for n in update.names} == {
        (i, nodes[i].name, nodes[i].label, session.start.needed[i]) for i in spoken
    }


def test_find_names_and_visits(view: View, session: Session) -> None:
    found = view.ask(p.Find, session.id, "mul*back")
    names = [node.name for node in session.graph.nodes]
    assert [name.name for name in found.names] == [n for n in names if n == "MulBackward0"]
    assert found.total == len(found.names) > 0
    assert view.ask(p.Find, session.id, "").total == 0
    told = view.ask(p.GetNames, session.id, (4, 99, -1, 4)).names
    assert [(name.node, name.label) for name in told] == [(4, session.graph.nodes[4].label)]
    session.step(3)
    session.back()
    visits = view.ask(p.GetVisits, session.id, 1, 10)
    assert [(line.index, line.node) for line in visits.visits] == [
        (visit.index, visit.node) for visit in (s.visit for s in _records(session)[1:3])
    ]
    assert visits.visits[1].norm is None  # it is undone


def _records(session: Session) -> tuple[Any, ...]:
    session.step()
    records = session.trace.records
    session.back()
    return records


def test_memory_falls_as_values_are_released(view: View, session: Session) -> None:
    before = view.ask(p.GetMemory, session.id)
    assert before.held == before.peak == before.curve[0][1] > 0
    assert sum(holder.bytes for holder in before.holders) >= before.held > 0
    session.continue_()
    after = view.ask(p.GetMemory, session.id)
    assert (after.held, after.peak, after.holders, after.others) == (0, before.peak, (), 0)
    assert [step for step, _ in after.curve] == list(range(6))
    session.restart()
    assert view.ask(p.GetMemory, session.id).held == before.held


def test_storages(view: View, session: Session) -> None:
    told = view.ask(p.GetStorages, session.id, 100)
    assert told.storages == session.versions
    assert told.total == len(session.versions)
    assert len(view.ask(p.GetStorages, session.id, 1).storages) == 1


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
    answer = view.ask(p.Look, session.id)
    assert answer.standing.status == "closed"
    assert answer.drawing is not None
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


def test_a_large_graph_is_drawn_as_far_as_it_is_open() -> None:
    x = leaf(1)
    y = x
    for _ in range(3000):
        y = y * x
    session = open_session(y.sum(), names={})
    answer = View(session).ask(p.Attach)
    assert answer.nodes == 3002
    assert len(answer.drawing.boxes) < 20
    assert len(json.dumps(encode_message(answer))) < 100_000


def test_an_unknown_session(view: View) -> None:
    for wish in ((p.Attach, "s999"), (p.Step, "s999"), (p.Look, "")):
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


@pytest.mark.parametrize("kind", [ValueError, IndexError, RuntimeError])
def test_an_error_of_a_person_is_told_in_the_words_of_the_run(kind: type[Exception]) -> None:
    """Whatever its class is: a view that hears both says it once."""
    x = leaf()
    h = x.tanh()

    def broken(grad: Any) -> Any:
        raise kind("mine")

    h.register_hook(broken)
    session = open_session(h.sum(), names={})
    view = View()
    view.ask(p.Attach)
    answer = view.ask(p.Continue, session.id)
    (update,) = view.updates()
    assert answer.message == update.error == f"{kind.__name__}: mine"


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
    shown = view.ask(p.Attach)
    assert shown.title == HOSTILE
    node = shown.drawing.nodes[0]
    assert node.scope == (HOSTILE,)
    assert node.hooks == (HOSTILE,)
    assert [n.label for n in shown.drawing.nodes if n.kind == "leaf"].count(HOSTILE) == 1
    assert any(s.label == HOSTILE for s in shown.standing.storages)
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
