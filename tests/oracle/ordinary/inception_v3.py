"""Asymmetric convolutions, a grid made smaller side by side, an auxiliary head, smoothed labels, RMSprop."""

from tests.oracle.ordinary.given import numbers, redraw


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    def conv(i, o, **kwargs):
        return nn.Sequential(
            nn.Conv2d(i, o, bias=False, **kwargs),
            nn.BatchNorm2d(o, eps=0.001),
            nn.ReLU(inplace=True),
        )

    class InceptionA(nn.Module):
        def __init__(self, i, pool_features):
            super().__init__()
            self.branch1x1 = conv(i, 2, kernel_size=1)
            self.branch5x5_1 = conv(i, 2, kernel_size=1)
            self.branch5x5_2 = conv(2, 3, kernel_size=5, padding=2)
            self.branch3x3dbl = nn.Sequential(
                conv(i, 2, kernel_size=1),
                conv(2, 3, kernel_size=3, padding=1),
                conv(3, 3, kernel_size=3, padding=1),
            )
            self.branch_pool = conv(i, pool_features, kernel_size=1)

        def forward(self, x):
            branch5x5 = self.branch5x5_2(self.branch5x5_1(x))
            branch_pool = F.avg_pool2d(x, kernel_size=3, stride=1, padding=1)
            outputs = [
                self.branch1x1(x),
                branch5x5,
                self.branch3x3dbl(x),
                self.branch_pool(branch_pool),
            ]
            return torch.cat(outputs, 1)

    class InceptionB(nn.Module):
        def __init__(self, i):
            super().__init__()
            self.branch3x3 = conv(i, 3, kernel_size=3, stride=2)
            self.branch3x3dbl_1 = conv(i, 2, kernel_size=1)
            self.branch3x3dbl_2 = conv(2, 3, kernel_size=3, stride=2)

        def forward(self, x):
            branch_pool = F.max_pool2d(x, kernel_size=3, stride=2)
            return torch.cat(
                [self.branch3x3(x), self.branch3x3dbl_2(self.branch3x3dbl_1(x)), branch_pool], 1
            )

    class InceptionC(nn.Module):
        def __init__(self, i, c7):
            super().__init__()
            self.branch1x1 = conv(i, 2, kernel_size=1)
            self.branch7x7_1 = conv(i, c7, kernel_size=1)
            self.branch7x7_2 = conv(c7, c7, kernel_size=(1, 7), padding=(0, 3))
            self.branch7x7_3 = conv(c7, 3, kernel_size=(7, 1), padding=(3, 0))
            self.branch_pool = conv(i, 2, kernel_size=1)

        def forward(self, x):
            branch7x7 = self.branch7x7_1(x)
            branch7x7 = self.branch7x7_2(branch7x7)
            branch7x7 = self.branch7x7_3(branch7x7)
            pooled = F.avg_pool2d(x, 3, stride=1, padding=1, count_include_pad=False)
            return torch.cat([self.branch1x1(x), branch7x7, self.branch_pool(pooled)], 1)

    class InceptionE(nn.Module):
        def __init__(self, i):
            super().__init__()
            self.branch3x3_1 = conv(i, 3, kernel_size=1)
            self.branch3x3_2a = conv(3, 2, kernel_size=(1, 3), padding=(0, 1))
            self.branch3x3_2b = conv(3, 2, kernel_size=(3, 1), padding=(1, 0))

        def forward(self, x):
            x = self.branch3x3_1(x)
            branches = [self.branch3x3_2a(x), self.branch3x3_2b(x)]
            return torch.cat(branches, 1)

    class Aux(nn.Module):
        def __init__(self, i, classes):
            super().__init__()
            self.conv0, self.conv1 = conv(i, 3, kernel_size=1), conv(3, 4, kernel_size=2)
            self.conv1.stddev = 0.01
            self.fc = nn.Linear(4, classes)
            self.fc.stddev = 0.001

        def forward(self, x):
            x = F.avg_pool2d(x, kernel_size=3, stride=2)
            x = F.adaptive_avg_pool2d(self.conv1(self.conv0(x)), (1, 1))
            return self.fc(torch.flatten(x, 1))

    class Inception3(nn.Module):
        def __init__(self, classes=3):
            super().__init__()
            self.stem = nn.Sequential(
                conv(3, 4, kernel_size=3, stride=2), conv(4, 4, kernel_size=3, padding=1)
            )
            self.Mixed_5b = InceptionA(4, pool_features=2)
            self.Mixed_6a = InceptionB(10)
            self.Mixed_6b = InceptionC(16, c7=2)
            self.AuxLogits = Aux(7, classes)
            self.Mixed_7a = InceptionE(7)
            self.fc = nn.Linear(4, classes)
            for m in self.modules():
                if isinstance(m, (nn.Conv2d, nn.Linear)):
                    stddev = float(m.stddev) if hasattr(m, "stddev") else 0.1
                    torch.nn.init.trunc_normal_(m.weight, mean=0.0, std=stddev, a=-2, b=2)

        def forward(self, x):
            x = self.Mixed_6b(self.Mixed_6a(self.Mixed_5b(self.stem(x))))
            aux = None
            if self.AuxLogits is not None:
                if self.training:
                    aux = self.AuxLogits(x)
            x = F.adaptive_avg_pool2d(self.Mixed_7a(x), 1)
            x = self.fc(x.view(x.shape[0], -1))
            return (x, aux) if self.training else x

    class LabelSmoothing(nn.Module):
        def __init__(self, smoothing):
            super().__init__()
            self.confidence, self.smoothing = 1.0 - smoothing, smoothing

        def forward(self, x, target):
            logprobs = F.log_softmax(x, dim=-1)
            nll_loss = -logprobs.gather(dim=-1, index=target.unsqueeze(1))
            nll_loss = nll_loss.squeeze(1)
            smooth_loss = -logprobs.mean(dim=-1)
            return (self.confidence * nll_loss + self.smoothing * smooth_loss).mean()

    net = Inception3().double()
    redraw(net, 7)
    criterion = LabelSmoothing(0.1)
    optimizer = torch.optim.RMSprop(net.parameters(), lr=0.004, alpha=0.9, eps=1.0, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.94)
    images, labels = numbers(torch, 4, 3, 25, 25, seed=6).double(), torch.tensor([0, 1, 2, 1])
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        logits, aux = net(images)
        loss = criterion(logits, labels) + 0.4 * criterion(aux, labels)
        loss.backward()
        nn.utils.clip_grad_value_(net.parameters(), 2.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    net.AuxLogits = None
    net.eval()
    features = []
    hook = net.fc.register_forward_pre_hook(
        lambda module, inputs: features.append(inputs[0].detach())
    )
    predicted = net(images).argmax(1)
    hook.remove()
    return {
        "losses": losses,
        "state": net.state_dict(),
        "predicted": predicted,
        "features": features,
    }
