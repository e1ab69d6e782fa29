"""ResNet-18 and ViT as their papers have them, narrow; by hand, for torchvision does not load beside
PyTorch's build for the CPU.

He, Zhang, Ren and Sun, "Deep Residual Learning for Image Recognition", 2015, table 1 (18 layers, option B);
Dosovitskiy et al., "An Image is Worth 16x16 Words", 2020, section 3.1 (the 12 layers of ViT-Base).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from tests.debugger.engines.pytorch.models import Made, Residual


def resnet18(width: int = 4) -> Made:
    """A 7×7 stem and max pooling, four stages of two blocks, of width, 2, 4 and 8 times that."""
    stem = [nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
    stages, inside = list[nn.Module](), width
    for stage in range(4):
        outside = width << stage
        stages += [Residual(inside, outside, 1 if stage == 0 else 2), Residual(outside, outside, 1)]
        inside = outside
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inside, 10)]
    model = nn.Sequential(*stem, nn.MaxPool2d(3, 2, 1), *stages, *head)
    loss = F.cross_entropy(model(torch.randn(2, 3, 64, 64)), torch.tensor([1, 4]))
    return dict(model.named_parameters()), loss, {}


class ViT(nn.Module):
    def __init__(self, width: int, layers: int, patch: int, size: int) -> None:
        super().__init__()
        count = (size // patch) ** 2
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(torch.randn(1, count + 1, width) * 0.02)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                width, 2, 4 * width, 0.1, "gelu", batch_first=True, norm_first=True
            )
            for _ in range(layers)
        )
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 10)

    def forward(self, x: Any) -> Any:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.places
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x)[:, 0])


def vit_of_12_layers() -> Made:
    model = ViT(8, 12, 4, 16)
    loss = F.cross_entropy(model(torch.randn(2, 3, 16, 16)), torch.tensor([1, 4]))
    return dict(model.named_parameters()), loss, {}


NETWORKS = [resnet18, vit_of_12_layers]
