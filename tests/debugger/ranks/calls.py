"""A program of several ranks that steps its backward and looks at the collectives that this calls, with
vizgrad or PyTorch.
"""

from __future__ import annotations

from pathlib import Path

from tests.distributed.ranks import in_processes

_IMPORTS = {
    "vizgrad": "import vizgrad, vizgrad as torch, vizgrad.distributed as dist\n",
    "torch": "import vizgrad, torch, torch.distributed as dist\n",
}
#: Two buckets: the first is sent while the backward goes on.
_MODEL = """
import os, sys
rank, count = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
dist.init_process_group("gloo")
nn = torch.nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(40, 80), nn.Tanh(), nn.Linear(80, 80), nn.Tanh(), nn.Linear(80, 3))
model = nn.parallel.DistributedDataParallel(net, bucket_cap_mb=0.01)
torch.manual_seed(1 + rank)
inputs = torch.randn(5, 40)
def forward():
    net.zero_grad()
    return model(inputs).pow(2).sum()
def gradients():
    return [each.grad.clone() for each in net.parameters()]
for _ in range(2):
    forward().backward()  # PyTorch divides its buckets anew after the first
plain = gradients()
def opened(loss):
    return vizgrad.debug(loss, display=False)
def named(session, call):
    return sorted(session.graph.nodes[each].label for each in call.nodes)
"""
_END = "\ndist.destroy_process_group()\n"


def run(framework: str, tmp_path: Path, program: str, count: int = 2) -> list[str]:
    """What each rank printed."""
    script = tmp_path / "calls.py"
    script.write_text(_IMPORTS[framework] + _MODEL + program + _END)
    return [each.out for each in in_processes(script, count)]


#: Each bucket is a collective, with its bytes, its ranks and the leaves whose gradients it carries; stepped
#: back it is not called, and on again it is the same.
BUCKETS = """
from time import sleep
loss = forward()
session = opened(loss)
dist.barrier()  # however long each took to come here
if rank == 1:
    sleep(2.0)
session.continue_()
last = len(session.trace.records)
first, second = [each.call for each in session.run.collectives]
assert first.kind == second.kind == "all_reduce"
assert first.ranks == second.ranks == tuple(range(count)), first
assert first.bytes == 4 * (3 + 3 * 80 + 80 + 80 * 80) and second.bytes == 4 * (80 + 80 * 40)
assert named(session, first) == ["net.2.bias", "net.2.weight", "net.4.bias", "net.4.weight"]
assert named(session, second) == ["net.0.bias", "net.0.weight"]
assert first.number < second.number and first.group == second.group
assert all(each.seconds is not None and not each.error for each in (first, second))
one, other = session.run.collectives
assert one.step < other.step == last - 1 and one.step <= one.end <= other.end == last - 1
assert one.at(one.step) is None
if one.end > one.step:  # a rank that comes last may have it at once
    assert one.at(one.end).seconds is None
assert one.at(one.end + 1) == first
told = str(session.where)
assert f"all_reduce, 13 kB, ranks {'0 and 1' if count == 2 else f'0-{count - 1}'}, " in told, told
found = gradients()
assert all(bool((a == b).all()) for a, b in zip(plain, found))
from vizgrad.debugger.drawing.static import svg_of_session, text_of_session
svg, text = svg_of_session(session), text_of_session(session)
assert svg.count('class="collective"') == 2 and "gradients of net.0.bias, net.0.weight" in text
session.seek(one.step)
assert 'class="collective' not in svg_of_session(session) and "all_reduce" not in str(session.where)
session.seek(one.step + 1)
assert "all_reduce, 27 kB" in str(session.where)
if one.end > one.step:
    assert "has not ended" in str(session.where)
    assert svg_of_session(session).count('class="collective begun"') == 1
session.continue_()
assert session.run.collectives == (one, other)
path = f"{sys.argv[0]}.rank{rank}.vgtrace"
session.trace.save(path)
loaded = vizgrad.load_trace(path)
loaded.seek(last)
assert loaded.run.collectives == session.run.collectives
session.close()
print(first.waited, *first.late)
"""

#: A collective of the program's own is one of its node.
EXPLICIT = """
F = dist.nn.functional
weight = torch.ones(3, requires_grad=True)
session = opened((F.all_reduce(weight * (rank + 1)) ** 2).sum())
session.continue_()
(called,) = session.run.collectives
node = session.graph.nodes[called.node]
assert "AllReduce" in node.name and called.call.nodes == ()
assert (called.call.kind, called.call.bytes, called.call.ranks) == ("all_reduce", 12, (0, 1))
assert called.step == called.end and called.call.seconds >= 0
session.close()
"""

#: A watch that keeps backwards has their collectives, too, and leaves the gradients as they are.
KEPT = """
with vizgrad.watch(keep=1) as watch:
    forward().backward()
assert all(bool((a == b).all()) for a, b in zip(plain, gradients()))
trace = watch.kept[1].whole
calls = [call for record in trace.records for call in record.collectives if call.seconds is not None]
assert [call.kind for call in calls] == ["all_reduce"] * 2, calls
assert [call.bytes for call in calls] == [4 * (3 + 3 * 80 + 80 + 80 * 80), 4 * (80 + 80 * 40)]
leaves = {node.id for node in trace.graph.nodes if node.kind == "leaf"}
assert sorted(each for call in calls for each in call.nodes) == sorted(leaves)
assert [len(call.nodes) for call in calls] == [4, 2]
"""
