"""A GPT on several ranks under DistributedDataParallel, with vizgrad or PyTorch: stepped, gone back, compared
with one process, and a NaN of one rank found from another. Tests run it on four engines; by hand on more:
`python -m tests.debugger.ranks.gpt 8 vizgrad torch`.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import warnings
from time import monotonic
from typing import Any

import vizgrad
from tests.debugger.ranks.numbered import numbered
from tests.fixtures.ports import free_port

IMPORTS = {
    "vizgrad": "import vizgrad, vizgrad as torch\nimport vizgrad.distributed as dist\n",
    "torch": "import vizgrad, torch\nimport torch.distributed as dist\n",
}
#: Each rank has a batch of its own. `forward(0.0)` has a finite loss and a gradient of NaN.
PROGRAM = """
import copy
from math import prod
nn, F = torch.nn, torch.nn.functional
class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.joined = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.before(x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.joined(seen.transpose(1, 2).reshape(b, t, c))
        return x + self.narrow(F.gelu(self.wide(self.between(x))))
class GPT(nn.Module):
    def __init__(self, words=11, length=6, width=8, heads=2, layers=2):
        super().__init__()
        self.token, self.place = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.last, self.head = nn.LayerNorm(width), nn.Linear(width, words)
    def forward(self, x):
        h = self.token(x) + self.place(torch.arange(x.shape[1]))
        return self.head(self.last(self.blocks(h)))
torch.manual_seed(0)
net = GPT().double()
alone = copy.deepcopy(net)
model = nn.parallel.DistributedDataParallel(net)
torch.manual_seed(1 + rank)
batch = torch.randint(11, (2, 7))
def loss_of(model, batch, factor=1.0):
    logits = model(batch[:, :-1])
    size = (logits.pow(2).mean() * factor).sqrt()
    return F.cross_entropy(logits.reshape(-1, 11), batch[:, 1:].reshape(-1)) + 0 * size
def forward(factor=1.0):
    net.zero_grad()
    return loss_of(model, batch, factor)
forward().backward()  # after it PyTorch divides its buckets anew
"""
#: The gradients of a run that was stepped, beside those of `backward()`, bit for bit, and beside those of
#: one process for the batches of all. There a mean goes over all tokens at once, here over those of each
#: rank, and these are added in the order of ranks: so they differ in the last bits.
COMPARED = """
stepped = [p.grad.clone() for p in net.parameters()]
forward().backward()
same = all(bool((a == p.grad).all()) for a, p in zip(stepped, net.parameters()))
batches = [None] * count
dist.all_gather_object(batches, batch)
loss_of(alone, torch.cat(batches)).backward()
apart = max(float((a - p.grad).abs().max()) for a, p in zip(stepped, alone.parameters()))
largest = max(float(p.grad.abs().max()) for p in alone.parameters())
"""


def begin(view: Any, framework: str) -> Any:
    """The ranks of `view`, in whose engines `rank` is a number, with the program begun."""
    count = len(view.targets)
    view.execute(
        f"{IMPORTS[framework]}count = {count}\n"
        f"dist.init_process_group('gloo', init_method='tcp://127.0.0.1:{free_port()}', rank=rank, "
        f"world_size={count})\n{PROGRAM}"
    )
    return vizgrad.ranks(view)


def check_gradients(view: Any, ranks: Any) -> None:
    """Stepped, back and on: those of `backward()`, and of one process on the joined batch."""
    count = len(view.targets)
    everyone = "both ranks" if count == 2 else f"all {count} ranks"
    view.execute("loss = forward()")
    with ranks.debug("loss") as session:
        assert session.step(7).startswith(f"{everyone}: 7 of"), session.where
        assert session.back(4).startswith(f"{everyone}: 3 of"), session.where
        assert "the backward is finished" in session.continue_()
        assert session.restart().startswith(f"{everyone}: 0 of"), session.where
        view.execute("none = all(p.grad is None for p in net.parameters())")
        assert view["none"] == [True] * count
        assert "the backward is finished" in session.continue_()
    view.execute(COMPARED)
    assert view["same"] == [True] * count
    for apart, largest in zip(view["apart"], view["largest"], strict=True):
        assert apart < 1e-14 * max(1, largest) * count, (apart, largest)
    view.execute("found = [each.tolist() for each in stepped]")
    first, *others = view["found"]
    assert all(other == first for other in others)


def check_nan(view: Any, ranks: Any) -> None:
    """Of the last rank, asked on rank 0: after the all-reduce all have it."""
    bad = len(view.targets) - 1
    view.execute(f"loss = forward(0.0 if rank == {bad} else 1.0)")
    assert ranks.compare("loss").leaving == (bad,)
    view.execute(
        f"with vizgrad.watch():\n    loss = forward(0.0 if rank == {bad} else 1.0)\n    loss.backward()\n"
        "spread = bool(net.head.weight.grad.isnan().all())\nweight = net.head.weight"
    )
    assert view["spread"] == [True] * len(view.targets)
    told = ranks.why("weight", rank=0)
    assert told.origin == bad
    assert "size = (logits.pow(2).mean() * factor).sqrt()" in repr(told), repr(told)
    assert re.search(rf"\brank {bad}\b", repr(told))


def main() -> None:
    import ipyparallel

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ranks", type=int)
    parser.add_argument("frameworks", nargs="+", choices=sorted(IMPORTS))
    options = parser.parse_args()
    os.environ |= {"OMP_NUM_THREADS": "1"}
    for framework in options.frameworks:
        with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
            warnings.simplefilter("ignore")
            cluster = ipyparallel.Cluster(n=options.ranks, engine_timeout=300, profile_dir=folder)
            client = cluster.start_and_connect_sync()
            try:
                view = numbered(client[:])
                ranks = begin(view, framework)
                for check in (check_gradients, check_nan):
                    began = monotonic()
                    check(view, ranks)
                    print(
                        f"{framework}, {options.ranks} ranks: {check.__name__}: {monotonic() - began:.1f} s"
                    )
                print(
                    f"at most {max(view['apart']):.1e} apart, the largest is {view['largest'][0]:.2f}"
                )
            finally:
                client.close()
                cluster.stop_cluster_sync()


if __name__ == "__main__":
    main()
