"""Graph attention: scores on the edges, a sparse softmax over the neighbours, and a sparse product."""

import numpy as np


def main(torch):
    nn, F = torch.nn, torch.nn.functional
    rng = np.random.RandomState(1)

    def filled(*shape):
        return nn.Parameter(torch.from_numpy(rng.randn(*shape) * 0.3).float())

    class Attention(nn.Module):
        def __init__(self, inside, outside):
            super().__init__()
            self.W, self.a = filled(inside, outside), filled(2 * outside)

        def forward(self, x, edges):
            h = x @ self.W
            source, target = edges
            score = F.leaky_relu(torch.cat([h[target], h[source]], dim=1) @ self.a, 0.2)
            size = (x.size(0), x.size(0))
            attention = torch.sparse_coo_tensor(torch.stack([target, source]), score, size)
            return torch.sparse.mm(torch.sparse.softmax(attention, dim=1), h)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.heads = nn.ModuleList([Attention(5, 4) for _ in range(2)])
            self.out = Attention(8, 2)

        def forward(self, x, edges):
            x = torch.cat([F.elu(head(x, edges)) for head in self.heads], dim=1)
            return self.out(x, edges)

    nodes = 20
    labels = rng.randint(0, 2, nodes)
    pairs = [
        (i, j) for i in range(nodes) for j in range(nodes)
        if i == j or rng.rand() < (0.35 if labels[i] == labels[j] else 0.05)
    ]  # fmt: skip
    edges = torch.tensor(pairs).t()
    x = torch.from_numpy(rng.randn(nodes, 5).astype(np.float32))
    target = torch.from_numpy(labels).long()

    model = Model()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    criterion = nn.CrossEntropyLoss()
    losses = []
    for _ in range(25):
        loss = criterion(model(x, edges), target)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimizer.step()
        losses.append(float(loss))
    return {"losses": losses, "state": dict(model.state_dict())}
