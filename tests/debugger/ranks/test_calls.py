"""The collectives that a stepped backward of vizgrad's own engine calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.debugger.ranks.calls import BUCKETS, EXPLICIT, KEPT, run


@pytest.mark.parametrize("count", [2, 4])
def test_buckets_are_collectives_that_say_for_whom_a_rank_waited(
    count: int, tmp_path: Path
) -> None:
    waited, *late = run("vizgrad", tmp_path, BUCKETS, count)[0].split()
    assert float(waited) > 0.1  # rank 1 has slept, less what the others had still to do
    assert "1" in late  # and others that a busy machine has kept as long


def test_explicit_collectives_are_told_of_their_nodes(tmp_path: Path) -> None:
    run(
        "vizgrad",
        tmp_path,
        EXPLICIT.replace("F = dist.nn.functional", "import vizgrad.distributed.nn.functional as F"),
    )


#: Nobody listens outside of a session; a hook of the user's calls its own; a bucket that fails says so.
OTHERS = """
from vizgrad.distributed.calls import begun
from vizgrad.distributed.algorithms.ddp_comm_hooks import default_hooks
assert begun(dist.group.WORLD, 1, "all_reduce", []) is None
assert dist.group.WORLD.noted == {}
hooked = nn.parallel.DistributedDataParallel(nn.Linear(3, 2))
hooked.register_comm_hook(None, default_hooks.allreduce_hook)
session = opened(hooked(torch.ones(2, 3)).sum())
session.continue_()
(called,) = session.run.collectives
assert called.call.kind == "all_reduce" and len(called.call.nodes) == 2 and called.call.bytes == 32
session.close()
embedded = nn.parallel.DistributedDataParallel(nn.Embedding(4, 2, sparse=True))
session = opened(embedded(torch.arange(2)).sum())
session.continue_()
(called,) = session.run.collectives
assert called.call.bytes == 2 * 8 + 4 * 4 and called.call.ended
session.close()
"""


def test_hooks_and_sparse_gradients_are_told_too(tmp_path: Path) -> None:
    run("vizgrad", tmp_path, OTHERS)


def test_a_backward_that_a_watch_keeps_has_its_collectives(tmp_path: Path) -> None:
    run("vizgrad", tmp_path, KEPT)
