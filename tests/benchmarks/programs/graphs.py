"""Programs of graphs, sets and points."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.programs.program import (
    Step,
    classes,
    drawn_classes,
    numbers,
    program,
    training,
)


@program("GCN of 200 nodes")
def gcn(torch: Any) -> Step:
    nn = torch.nn
    near = np.eye(200, dtype=np.float32)
    near[drawn_classes(200, 600), drawn_classes(200, 600, seed=1)] = 1
    near = np.maximum(near, near.T)
    root = 1 / np.sqrt(near.sum(1))
    adjacent = torch.from_numpy(root[:, None] * near * root)
    x, y = numbers(torch, 200, 32), classes(torch, 7, 200)

    class GCN(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(32, 16), nn.Linear(16, 7)

        def forward(self, x: Any) -> Any:
            h = torch.relu(adjacent @ self.first(x))
            return adjacent @ self.second(h)

    model = GCN()
    return training(torch, model, lambda: nn.functional.nll_loss(model(x).log_softmax(1), y))


@program("GAT of 100 nodes")
def gat(torch: Any) -> Step:
    nn, F = torch.nn, torch.nn.functional
    near = np.eye(100, dtype=bool)
    near[drawn_classes(100, 400), drawn_classes(100, 400, seed=1)] = True
    adjacent = torch.from_numpy(near)
    x, y = numbers(torch, 100, 16), classes(torch, 4, 100)

    class Head(nn.Module):
        def __init__(self, inside: int, outside: int) -> None:
            super().__init__()
            self.w = nn.Linear(inside, outside, bias=False)
            self.source, self.target = nn.Linear(outside, 1), nn.Linear(outside, 1)

        def forward(self, x: Any) -> Any:
            h = self.w(x)
            scores = F.leaky_relu(self.source(h) + self.target(h).t(), 0.2)
            return scores.masked_fill(~adjacent, -1e9).softmax(1) @ h

    class GAT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.heads, self.out = nn.ModuleList([Head(16, 8) for _ in range(4)]), Head(32, 4)

        def forward(self, x: Any) -> Any:
            return self.out(torch.cat([F.elu(head(x)) for head in self.heads], 1))

    model = GAT()
    return training(torch, model, lambda: F.cross_entropy(model(x), y))


@program("messages on 500 edges, index_add")
def messages(torch: Any) -> Step:
    nn = torch.nn
    source, target = classes(torch, 100, 500), classes(torch, 100, 500, seed=1)
    x, y = numbers(torch, 100, 16), numbers(torch, 100, 1, seed=1)

    class Round(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.message = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 16))
            self.update = nn.GRUCell(16, 16)

        def forward(self, h: Any) -> Any:
            sent = self.message(torch.cat([h[source], h[target]], 1))
            return self.update(torch.zeros_like(h).index_add(0, target, sent), h)

    model = nn.Sequential(Round(), Round(), nn.Linear(16, 1))
    return training(torch, model, lambda: nn.functional.mse_loss(model(x), y))


@program("deep sets, 32 sets of 20")
def deep_sets(torch: Any) -> Step:
    nn = torch.nn
    x, y = numbers(torch, 32, 20, 3), numbers(torch, 32, 1, seed=1)
    inside = nn.Sequential(nn.Linear(3, 64), nn.ELU(), nn.Linear(64, 64), nn.ELU())
    outside = nn.Sequential(nn.Linear(64, 64), nn.ELU(), nn.Linear(64, 1))
    model = nn.ModuleList([inside, outside])
    return training(torch, model, lambda: nn.functional.mse_loss(outside(inside(x).sum(1)), y))


@program("PointNet, 8 clouds of 128")
def pointnet(torch: Any) -> Step:
    nn = torch.nn
    x, y = numbers(torch, 8, 3, 128), classes(torch, 10, 8)

    class PointNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.points = nn.Sequential(
                nn.Conv1d(3, 32, 1), nn.BatchNorm1d(32), nn.ReLU(),
                nn.Conv1d(32, 64, 1), nn.BatchNorm1d(64), nn.ReLU(),
            )  # fmt: skip
            self.head = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))

        def forward(self, x: Any) -> Any:
            return self.head(torch.max(self.points(x), 2)[0])

    model = PointNet()
    return training(torch, model, lambda: nn.functional.cross_entropy(model(x), y))
