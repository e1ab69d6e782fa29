"""Programs of several processes, with the public names."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.distributed.ranks import LIMIT, environment, in_processes

BEGINNING = """\
import sys
from datetime import timedelta
import vizgrad as torch
import vizgrad.distributed as dist
from vizgrad import nn
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
def refused(kind, phrase, function):
    try:
        function()
    except kind as error:
        assert phrase in str(error), str(error)
    else:
        raise AssertionError(f"nothing was raised: {phrase}")
"""

COLLECTIVES = (
    BEGINNING
    + """
x = torch.arange(3.0) + rank
assert dist.all_reduce(x) is None
assert x.tolist() == [3.0, 6.0, 9.0]
work = dist.all_reduce(x.t(), op=dist.ReduceOp.MAX, async_op=True)
assert work.wait() and work.is_completed() and work.is_success()

# A write is counted: a backward that needs what was there refuses.
w = torch.ones(3, requires_grad=True)
saved = torch.ones(3)
loss = (w * saved).sum()
dist.broadcast(saved, 0)
if rank:
    assert saved._version == 1
    refused(RuntimeError, "modified by an inplace operation", loss.backward)
else:
    loss.backward()

leaf = torch.full((2,), float(rank), requires_grad=True)
dist.broadcast(leaf, src=1)
assert leaf.tolist() == [1.0, 1.0] and leaf.is_leaf and leaf.grad_fn is None

strided = torch.zeros(2, 3).t()
dist.all_reduce(strided.add_(1))
assert strided.tolist() == [[3.0, 3.0]] * 3
half = torch.full((2,), float(rank), dtype=torch.bfloat16)
dist.all_reduce(half)
assert half.tolist() == [3.0, 3.0] and half.dtype is torch.bfloat16

found = [torch.zeros(()) for _ in range(size)]
dist.all_gather(found, torch.tensor(float(rank)))
assert [each.item() for each in found] == [0.0, 1.0, 2.0]
joined = torch.zeros(3, 2)
dist.all_gather_single(joined, torch.full((1, 2), float(rank)))
assert joined.tolist() == [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]
part = torch.zeros(2)
dist.reduce_scatter_single(part, torch.arange(6.0))
assert part.tolist() == [6.0 * rank, 6.0 * rank + 3]
given = [[1, 1, 1], [2, 2, 2], [1, 2, 3]]  # by the rank that gives
sizes = [row[rank] for row in given]
taken = torch.zeros(sum(sizes))
dist.all_to_all_single(taken, torch.arange(float(sum(given[rank]))) + 10 * rank, sizes, given[rank])
assert taken.tolist() == [[0, 10, 11, 20], [1, 12, 13, 21, 22], [2, 14, 15, 23, 24, 25]][rank]

objects = [None] * size
dist.all_gather_object(objects, {"rank": rank})
assert [each["rank"] for each in objects] == [0, 1, 2]
told = [torch.ones(2), "two"] if rank == 1 else [None, None]
dist.broadcast_object_list(told, src=1)
assert told[0].tolist() == [1.0, 1.0] and told[1] == "two"
mine = [None]
dist.scatter_object_list(mine, [10, 11, 12] if rank == 0 else None, src=0)
assert mine == [10 + rank]

if rank == 1:
    dist.send_object_list([{"of": rank}, "two"], dst=2)
elif rank == 2:
    came = [None, None]
    assert dist.recv_object_list(came, src=1) == 1 and came == [{"of": 1}, "two"]

pair = dist.new_group([0, 2])
if rank == 1:
    assert pair is dist.GroupMember.NON_GROUP_MEMBER and dist.get_rank(pair) == -1
    assert dist.all_reduce(x, group=pair) is None
else:
    assert dist.get_process_group_ranks(pair) == [0, 2] and dist.get_group_rank(pair, rank) == rank // 2
    y = torch.tensor([float(rank)])
    dist.all_reduce(y, group=pair)
    assert y.item() == 2.0
    dist.destroy_process_group(pair)
turned = dist.new_group([2, 0, 1], sort_ranks=False)
assert dist.get_rank(turned) == [1, 2, 0][rank] and dist.get_global_rank(turned, 0) == 2
if rank != 1:
    refused(ValueError, "Invalid process group specified", lambda: dist.all_reduce(y, group=pair))

if rank == 0:
    for to in (1, 2):
        dist.send(torch.full((2,), float(to)), to, tag=5)
else:
    got = torch.zeros(2)
    assert dist.recv(got, tag=5) == 0 and got.tolist() == [rank, rank]
right, left = (rank + 1) % size, (rank - 1) % size
got = torch.zeros(1)
for each in dist.batch_isend_irecv(
    [dist.P2POp(dist.irecv, got, left), dist.P2POp(dist.isend, torch.tensor([float(rank)]), right)]
):
    each.wait()
assert got.item() == left

refused(TypeError, "Expected parameter `tensor` of type", lambda: dist.all_reduce([1.0]))
refused(ValueError, "different dtypes", lambda: dist.all_gather([torch.ones(1).long()] * 3, torch.ones(1)))
refused(RuntimeError, "invalid output tensor list", lambda: dist.all_gather([torch.ones(1)], torch.ones(1)))
refused(RuntimeError, "invalid root rank: 5", lambda: dist.broadcast(torch.ones(1), 5))
refused(RuntimeError, "with non-integral dtype",
        lambda: dist.all_reduce(torch.ones(1), dist.ReduceOp.BAND))
refused(ValueError, "does not support MAX on complex",
        lambda: dist.all_reduce(torch.ones(1) + 1j, dist.ReduceOp.MAX))
refused(ValueError, "twice", lambda: dist.init_process_group("gloo"))
dist.barrier()
dist.monitored_barrier()
dist.destroy_process_group()
refused(ValueError, "Default process group has not been initialized", dist.get_rank)
"""
)

#: A model, and six batches for two ranks.
MODEL = (
    BEGINNING
    + """
from vizgrad.nn.parallel import DistributedDataParallel
from vizgrad.distributed.optim import ZeroRedundancyOptimizer

def made():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1)).double()

torch.manual_seed(1)
x, y = torch.randn(6, 8, 4).double(), torch.randn(6, 8, 1).double()
"""
)

#: The model on two ranks, and on one process with the joined batch.
TRAINING = (
    MODEL
    + """
alone, own = made(), made()
torch.manual_seed(rank + 5)
if rank == 1:
    for p in own.parameters():
        nn.init.normal_(p)  # those of rank 0 come instead
model = DistributedDataParallel(own, bucket_cap_mb=1e-4)
assert len(model.reducer.buckets) > 2
steps = torch.optim.Adam(alone.parameters(), lr=0.01)
sharded = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(sharded, 2, 0.5)
reference = torch.optim.lr_scheduler.StepLR(steps, 2, 0.5)
for step in range(6):
    steps.zero_grad()
    ((alone(x[step]) - y[step]) ** 2).mean().backward()
    sharded.zero_grad()
    mine = slice(4 * rank, 4 * rank + 4)
    if step == 3:  # two backwards whose gradients are averaged together
        with model.no_sync():
            (((model(x[step, mine][:2]) - y[step, mine][:2]) ** 2).sum() / 4).backward()
        (((model(x[step, mine][2:]) - y[step, mine][2:]) ** 2).sum() / 4).backward()
    else:
        ((model(x[step, mine]) - y[step, mine]) ** 2).mean().backward()
    for p, q in zip(alone.parameters(), own.parameters()):
        assert torch.allclose(p.grad, q.grad, rtol=1e-12, atol=1e-14), (step, p.grad, q.grad)
    steps.step(), sharded.step(), scheduler.step(), reference.step()
    for p, q in zip(alone.parameters(), own.parameters()):
        assert torch.allclose(p, q, rtol=1e-9), step
assert list(model.state_dict())[0] == "module.0.weight"
assert 0 < len(sharded.optim.state) < 6
refused(RuntimeError, "has not been consolidated", sharded.state_dict)
sharded.consolidate_state_dict(to=0)
if rank == 0:
    state, expected = sharded.state_dict(), steps.state_dict()
    assert list(state["state"]) == list(expected["state"])
    for number, each in expected["state"].items():
        assert torch.allclose(state["state"][number]["exp_avg"], each["exp_avg"], rtol=1e-9, atol=1e-12)
    assert state["param_groups"][0]["lr"] == expected["param_groups"][0]["lr"]
again = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.5)
again.load_state_dict(steps.state_dict())
assert set(again.optim.state) == set(sharded.optim.state)
assert again.param_groups[0]["lr"] == steps.param_groups[0]["lr"]

class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.other = nn.Linear(2, 1), nn.Linear(2, 1)
    def forward(self, x, other):
        return self.used(x) + (self.other(x) if other else 0)

two = DistributedDataParallel(Two(), find_unused_parameters=True)
two(torch.ones(3, 2), rank == 1).sum().backward()
assert two.module.other.weight.grad.tolist() == [[1.5, 1.5]]  # of rank 1 alone, averaged
two.zero_grad()
two(torch.ones(3, 2), False).sum().backward()
assert two.module.other.weight.grad is None and two.module.used.bias.grad.tolist() == [3.0]
strict = DistributedDataParallel(Two())
strict(torch.ones(3, 2), False).sum().backward()
refused(RuntimeError, "Expected to have finished reduction in the prior iteration before starting a new one. "
        "No gradient arrived for `other.weight`, `other.bias`", lambda: strict(torch.ones(3, 2), True))
refused(RuntimeError, "DDP expects same model across all ranks",
        lambda: DistributedDataParallel(nn.Linear(2, 1 + rank)))
refused(RuntimeError, "is not needed when a module doesn't have any parameter",
        lambda: DistributedDataParallel(nn.Tanh()))

normed = DistributedDataParallel(nn.BatchNorm1d(2))
for _ in range(2):
    normed(torch.randn(4, 2) + rank)
means = [torch.zeros(2), torch.zeros(2)]
normed.eval()(torch.ones(1, 2))
dist.all_gather(means, normed.module.running_mean)
assert means[0].tolist() == means[1].tolist()
"""
)

ENDS = (
    BEGINNING
    + """
import os, signal, time
x = torch.ones(4)
dist.all_reduce(x)
if rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
began = time.monotonic()
try:
    dist.all_reduce(x)
except RuntimeError as error:
    print(f"{error} ({type(error).__name__})")
    assert x.tolist() == [3.0] * 4
    sys.exit(7 if time.monotonic() - began < 60 else 8)
"""
)


def test_collectives_of_tensors(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(COLLECTIVES)
    in_processes(script, 3)


def test_training_on_two_ranks_is_that_on_the_joined_batch(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(TRAINING)
    in_processes(script, 2)


def test_a_killed_rank_is_named_on_the_others(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(ENDS)
    first, _, third = in_processes(script, 3, statuses=(7, -signal.SIGKILL, 7))
    said = "Connection closed by peer: the process with rank 1 has ended (DistBackendError)"
    assert [first.out.strip(), third.out.strip()] == [said, said]


MPI = """\
import sys
import vizgrad as torch
import vizgrad.distributed as dist
dist.init_process_group("mpi")
rank, size = dist.get_rank(), dist.get_world_size()
x = torch.arange(5000.0) + rank
dist.all_reduce(x)
assert x[:2].tolist() == [1.0, 3.0]
objects = [None] * size
dist.all_gather_object(objects, rank)
got = torch.zeros(2)
work = dist.irecv(got, 1 - rank)
dist.isend(torch.full((2,), float(rank)), 1 - rank).wait()
work.wait()
assert got.tolist() == [1.0 - rank] * 2
# In one piece: mpiexec mixes what ranks write.
sys.stdout.write(f"rank {rank} of {size}, {dist.get_backend()}, {objects}\\n")
sys.stdout.flush()
dist.destroy_process_group()
"""


def test_mpi_carries_the_same_collectives(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(MPI)
    mpiexec = Path(sys.executable).with_name("mpiexec")
    done = subprocess.run(
        [str(mpiexec), "-n", "2", sys.executable, str(script)],
        env=environment(2, 0, 0), capture_output=True, text=True, timeout=LIMIT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [
        "rank 0 of 2, mpi, [0, 1]",
        "rank 1 of 2, mpi, [0, 1]",
    ]
