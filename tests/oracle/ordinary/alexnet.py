"""Five convolutions, response normalisation, three linear layers with dropout; lr by steps."""

from tests.oracle.ordinary.given import dropout, numbers, redraw


def main(torch):
    nn = torch.nn

    class AlexNet(nn.Module):
        def __init__(self, num_classes=4):
            super(AlexNet, self).__init__()
            self.features = nn.Sequential(
                nn.Conv2d(3, 8, kernel_size=5, stride=2, padding=2),
                nn.ReLU(inplace=True),
                nn.LocalResponseNorm(size=5, alpha=1e-4, beta=0.75, k=2),
                nn.MaxPool2d(kernel_size=3, stride=2),
                nn.Conv2d(8, 12, kernel_size=3, padding=1, groups=2),
                nn.ReLU(inplace=True),
                nn.LocalResponseNorm(size=5, alpha=1e-4, beta=0.75, k=2),
                nn.MaxPool2d(kernel_size=3, stride=2),
                nn.Conv2d(12, 12, kernel_size=3, padding=1),
                nn.ReLU(inplace=True),
                nn.Conv2d(12, 8, kernel_size=3, padding=1, groups=2),
                nn.ReLU(inplace=True),
                nn.MaxPool2d(kernel_size=3, stride=1),
            )
            self.avgpool = nn.AdaptiveAvgPool2d((2, 2))
            self.classifier = nn.Sequential(
                dropout(torch, 0.5, 1),
                nn.Linear(8 * 2 * 2, 16),
                nn.ReLU(inplace=True),
                dropout(torch, 0.5, 2),
                nn.Linear(16, 16),
                nn.ReLU(inplace=True),
                nn.Linear(16, num_classes),
            )
            self.init_bias()

        def init_bias(self):
            for layer in self.features:
                if isinstance(layer, nn.Conv2d):
                    nn.init.normal_(layer.weight, mean=0, std=0.01)
                    nn.init.constant_(layer.bias, 0)
            nn.init.constant_(self.features[4].bias, 1)

        def forward(self, x):
            x = self.avgpool(self.features(x))
            x = torch.flatten(x, 1)
            return self.classifier(x)

    net = AlexNet()
    redraw(net, 3)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
    images, labels = numbers(torch, 6, 3, 33, 33, seed=1), torch.tensor([0, 1, 2, 3, 0, 1])
    losses, rates = [], []
    for _ in range(5):
        optimizer.zero_grad()
        loss = criterion(net(images), labels)
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
        rates.append(scheduler.get_last_lr()[0])
    net.eval()
    with torch.no_grad():
        _, top = net(images).topk(2, 1, True, True)
        correct = top.t().eq(labels.view(1, -1).expand_as(top.t()))
        hits = correct[:2].reshape(-1).float().sum(0, keepdim=True)
    return {"losses": losses, "rates": rates, "hits": hits, "state": net.state_dict()}
