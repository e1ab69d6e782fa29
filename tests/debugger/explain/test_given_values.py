"""Values that are not finite and come from outside the watch: the tensor that held them is named, where an
operation took it.
"""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg


def batch(engine: Any, value: float) -> Any:
    data = engine.ones(5, 4)
    data[2] = value
    return data


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_the_data_is_named_and_the_line_that_took_it(engine: Any, value: float) -> None:
    model, x = engine.nn.Linear(4, 1), batch(engine, value)
    model.weight.data.fill_(1.0)  # of weights with both signs an infinity makes NaN
    with vg.watch():
        loss = model(x).sum()
        loss.backward()
    told = str(vg.why(loss))
    assert told.startswith("`x` held values that are not finite when `model(x)` took it on line")
    assert "That is `loss`" in told or "From there it reached `loss`" in told
    assert "<- x\n" in told
    assert vg.why(loss).culprit.text == "loss = model(x).sum()"


def test_the_second_operand_is_named(engine: Any) -> None:
    weight, data = engine.ones(5, 4, requires_grad=True), batch(engine, float("nan"))
    with vg.watch():
        loss = (weight + data).sum()
        loss.backward()
    assert str(vg.why(loss)).startswith(
        "`data` held values that are not finite when `weight + data`"
    )


def test_a_gradient_that_is_not_finite_by_the_data_names_it(engine: Any) -> None:
    model, x = engine.nn.Conv1d(4, 2, 1), batch(engine, float("nan")).unsqueeze(-1)
    with vg.watch():
        loss = model(x).sum()
        loss.backward()
    told = str(vg.why(model.weight))
    assert told.startswith("`x` held values that are not finite when")
    assert "<- x\n" in told


def test_a_value_without_a_name_is_an_operand(engine: Any) -> None:
    weight = engine.ones(5, 4, requires_grad=True)
    batches = [batch(engine, float("nan"))]
    with vg.watch():
        loss = engine.mul(*[weight, batches[0]]).sum()
        loss.backward()
    told = str(vg.why(loss))
    assert told.startswith("an operand held values that are not finite when `engine.mul(")


def test_asked_of_itself_it_was_there_first(engine: Any) -> None:
    weight, data = engine.ones(5, 4, requires_grad=True), batch(engine, float("nan"))
    with vg.watch():
        (weight * data).sum().backward()
    assert str(vg.why(data)).startswith(
        "`data` held values that are not finite when the watch saw it first"
    )
