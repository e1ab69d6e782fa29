"""The curves of a training, while its loop runs."""

from __future__ import annotations

import json
from dataclasses import replace
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
        #: Of the curves, of the findings above them, and both in their order.
        self.shown: list[tuple[dict[str, Any], str, bool]] = []
        self.findings: list[tuple[dict[str, Any], str, bool]] = []
        self.places: list[str] = []
        self.now, self.takes = 0.0, takes

    def __call__(self, data: dict[str, Any], display_id: str, update: bool) -> None:
        (self.shown if MIME in data else self.findings).append((data, display_id, update))
        if not update:
            self.places.append(display_id)
        if MIME in data:
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


def test_findings_stand_above_the_curves_and_are_displayed_once() -> None:
    screen = Screen()
    trained(screen, 10, 0.2)
    (began, ended), (_, curves, _) = screen.findings, screen.shown[0]
    assert [update for _, _, update in screen.findings] == [False, True]
    assert began[0] == {"text/plain": live_course.RUNNING}
    assert "Gradients not zeroed" in ended[0]["text/html"]
    assert screen.places == [began[1], curves]
    assert began[1] == ended[1]


def test_the_value_of_a_cell_that_shows_its_findings_shows_nothing_more() -> None:
    screen, cell = Screen(), ["In [1]"]
    net = vg.nn.Linear(3, 2)
    optimizer = vg.optim.SGD(net.parameters(), lr=0.1)
    watch = Watch()
    course = LiveCourse(watch, "cell", screen, clock=screen.clock, running=lambda: cell[0])
    watch.on_progress, watch.on_end, watch.shows = course.progress, course.ended, course.shows
    with watch:
        for _ in range(3):
            net(vg.ones(1, 3)).sum().backward()
            optimizer.step()
    watch._ipython_display_()
    cell[0] = "In [2]"
    with pytest.raises(NotImplementedError):
        watch._ipython_display_()
    with pytest.raises(NotImplementedError):
        Watch()._ipython_display_()


def test_of_many_layers_those_that_a_finding_names_have_their_curves_open() -> None:
    columns = (1.0, 2.0), (2.0, 2.0), (0.1, 0.1)
    layers = tuple(LayerCourse(f"net.{at}", *columns) for at in range(30))
    one = OptimizerCourse("SGD", 2, 1, (1, 2), (1, 2), (None, None), layers)
    bundle = course_bundle(Course((one,), (CourseMark(1, "NaN", ("net.3", "net.28")),)))
    data = bundle[MIME]
    (told,) = data["optimizers"]
    shown = {row["name"]: row["y"] for row in told["layers"] if row["y"] is not None}
    assert list(shown) == ["net.3", "net.28"]
    assert len(told["layers"]) == 24  # net.28 among them
    assert data["height"] < 300
    assert data["all"]["height"] > 1000
    for row in told["layers"]:
        assert f"translate(20 {row['all']:g})" in data["all"]["svg"]
    assert f"translate(20 {shown['net.28']:g})" in bundle["image/svg+xml"]
    assert "28 more layers" in bundle["image/svg+xml"]

    (told,) = course_bundle(Course((one,)))[MIME]["optimizers"]
    assert sum(row["y"] is not None for row in told["layers"]) == 6  # nothing was found
    few = course_bundle(Course((replace(one, layers=layers[:6]),)))[MIME]
    assert "all" not in few
    assert all(row["y"] == row["all"] for row in few["optimizers"][0]["layers"])


def test_a_finding_names_the_layers_of_its_tensor_and_of_its_story() -> None:
    net = vg.nn.Sequential(*(vg.nn.Linear(2, 2) for _ in range(11)))
    optimizer = vg.optim.SGD(net.parameters(), lr=0.1)
    with vg.watch() as watch:
        for _ in range(2):
            optimizer.zero_grad()
            loss = net(vg.ones(1, 2)).sum()
            (loss + net[1].weight.detach().sum() + (net[10].weight * 0).sqrt().sum()).backward()
            optimizer.step()
    (mark, *_) = watch.history.data.marks
    assert mark.layers == ("net.0", "net.10")  # it began at net[10].weight, and reached net.0


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
