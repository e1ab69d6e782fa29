"""Programs of images."""

from __future__ import annotations

from typing import Any

from tests.benchmarks.programs.program import Step, classes, numbers, program, training


def _classifying(torch: Any, model: Any, *shape: int) -> Step:
    x, y = numbers(torch, *shape), classes(torch, 10, shape[0])
    return training(torch, model, lambda: torch.nn.functional.cross_entropy(model(x), y), sgd=True)


@program("LeNet, 16x1x28x28")
def lenet(torch: Any) -> Step:
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 5), nn.Tanh(), nn.AvgPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.Tanh(), nn.Linear(120, 84), nn.Tanh(), nn.Linear(84, 10),
    )  # fmt: skip
    return _classifying(torch, model, 16, 1, 28, 28)


@program("CNN of MNIST, 16x1x28x28")
def cnn(torch: Any) -> Step:
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 49, 64), nn.ReLU(), nn.Linear(64, 10),
    )  # fmt: skip
    return _classifying(torch, model, 16, 1, 28, 28)


@program("CNN with batch norm, 8x3x32x32")
def cnn_with_norms(torch: Any) -> Step:
    nn = torch.nn
    layers: list[Any] = []
    for inside, outside in ((3, 16), (16, 16), (16, 32)):
        layers += [
            nn.Conv2d(inside, outside, 3, padding=1, bias=False), nn.BatchNorm2d(outside),
            nn.ReLU(inplace=True), nn.MaxPool2d(2),
        ]  # fmt: skip
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))
    return _classifying(torch, model, 8, 3, 32, 32)


@program("VGG, small, 4x3x32x32")
def vgg(torch: Any) -> Step:
    nn = torch.nn
    layers: list[Any] = []
    for inside, outside in ((3, 16), (16, 16), (16, 32), (32, 32)):
        layers += [nn.Conv2d(inside, outside, 3, padding=1), nn.ReLU(inplace=True)]
        if inside == outside:
            layers.append(nn.MaxPool2d(2, 2))
    model = nn.Sequential(
        *layers, nn.Flatten(), nn.Linear(32 * 64, 64), nn.ReLU(), nn.Linear(64, 10)
    )
    return _classifying(torch, model, 4, 3, 32, 32)


@program("ResNet, 8x3x16x16")
def resnet(torch: Any) -> Step:
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self, inside: int, outside: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(outside)
            self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(outside)
            self.shortcut = nn.Sequential()
            if stride != 1 or inside != outside:
                self.shortcut = nn.Sequential(
                    nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside)
                )

        def forward(self, x: Any) -> Any:
            out = F.relu(self.bn1(self.conv1(x)))
            out = self.bn2(self.conv2(out))
            out += self.shortcut(x)
            return F.relu(out)

    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
        Block(16, 16, 1), Block(16, 32, 2), Block(32, 32, 1),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10),
    )  # fmt: skip
    return _classifying(torch, model, 8, 3, 16, 16)


@program("DenseNet, 4x3x16x16")
def densenet(torch: Any) -> Step:
    nn, F = torch.nn, torch.nn.functional

    class Layer(nn.Module):
        def __init__(self, inside: int) -> None:
            super().__init__()
            self.norm, self.conv = nn.BatchNorm2d(inside), nn.Conv2d(inside, 8, 3, padding=1)

        def forward(self, x: Any) -> Any:
            return torch.cat([x, self.conv(F.relu(self.norm(x)))], 1)

    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), *[Layer(16 + 8 * i) for i in range(4)],
        nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(48, 10),
    )  # fmt: skip
    return _classifying(torch, model, 4, 3, 16, 16)


@program("MobileNet, 8x3x16x16")
def mobilenet(torch: Any) -> Step:
    nn = torch.nn

    class Inverted(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            wide = width * 3
            self.body = nn.Sequential(
                nn.Conv2d(width, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(inplace=True),
                nn.Conv2d(wide, wide, 3, padding=1, groups=wide, bias=False),
                nn.BatchNorm2d(wide), nn.ReLU6(inplace=True),
                nn.Conv2d(wide, width, 1, bias=False), nn.BatchNorm2d(width),
            )  # fmt: skip

        def forward(self, x: Any) -> Any:
            return x + self.body(x)

    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), Inverted(8), Inverted(8),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10),
    )  # fmt: skip
    return _classifying(torch, model, 8, 3, 16, 16)


@program("ConvNeXt block, 4x16x16x16")
def convnext(torch: Any) -> Step:
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.deep = nn.Conv2d(16, 16, 7, padding=3, groups=16)
            self.norm = nn.LayerNorm(16)
            self.up, self.down = nn.Linear(16, 64), nn.Linear(64, 16)

        def forward(self, x: Any) -> Any:
            y = self.norm(self.deep(x).permute(0, 2, 3, 1))
            y = self.down(nn.functional.gelu(self.up(y)))
            return x + y.permute(0, 3, 1, 2)

    model = nn.Sequential(
        Block(), Block(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)
    )
    return _classifying(torch, model, 4, 16, 16, 16)


@program("U-Net, 2x3x32x32")
def unet(torch: Any) -> Step:
    nn = torch.nn
    x, y = numbers(torch, 2, 3, 32, 32), classes(torch, 2, 2, 1, 32, 32).float()

    def twice(inside: int, outside: int) -> Any:
        return nn.Sequential(
            nn.Conv2d(inside, outside, 3, padding=1), nn.ReLU(),
            nn.Conv2d(outside, outside, 3, padding=1), nn.ReLU(),
        )  # fmt: skip

    class UNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.down, self.middle, self.up = twice(3, 8), twice(8, 16), twice(16, 8)
            self.pool, self.larger = nn.MaxPool2d(2), nn.ConvTranspose2d(16, 8, 2, 2)
            self.out = nn.Conv2d(8, 1, 1)

        def forward(self, x: Any) -> Any:
            kept = self.down(x)
            found = self.larger(self.middle(self.pool(kept)))
            return self.out(self.up(torch.cat([kept, found], 1)))

    model = UNet()
    return training(
        torch, model, lambda: nn.functional.binary_cross_entropy_with_logits(model(x), y)
    )


@program("convolutional autoencoder, 8x1x28x28")
def conv_autoencoder(torch: Any) -> Step:
    nn = torch.nn
    x = numbers(torch, 8, 1, 28, 28).sigmoid()
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(),
        nn.ConvTranspose2d(32, 16, 3, 2, 1, 1), nn.ReLU(),
        nn.ConvTranspose2d(16, 1, 3, 2, 1, 1), nn.Sigmoid(),
    )  # fmt: skip
    return training(torch, model, lambda: nn.functional.mse_loss(model(x), x))


@program("DCGAN generator, 8x3x32x32")
def dcgan(torch: Any) -> Step:
    nn = torch.nn
    noise, wanted = numbers(torch, 8, 32, 1, 1), numbers(torch, 8, 3, 32, 32, seed=1).tanh()
    model = nn.Sequential(
        nn.ConvTranspose2d(32, 32, 4, 1, 0, bias=False), nn.BatchNorm2d(32), nn.ReLU(True),
        nn.ConvTranspose2d(32, 16, 4, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(True),
        nn.ConvTranspose2d(16, 8, 4, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(True),
        nn.ConvTranspose2d(8, 3, 4, 2, 1, bias=False), nn.Tanh(),
    )  # fmt: skip
    return training(torch, model, lambda: nn.functional.l1_loss(model(noise), wanted))


@program("ViT, 8x3x32x32 in patches of 8")
def vit(torch: Any) -> Step:
    nn = torch.nn

    class ViT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.patches = nn.Conv2d(3, 64, 8, 8)
            self.first = nn.Parameter(torch.zeros(1, 1, 64))
            self.places = nn.Parameter(torch.zeros(1, 17, 64))
            layer = nn.TransformerEncoderLayer(
                64, 4, 128, 0.0, "gelu", batch_first=True, norm_first=True
            )
            self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.norm, self.head = nn.LayerNorm(64), nn.Linear(64, 10)

        def forward(self, x: Any) -> Any:
            x = self.patches(x).flatten(2).transpose(1, 2)
            x = torch.cat([self.first.expand(x.size(0), -1, -1), x], 1) + self.places
            return self.head(self.norm(self.body(x)[:, 0]))

    return _classifying(torch, ViT(), 8, 3, 32, 32)


@program("MLP-Mixer, 8x16x48")
def mixer(torch: Any) -> Step:
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.n1, self.n2 = nn.LayerNorm(48), nn.LayerNorm(48)
            self.tokens = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
            self.channels = nn.Sequential(nn.Linear(48, 96), nn.GELU(), nn.Linear(96, 48))

        def forward(self, x: Any) -> Any:
            x = x + self.tokens(self.n1(x).transpose(1, 2)).transpose(1, 2)
            return x + self.channels(self.n2(x))

    class Mixer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks, self.head = nn.Sequential(Block(), Block()), nn.Linear(48, 10)

        def forward(self, x: Any) -> Any:
            return self.head(self.blocks(x).mean(1))

    return _classifying(torch, Mixer(), 8, 16, 48)


@program("diffusion, small denoiser")
def diffusion(torch: Any) -> Step:
    nn, F = torch.nn, torch.nn.functional
    x, noise = numbers(torch, 8, 1, 16, 16), numbers(torch, 8, 1, 16, 16, seed=1)
    when = classes(torch, 100, 8)
    left = torch.linspace(0.99, 0.01, 100)[when].view(-1, 1, 1, 1)

    class Denoiser(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.time = nn.Embedding(100, 16)
            self.inside, self.middle = nn.Conv2d(1, 16, 3, 1, 1), nn.Conv2d(16, 16, 3, 1, 1)
            self.norm, self.out = nn.GroupNorm(4, 16), nn.Conv2d(16, 1, 3, 1, 1)

        def forward(self, x: Any) -> Any:
            h = F.silu(self.inside(x) + self.time(when)[:, :, None, None])
            return self.out(h + F.silu(self.norm(self.middle(h))))

    model = Denoiser()

    def loss() -> Any:
        noisy = left.sqrt() * x + (1 - left).sqrt() * noise
        return F.mse_loss(model(noisy), noise)

    return training(torch, model, loss)
