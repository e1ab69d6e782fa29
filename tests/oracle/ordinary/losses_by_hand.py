"""Label smoothing, focal loss, dice loss, contrastive loss, as people write them."""

from tests.oracle.ordinary.given import numbers


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class LabelSmoothing(nn.Module):
        def __init__(self, classes, smoothing=0.1):
            super().__init__()
            self.confidence, self.smoothing, self.classes = 1.0 - smoothing, smoothing, classes

        def forward(self, pred, target):
            pred = pred.log_softmax(dim=-1)
            with torch.no_grad():
                true = torch.zeros_like(pred)
                true.fill_(self.smoothing / (self.classes - 1))
                true.scatter_(1, target.data.unsqueeze(1), self.confidence)
            return torch.mean(torch.sum(-true * pred, dim=-1))

    def focal(logits, target, gamma=2.0, alpha=0.25):
        p = torch.sigmoid(logits)
        ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
        p_t = p * target + (1 - p) * (1 - target)
        return ((alpha * target + (1 - alpha) * (1 - target)) * (1 - p_t) ** gamma * ce).mean()

    def dice(logits, target, smooth=1.0):
        p, t = torch.sigmoid(logits).contiguous().view(-1), target.view(-1)
        return 1 - (2.0 * (p * t).sum() + smooth) / (p.sum() + t.sum() + smooth)

    def contrastive(a, b, temperature=0.5):
        z = F.normalize(torch.cat([a, b]), dim=1)
        sim = z @ z.t() / temperature
        sim = sim.masked_fill(torch.eye(sim.size(0), dtype=torch.bool), float("-inf"))
        n = a.size(0)
        return F.cross_entropy(sim, torch.cat([torch.arange(n) + n, torch.arange(n)]))

    x = numbers(torch, 6, 4, seed=1).requires_grad_()
    target = torch.tensor([0, 1, 2, 3, 0, 1])
    hot = F.one_hot(target, 4).float()
    y = numbers(torch, 6, 4, seed=2)
    found = {}
    for name, loss in {
        "smoothed": LabelSmoothing(4)(x, target), "focal": focal(x, hot), "dice": dice(x, hot),
        "contrastive": contrastive(x, y), "huber": F.huber_loss(x, y, delta=0.7),
        "triplet": nn.TripletMarginLoss(margin=1.0, p=2)(x, y, y.flip(0)),
        "cosine": nn.CosineEmbeddingLoss(margin=0.2)(x, y, torch.tensor([1, -1, 1, -1, 1, -1])),
        "ranking": nn.MarginRankingLoss(0.1)(x[:, 0], y[:, 0], torch.ones(6).neg()),
    }.items():  # fmt: skip
        found[name] = [loss.item(), torch.autograd.grad(loss, x)[0]]
    return found
