"""Manual SGD over numpy data: from_numpy, Variable(x).cuda() guards, view(-1, n), .numpy()."""

import numpy as np

from tests.oracle.ordinary.given import fill


def main(torch):
    Variable = torch.autograd.Variable
    rng = np.random.RandomState(1)
    data, labels = rng.rand(30, 4).astype(np.float32), rng.randint(0, 3, 30)
    net = torch.nn.Sequential()
    net.add_module("fc", torch.nn.Linear(4, 3))
    net.add_module("softmax", torch.nn.LogSoftmax(dim=1))
    fill(net, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    history, use_cuda = [], torch.cuda.is_available()
    for epoch in range(4):
        running = 0.0
        for i in range(0, 30, 10):
            inputs, target = (
                torch.from_numpy(data[i : i + 10]),
                torch.from_numpy(labels[i : i + 10]).long(),
            )
            inputs, target = Variable(inputs), Variable(target)
            if use_cuda:
                inputs, target = inputs.cuda(), target.cuda()
            optimizer.zero_grad()
            loss = torch.nn.NLLLoss()(net(inputs.view(-1, 4)), target)
            loss.backward()
            optimizer.step()
            running += loss.data.item() * inputs.size(0)
        history.append(running / len(data))
    predicted = net(Variable(torch.from_numpy(data))).data.max(1)[1].cpu().numpy()
    return {
        "history": history,
        "accuracy": float((predicted == labels).mean()),
        "state": net.state_dict(),
    }
