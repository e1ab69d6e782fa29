"""Half-step feed-forwards, relative attention with a padding mask, GLU and depthwise convolutions, CTC."""

import math

from tests.oracle.ordinary.given import dropout, numbers, redraw


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class Swish(nn.Module):
        def forward(self, x):
            return x.mul(x.sigmoid())

    class FeedForward(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.sequential = nn.Sequential(
                nn.LayerNorm(d),
                nn.Linear(d, d * 2),
                Swish(),
                dropout(torch, 0.1, 3),
                nn.Linear(d * 2, d),
            )

        def forward(self, x):
            return self.sequential(x)

    class Transpose(nn.Module):
        def __init__(self, shape):
            super().__init__()
            self.shape = shape

        def forward(self, x):
            return x.transpose(*self.shape)

    class ConvModule(nn.Module):
        def __init__(self, d, kernel_size=5):
            super().__init__()
            self.layer_norm = nn.LayerNorm(d)
            self.pointwise1 = nn.Conv1d(d, 2 * d, kernel_size=1)
            self.depthwise = nn.Conv1d(
                d, d, kernel_size, padding=(kernel_size - 1) // 2, groups=d, bias=False
            )
            self.batch_norm, self.activation = nn.BatchNorm1d(d), nn.SiLU(inplace=True)
            self.pointwise2 = nn.Conv1d(d, d, kernel_size=1)

        def forward(self, x, pad_mask=None):
            x = self.layer_norm(x).transpose(1, 2)
            x = F.glu(self.pointwise1(x), dim=1)
            if pad_mask is not None:
                x = x.masked_fill(pad_mask.unsqueeze(1), 0.0)
            x = self.activation(self.batch_norm(self.depthwise(x)))
            return self.pointwise2(x).transpose(1, 2).contiguous()

    class RelPositionalEncoding(nn.Module):
        def __init__(self, d_model, max_len=4):
            super().__init__()
            self.d_model, self.pe = d_model, None
            self.extend_pe(torch.tensor(0.0).expand(1, max_len))

        def extend_pe(self, x):
            if self.pe is not None:
                if self.pe.size(1) >= x.size(1) * 2 - 1:
                    if self.pe.dtype != x.dtype or self.pe.device != x.device:
                        self.pe = self.pe.to(dtype=x.dtype, device=x.device)
                    return
            pe_positive = torch.zeros(x.size(1), self.d_model)
            pe_negative = torch.zeros(x.size(1), self.d_model)
            position = torch.arange(0, x.size(1), dtype=torch.float32).unsqueeze(1)
            div_term = torch.exp(
                torch.arange(0, self.d_model, 2, dtype=torch.float32)
                * -(math.log(10000.0) / self.d_model)
            )
            pe_positive[:, 0::2] = torch.sin(position * div_term)
            pe_positive[:, 1::2] = torch.cos(position * div_term)
            pe_negative[:, 0::2] = torch.sin(-1 * position * div_term)
            pe_negative[:, 1::2] = torch.cos(-1 * position * div_term)
            pe_positive = torch.flip(pe_positive, [0]).unsqueeze(0)
            pe_negative = pe_negative[1:].unsqueeze(0)
            self.pe = torch.cat([pe_positive, pe_negative], dim=1).to(
                device=x.device, dtype=x.dtype
            )

        def forward(self, x):
            self.extend_pe(x)
            return self.pe[
                :, self.pe.size(1) // 2 - x.size(1) + 1 : self.pe.size(1) // 2 + x.size(1)
            ]

    class RelPositionMultiHeadAttention(nn.Module):
        def __init__(self, n_head, d):
            super().__init__()
            self.d_k, self.h = d // n_head, n_head
            self.norm = nn.LayerNorm(d)
            self.linear_q, self.linear_k, self.linear_v = (
                nn.Linear(d, d),
                nn.Linear(d, d),
                nn.Linear(d, d),
            )
            self.linear_out, self.linear_pos = nn.Linear(d, d), nn.Linear(d, d, bias=False)
            self.pos_bias_u = nn.Parameter(torch.Tensor(self.h, self.d_k))
            self.pos_bias_v = nn.Parameter(torch.Tensor(self.h, self.d_k))
            torch.nn.init.xavier_uniform_(self.pos_bias_u)
            torch.nn.init.xavier_uniform_(self.pos_bias_v)
            self.dropout = dropout(torch, 0.1, 5)

        def rel_shift(self, x):
            zero_pad = torch.zeros((*x.size()[:3], 1), device=x.device, dtype=x.dtype)
            x_padded = torch.cat([zero_pad, x], dim=-1)
            x_padded = x_padded.view(*x.size()[:2], x.size(3) + 1, x.size(2))
            return x_padded[:, :, 1:].view_as(x)[:, :, :, : x.size(-1) // 2 + 1]

        def forward(self, x, pos_emb, mask):
            x = self.norm(x)
            n = x.size(0)
            q = self.linear_q(x).view(n, -1, self.h, self.d_k)
            k = self.linear_k(x).view(n, -1, self.h, self.d_k).transpose(1, 2)
            v = self.linear_v(x).view(n, -1, self.h, self.d_k).transpose(1, 2)
            p = self.linear_pos(pos_emb).view(pos_emb.size(0), -1, self.h, self.d_k).transpose(1, 2)
            q_with_bias_u = (q + self.pos_bias_u).transpose(1, 2)
            q_with_bias_v = (q + self.pos_bias_v).transpose(1, 2)
            matrix_ac = torch.matmul(q_with_bias_u, k.transpose(-2, -1))
            matrix_bd = self.rel_shift(torch.matmul(q_with_bias_v, p.transpose(-2, -1)))
            scores = (matrix_ac + matrix_bd) / math.sqrt(self.d_k)
            mask = mask.unsqueeze(1).eq(0)
            scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
            attn = torch.softmax(scores, dim=-1).masked_fill(mask, 0.0)
            y = torch.matmul(self.dropout(attn), v)
            return self.linear_out(y.transpose(1, 2).contiguous().view(n, -1, self.h * self.d_k))

    class ConformerBlock(nn.Module):
        def __init__(self, d, heads):
            super().__init__()
            self.ff1, self.ff2, self.conv = FeedForward(d), FeedForward(d), ConvModule(d)
            self.attn, self.norm = RelPositionMultiHeadAttention(heads, d), nn.LayerNorm(d)

        def forward(self, x, pos, mask, pad):
            x = x + 0.5 * self.ff1(x)
            x = x + self.attn(x, pos, mask)
            x = x + self.conv(x, pad)
            x = x + 0.5 * self.ff2(x)
            return self.norm(x)

    class Conformer(nn.Module):
        def __init__(self, d=8, classes=6):
            super().__init__()
            self.sub = nn.Sequential(
                nn.Conv2d(1, 3, 3, stride=2),
                nn.ReLU(inplace=True),
                nn.Conv2d(3, 3, 3, padding=1),
                nn.ReLU(),
            )
            self.project = nn.Sequential(nn.Linear(9, d), dropout(torch, 0.1, 6))
            self.pos = RelPositionalEncoding(d)
            self.blocks = nn.ModuleList([ConformerBlock(d, 2) for _ in range(2)])
            self.fc = nn.Linear(d, classes, bias=False)

        def forward(self, x, lengths):
            x = self.sub(x.unsqueeze(1))
            b, c, t, f = x.size()
            x = x.permute(0, 2, 1, 3).contiguous().view(b, t, c * f)
            lengths = (lengths - 1) >> 1
            x = self.project(x)
            pad = torch.arange(t).expand(b, t) >= lengths.unsqueeze(1)
            mask = ~(pad.unsqueeze(1) | pad.unsqueeze(2))
            pos = self.pos(x)
            for block in self.blocks:
                x = block(x, pos, mask, pad)
            return F.log_softmax(self.fc(x), dim=-1), lengths

    model = Conformer()
    redraw(model, 6)
    x, lengths = numbers(torch, 3, 19, 7, seed=1), torch.tensor([19, 15, 13])
    targets = torch.tensor([[1, 2, 2, 3], [4, 5, 1, 0], [3, 1, 0, 0]])
    target_lengths = torch.tensor([4, 3, 2])
    criterion = nn.CTCLoss(blank=0, zero_infinity=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-4)
    noam = lambda step: 8**-0.5 * min((step + 1) ** -0.5, (step + 1) * 4**-1.5) * 0.1
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, noam)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        accumulated = 0
        for part in (slice(0, 2), slice(2, 3)):
            out, out_lengths = model(x[part], lengths[part])
            loss = (
                criterion(out.transpose(0, 1), targets[part], out_lengths, target_lengths[part]) / 2
            )
            loss.backward()
            accumulated += loss.item()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        if torch.isfinite(norm):
            optimizer.step()
        scheduler.step()
        losses.append(accumulated)
    model.eval()
    out, out_lengths = model(x, lengths)
    best = [torch.unique_consecutive(o[:n].argmax(-1)) for o, n in zip(out, out_lengths.tolist())]
    return {"losses": losses, "loose state": model.state_dict(), "loose out": out, "best": best}
