"""Every request has one handler, and only one."""

from __future__ import annotations

from typing import Any

import pytest

from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.controller import HANDLERS
from vizgrad.debugger.jupyter.widget.handlers import answers, handles, moves


def test_every_request_of_the_protocol_has_a_handler() -> None:
    assert HANDLERS.keys() == p.ANSWERS.keys()


@pytest.mark.parametrize("register", [handles, answers, moves])
def test_a_second_handler_of_a_request_is_refused(register: Any) -> None:
    before = dict(HANDLERS)
    with pytest.raises(TypeError, match="Step has a handler already"):
        register(p.Step)(lambda *_: None)
    assert before == HANDLERS


def test_no_function_handles_two_requests() -> None:
    assert len(set(HANDLERS.values())) == len(HANDLERS)
