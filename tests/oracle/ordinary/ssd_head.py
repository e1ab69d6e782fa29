"""Prior boxes, L2Norm of a feature map, boxes matched by overlap, hard negatives by rank, smooth L1, decoding."""

from itertools import product
from math import sqrt

from tests.oracle.ordinary.given import numbers, redraw


def main(torch):
    nn, F = torch.nn, torch.nn.functional
    Variable = torch.autograd.Variable
    variances = [0.1, 0.2]

    def prior_boxes(feature_maps=(6, 3, 1), image=24.0, sizes=(6, 12, 20, 26)):
        mean = []
        for k, f in enumerate(feature_maps):
            for i, j in product(range(f), repeat=2):
                cx, cy = (j + 0.5) / f, (i + 0.5) / f
                s_k = sizes[k] / image
                mean += [cx, cy, s_k, s_k]
                s_k_prime = sqrt(s_k * (sizes[k + 1] / image))
                mean += [cx, cy, s_k_prime, s_k_prime]
                for ar in [2]:
                    mean += [cx, cy, s_k * sqrt(ar), s_k / sqrt(ar)]
                    mean += [cx, cy, s_k / sqrt(ar), s_k * sqrt(ar)]
        output = torch.Tensor(mean).view(-1, 4)
        output.clamp_(max=1, min=0)
        return output

    def point_form(boxes):
        return torch.cat((boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2), 1)

    def jaccard(box_a, box_b):
        A, B = box_a.size(0), box_b.size(0)
        max_xy = torch.min(
            box_a[:, 2:].unsqueeze(1).expand(A, B, 2), box_b[:, 2:].unsqueeze(0).expand(A, B, 2)
        )
        min_xy = torch.max(
            box_a[:, :2].unsqueeze(1).expand(A, B, 2), box_b[:, :2].unsqueeze(0).expand(A, B, 2)
        )
        inter = torch.clamp((max_xy - min_xy), min=0)
        inter = inter[:, :, 0] * inter[:, :, 1]
        area_a = (
            ((box_a[:, 2] - box_a[:, 0]) * (box_a[:, 3] - box_a[:, 1]))
            .unsqueeze(1)
            .expand_as(inter)
        )
        area_b = (
            ((box_b[:, 2] - box_b[:, 0]) * (box_b[:, 3] - box_b[:, 1]))
            .unsqueeze(0)
            .expand_as(inter)
        )
        return inter / (area_a + area_b - inter)

    def encode(matched, priors):
        g_cxcy = (matched[:, :2] + matched[:, 2:]) / 2 - priors[:, :2]
        g_cxcy /= variances[0] * priors[:, 2:]
        g_wh = (matched[:, 2:] - matched[:, :2]) / priors[:, 2:]
        g_wh = torch.log(g_wh) / variances[1]
        return torch.cat([g_cxcy, g_wh], 1)

    def decode(loc, priors):
        boxes = torch.cat(
            (
                priors[:, :2] + loc[:, :2] * variances[0] * priors[:, 2:],
                priors[:, 2:] * torch.exp(loc[:, 2:] * variances[1]),
            ),
            1,
        )
        boxes[:, :2] -= boxes[:, 2:] / 2
        boxes[:, 2:] += boxes[:, :2]
        return boxes

    def match(threshold, truths, priors, labels, loc_t, conf_t, idx):
        overlaps = jaccard(truths, point_form(priors))
        best_prior_overlap, best_prior_idx = overlaps.max(1, keepdim=True)
        best_truth_overlap, best_truth_idx = overlaps.max(0, keepdim=True)
        best_truth_idx.squeeze_(0)
        best_truth_overlap.squeeze_(0)
        best_prior_idx.squeeze_(1)
        best_prior_overlap.squeeze_(1)
        best_truth_overlap.index_fill_(0, best_prior_idx, 2)
        for j in range(best_prior_idx.size(0)):
            best_truth_idx[best_prior_idx[j]] = j
        matches = truths[best_truth_idx]
        conf = labels[best_truth_idx] + 1
        conf[best_truth_overlap < threshold] = 0
        loc_t[idx] = encode(matches, priors)
        conf_t[idx] = conf

    def log_sum_exp(x):
        x_max = x.data.max()
        return torch.log(torch.sum(torch.exp(x - x_max), 1, keepdim=True)) + x_max

    def nms(boxes, scores, overlap=0.5, top_k=20):
        keep = scores.new(scores.size(0)).zero_().long()
        if boxes.numel() == 0:
            return keep, 0
        x1, y1, x2, y2 = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
        area = torch.mul(x2 - x1, y2 - y1)
        v, idx = scores.sort(stable=True, dim=0)
        idx = idx[-top_k:]
        xx1, yy1, xx2, yy2, w, h = (boxes.new() for _ in range(6))
        count = 0
        while idx.numel() > 0:
            i = idx[-1]
            keep[count] = i
            count += 1
            if idx.size(0) == 1:
                break
            idx = idx[:-1]
            xx1 = torch.index_select(x1, 0, idx)
            yy1 = torch.index_select(y1, 0, idx)
            xx2 = torch.index_select(x2, 0, idx)
            yy2 = torch.index_select(y2, 0, idx)
            xx1 = torch.clamp(xx1, min=x1[i].item())
            yy1 = torch.clamp(yy1, min=y1[i].item())
            xx2 = torch.clamp(xx2, max=x2[i].item())
            yy2 = torch.clamp(yy2, max=y2[i].item())
            w.resize_as_(xx2)
            h.resize_as_(yy2)
            w = xx2 - xx1
            h = yy2 - yy1
            w = torch.clamp(w, min=0.0)
            h = torch.clamp(h, min=0.0)
            inter = w * h
            rem_areas = torch.index_select(area, 0, idx)
            union = (rem_areas - inter) + area[i]
            IoU = inter / union
            idx = idx[IoU.le(overlap)]
        return keep, count

    class L2Norm(nn.Module):
        def __init__(self, n_channels, scale):
            super(L2Norm, self).__init__()
            self.n_channels, self.gamma, self.eps = n_channels, scale or None, 1e-10
            self.weight = nn.Parameter(torch.Tensor(self.n_channels))
            self.reset_parameters()

        def reset_parameters(self):
            nn.init.constant_(self.weight, self.gamma)

        def forward(self, x):
            norm = x.pow(2).sum(dim=1, keepdim=True).sqrt() + self.eps
            x = torch.div(x, norm)
            return self.weight.unsqueeze(0).unsqueeze(2).unsqueeze(3).expand_as(x) * x

    class SSD(nn.Module):
        def __init__(self, num_classes):
            super(SSD, self).__init__()
            self.num_classes = num_classes
            self.priors = Variable(prior_boxes())
            self.vgg = nn.ModuleList(
                [
                    nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(kernel_size=2, stride=2),
                    nn.Conv2d(4, 6, 3, padding=1), nn.ReLU(inplace=True),
                    nn.MaxPool2d(kernel_size=2, stride=2, ceil_mode=True),
                    nn.Conv2d(6, 6, kernel_size=3, padding=2, dilation=2), nn.ReLU(inplace=True),
                ]
            )  # fmt: skip
            self.L2Norm = L2Norm(6, 5)
            self.extras = nn.ModuleList(
                [nn.Conv2d(6, 6, 3, stride=2, padding=1), nn.Conv2d(6, 6, kernel_size=3)]
            )
            self.loc = nn.ModuleList([nn.Conv2d(6, 4 * 4, 3, padding=1) for _ in range(3)])
            self.conf = nn.ModuleList(
                [nn.Conv2d(6, 4 * num_classes, 3, padding=1) for _ in range(3)]
            )

        def forward(self, x):
            sources, loc, conf = list(), list(), list()
            for k in range(len(self.vgg)):
                x = self.vgg[k](x)
            sources.append(self.L2Norm(x))
            for k, v in enumerate(self.extras):
                x = F.relu(v(x), inplace=True)
                sources.append(x)
            for x, l, c in zip(sources, self.loc, self.conf):
                loc.append(l(x).permute(0, 2, 3, 1).contiguous())
                conf.append(c(x).permute(0, 2, 3, 1).contiguous())
            loc = torch.cat([o.view(o.size(0), -1) for o in loc], 1)
            conf = torch.cat([o.view(o.size(0), -1) for o in conf], 1)
            return (
                loc.view(loc.size(0), -1, 4),
                conf.view(conf.size(0), -1, self.num_classes),
                self.priors,
            )

    def multibox_loss(predictions, targets, num_classes, negpos_ratio=3):
        loc_data, conf_data, priors = predictions
        num = loc_data.size(0)
        priors = priors[: loc_data.size(1), :]
        num_priors = priors.size(0)
        loc_t = torch.Tensor(num, num_priors, 4)
        conf_t = torch.LongTensor(num, num_priors)
        for idx in range(num):
            match(
                0.4,
                targets[idx][:, :-1].data,
                priors.data,
                targets[idx][:, -1].data,
                loc_t,
                conf_t,
                idx,
            )
        loc_t = Variable(loc_t, requires_grad=False)
        conf_t = Variable(conf_t, requires_grad=False)
        pos = conf_t > 0
        pos_idx = pos.unsqueeze(pos.dim()).expand_as(loc_data)
        loc_p = loc_data[pos_idx].view(-1, 4)
        loc_t = loc_t[pos_idx].view(-1, 4)
        loss_l = F.smooth_l1_loss(loc_p, loc_t, reduction="sum")
        batch_conf = conf_data.view(-1, num_classes)
        loss_c = log_sum_exp(batch_conf) - batch_conf.gather(1, conf_t.view(-1, 1))
        loss_c = loss_c.view(num, -1)
        loss_c[pos] = 0
        _, loss_idx = loss_c.sort(1, descending=True)
        _, idx_rank = loss_idx.sort(1)
        num_pos = pos.long().sum(1, keepdim=True)
        num_neg = torch.clamp(negpos_ratio * num_pos, max=pos.size(1) - 1)
        neg = idx_rank < num_neg.expand_as(idx_rank)
        pos_idx = pos.unsqueeze(2).expand_as(conf_data)
        neg_idx = neg.unsqueeze(2).expand_as(conf_data)
        conf_p = conf_data[(pos_idx + neg_idx).gt(0)].view(-1, num_classes)
        targets_weighted = conf_t[(pos + neg).gt(0)]
        loss_c = F.cross_entropy(conf_p, targets_weighted, reduction="sum")
        N = num_pos.data.sum().double()
        loss_l = loss_l.double()
        loss_c = loss_c.double()
        loss_l /= N
        loss_c /= N
        return loss_l, loss_c

    def weights_init(m):
        if isinstance(m, nn.Conv2d):
            nn.init.xavier_uniform_(m.weight.data)
            m.bias.data.zero_()

    net = SSD(3)
    net.vgg.apply(weights_init)
    net.extras.apply(weights_init)
    net.loc.apply(weights_init)
    net.conf.apply(weights_init)
    redraw(net, 2)
    images = numbers(torch, 3, 3, 24, 24, seed=8)
    targets = [
        torch.FloatTensor([[0.1, 0.1, 0.5, 0.6, 0], [0.5, 0.4, 0.95, 0.9, 1]]),
        torch.FloatTensor([[0.2, 0.3, 0.8, 0.85, 1]]),
        torch.FloatTensor(
            [[0.05, 0.5, 0.4, 0.9, 0], [0.6, 0.1, 0.9, 0.3, 1], [0.3, 0.3, 0.6, 0.6, 0]]
        ),
    ]
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)
    losses = []
    for iteration in range(5):
        if iteration in (3,):
            for param_group in optimizer.param_groups:
                param_group["lr"] = 0.001
        out = net(images)
        optimizer.zero_grad()
        loss_l, loss_c = multibox_loss(out, targets, 3)
        loss = loss_l + loss_c
        loss.backward()
        optimizer.step()
        losses.append([loss_l.data.item(), loss_c.data.item()])
    net.eval()
    loc, conf, priors = net(images)
    conf = F.softmax(conf, dim=-1).transpose(2, 1)
    detections = torch.zeros(3, 3, 5, 5)
    for i in range(3):
        boxes = decode(loc.data[i], priors.data)
        for cl in range(1, 3):
            c_mask = conf.data[i][cl].gt(0.3)
            scores = conf.data[i][cl][c_mask]
            if scores.size(0) == 0:
                continue
            l_mask = c_mask.unsqueeze(1).expand_as(boxes)
            chosen = boxes[l_mask].view(-1, 4)
            ids, count = nms(chosen, scores)
            count = min(count, 5)
            detections[i, cl, :count] = torch.cat(
                (scores[ids[:count]].unsqueeze(1), chosen[ids[:count]]), 1
            )
    return {"losses": losses, "state": net.state_dict(), "loose detections": detections}
