"""Random walks on a CSR matrix: PageRank by products with vectors, and label propagation."""

import numpy as np


def main(torch):
    rng = np.random.RandomState(5)
    nodes = 30
    links = rng.rand(nodes, nodes) < 0.12
    links[np.arange(nodes), (np.arange(nodes) + 1) % nodes] = True
    walk = torch.from_numpy(links / links.sum(1, keepdims=True)).t().to_sparse_csr()

    rank = torch.full((nodes,), 1 / nodes, dtype=torch.float64)
    changes = []
    for _ in range(30):
        following = 0.85 * (walk @ rank) + 0.15 / nodes
        changes.append((following - rank).abs().sum().item())
        rank = following

    known = torch.zeros(nodes, 2, dtype=torch.float64)
    known[0, 0] = known[nodes // 2, 1] = 1
    strength = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    labels = known
    for _ in range(5):
        labels = torch.sigmoid(strength) * torch.sparse.mm(walk, labels) + known
    loss = (labels[:, 0] - labels[:, 1]).pow(2).sum()
    loss.backward()
    return {
        "rank": rank, "changes": changes, "labels": labels.detach(), "slope": strength.grad,
        "stored": walk._nnz(), "outgoing": torch.sparse.sum(walk.to_sparse_coo(), 0).to_dense(),
    }  # fmt: skip
