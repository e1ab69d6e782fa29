"""A language model whose decoder shares the embedding's weight, with gradient clipping."""

from tests.oracle.ordinary.given import fill


def main(torch):
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Embedding(12, 6)
            self.rnn = nn.LSTM(6, 6, 2)
            self.decoder = nn.Linear(6, 12)
            self.decoder.weight = self.encoder.weight

        def forward(self, x, hidden):
            out, hidden = self.rnn(self.encoder(x), hidden)
            return self.decoder(out.view(-1, 6)), hidden

    def repackage(h):
        return h.detach() if isinstance(h, torch.Tensor) else tuple(repackage(v) for v in h)

    model = Model()
    fill(model, 4)
    text = torch.tensor([(i * i + 3) % 12 for i in range(61)])
    hidden = (torch.zeros(2, 1, 6), torch.zeros(2, 1, 6))
    losses, norms = [], []
    for i in range(0, 60, 10):
        hidden = repackage(hidden)
        model.zero_grad()
        out, hidden = model(text[i : i + 10].view(-1, 1), hidden)
        loss = nn.CrossEntropyLoss()(out, text[i + 1 : i + 11])
        loss.backward()
        norms.append(float(nn.utils.clip_grad_norm_(model.parameters(), 0.25)))
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-2.0)
        losses.append(loss.item())
    return {
        "losses": losses,
        "norms": norms,
        "n": len(list(model.parameters())),
        "state": model.state_dict(),
    }
