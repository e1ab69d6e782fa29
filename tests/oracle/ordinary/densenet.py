"""Each layer sees all before it, concatenated; the same with the layers' memory saved by checkpoints."""

from collections import OrderedDict

from tests.oracle.ordinary.given import dropout, numbers, redraw


def main(torch):
    nn, F, cp = torch.nn, torch.nn.functional, torch.utils.checkpoint

    class _DenseLayer(nn.Module):
        def __init__(self, inputs, growth, bn_size, memory_efficient):
            super().__init__()
            self.norm1 = nn.BatchNorm2d(inputs)
            self.relu1 = nn.ReLU(inplace=True)
            self.conv1 = nn.Conv2d(inputs, bn_size * growth, kernel_size=1, stride=1, bias=False)
            self.norm2 = nn.BatchNorm2d(bn_size * growth)
            self.relu2 = nn.ReLU(inplace=True)
            self.conv2 = nn.Conv2d(bn_size * growth, growth, kernel_size=3, padding=1, bias=False)
            self.drop = dropout(torch, 0.2, inputs)
            self.memory_efficient = memory_efficient

        def bottleneck(self, *inputs):
            return self.conv1(self.relu1(self.norm1(torch.cat(inputs, 1))))

        def forward(self, features):
            if self.memory_efficient and any(f.requires_grad for f in features):
                out = cp.checkpoint(self.bottleneck, *features, use_reentrant=False)
            else:
                out = self.bottleneck(*features)
            return self.drop(self.conv2(self.relu2(self.norm2(out))))

    class _DenseBlock(nn.ModuleDict):
        def __init__(self, num_layers, inputs, growth, memory_efficient):
            super().__init__()
            for i in range(num_layers):
                layer = _DenseLayer(inputs + i * growth, growth, 2, memory_efficient)
                self.add_module("denselayer%d" % (i + 1), layer)

        def forward(self, init_features):
            features = [init_features]
            for name, layer in self.items():
                features.append(layer(features))
            return torch.cat(features, 1)

    class _Transition(nn.Sequential):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.add_module("norm", nn.BatchNorm2d(inputs))
            self.add_module("relu", nn.ReLU(inplace=True))
            self.add_module("conv", nn.Conv2d(inputs, outputs, kernel_size=1, bias=False))
            self.add_module("pool", nn.AvgPool2d(kernel_size=2, stride=2))

    class DenseNet(nn.Module):
        def __init__(self, memory_efficient=False, growth=3, blocks=(2, 2), width=6):
            super().__init__()
            self.features = nn.Sequential(
                OrderedDict(
                    [
                        ("conv0", nn.Conv2d(3, width, 3, stride=2, padding=1, bias=False)),
                        ("norm0", nn.BatchNorm2d(width)),
                        ("relu0", nn.ReLU(inplace=True)),
                        ("pool0", nn.MaxPool2d(kernel_size=3, stride=2, padding=1)),
                    ]
                )
            )
            for i, layers in enumerate(blocks):
                block = _DenseBlock(layers, width, growth, memory_efficient)
                self.features.add_module(f"denseblock{i + 1}", block)
                width += layers * growth
                if i != len(blocks) - 1:
                    self.features.add_module(f"transition{i + 1}", _Transition(width, width // 2))
                    width //= 2
            self.features.add_module("norm5", nn.BatchNorm2d(width))
            self.classifier = nn.Linear(width, 3)
            for m in self.modules():
                if isinstance(m, nn.Conv2d):
                    nn.init.kaiming_normal_(m.weight)
                elif isinstance(m, nn.BatchNorm2d):
                    nn.init.constant_(m.weight, 1)
                    nn.init.constant_(m.bias, 0)
                elif isinstance(m, nn.Linear):
                    nn.init.constant_(m.bias, 0)

        def forward(self, x):
            features = self.features(x)
            out = F.relu(features, inplace=True)
            out = F.adaptive_avg_pool2d(out, (1, 1))
            return self.classifier(torch.flatten(out, 1))

    images, labels = numbers(torch, 5, 3, 24, 24, seed=2), torch.tensor([0, 1, 2, 1, 0])
    results = {}
    for memory_efficient in (False, True):
        net = DenseNet(memory_efficient)
        redraw(net, 4)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
        scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2, 4], gamma=0.5)
        losses = []
        for _ in range(5):
            loss = F.nll_loss(F.log_softmax(net(images), dim=-1), labels)
            optimizer.zero_grad(set_to_none=False)
            loss.backward()
            optimizer.step()
            scheduler.step()
            losses.append(loss.item())
        results[f"loose {memory_efficient}"] = [losses, net.state_dict()]
    return results
