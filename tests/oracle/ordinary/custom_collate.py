"""A DataLoader with a collate function that pads sequences, and packs them for a GRU."""

from tests.oracle.ordinary.given import fill


def main(torch):
    nn = torch.nn
    utils = torch.nn.utils.rnn

    class Sentences(torch.utils.data.Dataset):
        def __init__(self):
            self.items = [([1 + (i * j) % 9 for j in range(2 + i % 4)], i % 2) for i in range(12)]

        def __len__(self):
            return len(self.items)

        def __getitem__(self, i):
            words, label = self.items[i]
            return torch.tensor(words), label

    def collate(batch):
        batch.sort(key=lambda pair: len(pair[0]), reverse=True)
        words, labels = zip(*batch)
        lengths = torch.tensor([len(w) for w in words])
        return utils.pad_sequence(words, batch_first=True), lengths, torch.tensor(labels)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(10, 4, padding_idx=0)
            self.gru = nn.GRU(4, 5, batch_first=True)
            self.out = nn.Linear(5, 2)

        def forward(self, words, lengths):
            packed = utils.pack_padded_sequence(self.embedding(words), lengths, batch_first=True)
            _, h = self.gru(packed)
            return self.out(h[-1])

    model = Model()
    fill(model, 1)
    loader = torch.utils.data.DataLoader(Sentences(), batch_size=4, collate_fn=collate)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for _ in range(4):
        for words, lengths, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(words, lengths), labels)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return {"losses": losses, "state": model.state_dict(), "batches": len(loader)}
