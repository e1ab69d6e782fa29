"""The watch list: values wherever the run stands, errors beside their expressions, and nothing is changed."""

from __future__ import annotations

import gc
import math
import weakref
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.debugger.session.test_session_parts import updates_of
from tests.fixtures.sessions import alone as alone
from tests.fixtures.sessions import session as session
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.session import watches
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.session.session_reader import SessionClosed


def norm(session: Session, number: int = 0) -> Any:
    found = session.watches[number]
    assert not found.error
    return found.text if found.summary is None else found.summary.norm


def opened() -> tuple[Session, vg.Tensor, vg.nn.Sequential]:
    vg.manual_seed(0)
    net = vg.nn.Sequential(vg.nn.Linear(2, 3), vg.nn.Tanh(), vg.nn.Linear(3, 1))
    x = vg.tensor([[1.0, 2.0], [0.5, -1.0]])
    loss = net(x).square().sum()
    return vg.debug(loss), loss, net


def test_a_value_is_that_of_the_place_where_the_run_stands_also_after_steps_back() -> None:
    session, _, net = opened()
    session.watches.add("net.2.bias.grad")
    session.watches.add("grad.norm()")
    session.watches.add("position")
    seen = [tuple(session.watches)]
    while session.status != "finished":
        session.step()
        seen.append(tuple(session.watches))
    bias = net[2].bias.grad
    assert bias is not None
    assert [row[0].text for row in seen[:2]] == ["None", "None"]
    assert seen[-1][0].summary is not None
    assert seen[-1][0].summary.values == (bias.item(),)
    assert float(seen[0][1].text) == 1.0
    assert seen[-1][1].text == "None"  # no node comes next
    for position in reversed(range(len(seen))):
        session.seek(position)
        assert tuple(session.watches) == seen[position]
        assert session.watches[2].text == str(position)


def test_names_are_written_as_the_debugger_writes_them_or_as_python_does(alone: None) -> None:
    session, _, net = opened()
    for text in ("net.0.weight", "net[0].weight", "net.0.weight * 2", "loss"):
        session.watches.add(text)
    summaries = [watched.summary for watched in session.watches]
    assert summaries[0] == summaries[1] == summarizer.summarize_closely(net[0].weight)
    assert summaries[2] is not None
    assert summaries[0] is not None
    assert summaries[2].norm == pytest.approx(2 * (summaries[0].norm or 0))


def test_an_error_stands_beside_its_expression_and_loses_nothing(alone: None) -> None:
    session, _, _ = opened()
    added = [session.watches.add(text) for text in ("nett", "loss", "1 / 0", "net.0.bias[99]")]
    assert [bool(watched.error) for watched in added] == [True, False, True, True]
    assert "did you mean 'net'" in added[0].error
    assert added[2].error == "division by zero"
    session.step()
    assert session.watches[0].expression == "nett"
    for wrong in ("net(", "__import__('os')", "loss.backward()", "lambda: 1", ""):
        with pytest.raises(ValueError, match="not understood"):
            session.watches.add(wrong)
    assert len(session.watches) == 4


def test_expressions_are_edited_and_removed_and_each_change_is_published(session: Session) -> None:
    heard = updates_of(session)
    first, second = session.watches.add("position"), session.watches.add("node")
    session.watches.edit(first.id, "position + 1")
    assert [(w.id, w.expression, w.text) for w in session.watches] == [
        (1, "position + 1", "1"), (2, "node", "0"),
    ]  # fmt: skip
    session.watches.remove(first.id)
    assert session.watches == (session.watches[0],)
    with pytest.raises(ValueError, match="no watched expression 1"):
        session.watches.edit(first.id, "node")
    with pytest.raises(ValueError, match="not understood"):
        session.watches.edit(second.id, "node +")
    assert session.watches[0].expression == "node"
    session.watches.clear()
    assert session.watches == ()
    assert len(heard) == 5
    assert {update.position for update in heard} == {0}


def test_a_session_watches_a_limited_number(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watches, "MOST_WATCHED", 1)
    session.watches.add("node")
    with pytest.raises(ValueError, match="remove one first"):
        session.watches.add("node")


def test_a_closed_session_says_so(session: Session) -> None:
    session.watches.add("node")
    session.close()
    assert session.watches[0].error == "the session is closed"
    with pytest.raises(SessionClosed):
        session.watches.add("node")


def test_looking_changes_no_value_no_version_and_no_lifetime(alone: None) -> None:
    session, loss, net = opened()
    weight = net[0].weight
    values = weight.detach().numpy()
    before = values.copy(), weight._version, loss._version
    for text in ("net.0.weight", "net.0.weight * 2 + 1", "loss", "grad", "net", "x.grad"):
        session.watches.add(text)
    session.step()
    tuple(session.watches)
    assert np.array_equal(values, before[0])
    assert (weight._version, loss._version) == before[1:]
    assert session.watches[1].summary is not None
    known = weakref.ref(net)
    session.close()
    del net, weight, values, loss, session
    gc.collect()
    assert known() is None


def test_nothing_is_computed_before_someone_looks(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.watches.add("grad")
    asked: list[str] = []
    one = watches.watched
    monkeypatch.setattr(watches, "watched", lambda *a: asked.append(a[1].text) or one(*a))
    session.step()
    assert asked == []
    assert len(session.watches) == 1
    assert asked == []
    tuple(session.watches)
    assert asked == ["grad"]


@pytest.mark.parametrize(
    ("value", "norm", "nans"),
    [
        (vg.tensor([3 + 4j]), 5.0, 0),
        (vg.tensor([]), 0.0, 0),
        (vg.tensor([1.0, math.nan]), math.nan, 1),
        (vg.ones(1).expand(4, 4), 4.0, 0),
        (vg.tensor([True, False]), 1.0, 0),
        (vg.ones(3, dtype=vg.float16) * 60000, 60000 * 3**0.5, 0),
    ],
)
def test_values_of_all_kinds_are_true(value: Any, norm: float, nans: int, alone: None) -> None:
    loss = vg.ones(2, requires_grad=True).sum()
    session = vg.debug(loss)
    session.watches.add("value")
    summary = session.watches[0].summary
    assert summary is not None
    assert summary.shape == tuple(value.shape)
    assert summary.norm == pytest.approx(norm, nan_ok=True)
    assert summary.nans == nans


def test_what_is_no_tensor_is_told_in_words(alone: None) -> None:
    class Odd:
        def __repr__(self) -> str:
            raise AssertionError("code of the user's ran")

    class Told(vg.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.odd = Odd()
            self.many = list(range(20))
            self.kept = {"a": 1.5, "b": vg.ones(2), "c": [1]}
            self.long = "x" * 1000

    told = Told()
    session = vg.debug(vg.ones(2, requires_grad=True).sum())
    texts = {}
    for text in ("told.odd", "told.many", "told.kept", "told.long", "told.kept['a']", "2 > 1"):
        texts[text] = session.watches.add(text).text
    assert texts["told.odd"] == "<Odd>"
    assert texts["told.many"] == "[0, 1, 2, 3, 4, 5, 6, 7, …]"
    assert texts["told.kept"] == "{'a': 1.5, 'b': tensor, 'c': <list>}"
    assert len(texts["told.long"]) == 200
    assert (texts["told.kept['a']"], texts["2 > 1"]) == ("1.5", "True")
    assert told.odd is not None


def test_a_value_is_told_without_watching_it() -> None:
    session, _, _ = opened()
    session.watches.add("position")
    value = session.watches.value_of("grad.norm()")
    assert (value.id, value.expression, value.error, value.text) == (0, "grad.norm()", "", "1.0")
    assert session.watches.value_of("nothing").error
    with pytest.raises(ValueError, match="expression"):
        session.watches.value_of("import os")
    assert [each.expression for each in session.watches] == ["position"]
