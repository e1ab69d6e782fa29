"""Small backwards of several ranks, read in one process."""

from __future__ import annotations

from typing import Any

from vizgrad.debugger.model.ranks import RankReading
from vizgrad.debugger.ranks.reading import of_loss

#: A model on all ranks, and its loss: `forward(0.0)` makes an infinite one. `torch`, `rank` and
#: `DistributedDataParallel` are those of the program that it stands in.
MODEL = """\
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
model = DistributedDataParallel(net)
torch.manual_seed(rank)
batch = torch.randn(8, 4)
def forward(factor=1.0):
    p = torch.sigmoid(model(batch))
    return -(p * factor).log().mean()
"""


def loss_of(torch: Any, rank: int, *, factor: float = 1.0, extra: bool = False) -> Any:
    """A loss of `torch` (vizgrad or PyTorch). `factor`: of what the model gives; 0 makes NaN.
    `extra`: another node in the graph.
    """
    torch.manual_seed(rank)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
    y = net(torch.randn(16, 4)) * factor
    if extra:
        y = y.clone()
    return y.pow(2).sum(1).add(1e-3 if factor else 0.0).sqrt().mean() * max(factor, 1.0)


def reading(torch: Any, rank: int, **options: Any) -> RankReading:
    return of_loss(rank, loss_of(torch, rank, **options), {})
