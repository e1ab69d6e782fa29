"""Graph convolution over a sparse adjacency matrix, with spmm and dropout off."""

import numpy as np

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class GraphConvolution(nn.Module):
        def __init__(self, n_in, n_out):
            super(GraphConvolution, self).__init__()
            self.weight = nn.Parameter(torch.FloatTensor(n_in, n_out))
            self.bias = nn.Parameter(torch.FloatTensor(n_out))

        def forward(self, input, adj):
            return torch.spmm(adj, torch.mm(input, self.weight)) + self.bias

    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [1, 3], [4, 2]]).T
    both = np.hstack([edges, edges[::-1], np.tile(np.arange(5), (2, 1))])
    degree = np.bincount(both[0], minlength=5)
    values = (1.0 / degree[both[0]]).astype(np.float32)
    adj = torch.sparse_coo_tensor(
        torch.from_numpy(both.copy()), torch.from_numpy(values), torch.Size([5, 5])
    )
    one, two = GraphConvolution(4, 6), GraphConvolution(6, 2)
    fill(one, 1)
    fill(two, 2)
    x, y = numbers(torch, 5, 4, seed=3), torch.LongTensor([0, 1, 0, 1, 1])
    optimizer = torch.optim.Adam([*one.parameters(), *two.parameters()], lr=0.05, weight_decay=5e-4)
    losses = []
    for _ in range(6):
        h = F.dropout(F.relu(one(x, adj)), 0.0, training=True)
        out = F.log_softmax(two(h, adj), dim=1)
        loss = F.nll_loss(out[torch.LongTensor([0, 1, 4])], y[[0, 1, 4]])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses, "w": one.weight, "out": out}
