"""The collectives that a stepped backward of PyTorch's calls. All names have torch in them: `make parity`
runs these.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.debugger.ranks.calls import BUCKETS, EXPLICIT, KEPT, run


def test_torch_buckets_of_ddp_are_collectives(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    waited, *late = run("torch", tmp_path, BUCKETS)[0].split()
    assert (waited, late) == ("None", [])  # no `Work` tells for whom it has waited


def test_torch_explicit_collectives_are_told_of_their_nodes(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    program = (
        "import warnings, torch.distributed.nn.functional\nwarnings.simplefilter('ignore')\n"
        + EXPLICIT
    )
    run("torch", tmp_path, program)


SHARDED = """
from torch.distributed.fsdp import fully_shard
torch.manual_seed(0)
sharded = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 3))
for layer in sharded:
    if isinstance(layer, nn.Linear):
        fully_shard(layer)
fully_shard(sharded)
batch = torch.randn(6, 4)
session = opened(sharded(batch).pow(2).mean())
session.continue_()
calls = [each.call for each in session.run.collectives]
assert [each.kind for each in calls].count("all_gather") == 3
assert [each.kind for each in calls].count("reduce_scatter") == 3
assert all(each.ended and each.ranks == (0, 1) and each.bytes > 0 for each in calls), calls
session.close()
found = [each.grad.full_tensor() for each in sharded.parameters()]
sharded.zero_grad()
sharded(batch).pow(2).mean().backward()
assert all(map(torch.equal, found, [each.grad.full_tensor() for each in sharded.parameters()]))
"""


def test_torch_gathers_of_fsdp2_are_collectives(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    run("torch", tmp_path, SHARDED)


FUNCTIONAL = """
import warnings
warnings.simplefilter("ignore")
import torch.distributed._functional_collectives as F
weight = torch.ones(5, requires_grad=True)
session = opened(F.all_gather_tensor_autograd(weight * 2, 0, dist.group.WORLD).sum())
session.continue_()
(called,) = session.run.collectives
assert (called.call.kind, called.call.bytes, called.call.ranks) == ("reduce_scatter", 40, (0, 1))
session.close()
failing = forward()
def fails(grad):
    raise ValueError("on purpose")
net[0].weight.register_hook(fails)
session = opened(failing)
try:
    session.continue_()
except ValueError:
    pass
assert torch._C._len_torch_dispatch_stack() == 0
session.close()
"""


def test_torch_functional_collectives_and_no_mode_is_left(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    run("torch", tmp_path, FUNCTIONAL.replace("failing = forward()", "failing = net(inputs).sum()"))


def test_torch_a_backward_that_a_watch_keeps_has_its_collectives(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    run("torch", tmp_path, KEPT + "assert torch._C._len_torch_dispatch_stack() == 0\n")
