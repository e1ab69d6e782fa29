"""A list of widths becomes layers; Kaiming's init by kind of layer; norm clipped, half of it frozen."""

from tests.oracle.ordinary.given import dropout, numbers, redraw

CONFIGURATIONS = {"A": [4, "M", 6, "M", 8, 8, "M"], "B": [4, 4, "M", 6, 6, "M", 8, "M"]}


def main(torch):
    nn = torch.nn

    def make_layers(cfg, batch_norm=False):
        layers = []
        in_channels = 3
        for v in cfg:
            if v == "M":
                layers += [nn.MaxPool2d(kernel_size=2, stride=2)]
            else:
                conv2d = nn.Conv2d(in_channels, v, kernel_size=3, padding=1)
                if batch_norm:
                    layers += [conv2d, nn.BatchNorm2d(v), nn.ReLU(inplace=True)]
                else:
                    layers += [conv2d, nn.ReLU(inplace=True)]
                in_channels = v
        return nn.Sequential(*layers)

    class VGG(nn.Module):
        def __init__(self, features, classes=3):
            super().__init__()
            self.features = features
            self.avgpool = nn.AdaptiveAvgPool2d(2)
            self.classifier = nn.Sequential(
                nn.Linear(8 * 4, 12), nn.ReLU(True), dropout(torch, 0.4, 7), nn.Linear(12, classes)
            )
            for m in self.modules():
                if isinstance(m, nn.Conv2d):
                    nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
                    if m.bias is not None:
                        nn.init.constant_(m.bias, 0)
                elif isinstance(m, nn.BatchNorm2d):
                    nn.init.constant_(m.weight, 1)
                    nn.init.constant_(m.bias, 0)
                elif isinstance(m, nn.Linear):
                    nn.init.normal_(m.weight, 0, 0.01)
                    nn.init.constant_(m.bias, 0)

        def forward(self, x):
            x = self.features(x)
            x = self.avgpool(x)
            x = x.view(x.size(0), -1)
            return self.classifier(x)

    x, y = numbers(torch, 6, 3, 16, 16, seed=1), torch.arange(6) % 3
    results = {}
    for name, batch_norm in (("A", True), ("B", True), ("B", False)):
        net = VGG(make_layers(CONFIGURATIONS[name], batch_norm))
        redraw(net, 2)
        if name == "A":
            for param in net.features[:3].parameters():
                param.requires_grad = False
        optimizer = torch.optim.SGD(
            filter(lambda p: p.requires_grad, net.parameters()),
            lr=0.02,
            momentum=0.9,
            nesterov=True,
        )
        log = []
        for _ in range(5):
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=1.0)
            optimizer.step()
            log.append([loss.item(), norm.item()])
        results["loose %s %s" % (name, batch_norm)] = [log, net.state_dict(), net.eval()(x)]
    return results
