"""register_buffer, a running mean, hooks on the state dict that rename an old key."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn

    class Normalise(nn.Module):
        def __init__(self, n):
            super().__init__()
            self.register_buffer("mean", torch.zeros(n))
            self.register_buffer("steps", torch.tensor(0))
            self.register_buffer("scratch", torch.zeros(1), persistent=False)
            self.scale = nn.Parameter(torch.ones(n))
            self._register_load_state_dict_pre_hook(self._rename)

        def _rename(self, state, prefix, *args):
            if prefix + "average" in state:
                state[prefix + "mean"] = state.pop(prefix + "average")

        def forward(self, x):
            if self.training:
                self.steps += 1
                self.mean.mul_(0.9).add_(0.1 * x.mean(0).detach())
            return (x - self.mean) * self.scale

    model = nn.Sequential(Normalise(3), nn.Linear(3, 1))
    fill(model, 1)
    for i in range(4):
        model(numbers(torch, 5, 3, seed=i))
    state = {k.replace("mean", "average"): v.clone() for k, v in model.state_dict().items()}
    other = nn.Sequential(Normalise(3), nn.Linear(3, 1))
    report = other.load_state_dict(state)
    other.eval()
    out = other(numbers(torch, 5, 3, seed=9))
    return {
        "keys": list(model.state_dict()), "missing": list(report.missing_keys), "out": out,
        "buffers": [n for n, _ in model.named_buffers()], "steps": int(other[0].steps),
    }  # fmt: skip
