"""Frames are asked for their variables, and nothing of the answer stays behind."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Mapping
from types import FrameType
from typing import Any

from vizgrad.core.interpreter import locals_of


class Thing:
    """An object that a variable holds."""


def test_what_was_told_is_not_kept_by_the_frame() -> None:
    """It would be, from a frame that runs on: the object lived until that ended, or was asked again."""
    lived: list[bool] = []

    def asked(frame: FrameType) -> None:
        assert locals_of(frame)["thing"].__class__ is Thing

    def run() -> None:
        thing = Thing()
        asked(sys._getframe())
        gone = weakref.ref(thing)
        del thing
        lived.append(gone() is not None)

    run()
    assert lived == [False]


def test_what_a_person_has_of_locals_stays_theirs() -> None:
    def run() -> Mapping[str, Any]:
        thing = Thing()
        mine = locals()
        frame = sys._getframe()
        assert locals_of(frame)["thing"] is thing
        return mine

    assert run()["thing"].__class__ is Thing


def test_under_a_debugger_nothing_is_emptied() -> None:
    """What it had written there would be lost: it is written back into the frame."""
    lines: list[int] = []

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        lines.append(frame.f_lineno)
        assert "kept" in locals_of(frame) or event == "call"
        return trace

    def run(kept: int) -> int:
        more = kept + 1
        return kept + more

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        result = run(20)
    finally:
        sys.settrace(before)
    assert (result, len(lines)) == (41, 4)


def test_of_a_module_and_a_class_it_is_their_namespace() -> None:
    space: dict[str, Any] = {"ask": lambda: locals_of(sys._getframe(1))}
    exec("value = 1\nfound = ask()", space)
    assert space["found"] is space
    exec("class A:\n  value = 2\n  seen = dict(ask())", space)
    assert space["A"].seen["value"] == 2
    gc.collect()
