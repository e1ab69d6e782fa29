"""Text classification: an EmbeddingBag with sparse gradients under Adagrad, offsets made in collate."""

import numpy as np


def main(torch):
    nn = torch.nn
    rng = np.random.RandomState(4)
    topics = [rng.dirichlet(np.full(50, 0.1)) for _ in range(3)]
    texts = [
        (label, rng.choice(50, rng.randint(3, 12), p=topics[label])) for label in rng.randint(0, 3, 90)
    ]  # fmt: skip

    def collate(batch):
        labels = torch.tensor([int(label) for label, _ in batch])
        lengths = [0] + [len(text) for _, text in batch]
        offsets = torch.tensor(lengths[:-1]).cumsum(dim=0)
        return labels, torch.cat([torch.from_numpy(text) for _, text in batch]), offsets

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.EmbeddingBag(50, 6, mode="mean", sparse=True)
            self.fc = nn.Linear(6, 3)
            self.init_weights()

        def init_weights(self):
            with torch.no_grad():
                self.embedding.weight.copy_(torch.from_numpy(rng.uniform(-0.5, 0.5, (50, 6))))
                self.fc.weight.copy_(torch.from_numpy(rng.uniform(-0.5, 0.5, (3, 6))))
                self.fc.bias.zero_()

        def forward(self, text, offsets):
            return self.fc(self.embedding(text, offsets))

    model = Model()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.2)
    loader = torch.utils.data.DataLoader(texts, batch_size=16, collate_fn=collate)
    losses, right = [], 0
    for _ in range(6):
        for labels, text, offsets in loader:
            optimizer.zero_grad()
            loss = criterion(model(text, offsets), labels)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.fc.parameters(), 0.5)
            optimizer.step()
            losses.append(loss.item())
    with torch.no_grad():
        for labels, text, offsets in loader:
            right += (model(text, offsets).argmax(1) == labels).sum().item()
    return {"losses": losses, "right": right, "state": dict(model.state_dict())}
