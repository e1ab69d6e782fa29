"""Anchors and grids as buffers, boxes decoded in place, targets built with masks, IoU loss, boxes suppressed."""

import math

from tests.oracle.ordinary.given import numbers, redraw


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    def bbox_iou(box1, box2, x1y1x2y2=False, CIoU=True, eps=1e-7):
        if x1y1x2y2:
            b1_x1, b1_y1, b1_x2, b1_y2 = box1.chunk(4, -1)
            b2_x1, b2_y1, b2_x2, b2_y2 = box2.chunk(4, -1)
            w1, h1 = b1_x2 - b1_x1, (b1_y2 - b1_y1).clamp(eps)
            w2, h2 = b2_x2 - b2_x1, (b2_y2 - b2_y1).clamp(eps)
        else:
            (x1, y1, w1, h1), (x2, y2, w2, h2) = box1.chunk(4, -1), box2.chunk(4, -1)
            b1_x1, b1_x2, b1_y1, b1_y2 = x1 - w1 / 2, x1 + w1 / 2, y1 - h1 / 2, y1 + h1 / 2
            b2_x1, b2_x2, b2_y1, b2_y2 = x2 - w2 / 2, x2 + w2 / 2, y2 - h2 / 2, y2 + h2 / 2
        inter = (b1_x2.minimum(b2_x2) - b1_x1.maximum(b2_x1)).clamp(0) * (
            torch.min(b1_y2, b2_y2) - torch.max(b1_y1, b2_y1)
        ).clamp(0)
        union = w1 * h1 + w2 * h2 - inter + eps
        iou = inter / union
        if CIoU:
            cw = b1_x2.maximum(b2_x2) - b1_x1.minimum(b2_x1)
            ch = b1_y2.maximum(b2_y2) - b1_y1.minimum(b2_y1)
            c2 = cw**2 + ch**2 + eps
            rho2 = ((b2_x1 + b2_x2 - b1_x1 - b1_x2) ** 2 + (b2_y1 + b2_y2 - b1_y1 - b1_y2) ** 2) / 4
            v = (4 / math.pi**2) * (torch.atan(w2 / h2) - torch.atan(w1 / h1)).pow(2)
            with torch.no_grad():
                alpha = v / (v - iou + (1 + eps))
            return iou - (rho2 / c2 + v * alpha)
        return iou

    class Conv(nn.Module):
        act = nn.SiLU(inplace=True)

        def __init__(self, c1, c2, k=1, s=1):
            super().__init__()
            self.conv = nn.Conv2d(c1, c2, k, s, k // 2, bias=False)
            self.bn = nn.BatchNorm2d(c2)

        def forward(self, x):
            return self.act(self.bn(self.conv(x)))

    class C3(nn.Module):
        def __init__(self, c1, c2):
            super().__init__()
            self.cv1, self.cv2, self.cv3 = Conv(c1, c2 // 2), Conv(c1, c2 // 2), Conv(c2, c2)
            self.m = nn.Sequential(Conv(c2 // 2, c2 // 2, 3))

        def forward(self, x):
            y = self.cv1(x)
            return self.cv3(torch.cat((y + self.m(y), self.cv2(x)), 1))

    class SPPF(nn.Module):
        def __init__(self, c1, c2, k=3):
            super().__init__()
            self.cv1, self.cv2 = Conv(c1, c1 // 2), Conv(c1 * 2, c2)
            self.m = nn.MaxPool2d(kernel_size=k, stride=1, padding=k // 2)

        def forward(self, x):
            x = self.cv1(x)
            y1 = self.m(x)
            y2 = self.m(y1)
            return self.cv2(torch.cat((x, y1, y2, self.m(y2)), 1))

    class Detect(nn.Module):
        def __init__(self, nc, anchors, ch, stride):
            super().__init__()
            self.nc, self.no = nc, nc + 5
            self.nl, self.na = len(anchors), len(anchors[0]) // 2
            self.grid = [torch.empty(0) for _ in range(self.nl)]
            self.anchor_grid = [torch.empty(0) for _ in range(self.nl)]
            self.stride = torch.tensor(stride)
            self.register_buffer("anchors", torch.tensor(anchors).float().view(self.nl, -1, 2))
            self.anchors /= self.stride.view(-1, 1, 1)
            self.m = nn.ModuleList(nn.Conv2d(x, self.no * self.na, 1) for x in ch)
            for mi, s in zip(self.m, self.stride):
                b = mi.bias.view(self.na, -1)
                b.data[:, 4] += math.log(8 / (24 / s) ** 2)
                b.data[:, 5 : 5 + nc] += math.log(0.6 / (nc - 0.99))
                mi.bias = torch.nn.Parameter(b.view(-1), requires_grad=True)

        def forward(self, x):
            z = []
            for i in range(self.nl):
                x[i] = self.m[i](x[i])
                bs, _, ny, nx = x[i].shape
                x[i] = x[i].view(bs, self.na, self.no, ny, nx).permute(0, 1, 3, 4, 2).contiguous()
                if not self.training:
                    if self.grid[i].shape[2:4] != x[i].shape[2:4]:
                        self.grid[i], self.anchor_grid[i] = self._make_grid(nx, ny, i)
                    xy, wh, conf = x[i].sigmoid().split((2, 2, self.nc + 1), 4)
                    xy = (xy * 2 + self.grid[i]) * self.stride[i]
                    wh = (wh * 2) ** 2 * self.anchor_grid[i]
                    y = torch.cat((xy, wh, conf), 4)
                    z.append(y.view(bs, self.na * nx * ny, self.no))
            return x if self.training else (torch.cat(z, 1), x)

        def _make_grid(self, nx, ny, i):
            d, t = self.anchors[i].device, self.anchors[i].dtype
            shape = 1, self.na, ny, nx, 2
            y, x = torch.arange(ny, device=d, dtype=t), torch.arange(nx, device=d, dtype=t)
            yv, xv = torch.meshgrid(y, x, indexing="ij")
            grid = torch.stack((xv, yv), 2).expand(shape) - 0.5
            anchor_grid = (
                (self.anchors[i] * self.stride[i]).view((1, self.na, 1, 1, 2)).expand(shape)
            )
            return grid, anchor_grid

    class Yolo(nn.Module):
        def __init__(self, nc=2):
            super().__init__()
            self.stem = nn.Sequential(Conv(3, 4, 3, 2), Conv(4, 6, 3, 2), C3(6, 6))
            self.deep = nn.Sequential(Conv(6, 8, 3, 2), SPPF(8, 8))
            self.reduce, self.up = Conv(8, 6), nn.Upsample(None, 2, "nearest")
            self.merge = C3(12, 6)
            self.detect = Detect(nc, [[5, 6, 8, 14], [15, 11, 20, 20]], [6, 8], [4.0, 8.0])

        def forward(self, x):
            a = self.stem(x)
            b = self.deep(a)
            a = self.merge(torch.cat([self.up(self.reduce(b)), a], 1))
            return self.detect([a, b])

    def build_targets(p, targets, det):
        tcls, tbox, indices, anch = [], [], [], []
        na, nt = det.na, targets.shape[0]
        gain = torch.ones(7)
        ai = torch.arange(na).float().view(na, 1).repeat(1, nt)
        targets = torch.cat((targets.repeat(na, 1, 1), ai[..., None]), 2)
        g = 0.5
        off = torch.tensor([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]]).float() * g
        for i in range(det.nl):
            anchors, shape = det.anchors[i], p[i].shape
            gain[2:6] = torch.tensor(shape)[[3, 2, 3, 2]]
            t = targets * gain
            r = t[..., 4:6] / anchors[:, None]
            j = torch.max(r, 1 / r).max(2)[0] < 4.0
            t = t[j]
            gxy = t[:, 2:4]
            gxi = gain[[2, 3]] - gxy
            j, k = ((gxy % 1 < g) & (gxy > 1)).T
            l, m = ((gxi % 1 < g) & (gxi > 1)).T
            j = torch.stack((torch.ones_like(j), j, k, l, m))
            t = t.repeat((5, 1, 1))[j]
            offsets = (torch.zeros_like(gxy)[None] + off[:, None])[j]
            bc, gxy, gwh, a = t.chunk(4, 1) if t.shape[1] == 8 else t.split((2, 2, 2, 1), 1)
            a, (b, c) = a.long().view(-1), bc.long().T
            gij = (gxy - offsets).long()
            gi, gj = gij.T
            indices.append((b, a, gj.clamp_(0, shape[2] - 1), gi.clamp_(0, shape[3] - 1)))
            tbox.append(torch.cat((gxy - gij, gwh), 1))
            anch.append(anchors[a])
            tcls.append(c)
        return tcls, tbox, indices, anch

    def compute_loss(p, targets, det):
        lcls, lbox, lobj = torch.zeros(1), torch.zeros(1), torch.zeros(1)
        tcls, tbox, indices, anchors = build_targets(p, targets, det)
        BCEcls = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.0]))
        BCEobj = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.2]))
        for i, pi in enumerate(p):
            b, a, gj, gi = indices[i]
            tobj = torch.zeros(pi.shape[:4], dtype=pi.dtype)
            n = b.shape[0]
            if n:
                pxy, pwh, _, pcls = pi[b, a, gj, gi].split((2, 2, 1, det.nc), 1)
                pxy = pxy.sigmoid() * 2 - 0.5
                pwh = (pwh.sigmoid() * 2) ** 2 * anchors[i]
                iou = bbox_iou(torch.cat((pxy, pwh), 1), tbox[i]).squeeze()
                lbox += (1.0 - iou).mean()
                iou = iou.detach().clamp(0).type(tobj.dtype)
                order = iou.argsort(stable=True)
                b, a, gj, gi, iou = b[order], a[order], gj[order], gi[order], iou[order]
                tobj[b, a, gj, gi] = iou
                t = torch.full_like(pcls, 0.0)
                t[range(n), tcls[i]] = 1.0
                lcls += BCEcls(pcls, t)
            lobj += BCEobj(pi[..., 4], tobj) * [4.0, 1.0][i]
        lbox *= 0.05
        lcls *= 0.5
        return (lbox + lobj + lcls) * p[0].shape[0], torch.cat((lbox, lobj, lcls)).detach()

    def xywh2xyxy(x):
        y = x.clone()
        y[..., 0] = x[..., 0] - x[..., 2] / 2
        y[..., 1] = x[..., 1] - x[..., 3] / 2
        y[..., 2] = x[..., 0] + x[..., 2] / 2
        y[..., 3] = x[..., 1] + x[..., 3] / 2
        return y

    def non_max_suppression(prediction, conf_thres=0.2, iou_thres=0.45):
        output = [torch.zeros((0, 6))] * prediction.shape[0]
        xc = prediction[..., 4] > conf_thres
        for xi, x in enumerate(prediction):
            x = x[xc[xi]]
            if not x.shape[0]:
                continue
            x[:, 5:] *= x[:, 4:5]
            box = xywh2xyxy(x[:, :4])
            conf, j = x[:, 5:].max(1, keepdim=True)
            x = torch.cat((box, conf, j.float()), 1)[conf.view(-1) > 0.05]
            x = x[x[:, 4].argsort(descending=True, stable=True)]
            kept = []
            while x.size(0):
                kept.append(x[0])
                iou = bbox_iou(x[0:1, :4], x[1:, :4], x1y1x2y2=True, CIoU=False).view(-1)
                x = x[1:][~((iou > iou_thres) & (x[1:, 5] == x[0, 5]))]
            output[xi] = torch.stack(kept) if kept else output[xi]
        return output

    net = Yolo()
    bias = [m.bias.detach().clone() for m in net.detect.m]
    assert all(b.shape == (14,) for b in bias)
    redraw(net, 4)
    images = numbers(torch, 2, 3, 24, 32, seed=5)
    targets = torch.tensor(
        [
            [0, 1, 0.3, 0.4, 0.3, 0.5],
            [0, 0, 0.7, 0.6, 0.2, 0.2],
            [1, 1, 0.5, 0.52, 0.6, 0.7],
            [1, 0, 0.9, 0.1, 0.3, 0.3],
        ]
    )
    g = [], [], []
    for v in net.modules():
        if hasattr(v, "bias") and isinstance(v.bias, nn.Parameter):
            g[2].append(v.bias)
        if isinstance(v, nn.BatchNorm2d):
            g[1].append(v.weight)
        elif hasattr(v, "weight") and isinstance(v.weight, nn.Parameter):
            g[0].append(v.weight)
    optimizer = torch.optim.SGD(g[2], lr=0.02, momentum=0.9, nesterov=True)
    optimizer.add_param_group({"params": g[0], "weight_decay": 5e-4})
    optimizer.add_param_group({"params": g[1], "weight_decay": 0.0})
    lf = lambda x: ((1 - math.cos(x * math.pi / 5)) / 2) * (0.1 - 1) + 1
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda=lf)
    scheduler.last_epoch = -1
    mean, losses = torch.zeros(3), []
    for i in range(5):
        for j, x in enumerate(optimizer.param_groups):
            x["lr"] = [0.05, 0.0, 0.0][j] + i / 4 * (x["initial_lr"] * lf(i) - [0.05, 0.0, 0.0][j])
        loss, items = compute_loss(net(images), targets, net.detect)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=10.0)
        optimizer.step()
        optimizer.zero_grad()
        mean = (mean * i + items) / (i + 1)
        losses.append(loss.item())
        scheduler.step()
    net.eval()
    with torch.no_grad():
        decoded, _ = net(images)
    return {
        "loose": [losses, mean, net.state_dict(), decoded],
        "found": [b.shape[0] for b in non_max_suppression(decoded.clone())],
        "loose found": non_max_suppression(decoded),
    }
