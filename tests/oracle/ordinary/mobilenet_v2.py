"""Inverted residuals with depthwise convolutions and ReLU6; channels made divisible; weight decay by kind."""

from tests.oracle.ordinary.given import dropout, numbers, redraw


def _make_divisible(v, divisor, min_value=None):
    if min_value is None:
        min_value = divisor
    new_v = max(min_value, int(v + divisor / 2) // divisor * divisor)
    if new_v < 0.9 * v:
        new_v += divisor
    return new_v


def main(torch):
    nn = torch.nn

    class ConvBNReLU(nn.Sequential):
        def __init__(self, in_planes, out_planes, kernel_size=3, stride=1, groups=1):
            padding = (kernel_size - 1) // 2
            super(ConvBNReLU, self).__init__(
                nn.Conv2d(
                    in_planes, out_planes, kernel_size, stride, padding, groups=groups, bias=False
                ),
                nn.BatchNorm2d(out_planes),
                nn.ReLU6(inplace=True),
            )

    class InvertedResidual(nn.Module):
        def __init__(self, inp, oup, stride, expand_ratio):
            super(InvertedResidual, self).__init__()
            assert stride in [1, 2]
            hidden_dim = int(round(inp * expand_ratio))
            self.use_res_connect = stride == 1 and inp == oup
            layers = []
            if expand_ratio != 1:
                layers.append(ConvBNReLU(inp, hidden_dim, kernel_size=1))
            layers.extend(
                [
                    ConvBNReLU(hidden_dim, hidden_dim, stride=stride, groups=hidden_dim),
                    nn.Conv2d(hidden_dim, oup, 1, 1, 0, bias=False),
                    nn.BatchNorm2d(oup),
                ]
            )
            self.conv = nn.Sequential(*layers)

        def forward(self, x):
            if self.use_res_connect:
                return x + self.conv(x)
            return self.conv(x)

    class MobileNetV2(nn.Module):
        def __init__(self, num_classes=3, width_mult=0.5):
            super(MobileNetV2, self).__init__()
            setting = [[1, 8, 1, 1], [3, 12, 2, 2], [3, 16, 1, 2]]
            input_channel = _make_divisible(8 * width_mult, 4)
            self.last_channel = _make_divisible(24 * max(1.0, width_mult), 8)
            features = [ConvBNReLU(3, input_channel, stride=2)]
            for t, c, n, s in setting:
                output_channel = _make_divisible(c * width_mult, 4)
                for i in range(n):
                    stride = s if i == 0 else 1
                    features.append(
                        InvertedResidual(input_channel, output_channel, stride, expand_ratio=t)
                    )
                    input_channel = output_channel
            features.append(ConvBNReLU(input_channel, self.last_channel, kernel_size=1))
            self.features = nn.Sequential(*features)
            self.classifier = nn.Sequential(
                dropout(torch, 0.2, 1), nn.Linear(self.last_channel, num_classes)
            )
            for m in self.modules():
                if isinstance(m, nn.Conv2d):
                    nn.init.kaiming_normal_(m.weight, mode="fan_out")
                    if m.bias is not None:
                        nn.init.zeros_(m.bias)
                elif isinstance(m, nn.BatchNorm2d):
                    nn.init.ones_(m.weight)
                    nn.init.zeros_(m.bias)
                elif isinstance(m, nn.Linear):
                    nn.init.normal_(m.weight, 0, 0.01)
                    nn.init.zeros_(m.bias)

        def forward(self, x):
            x = self.features(x)
            x = x.mean([2, 3])
            x = self.classifier(x)
            return x

    net = MobileNetV2()
    redraw(net, 3)
    dataset = torch.utils.data.TensorDataset(
        numbers(torch, 12, 3, 16, 16, seed=1), torch.arange(12) % 3
    )
    loader = torch.utils.data.DataLoader(
        dataset, batch_size=5, shuffle=False, drop_last=True, num_workers=0
    )
    decay, no_decay = [], []
    for name, param in net.named_parameters():
        if len(param.shape) == 1 or name.endswith(".bias"):
            no_decay.append(param)
        else:
            decay.append(param)
    optimizer = torch.optim.SGD(
        [{"params": no_decay, "weight_decay": 0.0}, {"params": decay, "weight_decay": 4e-5}],
        lr=0.1,
        momentum=0.9,
    )
    epochs = 3
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=0.1, steps_per_epoch=len(loader), epochs=epochs, pct_start=0.3
    )
    losses, rates = [], []
    for epoch in range(epochs):
        running_loss = 0.0
        for i, (inputs, labels) in enumerate(loader):
            optimizer.zero_grad()
            loss = nn.CrossEntropyLoss()(net(inputs), labels)
            loss.backward()
            optimizer.step()
            scheduler.step()
            running_loss += loss.item() * inputs.size(0)
            rates.append(
                [group["lr"] for group in optimizer.param_groups]
                + [optimizer.param_groups[0]["momentum"]]
            )
        losses.append(running_loss / len(dataset))
    return {"loose": [losses, net.state_dict()], "rates": rates, "last": scheduler.last_epoch}
