"""Every dataclass of the model and of the protocol survives the wire; nothing malformed does."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fixtures.whole import whole
from vizgrad.debugger import model
from vizgrad.debugger.jupyter.widget import drawing, protocol
from vizgrad.debugger.wire import wire


def dataclasses_of(module: Any) -> list[type]:
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and dataclasses.is_dataclass(value)
        and value.__module__.startswith(module.__name__)  # and not what it imports
    ]


CLASSES = sorted(
    {*dataclasses_of(model), *dataclasses_of(drawing), *dataclasses_of(protocol)},
    key=lambda cls: cls.__name__,
)
ANSWERS = [answer for answers in protocol.ANSWERS.values() for answer in answers]
MESSAGES = tuple(dict.fromkeys((*protocol.ANSWERS, *ANSWERS, *protocol.EVENTS, protocol.Failed)))


def values(annotation: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Any value of this annotation; deep arrays are kept short."""
    arguments = get_args(annotation)
    if dataclasses.is_dataclass(annotation) and isinstance(annotation, type):
        hints = get_type_hints(annotation)
        names = [field.name for field in dataclasses.fields(annotation)]
        fields = {name: values(hints[name], depth + 1) for name in names}
        if annotation is model.Trace:
            fields["version"] = st.just(model.MODEL_VERSION)
        return st.builds(annotation, **fields)
    if arguments and arguments[-1] is Ellipsis:
        size = 3 if depth <= 2 else 1
        return st.lists(values(arguments[0], depth + 1), max_size=size).map(tuple)
    if getattr(annotation, "__origin__", None) is tuple:
        return st.tuples(*(values(argument, depth + 1) for argument in arguments))
    if type(None) in arguments:
        inner = [argument for argument in arguments if argument is not type(None)]
        return st.none() | values(inner[0], depth)
    if annotation is int:
        return st.integers(-(2**64) + 1, 2**64 - 1)
    return st.from_type(annotation)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_class_survives_the_wire(cls: type) -> None:
    @settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(values(cls))
    def check(value: Any) -> None:
        written = wire.to_wire(value)
        again = wire.from_wire(cls, json.loads(json.dumps(written, allow_nan=False)))
        assert type(again) is cls
        assert whole(again) == whole(value)  # equality that also holds for NaN
        assert wire.to_wire(again) == written

    check()


@pytest.mark.parametrize("cls", MESSAGES, ids=lambda cls: cls.__name__)
def test_every_message_finds_its_class_again(cls: type) -> None:
    @settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(values(cls))
    def check(message: Any) -> None:
        envelope = wire.encode_message(message)
        again = wire.decode_message(envelope, wire.messages(MESSAGES))
        assert type(again) is cls
        assert whole(again) == whole(message)

    check()


def test_a_field_with_its_default_is_not_sent() -> None:
    place = model.Place("a.py", 3)
    assert wire.to_wire(place) == {"file": "a.py", "line": 3}
    assert wire.to_wire(dataclasses.replace(place, text="x")) == {
        "file": "a.py",
        "line": 3,
        "text": "x",
    }


def test_a_message_names_its_type_in_snake_case() -> None:
    message = protocol.RunTo(request=7, session="a", node=3)
    assert wire.encode_message(message) == {
        "type": "run_to",
        "request": 7,
        "session": "a",
        "node": 3,
    }


def test_non_finite_numbers_travel_as_words() -> None:
    summary = model.TensorSummary(
        (2,), "float32", "cpu", 8, norm=math.nan, min=-math.inf, max=math.inf
    )
    written = wire.to_wire(summary)
    assert (written["norm"], written["min"], written["max"]) == ("nan", "-inf", "inf")
    again = wire.from_wire(model.TensorSummary, written)
    assert math.isnan(again.norm or 0.0)
    assert (again.min, again.max) == (-math.inf, math.inf)


def test_missing_fields_take_their_default_and_unknown_ones_are_passed_over() -> None:
    data = {"node": 4, "colour": "red"}
    assert wire.from_wire(model.Edge, data) == model.Edge(node=4, input_nr=0, name="")


NODE_RUN = {"state": "ready", "delivered": 1, "needed": 1}
RUN: dict[str, Any] = {
    "status": "paused",
    "position": 0,
    "recorded": 0,
    "total": 4,
    "current": None,
    "nodes": [NODE_RUN, NODE_RUN, NODE_RUN, NODE_RUN],
}
WHOLE: dict[str, Any] = {
    "type": "whole",
    "session": "a",
    "graph": {"nodes": [], "roots": []},
    "run": RUN,
}


@dataclasses.dataclass(frozen=True)
class Whole:
    """A message with much in it."""

    session: str
    graph: model.Graph
    run: model.Run


def with_value(path: list[str | int], value: object) -> dict[str, Any]:
    """`WHOLE` with one value replaced."""
    data: Any = json.loads(json.dumps(WHOLE))
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            ["run", "nodes", 3, "state"],
            "asleep",
            (
                "run.nodes[3].state: expected one of waiting, ready, current, done, skipped, "
                "captured, error, got the string 'asleep'"
            ),
        ),
        (["run", "position"], 1.5, "run.position: expected a whole number, got 1.5"),
        (["run", "position"], True, "run.position: expected a whole number, got true"),
        (
            ["run", "position"],
            10**400,
            "run.position: expected a whole number, got a larger whole number",
        ),
        (["run", "nodes"], None, "run.nodes: expected an array, got null"),
        (["run", "nodes", 0], [1, 2], "run.nodes[0]: expected an object, got an array of 2"),
        (["graph", "roots"], [[0]], "graph.roots[0]: expected an array of 2, got an array of 1"),
        (
            ["graph", "roots"],
            [[0, "x"]],
            "graph.roots[0][1]: expected a whole number, got the string 'x'",
        ),
        (
            ["run", "nodes", 1, "grad_norm"],
            "NaN",
            (
                'run.nodes[1].grad_norm: expected a number, "nan", "inf" or "-inf", '
                "got the string 'NaN'"
            ),
        ),
        (["session"], 5, "session: expected a string, got 5"),
        (["run", "modes"], {"grad": 1}, "run.modes.grad: expected true or false, got 1"),
    ],
)
def test_an_error_says_where_and_what(path: list[str | int], value: object, message: str) -> None:
    with pytest.raises(wire.WireError) as caught:
        wire.decode_message(with_value(path, value), wire.messages((Whole,)))
    assert str(caught.value) == message


def test_a_missing_value_is_an_error() -> None:
    data = {name: value for name, value in WHOLE.items() if name != "run"}
    with pytest.raises(wire.WireError, match=r"^run: expected a value, got nothing$"):
        wire.decode_message(data, wire.messages((Whole,)))


@pytest.mark.parametrize("data", [None, [], "step", 3, {"type": "eval"}, {"type": None}, {}])
def test_what_is_no_message_is_refused(data: object) -> None:
    with pytest.raises(wire.WireError, match=r"^(message|type): expected "):
        wire.decode_message(data, wire.messages(protocol.ANSWERS))


def test_only_the_classes_asked_for_are_read() -> None:
    with pytest.raises(wire.WireError, match=r"^type: expected one of step, stop, got the string"):
        wire.decode_message(WHOLE, wire.messages((protocol.Step, protocol.Stop)))


def test_a_trace_of_a_newer_version_is_refused() -> None:
    trace = model.Trace(graph=model.Graph((), ()), records=(), version=model.MODEL_VERSION + 1)
    with pytest.raises(wire.WireError, match=r"^version: .*a newer vizgrad wrote this trace"):
        wire.from_wire(model.Trace, wire.to_wire(trace))


def test_the_amount_of_data_is_limited() -> None:
    graph = {"nodes": [], "roots": [[0, 0]] * 50}
    assert len(wire.from_wire(model.Graph, graph).roots) == 50
    with pytest.raises(wire.WireError, match=r"^graph.roots: expected less data|^roots: expected"):
        wire.from_wire(model.Graph, graph, max_values=20)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, b"\xff\xfe", "NaN"])
def test_text_that_is_not_json_is_one_clear_error(text: str | bytes) -> None:
    with pytest.raises(wire.WireError, match=r"^graph: expected "):
        wire.from_json(model.Graph, text)


def test_json_text_may_stand_in_a_script_element_and_comes_back() -> None:
    place = model.Place(file="x.py", line=1, text="</script>\u2028é")
    text = wire.to_json(place)
    assert text.isascii()
    assert "<" not in text
    assert wire.from_json(model.Place, text) == place


def test_the_null_of_a_browser_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    null = object()
    data = {**wire.to_wire(drawing.Folding()), "near": null}
    with pytest.raises(wire.WireError, match="near: "):
        wire.from_wire(drawing.Folding, data)
    monkeypatch.setattr(wire, "NULL", null)
    assert wire.from_wire(drawing.Folding, data) == drawing.Folding()


def test_writing_something_else_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="not dict"):
        wire.to_wire({})
