"""The curves of a training, while its loop runs."""

from __future__ import annotations

import json
from math import inf, nan
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.debugger.explain.watch_block import Watch
from vizgrad.debugger.jupyter.widget import live_course
from vizgrad.debugger.jupyter.widget.live_course import MIME, LiveCourse, course_bundle
from vizgrad.debugger.model import Course, CourseMark, LayerCourse, OptimizerCourse


class Screen:
    """What was displayed, and a clock that only moves when it is told to."""

    def __init__(self, takes: float = 0.0) -> None:
        self.shown: list[tuple[dict[str, Any], str, bool]] = []
        self.now, self.takes = 0.0, takes

    def __call__(self, data: dict[str, Any], display_id: str, update: bool) -> None:
        self.shown.append((data, display_id, update))
        self.now += self.takes

    def clock(self) -> float:
        return self.now


def trained(screen: Screen, steps: int, seconds: float, *, live: bool = True) -> None:
    """A loop of so many steps, each of which takes so long; its gradients are never zeroed."""
    net = vg.nn.Linear(3, 2)
    optimizer = vg.optim.SGD(net.parameters(), lr=0.1)
    watch = Watch()
    course = LiveCourse(watch, "cell", screen, live=live, clock=screen.clock)
    watch.on_progress, watch.on_end = course.progress, course.ended
    with watch:
        for _ in range(steps):
            net(vg.ones(1, 3)).sum().backward()
            optimizer.step()
            screen.now += seconds


def test_the_curves_come_with_the_second_step_and_are_replaced() -> None:
    screen = Screen()
    trained(screen, 10, 0.2)
    updates = [update for _, _, update in screen.shown]
    assert updates == [False] + [True] * (len(updates) - 1)
    assert len({name for _, name, _ in screen.shown}) == 1
    steps = [data[MIME]["optimizers"][0]["total"] for data, _, _ in screen.shown]
    assert steps == [2, 5, 8, 10]  # at least half a second apart, and at the end
    assert [data[MIME]["marks"] for data, _, _ in screen.shown[:-1]] == [[], [], []]
    (mark,) = screen.shown[-1][0][MIME]["marks"]
    assert "not zeroed" in mark["text"]


def test_an_update_that_takes_long_comes_seldom() -> None:
    screen = Screen(takes=0.1)
    trained(screen, 200, 0.1)
    *live, _ = screen.shown  # the last one comes at the end
    assert len(live) == 4  # five seconds apart
    assert len(live) * screen.takes < 0.02 * screen.now


def test_one_step_alone_shows_nothing_and_a_program_sees_the_end() -> None:
    screen = Screen()
    trained(screen, 1, 1.0)
    assert not screen.shown
    trained(screen, 5, 1.0, live=False)
    assert [data[MIME]["optimizers"][0]["total"] for data, _, _ in screen.shown] == [5]


def test_data_are_json_and_a_step_that_is_not_finite_is_never_left_out() -> None:
    length = 500
    gradient = [1.0 + at for at in range(length)]
    gradient[123], gradient[333] = nan, inf
    steps = tuple(range(1, length + 1))
    layer = LayerCourse("net.0", tuple(gradient), (2.0,) * length, (0.5,) * length)
    one = OptimizerCourse("SGD", length, 1, steps, steps, (None,) * length, (layer,))
    bundle = course_bundle(Course((one,), (CourseMark(7, "Gradients not zeroed"),)), "a")
    data = json.loads(json.dumps(bundle[MIME], allow_nan=False))
    (told,) = data["optimizers"]
    assert len(told["steps"]) == live_course.MOST_POINTS
    assert {124, 334, 500} <= set(told["steps"])
    (row,) = told["layers"]
    found = dict(zip(told["steps"], row["columns"][0], strict=True))
    assert (found[124], found[334], found[1]) == ("NaN", "Inf", 1.0)
    assert set(row["columns"][2]) == {0.25}
    assert row["name"] == "net.0"
    assert f"translate(20 {row['y']:g})" in bundle["image/svg+xml"]
    assert data["cell"] == "a"


def test_a_watch_in_a_notebook_shows_its_course(monkeypatch: pytest.MonkeyPatch) -> None:
    from vizgrad.debugger import api
    from vizgrad.debugger.jupyter.widget import showing

    shown: list[bool] = []
    monkeypatch.setattr(api, "in_notebook", lambda: True)
    monkeypatch.setattr(showing, "_display_raw", lambda data, name, update: shown.append(update))
    weight = vg.ones(2, requires_grad=True)
    optimizer = vg.optim.SGD([weight], lr=0.1)
    for display in (False, None):
        with vg.watch(display=display):
            for _ in range(2):
                weight.sum().backward()
                optimizer.step()
        assert bool(shown) is (display is None)


def test_the_backwards_that_are_kept_are_told_and_found_under_their_names() -> None:
    from vizgrad.debugger.explain.kept_traces import kept_session

    screen = Screen()
    weight = vg.ones(2, requires_grad=True)
    optimizer = vg.optim.SGD([weight], lr=0.1)
    watch = Watch(keep=2)
    course = LiveCourse(watch, "cell", screen, clock=screen.clock)
    watch.on_progress, watch.on_end = course.progress, course.ended
    with watch:
        for _ in range(4):
            optimizer.zero_grad()
            weight.sum().backward()
            optimizer.step()
            screen.now += 1.0
    told = [data[MIME]["kept"]["backwards"] for data, _, _ in screen.shown]
    assert told == [[1, 2], [2, 3], [3, 4], [3, 4]]
    block = screen.shown[-1][0][MIME]["kept"]["block"]
    assert kept_session(f"{block}:4") is watch.kept[4]
    for gone in (f"{block}:1", "kept-9999-0a:1"):
        with pytest.raises(ValueError, match="backward 1 is not kept any more: run its cell again"):
            kept_session(gone)
    for other in ("s1-0a", block, f"{block}:x"):
        assert kept_session(other) is None
    assert "kept" not in course_bundle(watch.history.data, "cell")[MIME]


def test_a_view_attaches_to_a_backward_that_is_kept() -> None:
    from vizgrad.debugger.jupyter.widget.controller import Controller

    weight = vg.ones(2, requires_grad=True)
    with vg.watch(keep=1) as watch:
        weight.sum().backward()
    held = watch.kept[1]
    sent: list[dict[str, Any]] = []
    controller = Controller(sent.append)
    name = f"{watch.kept.id}:1"
    try:
        for number, each in enumerate((name, f"{watch.kept.id}:2"), 1):
            controller.receive({"type": "attach", "request": number, "session": each})
        shown, failed = sent[-2:]
    finally:
        controller.close()
    assert shown["type"] == "shown"
    assert (shown["session"], shown["title"]) == (held.id, "backward 1")
    assert failed["type"] == "failed"
    assert "%%vizgrad debug --at 2" in failed["message"]
