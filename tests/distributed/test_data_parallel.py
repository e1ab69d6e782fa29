"""DistributedDataParallel beyond the plain average: hooks, sharded gradients, inputs of different length.
What PyTorch has, too, is compared in tests/oracle/test_distributed.py.
"""

from __future__ import annotations

from pathlib import Path

from tests.distributed.ranks import in_processes
from tests.distributed.test_programs import MODEL

LOSSES = (
    MODEL
    + """
import vizgrad
from vizgrad.distributed.algorithms.ddp_comm_hooks import default_hooks as hooks
from vizgrad.distributed.algorithms.join import Join

mine = slice(4 * rank, 4 * rank + 4)
def loss(net, step, part=slice(None)):
    return ((net(x[step, part]) - y[step, part]) ** 2).mean()
"""
)

SHARDED = (
    LOSSES
    + """
alone, own = made(), made()
model = DistributedDataParallel(own, bucket_cap_mb=1e-4)
steps = torch.optim.Adam(alone.parameters(), lr=0.01)
sharded = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.01)
sharded.shard_gradients(model)
owned = {id(p) for group in sharded.optim.param_groups for p in group["params"]}
assert 0 < len(owned) < 6
for step in range(6):
    steps.zero_grad(), sharded.zero_grad()
    loss(alone, step).backward()
    if step == 3:
        with model.no_sync():
            (loss(model, step, mine) / 2).backward()
        (loss(model, step, mine) / 2).backward()
    elif step == 4:  # stepped, back and on again
        with vizgrad.debug(loss(model, step, mine), display=False) as session:
            session.continue_()
            session.restart()
            assert all(p.grad is None for p in own.parameters())
            session.continue_()
    else:
        loss(model, step, mine).backward()
    for p, q in zip(alone.parameters(), own.parameters()):
        assert (q.grad is not None) == (id(q) in owned)
        assert q.grad is None or torch.allclose(p.grad, q.grad, rtol=1e-12, atol=1e-14), step
    steps.step(), sharded.step()
    for p, q in zip(alone.parameters(), own.parameters()):
        assert torch.allclose(p, q, rtol=1e-9), step
refused(RuntimeError, "would be averaged a second time", lambda: loss(model, 0, mine))
refused(RuntimeError, "can only be called once",
        lambda: model.register_comm_hook(None, hooks.allreduce_hook))
refused(ValueError, "of the model is not in this optimizer", lambda: ZeroRedundancyOptimizer(
    list(own.parameters())[:2], torch.optim.SGD, lr=0.1).shard_gradients(model))
dist.destroy_process_group()
"""
)

JOINED = (
    LOSSES
    + """
# What happens with `gone` ranks is that these take part with gradients of zero.
for shards in (False, True):
    alone, own = made(), made()
    model = DistributedDataParallel(own)
    steps = torch.optim.Adam(alone.parameters(), lr=0.01)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.01)
    if shards:
        optimizer.shard_gradients(model)
    with Join([model, optimizer]):
        for step in range(6 if rank == 0 else 3):
            optimizer.zero_grad()
            loss(model, step, mine).backward()
            optimizer.step()
    for step in range(6):
        steps.zero_grad()
        parts = [slice(0, 4), slice(4, 8)] if step < 3 else [slice(0, 4)]
        sum(loss(alone, step, part) / 2 for part in parts).backward()
        steps.step()
    for p, q in zip(alone.parameters(), own.parameters()):
        assert torch.allclose(p, q, rtol=1e-9)
dist.destroy_process_group()
"""
)

HOOKS = (
    LOSSES
    + """
net, plain = made().float(), made().float()
x, y = x.float(), y.float()
model, other = DistributedDataParallel(net), DistributedDataParallel(plain)
model.register_comm_hook(None, hooks.bf16_compress_hook)
loss(model, 0, mine).backward(), loss(other, 0, mine).backward()
for p, q in zip(net.parameters(), plain.parameters()):
    assert torch.allclose(p.grad, q.grad, rtol=2e-2, atol=1e-3) and not torch.equal(p.grad, q.grad)
for kind, phrase, hook in [
    (TypeError, "expected the communication hook to return a Future", lambda state, bucket: bucket.buffer()),
    (RuntimeError, "gave [1] for a bucket of 121 gradients",
     lambda state, bucket: hooks.allreduce_hook(state, bucket).then(lambda done: done.value()[:1])),
    (ZeroDivisionError, "",
     lambda state, bucket: hooks.allreduce_hook(state, bucket).then(lambda done: 1 / 0)),
]:
    model = DistributedDataParallel(made().float())
    model.register_comm_hook(None, hook)
    refused(kind, phrase, loss(model, 0, mine).backward)
model = DistributedDataParallel(made().float())
refused(TypeError, "must be callable", lambda: model.register_comm_hook(None, 3))
table = nn.Embedding(4, 2, sparse=True)
model = DistributedDataParallel(table)
refused(RuntimeError, "a table made with sparse=True, is dense",
        (model(torch.tensor([1])).sum() + (table.weight * 2).sum()).backward)
dist.destroy_process_group()
"""
)


def run(tmp_path: Path, program: str, count: int = 2) -> None:
    script = tmp_path / "program.py"
    script.write_text(program)
    in_processes(script, count)


def test_sharded_gradients_train_as_one_process(tmp_path: Path) -> None:
    run(tmp_path, SHARDED)


def test_a_rank_without_inputs_takes_part_with_zeros(tmp_path: Path) -> None:
    run(tmp_path, JOINED)


def test_hooks_and_what_they_may_not_return(tmp_path: Path) -> None:
    run(tmp_path, HOOKS)
