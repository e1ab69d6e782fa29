"""The same program of two processes on PyTorch and on vizgrad: what its ranks see is equal."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from tests.distributed.ranks import in_processes

BEGINNING = {
    "torch": """
import torch, warnings
import torch.distributed as dist
import torch.distributed.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data.distributed import DistributedSampler
warnings.simplefilter("ignore")
""",
    "vizgrad": """
import vizgrad as torch
import vizgrad.distributed as dist
import vizgrad.distributed.nn.functional as F
from vizgrad import nn
from vizgrad.nn.parallel import DistributedDataParallel
from vizgrad.utils.data.distributed import DistributedSampler
""",
}
SEEING = """
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
def see(name, *values):
    print(repr((name, [each.tolist() if hasattr(each, "tolist") else each for each in values])))
def raises(name, function):
    try:
        function()
    except Exception as error:
        see(name, [each.__name__ for each in type(error).__mro__ if each.__module__ == "builtins"])
    else:
        see(name, None)
def leaf(*shape):
    count = torch.Size(shape).numel()
    return (torch.arange(float(count)).reshape(shape) * (rank + 1) + rank).requires_grad_()
"""

DERIVATIVES = """
def weighted(outputs):
    return sum((each * (rank + 1 + place)).sum() for place, each in enumerate(outputs))
many = [torch.zeros(3) for _ in range(size)]
for name, shape, function in [
    ("all_reduce", (3,), lambda x: [F.all_reduce(x)]),
    ("broadcast", (3,), lambda x: [F.broadcast(x, 1)]),
    ("all_gather", (3,), lambda x: F.all_gather(x)),
    ("gather", (3,), lambda x: F.gather(x, 1)),
    ("scatter", (size, 3), lambda x: [F.scatter([x[i] for i in range(size)], 1)]),
    ("reduce_scatter", (size, 3), lambda x: [F.reduce_scatter(torch.zeros(3), [x[i] for i in range(size)])]),
    ("all_to_all", (size, 3), lambda x: F.all_to_all(many, [x[i] for i in range(size)])),
    ("all_to_all_single", (size, 3), lambda x: [F.all_to_all_single(torch.zeros(size, 3), x)]),
]:
    x = leaf(*shape)
    outputs = function(x * 2)
    weighted(outputs).backward()
    see(name, *outputs, x.grad)
x = leaf(3)
out = F.reduce(x * 2, 1)
(out * (rank + 1)).sum().backward()
see("reduce", out if rank == 1 else None, x.grad)
x = leaf(3)
(grad,) = torch.autograd.grad((F.all_reduce(x * x) ** 2).sum(), x, create_graph=True)
see("second order", grad, torch.autograd.grad(grad.sum(), x)[0])
"""

TRAINING = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.norm = nn.Linear(4, 5), nn.BatchNorm1d(5)
        self.b, self.c = nn.Linear(5, 3), nn.Linear(5, 3)
    def forward(self, x, use=True):
        h = torch.tanh(self.norm(self.a(x)))
        return {"out": self.b(h) + (self.c(h) if use else 0)}
net = Net()
with torch.no_grad():
    for k, p in enumerate(net.parameters()):
        p.copy_(torch.cos(torch.arange(float(p.numel())) * 1.7 + k).reshape(p.shape) * 0.5 * (1 + rank))
model = DistributedDataParallel(net, find_unused_parameters=True, bucket_cap_mb=0.0001)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x, y = torch.sin(torch.arange(64.0)).reshape(16, 4), torch.arange(16) % 3
data = torch.utils.data.TensorDataset(x, y)
loader = torch.utils.data.DataLoader(data, batch_size=4, sampler=DistributedSampler(data, shuffle=False))
def loss(x, y, use=True):
    return nn.functional.cross_entropy(model(x, use)["out"], y)
for step, (x_, y_) in enumerate(loader):
    optimizer.zero_grad()
    value = loss(x_, y_, step != 1 or rank == 0)
    value.backward()
    optimizer.step()
    see("step", value.detach(), net.a.weight.grad, net.c.bias.grad)
optimizer.zero_grad()
loss(x[rank * 8 :][:8], y[rank * 8 :][:8], False).backward()
see("unused on all", net.c.bias.grad, net.b.bias.grad)
optimizer.zero_grad()
with model.no_sync():
    loss(x[:4], y[:4]).backward()
see("not averaged", net.b.bias.grad)
loss(x[4:8] + rank, y[4:8]).backward()
see("averaged", net.b.bias.grad)
value = loss(x[:4] + rank, y[:4])
value.backward(retain_graph=True)
value.backward()
see("second backward of one forward", net.b.bias.grad)
for name, each in model.state_dict().items():
    see(name, each)
for count in (7, 1, 10):
    see("sampler", list(DistributedSampler(range(count), shuffle=False)),
        list(DistributedSampler(range(count), shuffle=False, drop_last=True)),
        len(DistributedSampler(range(count))))
strict = DistributedDataParallel(Net())
strict(x[:4], False)["out"].sum().backward()
raises("unfinished", lambda: strict(x[:4]))
raises("no parameters", lambda: DistributedDataParallel(nn.ReLU()))
raises("rank", lambda: DistributedSampler(range(3), rank=2, num_replicas=2))
"""

HOOKS = """
from importlib import import_module
hooks = import_module(f"{torch.__name__}.distributed.algorithms.ddp_comm_hooks.default_hooks")
Join = import_module(f"{torch.__name__}.distributed.algorithms.join").Join
def plain():
    made = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2))
    with torch.no_grad():
        for k, p in enumerate(made.parameters()):
            p.copy_(((torch.arange(float(p.numel())) * 5 + k) % 9 - 4).reshape(p.shape) / 16)
    return made
x = (torch.arange(48.0) * 7 % 11).reshape(12, 4) / 8
own = x[rank * 6 :][:6]
def doubled(state, bucket):
    state.append((bucket.index(), bucket.is_last(), bucket.buffer().numel(),
                  sorted(list(g.shape) for g in bucket.gradients()), len(bucket.parameters())))
    return hooks.allreduce_hook(None, bucket).then(lambda done: done.value() * 2)
for name, hook in [
    ("allreduce", hooks.allreduce_hook), ("fp16", hooks.fp16_compress_hook),
    ("fp16 wrapper", hooks.fp16_compress_wrapper(hooks.allreduce_hook)),
    ("doubled", doubled),
]:
    net = plain()
    model = DistributedDataParallel(net)
    seen = []
    model.register_comm_hook(seen if name == "doubled" else None, hook)
    raises("a second hook", lambda: model.register_comm_hook(None, hook))
    model(own).pow(2).sum().backward()
    see(name, *(p.grad for p in net.parameters()), seen)
raises("no function", lambda: DistributedDataParallel(plain()).register_comm_hook(None, 3))

class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.out = nn.Embedding(7, 3, sparse=True), nn.Linear(3, 2)
        with torch.no_grad():
            for k, p in enumerate(self.parameters()):
                p.copy_(torch.cos(torch.arange(float(p.numel())) + k).reshape(p.shape))
    def forward(self, x):
        return self.out(self.table(x))
net = Table()
model = DistributedDataParallel(net)
for ids in ([[1, 1, 3], [0, 3, 6]], [[2, 2, 2], [2, 5, 5]]):
    model.zero_grad()
    model(torch.tensor(ids[rank])).pow(2).sum().backward()
    grad = net.table.weight.grad
    see("sparse", grad.is_sparse, grad.to_dense(), net.out.weight.grad)
    torch.optim.SGD(net.parameters(), lr=0.1).step()
    see("stepped", net.table.weight)

for by_all in (True, False):
    net = nn.Sequential(plain(), nn.BatchNorm1d(2)).double()
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    grads = []
    with model.join(divide_by_initial_world_size=by_all):
        for k in range(2 + 2 * rank):
            optimizer.zero_grad()
            model(own[k:][:3].double()).pow(3).sum().backward()
            grads.append(net[0][0].weight.grad.clone())
            optimizer.step()
    see("joined", *grads, *net.state_dict().values())
model = DistributedDataParallel(plain())
def ends():
    with Join([model], throw_on_early_termination=True):
        for k in range(1 + rank):
            model(own).sum().backward()
raises("early", ends)
model.zero_grad()
with model.join(enable=False):
    model(own).sum().backward()
see("no join", next(model.parameters()).grad)
raises("no joinables", lambda: Join([]))

with model.no_sync():
    model(own).sum().backward()
see("no sync", next(model.parameters()).grad)
future = torch.futures.Future()
then = future.then(lambda done: done.value() + 1)
see("future", future.done(), then.done())
raises("not done", future.value)
future.set_result(3)
see("future", future.done(), future.value(), then.wait(), torch.futures.wait_all([future, then]))
see("all", [each.value() for each in torch.futures.collect_all([future, then]).wait()])
raises("set again", lambda: future.set_result(4))
failing = torch.futures.Future()
failing.set_exception(ValueError("bad"))
raises("error", failing.wait)
"""

CALLS = """
a = torch.ones(3)
raises("no tensor", lambda: dist.all_reduce([1]))
raises("count", lambda: dist.all_gather([a], a))
raises("shape", lambda: dist.all_gather([torch.ones(2), torch.ones(2)], a))
raises("type", lambda: dist.all_gather([a.long(), a.long()], a))
raises("root", lambda: dist.broadcast(a, 5))
raises("bits of floats", lambda: dist.all_reduce(a, dist.ReduceOp.BAND))
raises("largest complex", lambda: dist.all_reduce(a + 1j, dist.ReduceOp.MAX))
raises("to itself", lambda: dist.send(a, rank))
raises("no list", lambda: dist.gather(a, dst=rank))
raises("twice", lambda: dist.init_process_group("gloo"))
raises("large group", lambda: dist.new_group([0, 1, 2]))
for op in "SUM AVG PRODUCT MIN MAX".split():
    x = torch.arange(3.0) + rank
    dist.all_reduce(x, getattr(dist.ReduceOp, op))
    see(op, x)
for op in "SUM PRODUCT MIN MAX BAND BOR BXOR".split():
    x = torch.arange(3) + 5 * rank
    dist.all_reduce(x, getattr(dist.ReduceOp, op))
    see(op, x)
x = torch.arange(6.0)[::2] + rank
dist.all_reduce(x)
see("strided", x)
work = dist.all_reduce(x, async_op=True)
see("work", work.wait(), work.is_completed(), x)
pair = dist.new_group([1])
see("group", dist.get_rank(pair), dist.get_world_size(pair), dist.all_reduce(x, group=pair))
see("state", dist.is_initialized(), dist.is_available(), dist.get_process_group_ranks(dist.group.WORLD))
dist.barrier()
dist.destroy_process_group()
raises("after", dist.get_rank)
see("after", dist.is_initialized())
"""


def seen(tmp_path: Path, framework: str) -> list[list[tuple[str, Any]]]:
    script = tmp_path / f"{framework}_program.py"
    script.write_text(BEGINNING[framework] + SEEING + DERIVATIVES + TRAINING + HOOKS + CALLS)
    processes = in_processes(script, 2)
    return [[ast.literal_eval(line) for line in each.out.splitlines()] for each in processes]


def test_ranks_see_what_they_see_on_pytorch(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    expected, got = seen(tmp_path, "torch"), seen(tmp_path, "vizgrad")
    for rank in range(2):
        assert [name for name, _ in got[rank]] == [name for name, _ in expected[rank]]
        for (name, mine), (_, theirs) in zip(got[rank], expected[rank], strict=True):
            assert _close(mine, theirs), (rank, name, mine, theirs)


def _close(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, list) and isinstance(theirs, list):
        return len(mine) == len(theirs) and all(map(_close, mine, theirs))
    if isinstance(mine, float) and isinstance(theirs, float):
        return mine == pytest.approx(theirs, rel=1e-4, abs=1e-6)
    return type(mine) is type(theirs) and mine == theirs
