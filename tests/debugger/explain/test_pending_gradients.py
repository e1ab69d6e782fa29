"""A gradient that a paused backward still has to bring is no bug, and `why` says which step brings it."""

from __future__ import annotations

import re
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain.node_answers import why_node

pytestmark = pytest.mark.parametrize("engine", ["vizgrad", "torch"])


def of_node(session: Any, number: int) -> Explanation:
    with session.at_rest() as (_, look):
        return why_node(look, number).explanation


@pytest.mark.parametrize("watched", [False, True], ids=["", "in a watch"])
def test_the_step_that_will_deliver_it_is_named(engine: str, *, watched: bool) -> None:
    T = pytest.importorskip(engine)
    block = vg.watch()
    if watched:
        block.__enter__()
    x = T.tensor([1.0, 4.0], requires_grad=True)
    root = x.sqrt()
    root.retain_grad()
    loss = (root * x).sum()
    session: Any = vg.debug(loss, display=False)
    told: list[str] = []
    leaf = 0
    names: list[str] = []
    while session.status == "paused":
        found = vg.why(x)
        assert not found
        told.append(found.story)
        with session.at_rest() as (_, look):
            names.append(look.source.name(look.current))
            leaf = len(look.source) - 1
        assert of_node(session, leaf).story == found.story.replace(" of `loss`", "")
        assert "There is nothing to explain" not in found.story
        hidden = vg.why(root)
        assert not hidden
        assert ("still to come" in hidden.story) is (len(names) <= 2)
        assert not vg.why(loss)
        session.step()
    assert names == ["SumBackward0", "MulBackward0", "SqrtBackward0", "AccumulateGrad"]
    for done, story in enumerate(told):
        assert story.startswith(
            "`x.grad` is empty so far: the backward of `loss` is paused before "
        )
        assert f"before {names[done]}" in story
        assert f", {done} of 4 nodes are done" in story
    for story in told[:2]:
        assert re.search(r"the steps of MulBackward0.* and SqrtBackward0.* will deliver it", story)
    assert re.search(r"the step of SqrtBackward0.* will deliver it", told[2])
    assert "Mul" not in told[2]
    assert told[3].endswith("The gradient has arrived, and the next step stores it.")
    assert "still to come" not in vg.why(x).story
    session.restart()
    x.grad = T.ones(2)
    assert "`x.grad` holds an earlier gradient so far" in of_node(session, leaf).story
    if watched:
        block.__exit__(None, None, None)


def test_what_this_backward_does_not_reach_is_not_said_to_come(engine: str) -> None:
    T = pytest.importorskip(engine)
    x = T.tensor([1.0], requires_grad=True)
    other = T.tensor([2.0], requires_grad=True)
    alone = T.tensor([2.0], requires_grad=True)
    loss = (x * other).sum()
    session: Any = vg.debug(loss, display=False, inputs=[x])
    assert "still to come" in vg.why(x).story
    assert "still to come" not in vg.why(other).story
    assert "still to come" not in vg.why(alone).story
    session.close()
    assert "still to come" not in vg.why(x).story


def test_a_result_that_keeps_no_gradient_is_told_so(engine: str) -> None:
    T = pytest.importorskip(engine)
    x = T.tensor([1.0], requires_grad=True)
    hidden = x.exp()
    session: Any = vg.debug(hidden.sum(), display=False)
    assert vg.why(hidden).kind == "not-a-leaf"
    assert "the backward of `hidden.sum()` is paused before SumBackward0" in vg.why(x).story
    session.close()


def test_a_way_that_is_cut_is_told_while_the_backward_is_paused(engine: str) -> None:
    T = pytest.importorskip(engine)
    encoder, decoder = T.nn.Linear(3, 3), T.nn.Linear(3, 1)
    with vg.watch():
        hidden = encoder(T.ones(4, 3)).detach()
        loss = decoder(hidden).sum()
        session: Any = vg.debug(loss, display=False)
        for _ in range(3):
            found = vg.why(encoder.weight)
            assert found.kind == "cut-detach"
            assert "detach() in `encoder(T.ones(4, 3)).detach()`" in found.story
            assert not vg.why(decoder.weight)
            session.step(2)
