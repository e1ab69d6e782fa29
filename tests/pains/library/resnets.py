"""A small residual network, built as timm builds its `resnet10t`: timm needs a torchvision that fits."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F


def _unit(inside: int, outside: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside)
    )


class BasicBlock(nn.Module):
    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.first, self.second = _unit(inside, outside, stride), _unit(outside, outside)
        self.act = nn.ReLU(inplace=True)
        self.downsample: nn.Module | None = None
        if stride > 1 or inside != outside:
            # the average is taken first, as in the variants D and T
            pool = nn.AvgPool2d(2, stride, ceil_mode=True) if stride > 1 else nn.Identity()
            layers = nn.Conv2d(inside, outside, 1, bias=False), nn.BatchNorm2d(outside)
            self.downsample = nn.Sequential(pool, *layers)
        nn.init.zeros_(self.second[1].weight)

    def forward(self, x: Any) -> Any:
        short = x if self.downsample is None else self.downsample(x)
        return self.act(self.second(self.act(self.first(x))) + short)


class ResNet(nn.Module):
    def __init__(self, num_classes: int, width: int = 8) -> None:
        super().__init__()
        stem = [
            _unit(3, width, 2),
            nn.ReLU(inplace=True),
            _unit(width, width),
            nn.ReLU(inplace=True),
        ]
        self.conv1 = nn.Sequential(*stem, nn.Conv2d(width, width, 3, 1, 1, bias=False))
        self.bn1, self.act1 = nn.BatchNorm2d(width), nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        sizes = [width, 2 * width, 4 * width, 512]
        self.layers = nn.ModuleList()
        for stage, size in enumerate(sizes):
            self.layers.append(BasicBlock(sizes[max(0, stage - 1)], size, 1 if stage == 0 else 2))
        self.fc = nn.Linear(512, num_classes) if num_classes else nn.Identity()

    def forward(self, x: Any) -> Any:
        x = self.maxpool(self.act1(self.bn1(self.conv1(x))))
        for layer in self.layers:
            x = layer(x)
        return self.fc(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))


def create_model(name: str, num_classes: int) -> ResNet:
    """As timm's function of this name."""
    assert name == "resnet10t"
    return ResNet(num_classes)
