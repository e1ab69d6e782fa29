"""Ranks of `torch.distributed`: what an all-reduce hides, and who waits for whom. All names have torch in
them: `make parity` runs these.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import vizgrad
from tests.debugger.ranks.programs import MODEL
from tests.debugger.ranks.test_faults import GATED, arrived, killed_in_mid_step
from tests.fixtures.ports import free_port
from tests.notebooks.test_notebooks import OF_RANKS, run

#: Before engines are started for it.
pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")

PROGRAM = (
    """
import torch, vizgrad
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
"""
    + MODEL
)

SCRIPT = """
import os
rank = int(os.environ["RANK"])
import torch.distributed as dist
dist.init_process_group("gloo")
PROGRAM
with vizgrad.watch():
    loss = forward(0.0 if rank == 1 else 1.0)
    told = vizgrad.compare_ranks(loss)
    same = [None, None]
    dist.all_gather_object(same, str(told))
    assert same[0] == same[1]
    assert net[0].weight.grad is None
    loss.backward()
loss = forward()
if rank == 0:
    print(told)
    print(vizgrad.why(net[0].weight, name="weight"))
for losses in ([loss, "none"], ["none", "none"]):
    try:
        print(vizgrad.compare_ranks(losses[rank]))
    except TypeError:
        print(f"TypeError on rank {rank}")
dist.destroy_process_group()
"""


def test_torch_compare_ranks_names_the_rank_before_the_all_reduce(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.replace("PROGRAM", PROGRAM))
    command = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
        str(script),
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stderr
    assert "rank 1 leaves the others at MulBackward0 (node 3)" in run.stdout
    assert "rank 1: `(p * factor).log()` made an infinite value" in run.stdout
    assert "call vizgrad.compare_ranks(loss) on all of them" in run.stdout
    assert "rank 1: its backward failed: TypeError: expected a tensor" in run.stdout
    assert run.stdout.count("TypeError on rank 1") == 2
    assert run.stdout.count("TypeError on rank 0") == 1


@pytest.fixture(scope="module")
def ranks(view: Any) -> Any:
    port = free_port()
    view.execute(
        "import torch.distributed as dist\n"
        f"dist.init_process_group('gloo', init_method='tcp://127.0.0.1:{port}', "
        "rank=1 - rank, world_size=2)\nrank = 1 - rank" + PROGRAM
    )
    return vizgrad.ranks(view)


def test_torch_ranks_are_numbered_as_their_group_numbers_them(view: Any, ranks: Any) -> None:
    assert view["rank"] == [1, 0]
    view.execute("loss = forward(0.0 if rank == 0 else 1.0)")
    assert ranks.compare("loss").leaving == (0,)


def test_torch_stepped_ddp_gives_the_gradients_of_backward(view: Any, ranks: Any) -> None:
    view.execute("model.zero_grad(); loss = forward()")
    with ranks.debug("loss") as session:
        assert session.step(3).startswith("both ranks: 3 of")
        assert session.back(2).startswith("both ranks: 1 of")
        assert "the backward is finished" in session.continue_()
    view.execute("stepped = [p.grad.clone() for p in net.parameters()]")
    view.execute("model.zero_grad(); forward().backward()")
    view.execute("same = all(map(torch.equal, stepped, [p.grad for p in net.parameters()]))")
    assert view["same"] == [True, True]
    view.execute(
        "import copy\n"
        "one = copy.deepcopy(net); one.zero_grad(); batches = [None, None]\n"
        "dist.all_gather_object(batches, batch)\n"
        "(-torch.sigmoid(one(torch.cat(batches))).log().mean()).backward()\n"
        "close = all(map(torch.allclose, stepped, [p.grad for p in one.parameters()]))"
    )
    assert view["close"] == [True, True]


def test_torch_a_rank_alone_waits_at_the_all_reduce_and_says_for_whom(
    view: Any, ranks: Any
) -> None:
    view.execute("model.zero_grad(); loss = forward()")
    with ranks.debug("loss") as session:
        told = session.continue_(rank=1)
        assert "rank 0: 0 of 14 nodes done" in told
        assert (
            "rank 1: 13 of 14 nodes done; waits in AccumulateGrad (all_reduce, 196 B) for rank 0"
            in told
        )
        assert session.continue_() == "both ranks: 14 of 14 nodes done; the backward is finished"


def test_torch_a_nan_of_another_rank_is_explained_by_that_rank(view: Any, ranks: Any) -> None:
    view.execute(
        "model.zero_grad()\nwith vizgrad.watch():\n"
        "    loss = forward(0.0 if rank == 1 else 1.0)\n    loss.backward()"
    )
    told = ranks.why("net.0.weight", rank=0)
    assert told.origin == 1
    assert "`(p * factor).log()` made an infinite value" in repr(told)
    assert ranks.findings.ranks[0] == (1,)
    assert ranks.findings[0].story.startswith("on rank 1 only: ")


def test_torch_the_notebook_of_ranks_runs() -> None:
    run(OF_RANKS)


SHARDED = """
from torch import nn
from torch.distributed.fsdp import fully_shard
torch.manual_seed(0)
whole = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 3))
import copy
sharded = copy.deepcopy(whole)
for layer in sharded:
    if isinstance(layer, nn.Linear):
        fully_shard(layer)
fully_shard(sharded)
torch.manual_seed(1 + rank)
inputs = torch.randn(6, 4)
def sharded_loss():
    sharded.zero_grad()
    return sharded(inputs).pow(2).mean()
def full_gradients():
    return [each.grad.full_tensor() for each in sharded.parameters()]
"""


@pytest.fixture(scope="module")
def sharded(view: Any, ranks: Any) -> Any:
    view.execute(SHARDED)
    return ranks


def test_torch_a_sharded_model_is_stepped_back_and_on(view: Any, sharded: Any) -> None:
    view.execute("loss = sharded_loss()")
    with sharded.debug("loss") as session:
        first = session.step(4)
        assert first.startswith("both ranks: 4 of")
        assert session.back(3).startswith("both ranks: 1 of")
        assert "the backward is finished" in session.continue_()
    view.execute("stepped = full_gradients()")
    view.execute("sharded_loss().backward()")
    view.execute("same = all(map(torch.equal, stepped, full_gradients()))")
    assert view["same"] == [True, True]
    view.execute(
        "gathered = [None, None]; dist.all_gather_object(gathered, inputs)\n"
        "sum(whole(each).pow(2).mean() / 2 for each in gathered).backward()\n"
        "close = all(map(torch.allclose, stepped, [p.grad for p in whole.parameters()]))"
    )
    assert view["close"] == [True, True]


def test_torch_a_rank_of_a_sharded_model_alone_waits_for_the_other(view: Any, sharded: Any) -> None:
    view.execute("loss = sharded_loss()")
    with sharded.debug("loss") as session:
        told = session.continue_(rank=1)
        assert "rank 0: 0 of" in told
        assert re.search(
            r"rank 1: 1 of 18 nodes done; waits in all_gather\w* \(\d+ B\) for rank 0", told
        )
        assert "both ranks: " in session.continue_()


def test_torch_a_rank_that_is_killed_in_mid_step_loses_nothing_of_the_others(
    view: Any, ranks: Any
) -> None:
    """The last of the file: one engine is gone after it."""
    view.execute(GATED)
    session = ranks.debug("loss")
    told = killed_in_mid_step(view, session)
    assert "Connection closed by peer" in told or "Connection reset" in told
    kept = arrived(session)
    assert kept[0] >= 10
    assert kept[1] >= 2
    assert len(session.trace(0).trace.records) == kept[0]
    session.close()
