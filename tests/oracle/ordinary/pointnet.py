"""Transforms of points and of features that begin as identity, a max over points, orthogonality, momentum by epoch."""

import numpy as np

from tests.oracle.ordinary.given import dropout, numbers, redraw


def main(torch):
    nn, F = torch.nn, torch.nn.functional
    Variable = torch.autograd.Variable

    class STNkd(nn.Module):
        def __init__(self, k):
            super(STNkd, self).__init__()
            self.conv1, self.conv2 = nn.Conv1d(k, 6, 1), nn.Conv1d(6, 8, 1)
            self.fc1, self.fc2 = nn.Linear(8, 6), nn.Linear(6, k * k)
            self.bn1, self.bn2, self.bn3 = nn.BatchNorm1d(6), nn.BatchNorm1d(8), nn.BatchNorm1d(6)
            self.relu = nn.ReLU()
            self.k = k

        def forward(self, x):
            batchsize = x.size()[0]
            x = F.relu(self.bn1(self.conv1(x)))
            x = F.relu(self.bn2(self.conv2(x)))
            x = torch.max(x, 2, keepdim=True)[0]
            x = x.view(-1, 8)
            x = F.relu(self.bn3(self.fc1(x)))
            x = self.fc2(x)
            iden = Variable(torch.from_numpy(np.eye(self.k).flatten().astype(np.float32))).view(
                1, self.k * self.k
            )
            iden = iden.repeat(batchsize, 1)
            if x.is_cuda:
                iden = iden.cuda()
            x = x + iden
            return x.view(-1, self.k, self.k)

    class PointNetEncoder(nn.Module):
        def __init__(self, global_feat=True, channel=6):
            super().__init__()
            self.stn, self.fstn = STNkd(3), STNkd(6)
            self.conv1, self.conv2, self.conv3 = (
                nn.Conv1d(channel, 6, 1),
                nn.Conv1d(6, 8, 1),
                nn.Conv1d(8, 10, 1),
            )
            self.bn1, self.bn2, self.bn3 = nn.BatchNorm1d(6), nn.BatchNorm1d(8), nn.BatchNorm1d(10)
            self.global_feat = global_feat

        def forward(self, x):
            B, D, N = x.size()
            trans = self.stn(x[:, :3, :])
            x = x.transpose(2, 1)
            if D > 3:
                feature = x[:, :, 3:]
                x = x[:, :, :3]
            x = torch.bmm(x, trans)
            if D > 3:
                x = torch.cat([x, feature], dim=2)
            x = x.transpose(2, 1)
            x = F.relu(self.bn1(self.conv1(x)))
            trans_feat = self.fstn(x)
            x = x.transpose(2, 1)
            x = torch.bmm(x, trans_feat)
            x = x.transpose(2, 1)
            pointfeat = x
            x = F.relu(self.bn2(self.conv2(x)))
            x = self.bn3(self.conv3(x))
            x = torch.max(x, 2, keepdim=True)[0]
            x = x.view(-1, 10)
            if self.global_feat:
                return x, trans, trans_feat
            x = x.view(-1, 10, 1).repeat(1, 1, N)
            return torch.cat([x, pointfeat], 1), trans, trans_feat

    class Classifier(nn.Module):
        def __init__(self, k):
            super().__init__()
            self.feat = PointNetEncoder(global_feat=True)
            self.fc1, self.bn1 = nn.Linear(10, 8), nn.BatchNorm1d(8)
            self.fc2, self.dropout = nn.Linear(8, k), dropout(torch, 0.3, 3)

        def forward(self, x):
            x, trans, trans_feat = self.feat(x)
            x = self.dropout(F.relu(self.bn1(self.fc1(x))))
            return F.log_softmax(self.fc2(x), dim=1), trans_feat

    class Segmenter(nn.Module):
        def __init__(self, k):
            super().__init__()
            self.k, self.feat = k, PointNetEncoder(global_feat=False)
            self.conv1, self.bn1, self.conv2 = (
                nn.Conv1d(16, 8, 1),
                nn.BatchNorm1d(8),
                nn.Conv1d(8, k, 1),
            )

        def forward(self, x):
            batchsize, n_pts = x.size()[0], x.size()[2]
            x, trans, trans_feat = self.feat(x)
            x = self.conv2(F.relu(self.bn1(self.conv1(x))))
            x = x.transpose(2, 1).contiguous()
            x = F.log_softmax(x.view(-1, self.k), dim=-1)
            return x.view(batchsize, n_pts, self.k), trans_feat

    def feature_transform_regularizer(trans):
        d = trans.size()[1]
        I = torch.eye(d)[None, :, :]
        if trans.is_cuda:
            I = I.cuda()
        return torch.mean(torch.norm(torch.bmm(trans, trans.transpose(2, 1)) - I, dim=(1, 2)))

    def bn_momentum_adjust(m, momentum):
        if isinstance(m, nn.BatchNorm2d) or isinstance(m, nn.BatchNorm1d):
            m.momentum = momentum

    results = {}
    for make, k in ((Classifier, 3), (Segmenter, 4)):
        model = make(k)
        redraw(model, 4)
        optimizer = torch.optim.Adam(
            model.parameters(), lr=0.002, betas=(0.9, 0.999), eps=1e-4, weight_decay=1e-4
        )
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.7)
        log = []
        for epoch in range(5):
            momentum = max(0.1 * (0.5 ** (epoch // 2)), 0.01)
            model = model.apply(lambda x: bn_momentum_adjust(x, momentum))
            points = numbers(torch, 5, 12, 6, seed=epoch)
            points[:, :, :3] *= 1.0 + 0.1 * epoch
            points = points.transpose(2, 1)
            label = (torch.arange(5) if make is Classifier else torch.arange(60)) % k
            optimizer.zero_grad()
            pred, trans_feat = model(points)
            pred = pred.contiguous().view(-1, k)
            loss = F.nll_loss(pred, label.long()) + feature_transform_regularizer(trans_feat) * 0.1
            loss.backward()
            optimizer.step()
            scheduler.step()
            pred_choice = pred.data.max(1)[1]
            correct = pred_choice.eq(label.long().data).cpu().sum()
            log.append([loss.item(), correct.item() / float(label.size(0))])
        results["loose " + make.__name__] = [log, model.state_dict(), model.eval()(points)[0]]
    return results
