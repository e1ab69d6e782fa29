"""torch.Tensor(3, 4), FloatTensor, LongTensor, x.new: memory filled by hand."""

from tests.oracle.ordinary.given import fill


def main(torch):
    net = torch.nn.Linear(4, 3)
    fill(net, 1)
    x = torch.Tensor(5, 4).fill_(0.5)
    x[0] = torch.FloatTensor([1, 2, 3, 4])
    target = torch.LongTensor([0, 1, 2, 1, 0])
    mask = torch.ByteTensor([1, 0, 1, 1, 1]).bool()
    noise = x.new(5, 4).zero_().add_(0.25)
    eye = x.new([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    out = net(torch.autograd.Variable(x + noise)).mm(eye)
    loss = torch.nn.functional.cross_entropy(out[mask], target[mask])
    loss.backward()
    return {"loss": loss.item(), "grad": net.weight.grad, "type": out.data.type().split(".")[-1]}
