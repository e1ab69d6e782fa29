"""GoogLeNet: four branches side by side, two auxiliary heads while training, truncated normal init."""

from collections import namedtuple

from tests.oracle.ordinary.given import dropout, numbers, redraw

Outputs = namedtuple("Outputs", ["logits", "aux2", "aux1"])


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class BasicConv2d(nn.Module):
        def __init__(self, in_channels, out_channels, **kwargs):
            super().__init__()
            self.conv = nn.Conv2d(in_channels, out_channels, bias=False, **kwargs)
            self.bn = nn.BatchNorm2d(out_channels, eps=0.001)

        def forward(self, x):
            x = self.conv(x)
            x = self.bn(x)
            return F.relu(x, inplace=True)

    class Inception(nn.Module):
        def __init__(self, inputs, ch1, ch3red, ch3, ch5red, ch5, pool):
            super().__init__()
            self.branch1 = BasicConv2d(inputs, ch1, kernel_size=1)
            self.branch2 = nn.Sequential(
                BasicConv2d(inputs, ch3red, kernel_size=1),
                BasicConv2d(ch3red, ch3, kernel_size=3, padding=1),
            )
            self.branch3 = nn.Sequential(
                BasicConv2d(inputs, ch5red, kernel_size=1),
                BasicConv2d(ch5red, ch5, kernel_size=5, padding=2),
            )
            self.branch4 = nn.Sequential(
                nn.MaxPool2d(kernel_size=3, stride=1, padding=1, ceil_mode=True),
                BasicConv2d(inputs, pool, kernel_size=1),
            )

        def _forward(self, x):
            return [self.branch1(x), self.branch2(x), self.branch3(x), self.branch4(x)]

        def forward(self, x):
            return torch.cat(self._forward(x), 1)

    class InceptionAux(nn.Module):
        def __init__(self, inputs, num_classes, seed):
            super().__init__()
            self.conv = BasicConv2d(inputs, 4, kernel_size=1)
            self.fc1, self.fc2 = nn.Linear(16, 6), nn.Linear(6, num_classes)
            self.drop = dropout(torch, 0.7, seed)

        def forward(self, x):
            x = F.adaptive_avg_pool2d(x, (2, 2))
            x = torch.flatten(self.conv(x), 1)
            x = F.relu(self.fc1(x), inplace=True)
            return self.fc2(self.drop(x))

    class GoogLeNet(nn.Module):
        def __init__(self, num_classes=3):
            super().__init__()
            self.conv1 = BasicConv2d(3, 4, kernel_size=7, stride=2, padding=3)
            self.maxpool1 = nn.MaxPool2d(3, stride=2, ceil_mode=True)
            self.norm = nn.LocalResponseNorm(2)
            self.inception3a = Inception(4, 2, 3, 4, 1, 2, 2)
            self.inception4a = Inception(10, 2, 3, 4, 2, 2, 2)
            self.maxpool4 = nn.MaxPool2d(2, stride=2, ceil_mode=True)
            self.inception5a = Inception(10, 2, 2, 3, 1, 2, 1)
            self.aux1 = InceptionAux(10, num_classes, 1)
            self.aux2 = InceptionAux(10, num_classes, 2)
            self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
            self.dropout = dropout(torch, 0.2, 3)
            self.fc = nn.Linear(8, num_classes)
            for m in self.modules():
                if isinstance(m, (nn.Conv2d, nn.Linear)):
                    nn.init.trunc_normal_(m.weight, mean=0.0, std=0.01, a=-2, b=2)
                elif isinstance(m, nn.BatchNorm2d):
                    nn.init.constant_(m.weight, 1)
                    nn.init.constant_(m.bias, 0)

        def transform_input(self, x):
            x_ch0 = torch.unsqueeze(x[:, 0], 1) * (0.229 / 0.5) + (0.485 - 0.5) / 0.5
            x_ch1 = torch.unsqueeze(x[:, 1], 1) * (0.224 / 0.5) + (0.456 - 0.5) / 0.5
            x_ch2 = torch.unsqueeze(x[:, 2], 1) * (0.225 / 0.5) + (0.406 - 0.5) / 0.5
            return torch.cat((x_ch0, x_ch1, x_ch2), 1)

        def forward(self, x):
            x = self.norm(self.maxpool1(self.conv1(self.transform_input(x))))
            x = self.inception3a(x)
            aux1 = self.aux1(x) if self.training else None
            x = self.inception4a(x)
            aux2 = self.aux2(x) if self.training else None
            x = self.inception5a(self.maxpool4(x))
            x = self.dropout(torch.flatten(self.avgpool(x), 1))
            x = self.fc(x)
            return Outputs(x, aux2, aux1) if self.training else x

    net = GoogLeNet()
    redraw(net, 5)
    images, labels = numbers(torch, 6, 3, 27, 27, seed=6), torch.tensor([0, 1, 2, 1, 0, 2])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: (1 - epoch / 8) ** 0.5)
    losses = []
    for epoch in range(5):
        optimizer.zero_grad()
        outputs = net(images)
        loss = F.cross_entropy(outputs.logits, labels)
        for aux in outputs[1:]:
            loss += 0.3 * F.cross_entropy(aux, labels)
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    net.eval()
    return {"loose": [losses, net.state_dict(), F.softmax(net(images), 1)]}
