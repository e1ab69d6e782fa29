"""ModuleList, ModuleDict, ParameterList and ParameterDict; children and their names."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
            self.acts = nn.ModuleDict([["tanh", nn.Tanh()], ["lrelu", nn.LeakyReLU()]])
            self.scales = nn.ParameterList([nn.Parameter(torch.ones(3) * i) for i in range(1, 4)])
            self.extra = nn.ParameterDict({"left": nn.Parameter(torch.zeros(3))})

        def forward(self, x, act):
            for i, layer in enumerate(self.layers):
                x = self.acts[act](layer(x)) * self.scales[i // 2] + self.extra["left"]
            return x

    model = Model()
    fill(model, 1)
    model.layers.append(nn.Linear(3, 3))
    model.layers[-1].weight.data.copy_(torch.eye(3))
    model.layers[-1].bias.data.zero_()
    loss = (
        model(numbers(torch, 4, 3, seed=2), "tanh").sum()
        + model(numbers(torch, 4, 3, seed=3), "lrelu").pow(2).sum()
    )
    loss.backward()
    return {
        "loss": loss.item(), "names": [n for n, _ in model.named_parameters()],
        "grads": {n: p.grad for n, p in model.named_parameters() if p.grad is not None},
        "text": repr(model.acts), "modules": [type(m).__name__ for m in model.modules()],
    }  # fmt: skip
