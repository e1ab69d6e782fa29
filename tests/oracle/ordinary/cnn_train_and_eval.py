"""Convolutions with batch norm, trained and evaluated; accuracy counted as tutorials do."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class Net(nn.Module):
        def __init__(self):
            super(Net, self).__init__()
            self.conv1, self.bn = nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4)
            self.conv2, self.fc = nn.Conv2d(4, 4, 3), nn.Linear(16, 3)

        def forward(self, x):
            x = F.max_pool2d(F.relu(self.bn(self.conv1(x))), 2)
            x = F.relu(self.conv2(x), inplace=True)
            return F.log_softmax(self.fc(x.view(x.size(0), -1)), dim=1)

    model = Net()
    fill(model, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.5, weight_decay=1e-3)
    x, y = numbers(torch, 12, 1, 8, 8, seed=1), torch.arange(12) % 3
    losses = []
    model.train()
    for epoch in range(3):
        for data, target in zip(x.split(4), y.split(4)):
            optimizer.zero_grad()
            loss = F.nll_loss(model(data), target)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    model.eval()
    test_loss, correct = 0, 0
    with torch.no_grad():
        for data, target in zip(x.split(5), y.split(5)):
            output = model(data)
            test_loss += F.nll_loss(output, target, reduction="sum").item()
            pred = output.max(1, keepdim=True)[1]
            correct += pred.eq(target.view_as(pred)).sum().item()
    return {
        "losses": losses,
        "test": test_loss / 12,
        "correct": correct,
        "state": model.state_dict(),
    }
