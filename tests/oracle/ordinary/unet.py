"""Down and up with skip connections, transposed convolutions, a per-pixel loss."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    def double(i, o):
        return nn.Sequential(
            nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
            nn.Conv2d(o, o, 3, padding=1, bias=False), nn.InstanceNorm2d(o, affine=True), nn.ReLU(inplace=True),
        )  # fmt: skip

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down1, self.down2, self.pool = double(1, 3), double(3, 6), nn.MaxPool2d(2)
            self.up = nn.ConvTranspose2d(6, 3, 2, stride=2)
            self.conv, self.last = double(6, 3), nn.Conv2d(3, 2, 1)

        def forward(self, x):
            a = self.down1(x)
            b = self.up(self.down2(self.pool(a)))
            b = F.pad(b, [0, a.size(3) - b.size(3), 0, a.size(2) - b.size(2)])
            return self.last(self.conv(torch.cat([a, b], dim=1)))

    net = UNet()
    fill(net, 1)
    x = numbers(torch, 2, 1, 9, 9, seed=2)
    target = (x[:, 0] > 0).long()
    optimizer, losses = torch.optim.Adam(net.parameters(), lr=0.01), []
    for _ in range(3):
        loss = F.cross_entropy(net(x), target, weight=torch.tensor([1.0, 2.0]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses, "loose state": net.state_dict()}
