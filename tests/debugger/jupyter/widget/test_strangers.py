"""No message raises or goes unanswered, and a stranger's string is no more than its characters."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad
from tests.debugger.jupyter.widget.views import View
from tests.fixtures.sessions import leaf, no_sessions, small
from vizgrad.core.tensor.tensor import new_tensor
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.session.session import Session

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
