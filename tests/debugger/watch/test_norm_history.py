"""The course of a training: norms of each layer in columns, in bounded memory, and their picture."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from vizgrad.debugger.drawing.training_curves import course_svg, course_text
from vizgrad.debugger.model import Course, CourseMark, LayerCourse, OptimizerCourse
from vizgrad.debugger.watch import norm_history


def small() -> tuple[vg.nn.Sequential, Any]:
    vg.manual_seed(0)
    net = vg.nn.Sequential(vg.nn.Linear(3, 4), vg.nn.Tanh(), vg.nn.Linear(4, 1))
    return net, vg.optim.SGD(net.parameters(), lr=0.1)


def norm_of(*values: Any) -> float:
    return math.sqrt(sum(float((np.asarray(v, "f8") ** 2).sum()) for v in values))


def test_norms_are_those_of_the_steps() -> None:
    net, optimizer = small()
    x = vg.randn(5, 3)
    wanted: list[tuple[float, float, float, float]] = []
    with vg.watch() as w:
        for _ in range(4):
            loss = net(x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            own = list(net[0].parameters())
            before = [p.detach().numpy().copy() for p in own]
            grads = norm_of(*(p.grad.numpy() for p in own if p.grad is not None))
            optimizer.step()
            moved = [p.detach().numpy() - b for p, b in zip(own, before, strict=True)]
            wanted.append((loss.item(), grads, norm_of(*before), norm_of(*moved)))
    (course,) = w.history.data.optimizers
    assert (course.title, course.total, course.stride) == ("SGD", 4, 1)
    assert course.steps == course.backwards == (1, 2, 3, 4)
    assert [layer.name for layer in course.layers] == ["net.0", "net.2"]
    layer = course.layers[0]
    columns = course.losses, layer.gradient, layer.weight, layer.update
    assert np.allclose(np.array(columns).T, wanted, rtol=1e-5)
    assert not layer.estimated
    assert "net.0" in repr(w.history)


def test_updates_of_large_parameters_are_estimated_and_say_so() -> None:
    weight = vg.ones(100, 100, requires_grad=True)
    optimizer = vg.optim.SGD([weight], lr=0.5)
    with vg.watch() as w:
        (weight * 2).sum().backward()
        optimizer.step()
    (layer,) = w.history.data.optimizers[0].layers
    assert layer.name == "weight"
    assert layer.estimated
    assert layer.update == (pytest.approx(100.0),)  # each element moved by 1
    assert (layer.gradient, layer.weight) == ((200.0,), (100.0,))


def test_norms_that_are_no_numbers_and_layers_without_gradient() -> None:
    bad, idle = vg.tensor([0.0, 1.0], requires_grad=True), vg.ones(2, requires_grad=True)
    turned = vg.ones(3, 4).t().requires_grad_()
    optimizer = vg.optim.SGD([bad, idle, turned], lr=0.1)
    with vg.watch() as w:
        ((bad.sqrt() * vg.tensor([0.0, 1.0])).sum() + turned.sum()).backward()
        optimizer.step()
        bad.grad = turned.grad = None
        idle.grad = vg.zeros(2)
        optimizer.step()
    layers = {layer.name: layer for layer in w.history.data.optimizers[0].layers}
    gradient = layers["bad"].gradient
    assert gradient[0] is not None
    assert math.isnan(gradient[0])
    assert gradient[1] is None
    assert layers["idle"].gradient == (None, 0.0)
    assert layers["turned"].weight == (pytest.approx(12**0.5), None)


def test_a_long_training_is_kept_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(norm_history, "MOST_STEPS", 8)
    monkeypatch.setattr(norm_history, "FEWEST_STEPS", 8)
    weight = vg.ones(2, requires_grad=True)
    late = vg.ones(2, requires_grad=True)
    optimizer = vg.optim.SGD([weight, late], lr=0.01)
    with vg.watch() as w:
        for step in range(1, 101):
            (weight.sum() * step + (late.sum() if step > 50 else 0)).backward()
            optimizer.step()
            optimizer.zero_grad()
    (course,) = w.history.data.optimizers
    assert (course.total, course.stride) == (100, 16)
    assert course.steps == course.backwards == tuple(range(1, 101, 16))
    by_name = {layer.name: layer for layer in course.layers}
    assert by_name["weight"].gradient == pytest.approx([step * 2**0.5 for step in course.steps])
    known = [value is not None for value in by_name["late"].gradient]
    assert known == [step > 50 for step in course.steps]


def test_two_optimizers_have_rows_of_their_own_and_a_finding_is_a_mark() -> None:
    net, first = small()
    other = vg.ones(2, requires_grad=True)
    second = vg.optim.Adam([other], lr=0.1)
    with vg.watch() as w:
        for _ in range(3):
            net(vg.ones(1, 3)).sum().backward()  # never cleared
            first.step()
            second.zero_grad()
            other.square().sum().backward()
            second.step()
    course = w.history.data
    assert [each.title for each in course.optimizers] == ["SGD", "Adam"]
    assert [each.backwards for each in course.optimizers] == [(1, 3, 5), (2, 4, 6)]
    assert [(mark.backward, mark.text) for mark in course.marks] == [
        (found.backward, found.heading) for found in w.findings if found.backward
    ]
    assert any("not zeroed" in mark.text for mark in course.marks)
    bundle = w.history._repr_mimebundle_()
    assert "Gradients not zeroed" in bundle["image/svg+xml"]
    assert bundle["text/plain"].startswith("SGD, 3 steps: gradient, weight, update\n  net.0 ")


def test_an_optimizer_that_is_gone_keeps_its_course_and_nothing_is_held() -> None:
    import gc
    import weakref

    net, optimizer = small()
    with vg.watch() as w:
        net(vg.ones(1, 3)).sum().backward()
        optimizer.step()
        held = weakref.ref(optimizer), weakref.ref(net[0].weight)
        del net, optimizer
        gc.collect()
        assert [each() for each in held] == [None, None]
    assert w.history.data.optimizers[0].total == 1


@pytest.mark.parametrize(("steps", "side"), [(2, 7.0), (6, 7.0), (30, 3.8), (300, 3.0)])
def test_squares_of_a_short_training_are_large_enough_to_be_seen(steps: int, side: float) -> None:
    column = (1.0,) * (steps - 1) + (math.nan,)
    numbers = tuple(range(1, steps + 1))
    layer = LayerCourse("net.0", column, column, column)
    one = OptimizerCourse("SGD", steps, 1, numbers, numbers, (None,) * steps, (layer,))
    picture = ET.fromstring(course_svg(Course((one,))))
    squares = [each for each in picture.iter() if "nonfinite" in each.get("class", "")]
    assert [float(each.get("width", "0")) for each in squares] == [side] * len(squares)
    assert len(squares) >= 2


def test_the_picture_is_well_formed_whatever_the_numbers_are() -> None:
    column = (math.nan, 0.0, None, 1e-300, math.inf, 1e300)
    layers = tuple(LayerCourse(f"<&{n}>", column, column[::-1], column) for n in range(30))
    steps = (1, 3, 5, 7, 9, 11)
    one = OptimizerCourse("S<G", 12, 2, steps, steps, (None,) * 6, layers)
    marks = tuple(CourseMark(n, "Gradients <not> zeroed") for n in range(1, 20))
    for course in (Course((one,), marks), Course(())):
        ET.fromstring(course_svg(course))
        assert course_text(course)
    assert "6 more layers" in course_svg(Course((one,)))
    assert "No optimizer has stepped" in course_svg(Course(()))
    # They are white in a dark theme.
    assert "any other square is 0" in course_svg(Course((one,)))
    assert "black" not in course_svg(Course((one,)))
