# Gradient checkpointing of a small transformer: every block, a selective policy, and the plain run beside it.
import importlib
from functools import partial

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, F = torch.nn, torch.nn.functional
    ckpt = importlib.import_module(torch.__name__ + ".utils.checkpoint")

    class Block(nn.Module):
        def __init__(self, dim, heads):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
            self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
            self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

        def forward(self, x, mask=None):
            h = self.norm1(x)
            x = x + self.attn(h, h, h, attn_mask=mask, need_weights=False)[0]
            return x + self.mlp(self.norm2(x))

    class Model(nn.Module):
        def __init__(self, mode):
            super().__init__()
            self.mode = mode
            self.embed = nn.Embedding(11, 8)
            self.blocks = nn.ModuleList([Block(8, 2) for _ in range(3)])
            self.head = nn.Linear(8, 11)

        def forward(self, tokens, mask):
            x = self.embed(tokens)
            for block in self.blocks:
                if self.mode == "none":
                    x = block(x, mask=mask)
                elif self.mode == "reentrant":
                    x = ckpt.checkpoint(block, x, mask, use_reentrant=True)
                elif self.mode == "selective":
                    ops = [torch.ops.aten.mm.default, torch.ops.aten.addmm.default]
                    make = partial(ckpt.create_selective_checkpoint_contexts, ops)
                    x = ckpt.checkpoint(block, x, mask=mask, use_reentrant=False, context_fn=make)
                else:
                    x = ckpt.checkpoint(block, x, mask=mask, use_reentrant=False)
            return self.head(x)

    tokens = (numbers(torch, 4, 6, seed=3).abs() * 5).long() % 11
    mask = torch.triu(torch.full((6, 6), float("-inf")), diagonal=1)
    result = {}
    for mode in ("none", "block", "reentrant", "selective"):
        model = Model(mode)
        fill(model, 5)
        opt = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
        losses = []
        for _ in range(4):
            logits = model(tokens[:, :-1], mask[:5, :5])
            loss = F.cross_entropy(logits.reshape(-1, 11), tokens[:, 1:].reshape(-1))
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            losses.append(loss.item())
        result[mode] = losses
        result[f"loose weights, {mode}"] = [p.sum() for p in model.parameters()]
    return result
