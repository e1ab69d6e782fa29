"""Ranks of `vizgrad.distributed`, stepped on two engines of ipyparallel."""

from __future__ import annotations

import math
from typing import Any

import pytest

import vizgrad
from tests.debugger.ranks.programs import MODEL
from tests.debugger.ranks.test_joint_view import FOLDING, View
from tests.fixtures.ports import free_port
from vizgrad.debugger.ranks import rank_session
from vizgrad.debugger.ranks.joint_session import JointSession

PROGRAM = (
    """
import vizgrad as torch
import vizgrad.distributed as dist
from vizgrad.nn.parallel import DistributedDataParallel
"""
    + MODEL
)


@pytest.fixture(scope="module")
def ranks(view: Any) -> Any:
    view.execute(
        "import vizgrad.distributed as dist\n"
        f"dist.init_process_group('gloo', init_method='tcp://127.0.0.1:{free_port()}', rank=rank, "
        "world_size=2)\n" + PROGRAM
    )
    return vizgrad.ranks(view)


def test_stepped_ddp_gives_the_gradients_of_backward(view: Any, ranks: Any) -> None:
    view.execute("model.zero_grad(); loss = forward()")
    with ranks.debug("loss") as session:
        assert session.step(3).startswith("both ranks: 3 of")
        assert session.back(2).startswith("both ranks: 1 of")
        assert "the backward is finished" in session.continue_()
        # over the hook of the last leaf, which has written `.grad` of all
        assert session.back(14).startswith("both ranks: 0 of 14")
        view.execute("none = all(p.grad is None for p in net.parameters())")
        assert view["none"] == [True, True]
        session.continue_()
    view.execute("stepped = [p.grad.clone() for p in net.parameters()]")
    view.execute("model.zero_grad(); forward().backward()")
    view.execute("same = [bool((a == p.grad).all()) for a, p in zip(stepped, net.parameters())]")
    assert view["same"] == [[True] * 4] * 2
    view.execute("found = [each.tolist() for each in stepped]")
    first, second = view["found"]
    assert first == second


def test_a_rank_that_is_stepped_alone_waits_for_the_other(view: Any, ranks: Any) -> None:
    view.execute("model.zero_grad(); loss = forward()")
    with ranks.debug("loss") as session:
        told = session.continue_(rank=0)
        assert (
            "rank 0: 13 of 14 nodes done; waits in AccumulateGrad (all_reduce, 196 B) for rank 1"
            in str(told)
        )
        assert "the backward is finished" in session.continue_()


def test_a_view_of_a_rank_that_waits_for_others_is_told_so(
    view: Any, ranks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Soon: meanwhile no click is answered, not even the one that moves the others."""
    monkeypatch.setattr(rank_session, "ANSWERED", math.inf)
    view.execute("model.zero_grad(); loss = forward()")
    with ranks.debug("loss") as session:
        shown = View(JointSession(session))
        own = shown.ask("attach", session=None, folding=FOLDING, view="")["session"]
        session.continue_(rank=0)
        answer = shown.ask("inspect", session=own, node=0)
        assert answer["type"] == "failed"
        assert "waits in AccumulateGrad (all_reduce, 196 B) for rank 1" in answer["message"]
        assert "the backward is finished" in session.continue_()
        assert shown.ask("inspect", session=own, node=0)["type"] == "inspection"
        shown.controller.close()


def test_compare_ranks_names_the_rank_before_the_all_reduce(view: Any, ranks: Any) -> None:
    view.execute("model.zero_grad(); loss = forward(0.0 if rank == 1 else 1.0)")
    assert ranks.compare("loss").leaving == (1,)
    view.execute("untouched = all(each.grad is None for each in net.parameters())")
    assert view["untouched"] == [True, True]


def test_a_nan_of_one_rank_is_explained_from_the_other(view: Any, ranks: Any) -> None:
    view.execute(
        "import vizgrad\nmodel.zero_grad()\nwith vizgrad.watch():\n"
        "    loss = forward(0.0 if rank == 1 else 1.0)\n    loss.backward()\nweight = net[0].weight"
    )
    told = str(ranks.why("weight", rank=0))
    assert "rank 1" in told
    assert ".log()" in told


COLLECTIVE = """
import vizgrad.distributed.nn.functional as F
x = torch.ones(3, requires_grad=True)
loss = (F.all_reduce(x * (rank + 1)) ** 2).sum()
"""


def test_a_collective_is_a_node_that_is_stepped(view: Any, ranks: Any) -> None:
    view.execute(COLLECTIVE)
    with ranks.debug("loss") as session:
        session.step(2)
        told = session.step(1, rank=0)
        assert "rank 0: 2 of 5 nodes done; waits in all_reduce (12 B) for rank 1" in str(told)
        session.continue_()
    view.execute("found = x.grad.tolist()")
    assert view["found"] == [[12.0] * 3, [24.0] * 3]
