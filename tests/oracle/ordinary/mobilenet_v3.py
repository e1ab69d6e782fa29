"""Hard swish, hard sigmoid and squeeze-excitation, written out and from `nn`; RMSprop; weights averaged."""

from functools import partial

from tests.oracle.ordinary.given import dropout, numbers, redraw


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class h_sigmoid(nn.Module):
        def __init__(self, inplace=True):
            super(h_sigmoid, self).__init__()
            self.relu = nn.ReLU6(inplace=inplace)

        def forward(self, x):
            return self.relu(x + 3) / 6

    class h_swish(nn.Module):
        def __init__(self, inplace=True):
            super(h_swish, self).__init__()
            self.sigmoid = h_sigmoid(inplace=inplace)

        def forward(self, x):
            return x * self.sigmoid(x)

    class SELayer(nn.Module):
        def __init__(self, channel, reduction=2):
            super(SELayer, self).__init__()
            self.avg_pool = nn.AdaptiveAvgPool2d(1)
            self.fc = nn.Sequential(
                nn.Linear(channel, channel // reduction),
                nn.ReLU(inplace=True),
                nn.Linear(channel // reduction, channel),
                h_sigmoid(),
            )

        def forward(self, x):
            b, c, _, _ = x.size()
            y = self.avg_pool(x).view(b, c)
            y = self.fc(y).view(b, c, 1, 1)
            return x * y

    class SqueezeExcitation(nn.Module):
        def __init__(self, input_channels, squeeze_factor=2):
            super().__init__()
            squeeze_channels = input_channels // squeeze_factor
            self.fc1 = nn.Conv2d(input_channels, squeeze_channels, 1)
            self.relu = nn.ReLU(inplace=True)
            self.fc2 = nn.Conv2d(squeeze_channels, input_channels, 1)

        def _scale(self, input, inplace):
            scale = F.adaptive_avg_pool2d(input, 1)
            scale = self.fc1(scale)
            scale = self.relu(scale)
            scale = self.fc2(scale)
            return F.hardsigmoid(scale, inplace=inplace)

        def forward(self, input):
            scale = self._scale(input, True)
            return scale * input

    class Block(nn.Module):
        def __init__(self, inp, hidden, out, kernel, stride, se, act):
            super().__init__()
            norm = partial(nn.BatchNorm2d, eps=0.001, momentum=0.01)
            self.identity = stride == 1 and inp == out
            self.conv = nn.Sequential(
                nn.Conv2d(inp, hidden, 1, bias=False), norm(hidden), act(),
                nn.Conv2d(hidden, hidden, kernel, stride, (kernel - 1) // 2, groups=hidden, bias=False), norm(hidden),
                se(hidden) if se else nn.Identity(), act(),
                nn.Conv2d(hidden, out, 1, bias=False), norm(out),
            )  # fmt: skip

        def forward(self, x):
            y = self.conv(x)
            if self.identity:
                y += x
            return y

    def by_hand(se):
        return nn.Sequential(
            nn.Conv2d(3, 4, 3, 2, 1, bias=False), nn.BatchNorm2d(4), h_swish(),
            Block(4, 6, 4, 3, 1, se, partial(nn.ReLU, inplace=True)), Block(4, 8, 6, 5, 2, se, h_swish),
            nn.Conv2d(6, 8, 1, bias=False), nn.BatchNorm2d(8), h_swish(), nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(),
            nn.Linear(8, 10), h_swish(), dropout(torch, 0.2, 1), nn.Linear(10, 3),
        )  # fmt: skip

    def by_module(se):
        act = partial(nn.Hardswish, inplace=True)
        return nn.Sequential(
            nn.Conv2d(3, 4, 3, 2, 1, bias=False), nn.BatchNorm2d(4), act(),
            Block(4, 6, 4, 3, 1, se, partial(nn.ReLU, inplace=True)), Block(4, 8, 6, 5, 2, se, act),
            nn.Conv2d(6, 8, 1, bias=False), nn.BatchNorm2d(8), act(), nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(),
            nn.Linear(8, 10), act(), dropout(torch, 0.2, 1), nn.Linear(10, 3),
        )  # fmt: skip

    images, labels = numbers(torch, 6, 3, 14, 14, seed=6), torch.tensor([0, 1, 2, 1, 0, 2])
    results = {}
    for make in (by_hand, by_module):
        net = make(SELayer if make is by_hand else SqueezeExcitation)
        redraw(net, 9)
        averaged = torch.optim.swa_utils.AveragedModel(
            net, avg_fn=lambda mean, new, n: 0.9 * mean + 0.1 * new, use_buffers=True
        )
        optimizer = torch.optim.RMSprop(
            net.parameters(), lr=0.01, alpha=0.9, eps=0.0316, momentum=0.9, weight_decay=1e-5
        )
        losses = []
        for _ in range(5):
            loss = F.cross_entropy(net(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            averaged.update_parameters(net)
            losses.append(loss.item())
        averaged.eval()
        results["loose " + make.__name__] = [
            losses,
            net.state_dict(),
            averaged.state_dict(),
            averaged(images),
        ]
    return results
