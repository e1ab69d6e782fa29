"""Swish as a memory-saving Function, squeeze-excitation, stochastic depth by row and padding as "same"."""

import math

import numpy as np

from tests.oracle.ordinary.given import dropout, numbers, redraw, torch_like


def round_filters(filters, width=1.1, divisor=2):
    filters *= width
    new_filters = max(divisor, int(filters + divisor / 2) // divisor * divisor)
    return int(new_filters + divisor if new_filters < 0.9 * filters else new_filters)


def main(torch):
    nn, F = torch.nn, torch.nn.functional
    draws = np.random.RandomState(11)

    class SwishImplementation(torch.autograd.Function):
        @staticmethod
        def forward(ctx, i):
            result = i * torch.sigmoid(i)
            ctx.save_for_backward(i)
            return result

        @staticmethod
        def backward(ctx, grad_output):
            i = ctx.saved_tensors[0]
            sigmoid_i = torch.sigmoid(i)
            return grad_output * (sigmoid_i * (1 + i * (1 - sigmoid_i)))

    class MemoryEfficientSwish(nn.Module):
        def forward(self, x):
            return SwishImplementation.apply(x)

    class Swish(nn.Module):
        def forward(self, x):
            return x * torch.sigmoid(x)

    class Conv2dSamePadding(nn.Conv2d):
        def forward(self, x):
            ih, iw = x.size()[-2:]
            kh, kw = self.weight.size()[-2:]
            sh, sw = self.stride
            oh, ow = math.ceil(ih / sh), math.ceil(iw / sw)
            pad_h = max((oh - 1) * sh + (kh - 1) * self.dilation[0] + 1 - ih, 0)
            pad_w = max((ow - 1) * sw + (kw - 1) * self.dilation[1] + 1 - iw, 0)
            if pad_h > 0 or pad_w > 0:
                x = F.pad(x, [pad_w // 2, pad_w - pad_w // 2, pad_h // 2, pad_h - pad_h // 2])
            return F.conv2d(
                x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups
            )

    def drop_connect(inputs, p, training):
        if not training:
            return inputs
        batch_size = inputs.shape[0]
        keep_prob = 1 - p
        random_tensor = keep_prob
        random_tensor += torch_like(
            inputs.new_empty(batch_size, 1, 1, 1), draws.uniform(size=(batch_size, 1, 1, 1))
        )
        binary_tensor = torch.floor(random_tensor)
        return inputs / keep_prob * binary_tensor

    class MBConvBlock(nn.Module):
        def __init__(self, inp, oup, kernel, stride, expand, act):
            super().__init__()
            self.skip = stride == 1 and inp == oup
            self.expand = expand
            hidden = inp * expand
            if expand != 1:
                self._expand_conv = Conv2dSamePadding(inp, hidden, 1, bias=False)
                self._bn0 = nn.BatchNorm2d(hidden, momentum=0.01, eps=1e-3)
            self._depthwise_conv = Conv2dSamePadding(
                hidden, hidden, kernel, stride=stride, groups=hidden, bias=False
            )
            self._bn1 = nn.BatchNorm2d(hidden, momentum=0.01, eps=1e-3)
            squeezed = max(1, int(inp * 0.25))
            self._se_reduce = Conv2dSamePadding(hidden, squeezed, kernel_size=1)
            self._se_expand = Conv2dSamePadding(squeezed, hidden, kernel_size=1)
            self._project_conv = Conv2dSamePadding(hidden, oup, 1, bias=False)
            self._bn2 = nn.BatchNorm2d(oup, momentum=0.01, eps=1e-3)
            self._swish = act()

        def forward(self, inputs, drop_connect_rate=None):
            x = inputs
            if self.expand != 1:
                x = self._swish(self._bn0(self._expand_conv(inputs)))
            x = self._swish(self._bn1(self._depthwise_conv(x)))
            x_squeezed = F.adaptive_avg_pool2d(x, 1)
            x_squeezed = self._se_expand(self._swish(self._se_reduce(x_squeezed)))
            x = torch.sigmoid(x_squeezed) * x
            x = self._bn2(self._project_conv(x))
            if self.skip:
                if drop_connect_rate:
                    x = drop_connect(x, p=drop_connect_rate, training=self.training)
                x = x + inputs
            return x

        def set_swish(self, memory_efficient=True):
            self._swish = MemoryEfficientSwish() if memory_efficient else Swish()

    class EfficientNet(nn.Module):
        def __init__(self, act):
            super().__init__()
            width = round_filters(4)
            self._conv_stem = Conv2dSamePadding(3, width, kernel_size=3, stride=2, bias=False)
            self._bn0 = nn.BatchNorm2d(num_features=width, momentum=0.01, eps=1e-3)
            self._blocks = nn.ModuleList([])
            for kernel, stride, expand, filters in [
                (3, 1, 1, 4),
                (3, 1, 2, 4),
                (5, 2, 2, 6),
                (5, 1, 2, 6),
            ]:
                filters = round_filters(filters)
                self._blocks.append(MBConvBlock(width, filters, kernel, stride, expand, act))
                width = filters
            self._avg_pooling = nn.AdaptiveAvgPool2d(1)
            self._dropout = dropout(torch, 0.2, 3)
            self._fc = nn.Linear(width, 3)
            self._swish = act()

        def forward(self, inputs):
            x = self._swish(self._bn0(self._conv_stem(inputs)))
            for idx, block in enumerate(self._blocks):
                drop_connect_rate = 0.4
                if drop_connect_rate:
                    drop_connect_rate *= float(idx) / len(self._blocks)
                x = block(x, drop_connect_rate=drop_connect_rate)
            x = self._avg_pooling(x)
            x = x.flatten(start_dim=1)
            return self._fc(self._dropout(x))

    images, labels = numbers(torch, 5, 3, 15, 15, seed=6), torch.tensor([0, 1, 2, 1, 0])
    results = {}
    for act in (Swish, MemoryEfficientSwish, nn.SiLU):
        net = EfficientNet(act)
        redraw(net, 9)
        ema = {k: v.clone().detach() for k, v in net.state_dict().items()}
        optimizer = torch.optim.RMSprop(
            net.parameters(), lr=0.01, alpha=0.9, eps=1e-3, momentum=0.9
        )
        warmup = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.2, total_iters=2)
        after = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
        scheduler = torch.optim.lr_scheduler.SequentialLR(
            optimizer, [warmup, after], milestones=[2]
        )
        losses = []
        for _ in range(5):
            loss = F.cross_entropy(net(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            losses.append(loss.item())
            with torch.no_grad():
                for k, v in net.state_dict().items():
                    if v.dtype.is_floating_point:
                        ema[k].mul_(0.9).add_(v, alpha=0.1)
        if act is not nn.SiLU:
            for block in net._blocks:
                block.set_swish(memory_efficient=False)
        net.eval()
        results["loose " + act.__name__] = [losses, net.state_dict(), ema, net(images)]
    return results
