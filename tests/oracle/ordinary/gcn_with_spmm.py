"""Semi-supervised node classification: a two-layer graph convolution over a sparse adjacency matrix."""

import numpy as np


def normalized(torch, edges, nodes):
    """D^-1/2 (A + I) D^-1/2 as a sparse tensor, by way of numpy as the first public code did it."""
    pairs = sorted(
        {(a, b) for x, y in edges for a, b in ((x, y), (y, x))} | {(i, i) for i in range(nodes)}
    )
    rows, columns = np.array(pairs).T
    degree = np.bincount(rows, minlength=nodes).astype(np.float32)
    values = 1 / np.sqrt(degree[rows] * degree[columns])
    indices = torch.from_numpy(np.vstack((rows, columns)).astype(np.int64))
    return torch.sparse.FloatTensor(indices, torch.from_numpy(values), torch.Size([nodes, nodes]))


def main(torch):
    nn, F = torch.nn, torch.nn.functional
    rng = np.random.RandomState(0)

    class GraphConvolution(nn.Module):
        def __init__(self, inside, outside):
            super().__init__()
            self.weight = nn.Parameter(torch.FloatTensor(inside, outside))
            self.bias = nn.Parameter(torch.FloatTensor(outside))
            self.reset_parameters()

        def reset_parameters(self):
            bound = 1.0 / self.weight.size(1) ** 0.5
            self.weight.data.copy_(
                torch.from_numpy(rng.uniform(-bound, bound, self.weight.shape)).float()
            )
            self.bias.data.zero_()

        def forward(self, x, adjacency):
            return torch.spmm(adjacency, torch.mm(x, self.weight)) + self.bias

    class GCN(nn.Module):
        def __init__(self):
            super().__init__()
            self.gc1, self.gc2 = GraphConvolution(8, 16), GraphConvolution(16, 3)

        def forward(self, x, adjacency):
            return F.log_softmax(self.gc2(F.relu(self.gc1(x, adjacency)), adjacency), dim=1)

    nodes = 30
    labels = np.arange(nodes) % 3
    edges = [
        (i, j) for i in range(nodes) for j in range(i)
        if rng.rand() < (0.4 if labels[i] == labels[j] else 0.03)
    ]  # fmt: skip
    features = torch.from_numpy(rng.rand(nodes, 8).astype(np.float32))
    adjacency = normalized(torch, edges, nodes)
    target = torch.from_numpy(labels).long()
    known = torch.arange(0, 12)

    model = GCN()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05, weight_decay=5e-4)
    losses = []
    for _ in range(40):
        model.train()
        optimizer.zero_grad()
        loss = F.nll_loss(model(features, adjacency)[known], target[known])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    right = model(features, adjacency).max(1)[1].eq(target).sum().item()
    return {"losses": losses, "right": right, "weights": [p.detach() for p in model.parameters()]}
