"""An LSTM cell in formulas gives what nn.LSTM gives."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn
    lstm = nn.LSTM(3, 4, batch_first=True)
    fill(lstm, 1)
    x = numbers(torch, 2, 5, 3, seed=2)
    out, (h, c) = lstm(x)
    w_ih, w_hh, b_ih, b_hh = (
        lstm._flat_weights if hasattr(lstm, "_flat_weights") else lstm.parameters()
    )
    hs = cs = torch.zeros(2, 4)
    outs = []
    for t in range(5):
        i, f, g, o = (x[:, t] @ w_ih.t() + b_ih + hs @ w_hh.t() + b_hh).chunk(4, 1)
        cs = torch.sigmoid(f) * cs + torch.sigmoid(i) * torch.tanh(g)
        hs = torch.sigmoid(o) * torch.tanh(cs)
        outs.append(hs)
    mine = torch.stack(outs, 1)
    close = torch.allclose(out, mine, atol=1e-5)
    (out.pow(2).sum() + mine.sum()).backward()
    return {"close": close, "out": out, "c": c, "grads": [p.grad for p in lstm.parameters()]}
