"""Down and up, enlarged by interpolation or a transposed convolution, skips cropped; Dice and cross-entropy; lr by plateau."""

from tests.oracle.ordinary.given import numbers, redraw


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class DoubleConv(nn.Module):
        def __init__(self, in_channels, out_channels, mid_channels=None):
            super().__init__()
            if not mid_channels:
                mid_channels = out_channels
            self.double_conv = nn.Sequential(
                nn.Conv2d(in_channels, mid_channels, kernel_size=3, padding=1, bias=False),
                nn.BatchNorm2d(mid_channels),
                nn.ReLU(inplace=True),
                nn.Conv2d(mid_channels, out_channels, kernel_size=3, padding=1, bias=False),
                nn.BatchNorm2d(out_channels),
                nn.ReLU(inplace=True),
            )

        def forward(self, x):
            return self.double_conv(x)

    class Down(nn.Module):
        def __init__(self, in_channels, out_channels):
            super().__init__()
            self.maxpool_conv = nn.Sequential(
                nn.MaxPool2d(2), DoubleConv(in_channels, out_channels)
            )

        def forward(self, x):
            return self.maxpool_conv(x)

    class Up(nn.Module):
        def __init__(self, in_channels, out_channels, bilinear=True):
            super().__init__()
            if bilinear:
                self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
                self.conv = DoubleConv(in_channels, out_channels, in_channels // 2)
            else:
                self.up = nn.ConvTranspose2d(in_channels, in_channels // 2, kernel_size=2, stride=2)
                self.conv = DoubleConv(in_channels, out_channels)

        def forward(self, x1, x2):
            x1 = self.up(x1)
            diffY = x2.size()[2] - x1.size()[2]
            diffX = x2.size()[3] - x1.size()[3]
            x1 = F.pad(x1, [diffX // 2, diffX - diffX // 2, diffY // 2, diffY - diffY // 2])
            x = torch.cat([x2, x1], dim=1)
            return self.conv(x)

    class UNet(nn.Module):
        def __init__(self, n_channels, n_classes, bilinear):
            super().__init__()
            factor = 2 if bilinear else 1
            self.inc = DoubleConv(n_channels, 3)
            self.down1 = Down(3, 6)
            self.down2 = Down(6, 12 // factor)
            self.up1 = Up(12, 6 // factor, bilinear)
            self.up2 = Up(6, 3, bilinear)
            self.outc = nn.Conv2d(3, n_classes, kernel_size=1)

        def forward(self, x):
            x1 = self.inc(x)
            x2 = self.down1(x1)
            x3 = self.down2(x2)
            x = self.up1(x3, x2)
            x = self.up2(x, x1)
            return self.outc(x)

    class Padless(nn.Module):
        """The first form: no padding, what is skipped is cropped, enlarged by nearest neighbours."""

        def __init__(self, n_classes):
            super().__init__()
            self.down = nn.ModuleList([nn.Conv2d(1, 3, 3), nn.Conv2d(3, 5, 3)])
            self.bottom = nn.Conv2d(5, 5, 3, padding=1)
            self.up = nn.ModuleList([nn.Conv2d(10, 3, 3), nn.Conv2d(6, 3, 3)])
            self.last = nn.Conv2d(3, n_classes, 1)

        def crop(self, layer, target_size):
            _, _, height, width = layer.size()
            diff_y, diff_x = (height - target_size[0]) // 2, (width - target_size[1]) // 2
            return layer[
                :, :, diff_y : (diff_y + target_size[0]), diff_x : (diff_x + target_size[1])
            ]

        def forward(self, x):
            size, blocks = x.shape[-2:], []
            for down in self.down:
                x = F.leaky_relu(down(x), 0.1, inplace=True)
                blocks.append(x)
                x = F.avg_pool2d(x, 2)
            x = F.elu(self.bottom(x))
            for i, up in enumerate(self.up):
                x = F.interpolate(x, scale_factor=2, mode="nearest")
                bridge = self.crop(blocks[-i - 1], x.shape[2:])
                x = F.relu_(up(torch.cat([x, bridge], 1)))
            return F.interpolate(self.last(x), size=size, mode="bicubic", align_corners=False)

    def dice_coeff(input, target, epsilon=1e-6):
        sum_dim = (-1, -2, -3)
        inter = 2 * (input * target).sum(dim=sum_dim)
        sets_sum = input.sum(dim=sum_dim) + target.sum(dim=sum_dim)
        sets_sum = torch.where(sets_sum == 0, inter, sets_sum)
        return ((inter + epsilon) / (sets_sum + epsilon)).mean()

    def dice_loss(masks_pred, true_masks, classes):
        probabilities = F.softmax(masks_pred, dim=1).float()
        one_hot = F.one_hot(true_masks, classes).permute(0, 3, 1, 2).float()
        return 1 - dice_coeff(probabilities.flatten(0, 1), one_hot.flatten(0, 1))

    images = numbers(torch, 2, 1, 22, 18, seed=2)
    masks = (images[:, 0] > 0).long() + (images[:, 0] > 1).long()
    masks[0, 0, :5] = 255
    results = {}
    for name, net in (
        ("bilinear", UNet(1, 3, True)),
        ("transposed", UNet(1, 3, False)),
        ("padless", Padless(3)),
    ):
        redraw(net, 1)
        optimizer = torch.optim.RMSprop(
            net.parameters(), lr=0.01, weight_decay=1e-8, momentum=0.5, foreach=True, eps=1e-3
        )
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, "max", patience=0)
        scaler = torch.amp.GradScaler("cpu", enabled=False)
        losses = []
        for _ in range(5):
            predicted = net(images)
            loss = nn.CrossEntropyLoss(ignore_index=255)(predicted, masks)
            loss += dice_loss(predicted, masks.clamp(max=2), 3)
            optimizer.zero_grad(set_to_none=True)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            scheduler.step(-loss.item())
            losses.append(loss.item())
        lr = optimizer.param_groups[0]["lr"]
        results["loose " + name] = [
            losses,
            lr,
            net.state_dict(),
            net.eval()(images).argmax(dim=1).float().mean(),
        ]
    return results
