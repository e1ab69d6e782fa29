"""Dilated causal convolutions, gates, skips of a shortened length, weight norm, a queue to generate with."""

import numpy as np

from tests.oracle.ordinary.given import numbers, redraw


def main(torch):
    nn, F = torch.nn, torch.nn.functional
    weight_norm = torch.nn.utils.weight_norm

    def mu_law_encode(x, mu):
        mu = mu - 1
        x_mu = torch.sign(x) * torch.log1p(mu * torch.abs(x)) / np.log1p(mu)
        return ((x_mu + 1) / 2 * mu + 0.5).floor().long()

    class CausalConv1d(nn.Conv1d):
        def __init__(self, i, o, kernel_size, dilation=1, **kwargs):
            self.left = (kernel_size - 1) * dilation
            super().__init__(i, o, kernel_size, padding=self.left, dilation=dilation, **kwargs)

        def forward(self, x):
            out = super().forward(x)
            return out[:, :, : -self.left].contiguous() if self.left else out

    class ResidualBlock(nn.Module):
        def __init__(self, residual, gate, skip, cond, dilation, last):
            super().__init__()
            self.conv = weight_norm(CausalConv1d(residual, gate, 2, dilation))
            self.conv1x1c = weight_norm(nn.Conv1d(cond, gate, kernel_size=1, bias=False))
            self.conv1x1_out = (
                None if last else weight_norm(nn.Conv1d(gate // 2, residual, kernel_size=1))
            )
            self.conv1x1_skip = weight_norm(nn.Conv1d(gate // 2, skip, kernel_size=1))

        def forward(self, x, c):
            residual = x
            x = self.conv(x)
            a, b = x.split(x.size(1) // 2, dim=1)
            ca, cb = self.conv1x1c(c).chunk(2, dim=1)
            x = torch.tanh(a + ca) * torch.sigmoid(b + cb)
            s = self.conv1x1_skip(x)
            if self.conv1x1_out is None:
                return residual, s
            x = self.conv1x1_out(x)
            x = (x + residual) * np.sqrt(0.5)
            return x, s

    class WaveNet(nn.Module):
        def __init__(self, quantize=16, layers=4, stacks=2):
            super().__init__()
            self.first_conv = nn.Conv1d(quantize, 6, 1)
            dilations = [2 ** (n % (layers // stacks)) for n in range(layers)]
            self.conv_layers = nn.ModuleList(
                [ResidualBlock(6, 8, 5, 2, d, i == layers - 1) for i, d in enumerate(dilations)]
            )
            self.last_conv_layers = nn.ModuleList(
                [
                    nn.ReLU(inplace=True),
                    nn.Conv1d(5, 5, 1),
                    nn.ReLU(inplace=True),
                    nn.Conv1d(5, quantize, 1),
                ]
            )
            self.upsample = nn.ConvTranspose2d(1, 1, (3, 4), padding=(1, 0), stride=(1, 4))
            self.receptive_field = sum(dilations) + 1

        def forward(self, x, c):
            c = F.leaky_relu(self.upsample(c.unsqueeze(1)), 0.4, inplace=True).squeeze(1)
            x = self.first_conv(x)
            skips = 0
            for f in self.conv_layers:
                x, h = f(x, c[:, :, : x.size(-1)])
                skips += h
            skips *= np.sqrt(1.0 / len(self.conv_layers))
            x = skips
            for f in self.last_conv_layers:
                x = f(x)
            return x

    def sequence_mask(sequence_length, max_len):
        seq_range = torch.arange(0, max_len).long()
        seq_range_expand = seq_range.unsqueeze(0).expand(sequence_length.size(0), max_len)
        return (seq_range_expand < sequence_length.unsqueeze(1).expand_as(seq_range_expand)).float()

    net = WaveNet()
    redraw(net, 1)
    signal = numbers(torch, 2, 24, seed=2).mul_(0.4).clamp_(-1, 1)
    y = mu_law_encode(signal, 16)
    x = F.one_hot(y, 16).float().transpose(1, 2)
    c = numbers(torch, 2, 2, 6, seed=3)
    lengths = torch.tensor([24, 17])
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02, eps=1e-4)
    lr_lambda = lambda step: 2**0.5 * min((step + 1) * 2**-1.5, (step + 1) ** -0.5)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda)
    ema = {name: p.data.clone() for name, p in net.named_parameters() if p.requires_grad}
    losses = []
    for step in range(5):
        mask = sequence_mask(lengths, 24).unsqueeze(-1)[:, 1:, :]
        y_hat = net(x, c)
        per = F.cross_entropy(
            y_hat[:, :, :-1].unsqueeze(-1), y[:, 1:].unsqueeze(-1), reduction="none"
        )
        loss = (per * mask.expand_as(per)).sum() / mask.sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimizer.step()
        scheduler.step()
        for name, p in net.named_parameters():
            ema[name] -= (1.0 - 0.9) * (ema[name] - p.data)
        losses.append(loss.item())
    state = {k: v.clone() for k, v in net.state_dict().items()}
    for m in net.conv_layers.modules():
        if hasattr(m, "weight_g"):
            torch.nn.utils.remove_weight_norm(m)
    net.eval()
    made = [3]
    with torch.no_grad():
        for t in range(5):
            window = torch.zeros(1, 16, 24)
            window.scatter_(1, torch.tensor(made).view(1, 1, -1), 1)
            made.append(net(window, c[:1])[0, :, len(made) - 1].argmax().item())
    return {
        "losses": losses,
        "state": state,
        "ema": ema,
        "made": made,
        "keys": list(net.state_dict()),
    }
