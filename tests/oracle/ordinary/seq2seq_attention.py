"""Encoder and decoder with additive attention, teacher forcing, masks for padding."""

from tests.oracle.ordinary.given import fill


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class Attention(nn.Module):
        def __init__(self, n):
            super().__init__()
            self.w, self.u, self.v = nn.Linear(n, n), nn.Linear(n, n), nn.Linear(n, 1, bias=False)

        def forward(self, query, keys, mask):
            scores = self.v(torch.tanh(self.w(query.unsqueeze(1)) + self.u(keys))).squeeze(2)
            weights = F.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1)
            return torch.bmm(weights.unsqueeze(1), keys).squeeze(1), weights

    n = 6
    net = nn.ModuleDict({
        "embed": nn.Embedding(11, n, padding_idx=0), "encoder": nn.GRU(n, n, batch_first=True),
        "attention": Attention(n), "cell": nn.GRUCell(2 * n, n), "out": nn.Linear(2 * n, 11),
    })  # fmt: skip
    fill(net, 1)
    source = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0], [2, 9, 1, 0]])
    target = torch.tensor([[5, 4, 3], [8, 7, 0], [1, 9, 2]])
    optimizer = torch.optim.Adam(net.parameters(), 0.02)
    losses = []
    for _ in range(6):
        keys, h = net["encoder"](net["embed"](source))
        h, token, loss = h[0], torch.ones(3, dtype=torch.long), 0
        for t in range(3):
            context, weights = net["attention"](h, keys, source != 0)
            h = net["cell"](torch.cat([net["embed"](token), context], 1), h)
            logits = net["out"](torch.cat([h, context], 1))
            loss = loss + F.cross_entropy(logits, target[:, t], ignore_index=0)
            token = target[:, t]
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses, "weights": weights, "state": net.state_dict()}
