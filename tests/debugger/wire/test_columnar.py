"""Every dataclass of the model survives the columns of a file, and shares what repeats."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.debugger.wire.test_wire import dataclasses_of, values
from tests.fixtures.whole import whole
from vizgrad.core.arrays.files import Budget
from vizgrad.debugger import model
from vizgrad.debugger.jupyter.widget import drawing
from vizgrad.debugger.jupyter.widget import trace_contents as filed
from vizgrad.debugger.wire import wire
from vizgrad.debugger.wire.columnar import EXACT, from_column_json, to_column_json, to_columns
from vizgrad.debugger.wire.wire import WireError

CLASSES = sorted(
    {*dataclasses_of(model), *dataclasses_of(drawing), *dataclasses_of(filed)},
    key=lambda cls: cls.__name__,
)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_class_survives(cls: type) -> None:
    """Three examples of each: a class is also in the examples of all that hold it."""

    @settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(values(cls))
    def check(value: Any) -> None:
        text = to_column_json(value)
        again = from_column_json(cls, text, budget=Budget(len(text)))
        assert type(again) is cls
        assert whole(again) == whole(value)  # equality that also holds for NaN
        assert to_column_json(again) == text
        assert wire.to_json(again) == wire.to_json(value)

    check()


def graph_of(*nodes: model.Node) -> model.Graph:
    return model.Graph(nodes, ())


def node_of(number: int, **more: Any) -> model.Node:
    outputs = (model.OutputMeta((4,), "float32", "cpu"),)
    return model.Node(number, "MulBackward0", "op", 100 - number, 100 - number, (), outputs, **more)


def through(value: Any) -> Any:
    return from_column_json(type(value), to_column_json(value))


def test_what_is_equal_is_written_once_and_is_one_object() -> None:
    nodes = [node_of(number, place=model.Place("a.py", 3)) for number in range(50)]
    tables = to_columns(graph_of(*nodes))["tables"]
    assert (tables["Node"]["rows"], tables["Place"]["rows"]) == (50, 1)
    assert tables["OutputMeta"]["rows"] == 1
    assert "label" not in tables["Node"]["columns"]  # its default
    assert tables["Node"]["columns"]["id"] == {"steps": [0] + [1] * 49}
    again = through(graph_of(*nodes))
    assert again == graph_of(*nodes)
    assert len({id(node.place) for node in again.nodes}) == 1
    assert len({id(node.outputs) for node in again.nodes}) == 1


def test_zeros_of_either_sign_and_what_is_no_number_are_kept_apart() -> None:
    def summary(norm: float | None) -> model.TensorSummary:
        return model.TensorSummary((), "float32", "cpu", 4, norm=norm)

    norms = [0.0, -0.0, math.nan, 0.0, -0.0, None, math.inf, -math.inf, 1.0, 1.0]
    visit = model.Visit(0, 0, tuple(map(summary, norms)), ())
    assert whole(through(visit)) == whole(visit)
    assert to_columns(visit)["tables"]["TensorSummary"]["rows"] == 7


def test_numbers_beyond_what_a_browser_counts_disturb_no_other() -> None:
    numbers = [3, 2**64 - 1, 4, -(2**64) + 1, EXACT, EXACT + 1, -EXACT, -EXACT - 1, 5]
    start = model.Start(0, None, needed=tuple(numbers))
    (column,) = [to_columns(start)["tables"]["Start"]["columns"]["needed"]["items"]]
    assert column["steps"][:4] == [3, str(2**64 - 1), 1, str(-(2**64) + 1)]
    assert through(start) == start


def test_a_newer_writer_may_send_more() -> None:
    data = to_columns(graph_of(node_of(0)))
    data["tables"]["Colour"] = {"rows": 9, "columns": {"red": None}}
    data["tables"]["Node"]["columns"]["colour"] = {"table": "Colour", "rows": {"steps": [1]}}
    assert from_column_json(model.Graph, json.dumps(data)) == graph_of(node_of(0))


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{}", '{"root":"Graph"}', '{"root":"Graph","tables":[]}', "[" * 100_000],
)
def test_other_texts(text: str) -> None:
    with pytest.raises(WireError):
        from_column_json(model.Graph, text)


def test_columns_in_columns_without_end_are_refused() -> None:
    data = to_columns(graph_of(node_of(0)))
    deep: Any = {"steps": [0]}
    for _ in range(400):
        deep = {"lengths": deep, "items": []}
    data["tables"]["Node"]["columns"]["scope"] = deep
    with pytest.raises(WireError):
        from_column_json(model.Graph, json.dumps(data))
