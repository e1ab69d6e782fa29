"""Scaled attention with heads, a causal mask, positions, layer norm and labels smoothed."""

import math

from tests.oracle.ordinary.given import fill


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class Attention(nn.Module):
        def __init__(self, d, heads):
            super().__init__()
            self.heads, self.qkv, self.out = heads, nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d)
            self.register_buffer("mask", torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))

        def forward(self, x):
            b, t, d = x.size()
            q, k, v = self.qkv(x).split(d, dim=2)
            q, k, v = (z.view(b, t, self.heads, d // self.heads).transpose(1, 2) for z in (q, k, v))
            scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            scores = scores.masked_fill(self.mask[:, :, :t, :t] == 0, float("-inf"))
            y = F.softmax(scores, dim=-1) @ v
            return self.out(y.transpose(1, 2).contiguous().view(b, t, d))

    class Block(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.ln1, self.ln2, self.attention = nn.LayerNorm(d), nn.LayerNorm(d), Attention(d, 2)
            self.mlp = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

        def forward(self, x):
            x = x + self.attention(self.ln1(x))
            return x + self.mlp(self.ln2(x))

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(9, 8), nn.Embedding(16, 8)
            self.blocks = nn.ModuleList([Block(8) for _ in range(2)])
            self.head = nn.Linear(8, 9, bias=False)

        def forward(self, x):
            h = self.tokens(x) + self.positions(torch.arange(x.size(1), device=x.device))
            for block in self.blocks:
                h = block(h)
            return self.head(h)

    model = GPT()
    fill(model, 1)
    decay = [p for p in model.parameters() if p.dim() >= 2]
    other = [p for p in model.parameters() if p.dim() < 2]
    optimizer = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.1}, {"params": other, "weight_decay": 0.0}], lr=0.01
    )
    text = torch.tensor([[(i * 3 + j * j) % 9 for j in range(11)] for i in range(4)])
    losses = []
    for _ in range(6):
        logits = model(text[:, :-1])
        loss = F.cross_entropy(logits.reshape(-1, 9), text[:, 1:].reshape(-1), label_smoothing=0.1)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    tokens = text[:1, :2]
    with torch.no_grad():
        for _ in range(4):
            tokens = torch.cat((tokens, model(tokens)[:, -1:].argmax(-1)), dim=1)
    return {"losses": losses, "tokens": tokens, "state": model.state_dict()}
