"""Recommendations: factors and biases of users and items, all sparse, and a dense global mean."""

import numpy as np


def main(torch):
    nn = torch.nn
    rng = np.random.RandomState(3)
    users, items, width = 25, 40, 5
    taste, kind = rng.randn(users, 3), rng.randn(items, 3)
    seen = np.argwhere(rng.rand(users, items) < 0.3)
    scores = (taste @ kind.T)[seen[:, 0], seen[:, 1]] + 3 + 0.1 * rng.randn(len(seen))

    class Ratings(torch.utils.data.Dataset):
        def __len__(self):
            return len(seen)

        def __getitem__(self, i):
            return int(seen[i, 0]), int(seen[i, 1]), float(scores[i])

    class Factorization(nn.Module):
        def __init__(self):
            super().__init__()
            self.user, self.item = (nn.Embedding(n, width, sparse=True) for n in (users, items))
            self.user_bias, self.item_bias = (
                nn.Embedding(n, 1, sparse=True) for n in (users, items)
            )
            self.mean = nn.Parameter(torch.tensor([float(scores.mean())]))
            for table in (self.user, self.item, self.user_bias, self.item_bias):
                table.weight.data.copy_(torch.from_numpy(rng.randn(*table.weight.shape) * 0.1))

        def forward(self, user, item):
            dot = (self.user(user) * self.item(item)).sum(1, keepdim=True)
            return (dot + self.user_bias(user) + self.item_bias(item) + self.mean).squeeze(1)

    def collate(batch):
        user, item, score = zip(*batch)
        return torch.LongTensor(user), torch.LongTensor(item), torch.FloatTensor(score)

    loader = torch.utils.data.DataLoader(Ratings(), batch_size=32, collate_fn=collate)
    model = Factorization()
    tables = [p for n, p in model.named_parameters() if n != "mean"]
    optimizers = [
        torch.optim.SGD(tables, lr=0.5, momentum=0.5),
        torch.optim.SGD([model.mean], lr=0.05),
    ]
    losses = []
    for epoch in range(5):
        total = 0.0
        for user, item, score in loader:
            loss = nn.functional.mse_loss(model(user, item), score)
            for optimizer in optimizers:
                optimizer.zero_grad()
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()
            total += loss.item() * len(score)
        losses.append(total / len(seen))
        if epoch == 2:
            for group in optimizers[0].param_groups:
                group["lr"] *= 0.3
    return {"losses": losses, "mean": model.mean.data, "state": dict(model.state_dict())}
