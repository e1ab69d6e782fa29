"""Skip-gram with negative samples; cosine neighbours; a bag of embeddings."""

from tests.oracle.ordinary.given import fill


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class SkipGram(nn.Module):
        def __init__(self, n, d):
            super().__init__()
            self.u, self.v = nn.Embedding(n, d), nn.Embedding(n, d)
            self.v.weight.data.uniform_(-0, 0)

        def forward(self, center, context, negative):
            u = self.u(center)
            positive = F.logsigmoid(torch.sum(u * self.v(context), dim=1))
            neg = F.logsigmoid(-torch.bmm(self.v(negative), u.unsqueeze(2)).squeeze(2)).sum(1)
            return -(positive + neg).mean()

    model = SkipGram(15, 5)
    zero = float(model.v.weight.abs().sum())
    fill(model, 1)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.3)
    losses = []
    for i in range(8):
        center = torch.tensor([(i + k) % 15 for k in range(6)])
        negative = torch.tensor([[(i * 7 + k * 3 + j) % 15 for j in range(4)] for k in range(6)])
        loss = model(center, (center + 1) % 15, negative)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    w = F.normalize(model.u.weight.data)
    bag = nn.EmbeddingBag(15, 5, mode="sum")
    bag.weight = model.u.weight
    return {
        "losses": losses, "near": (w @ w[3]).topk(3).values, "zero": zero, "state": model.state_dict(),
        "bag": bag(torch.tensor([1, 2, 4, 5, 4]), torch.tensor([0, 3])),
    }  # fmt: skip
