"""Skip-gram with negative samples: two tables with sparse gradients, trained by SparseAdam."""

from collections import Counter

import numpy as np

TEXT = """
the king spoke to the queen and the queen spoke to the king while the old dog slept by the fire
the young dog ran to the river and the cat slept by the river while the king and the queen ate
"""


def main(torch):
    nn = torch.nn
    rng = np.random.RandomState(2)
    words = TEXT.split()
    vocabulary = [word for word, _ in Counter(words).most_common()]
    number = {word: i for i, word in enumerate(vocabulary)}
    ids = [number[word] for word in words]
    frequency = np.array([words.count(w) for w in vocabulary], dtype=np.float64) ** 0.75
    pairs = [
        (ids[i], ids[j])
        for i in range(len(ids)) for j in range(max(0, i - 2), min(len(ids), i + 3)) if i != j
    ]  # fmt: skip

    class SkipGram(nn.Module):
        def __init__(self, size, width):
            super().__init__()
            self.center = nn.Embedding(size, width, sparse=True)
            self.context = nn.Embedding(size, width, sparse=True)
            start = 0.5 / width
            self.center.weight.data.copy_(
                torch.from_numpy(rng.uniform(-start, start, (size, width)))
            )
            nn.init.constant_(self.context.weight, 0)

        def forward(self, center, context, negative):
            v = self.center(center)
            near = (v * self.context(context)).sum(1)
            far = torch.bmm(self.context(negative), v.unsqueeze(2)).squeeze(2)
            near, far = near.clamp(-10, 10), far.clamp(-10, 10)
            return -(nn.functional.logsigmoid(near) + nn.functional.logsigmoid(-far).sum(1)).mean()

    model = SkipGram(len(vocabulary), 8)
    optimizer = torch.optim.SparseAdam(list(model.parameters()), lr=0.02)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 30)
    losses, stored = [], []
    for _ in range(6):
        order = rng.permutation(len(pairs))
        for start in range(0, len(pairs), 32):
            batch = torch.tensor([pairs[i] for i in order[start : start + 32]])
            drawn = rng.choice(len(vocabulary), (len(batch), 4), p=frequency / frequency.sum())
            optimizer.zero_grad()
            loss = model(batch[:, 0], batch[:, 1], torch.from_numpy(drawn))
            loss.backward()
            optimizer.step()
            scheduler.step()
            losses.append(loss.item())
        stored.append(model.center.weight.grad._nnz())
    table = nn.functional.normalize(model.center.weight.detach(), dim=1)
    return {"losses": losses, "stored": stored, "nearest": table @ table[number["king"]]}
