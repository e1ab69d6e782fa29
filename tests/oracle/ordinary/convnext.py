"""Depthwise 7x7, layer norm in both memory orders, layer scale, paths dropped by row, AdamW, EMA, mixup."""

import copy

import numpy as np

from tests.oracle.ordinary.given import numbers, redraw, torch_like


def main(torch):
    nn, F = torch.nn, torch.nn.functional
    draws = np.random.RandomState(5)

    def drop_path(x, drop_prob=0.0, training=False, scale_by_keep=True):
        if drop_prob == 0.0 or not training:
            return x
        keep_prob = 1 - drop_prob
        shape = (x.shape[0],) + (1,) * (x.ndim - 1)
        random_tensor = x.new_empty(shape).bernoulli_(keep_prob)
        random_tensor.copy_(
            torch_like(random_tensor, (draws.uniform(size=shape) < keep_prob) * 1.0)
        )
        if keep_prob > 0.0 and scale_by_keep:
            random_tensor.div_(keep_prob)
        return x * random_tensor

    class DropPath(nn.Module):
        def __init__(self, drop_prob=None):
            super().__init__()
            self.drop_prob = drop_prob

        def forward(self, x):
            return drop_path(x, self.drop_prob, self.training)

    class LayerNorm(nn.Module):
        def __init__(self, normalized_shape, eps=1e-6, data_format="channels_last"):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(normalized_shape))
            self.bias = nn.Parameter(torch.zeros(normalized_shape))
            self.eps = eps
            self.data_format = data_format
            if self.data_format not in ["channels_last", "channels_first"]:
                raise NotImplementedError
            self.normalized_shape = (normalized_shape,)

        def forward(self, x):
            if self.data_format == "channels_last":
                return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
            u = x.mean(1, keepdim=True)
            s = (x - u).pow(2).mean(1, keepdim=True)
            x = (x - u) / torch.sqrt(s + self.eps)
            x = self.weight[:, None, None] * x + self.bias[:, None, None]
            return x

    class Block(nn.Module):
        def __init__(self, dim, rate=0.0, layer_scale_init_value=1e-2):
            super().__init__()
            self.dwconv = nn.Conv2d(dim, dim, kernel_size=7, padding=3, groups=dim)
            self.norm = LayerNorm(dim, eps=1e-6)
            self.pwconv1 = nn.Linear(dim, 4 * dim)
            self.act = nn.GELU()
            self.pwconv2 = nn.Linear(4 * dim, dim)
            self.gamma = (
                nn.Parameter(layer_scale_init_value * torch.ones((dim)), requires_grad=True)
                if layer_scale_init_value > 0
                else None
            )
            self.drop_path = DropPath(rate) if rate > 0.0 else nn.Identity()

        def forward(self, x):
            input = x
            x = self.dwconv(x)
            x = x.permute(0, 2, 3, 1)
            x = self.norm(x)
            x = self.pwconv2(self.act(self.pwconv1(x)))
            if self.gamma is not None:
                x = self.gamma * x
            x = x.permute(0, 3, 1, 2)
            return input + self.drop_path(x)

    class ConvNeXt(nn.Module):
        def __init__(self, depths=(1, 2), dims=(4, 6), num_classes=3, drop_path_rate=0.4):
            super().__init__()
            self.downsample_layers = nn.ModuleList()
            stem = nn.Sequential(
                nn.Conv2d(3, dims[0], kernel_size=4, stride=4),
                LayerNorm(dims[0], eps=1e-6, data_format="channels_first"),
            )
            self.downsample_layers.append(stem)
            for i in range(len(dims) - 1):
                self.downsample_layers.append(
                    nn.Sequential(
                        LayerNorm(dims[i], eps=1e-6, data_format="channels_first"),
                        nn.Conv2d(dims[i], dims[i + 1], kernel_size=2, stride=2),
                    )
                )
            self.stages = nn.ModuleList()
            dp_rates = [x.item() for x in torch.linspace(0, drop_path_rate, sum(depths))]
            cur = 0
            for i in range(len(dims)):
                self.stages.append(
                    nn.Sequential(*[Block(dims[i], dp_rates[cur + j]) for j in range(depths[i])])
                )
                cur += depths[i]
            self.norm = nn.LayerNorm(dims[-1], eps=1e-6)
            self.head = nn.Linear(dims[-1], num_classes)
            self.apply(self._init_weights)
            self.head.weight.data.mul_(0.5)
            self.head.bias.data.mul_(0.5)

        def _init_weights(self, m):
            if isinstance(m, (nn.Conv2d, nn.Linear)):
                nn.init.trunc_normal_(m.weight, std=0.02)
                nn.init.constant_(m.bias, 0)

        def forward(self, x):
            for down, stage in zip(self.downsample_layers, self.stages):
                x = stage(down(x))
            return self.head(self.norm(x.mean([-2, -1])))

    class SoftTargetCrossEntropy(nn.Module):
        def forward(self, x, target):
            loss = torch.sum(-target * F.log_softmax(x, dim=-1), dim=-1)
            return loss.mean()

    def mixup_target(target, num_classes, lam, smoothing):
        off, on = smoothing / num_classes, 1.0 - smoothing + smoothing / num_classes
        y1 = torch.full((target.size(0), num_classes), off).scatter_(1, target.view(-1, 1), on)
        y2 = torch.full((target.size(0), num_classes), off).scatter_(
            1, target.flip(0).view(-1, 1), on
        )
        return y1 * lam + y2 * (1.0 - lam)

    net = ConvNeXt()
    redraw(net, 2)
    ema = copy.deepcopy(net).eval().requires_grad_(False)
    skip = {n for n, p in net.named_parameters() if p.ndim <= 1 or n.endswith(".gamma")}
    groups = [
        {"params": [p for n, p in net.named_parameters() if n not in skip], "weight_decay": 0.05},
        {"params": [p for n, p in net.named_parameters() if n in skip], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=4e-3, eps=1e-4)
    images, labels = numbers(torch, 4, 3, 32, 24, seed=6), torch.tensor([0, 1, 2, 1])
    images = images.contiguous(memory_format=torch.channels_last)
    losses = []
    for step, lam in enumerate([1.0, 0.7, 0.4, 0.9, 0.6]):
        samples = images.flip(0).mul_(1.0 - lam).add_(images * lam)
        loss = SoftTargetCrossEntropy()(net(samples), mixup_target(labels, 3, lam, 0.1))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0, error_if_nonfinite=True)
        optimizer.step()
        losses.append(loss.item())
        with torch.no_grad():
            msd = net.state_dict()
            for k, ema_v in ema.state_dict().items():
                ema_v.copy_(ema_v * 0.9 + 0.1 * msd[k].detach())
    return {
        "losses": losses,
        "state": net.state_dict(),
        "ema": ema.state_dict(),
        "out": ema(images),
    }
