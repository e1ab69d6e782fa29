"""A GPT on 2, 4 and 8 processes, on PyTorch and on vizgrad's own engine: its gradients are those of one
process on the joined batch, also stepped, back and on; and a NaN of one rank is found from rank 0, by line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.distributed.ranks import in_processes

#: The sums of a batch are taken in the order of ranks on vizgrad, in gloo's order on PyTorch: equal up to
#: rounding (float64).
PROGRAM = """
import TORCH as torch, vizgrad
import TORCH.distributed as dist
from TORCH import nn
from TORCH.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()

class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.first(x)).split(c, 2)
        q, k, v = (each.view(b, t, self.heads, c // self.heads).transpose(1, 2) for each in (q, k, v))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.second(x))

class GPT(nn.Module):
    def __init__(self, tokens=11, width=8, length=6, layers=2):
        super().__init__()
        self.token, self.place = nn.Embedding(tokens, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*[Block(width, 2) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, tokens, bias=False)
    def forward(self, ids):
        x = self.token(ids) + self.place(torch.arange(ids.shape[1]))
        return self.head(self.norm(self.blocks(x)))

torch.manual_seed(0)
alone, own = GPT().double(), GPT().double()
model = DistributedDataParallel(own, bucket_cap_mb=0.002)
alone.load_state_dict(own.state_dict())
ids = (torch.arange(size * 2 * 7) * 5 % 11).reshape(size * 2, 7)
def loss_of(net, part, scale=1.0):
    scores = net(part[:, :-1])
    return nn.functional.cross_entropy((scores * scale).reshape(-1, 11), part[:, 1:].reshape(-1))
mine = ids[2 * rank : 2 * rank + 2]

def same():
    for (name, p), q in zip(alone.named_parameters(), own.parameters()):
        assert torch.allclose(p.grad, q.grad, rtol=1e-9, atol=1e-12), name
loss_of(alone, ids).backward()
loss_of(model, mine).backward()
same()

model.zero_grad()
with vizgrad.debug(loss_of(model, mine), display=False) as session:
    session.step(5)
    session.back(3)
    session.continue_()
    same()
    total = session.position
    session.restart()
    assert all(p.grad is None for p in own.parameters())
    session.continue_()
    assert session.position == total
same()

TREE
model.zero_grad()
planted = float("nan") if rank == size - 1 else 1.0
with vizgrad.watch():
    loss = loss_of(model, mine, planted)
    told = vizgrad.compare_ranks(loss)
    loss.backward()
if rank == 0:
    assert told.leaving == (size - 1,), told
    assert f"rank {size - 1} leaves the others" in told.to_text(), told.to_text()
    print(told.to_text())
dist.destroy_process_group()
"""
#: As for more than 64 ranks: summaries, reduced over the processes.
TREE = """
from importlib import import_module
import_module("vizgrad.debugger.ranks.compare_ranks").MOST_ONE_BY_ONE = 2
"""


@pytest.mark.parametrize(
    ("framework", "count"), [("torch", 2), ("torch", 4), ("vizgrad", 4), ("vizgrad", 8)]
)
def test_a_gpt_on_ranks_has_the_gradients_of_one_process(
    tmp_path: Path, framework: str, count: int
) -> None:
    pytest.importorskip("torch")
    script = tmp_path / "program.py"
    script.write_text(
        PROGRAM.replace("TORCH", framework).replace("TREE", TREE if count > 2 else "")
    )
    first, *_ = in_processes(script, count)
    assert f"rank {count - 1} leaves the others" in first.out
    assert "made NaN on line 41: NaN at [0, 0, 0]" in first.out
