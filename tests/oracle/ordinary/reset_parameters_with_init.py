"""A layer of one's own, with nn.init in reset_parameters and a bias that may be missing."""

import math

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, init = torch.nn, torch.nn.init

    class MyLinear(nn.Module):
        def __init__(self, n_in, n_out, bias=True):
            super(MyLinear, self).__init__()
            self.weight = nn.Parameter(torch.Tensor(n_out, n_in))
            if bias:
                self.bias = nn.Parameter(torch.Tensor(n_out))
            else:
                self.register_parameter("bias", None)
            self.reset_parameters()

        def reset_parameters(self):
            init.kaiming_uniform_(self.weight, a=math.sqrt(5))
            if self.bias is not None:
                fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

        def forward(self, x):
            return torch.nn.functional.linear(x, self.weight, self.bias)

        def extra_repr(self):
            return "in={}, out={}".format(*self.weight.shape[::-1])

    net = nn.Sequential(MyLinear(4, 8), nn.Tanh(), MyLinear(8, 1, bias=False))
    inside = bool(net[0].weight.abs().max() <= 1 / math.sqrt(4))
    init.constant_(net[0].bias, 0.1)
    fill(net, 5)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    x, y = numbers(torch, 10, 4, seed=1), numbers(torch, 10, 1, seed=2)
    losses = []
    for _ in range(10):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"inside": inside, "losses": losses, "text": repr(net), "state": net.state_dict()}
