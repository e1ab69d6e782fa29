"""Small models trained for a few steps: the same losses and parameters on both sides."""

from tests.oracle.data import wave
from tests.oracle.programs.modules import fill
from tests.oracle.registry import program


def train(torch, see, model, optimizer, loss_of, steps=5):
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    see("losses", losses)
    see("parameters", [p.detach() for p in model.parameters()])


_OPTIMIZERS = (
    ("SGD", {"lr": 0.1}),
    ("SGD momentum", {"lr": 0.05, "momentum": 0.9}),
    ("Adam", {"lr": 0.05}),
    ("AdamW", {"lr": 0.05, "weight_decay": 0.1}),
)


@program(rules="T-53 T-60 T-61", each=_OPTIMIZERS)
def an_mlp_classifier(torch, see, case):
    name, options = case
    nn = torch.nn
    model = fill(torch, nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)).double())
    optimizer = getattr(torch.optim, name.split()[0])(model.parameters(), **options)
    x = torch.tensor(wave(6, 4), dtype=torch.float64)
    target = torch.tensor([0, 1, 2, 2, 1, 0])
    train(torch, see, model, optimizer, lambda m: nn.functional.cross_entropy(m(x), target))


@program(rules="T-53 T-87")
def an_mlp_in_single_precision(torch, see):
    nn = torch.nn
    model = fill(torch, nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1)))
    x = torch.tensor(wave(8, 3))
    target = torch.tensor(wave(8, 1, seed=1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.MSELoss()(model(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    see("losses", losses)
    see("parameters", list(model.parameters()))


@program(rules="T-53 T-88")
def a_convolutional_network(torch, see):
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(2, 4, 2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(4, 2),
    )
    fill(torch, model.double())
    x = torch.tensor(wave(3, 1, 4, 4), dtype=torch.float64)
    target = torch.tensor([0, 1, 1])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    train(torch, see, model, optimizer, lambda m: nn.functional.cross_entropy(m(x), target))


@program(rules="T-53 T-33")
def a_character_rnn_by_hand(torch, see):
    nn = torch.nn
    text = [0, 1, 2, 3, 1, 2, 0, 3, 2]

    class Rnn(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(4, 3)
            self.step = nn.Linear(3 + 5, 5)
            self.out = nn.Linear(5, 4)

        def forward(self, ids):
            hidden = torch.zeros(5, dtype=torch.float64)
            logits = []
            for i in range(len(ids)):
                hidden = torch.tanh(self.step(torch.cat([self.embed(ids[i]), hidden])))
                logits.append(self.out(hidden))
            return torch.stack(logits)

    model = fill(torch, Rnn().double())
    ids = torch.tensor(text)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)

    def loss_of(m):
        return nn.functional.cross_entropy(m(ids[:-1]), ids[1:])

    train(torch, see, model, optimizer, loss_of)


@program(rules="T-53 T-56")
def a_clipped_recurrence(torch, see):
    nn = torch.nn
    cell = fill(torch, nn.Linear(3, 3).double())
    optimizer = torch.optim.SGD(cell.parameters(), lr=0.5)
    norms = []
    for _ in range(3):
        optimizer.zero_grad()
        h = torch.ones(3, dtype=torch.float64)
        for _ in range(6):
            h = torch.sin(3 * cell(h))
        (h**2).sum().backward()
        norms.append(nn.utils.clip_grad_norm_(cell.parameters(), 0.5).item())
        optimizer.step()
    see("norms", norms)
    see("parameters", list(cell.parameters()))


@program(rules="T-53 T-55")
def an_autoencoder_with_batch_norm(torch, see):
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(4, 3), nn.BatchNorm1d(3), nn.ReLU(), nn.Linear(3, 4), nn.Sigmoid()
    )
    fill(torch, model.double())
    x = torch.tensor(wave(5, 4, low=0, high=1), dtype=torch.float64)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    train(torch, see, model, optimizer, lambda m: nn.functional.mse_loss(m(x), x))
    see("running statistics", (model[1].running_mean, model[1].running_var))


@program(rules="T-39 T-78")
def attention_by_hand(torch, see):
    nn = torch.nn

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
            self.norm = nn.LayerNorm(4)

        def forward(self, x):
            heads = [p(x).view(3, 2, 2).transpose(0, 1) for p in (self.q, self.k, self.v)]
            q, k, v = heads
            scores = q @ k.transpose(-2, -1) / 2**0.5
            mask = torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)
            weights = scores.masked_fill(mask, float("-inf")).softmax(dim=-1)
            mixed = (weights @ v).transpose(0, 1).reshape(3, 4)
            return self.norm(x + mixed)

    model = fill(torch, Attention().double())
    x = torch.tensor(wave(3, 4), dtype=torch.float64)
    target = torch.tensor(wave(3, 4, seed=5), dtype=torch.float64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(torch, see, model, optimizer, lambda m: nn.functional.mse_loss(m(x), target))


@program(rules="E-61 T-60")
def accumulating_over_small_batches(torch, see):
    nn = torch.nn

    def run(parts):
        model = fill(torch, nn.Linear(3, 1).double())
        x = torch.tensor(wave(6, 3), dtype=torch.float64)
        for chunk in x.chunk(parts):
            (model(chunk).square().sum() / 6).backward()
        return model.weight.grad

    see("one batch", run(1))
    see("three", run(3))
    see("agree", torch.allclose(run(1), run(3)), expect=True)


@program(rules="M-2 V-10 E-61")
def a_hand_written_loop(torch, see):
    w = torch.tensor(wave(3, 2), dtype=torch.float64, requires_grad=True)
    b = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    x = torch.tensor(wave(5, 3, seed=1), dtype=torch.float64)
    y = torch.tensor(wave(5, 2, seed=2), dtype=torch.float64)
    losses = []
    for _ in range(5):
        loss = ((x @ w + b - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.3 * w.grad
            b -= 0.3 * b.grad
            w.grad.zero_()
            b.grad.zero_()
        losses.append(loss.item())
    see("losses", losses)
    see("parameters", (w, b))
    see("versions", (w._version, b._version), expect=(5, 5))


@program(rules="F-10 F-60 T-60")
def a_model_with_a_custom_function(torch, see):
    class Swish(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            s = torch.sigmoid(x)
            ctx.save_for_backward(x, s)
            return x * s

        @staticmethod
        def backward(ctx, grad):
            x, s = ctx.saved_tensors
            return grad * (s + x * s * (1 - s))

    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(2, 4), nn.Linear(4, 1)

        def forward(self, x):
            return self.b(Swish.apply(self.a(x)))

    model = fill(torch, Model().double())
    x = torch.tensor(wave(4, 2), dtype=torch.float64)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    train(torch, see, model, optimizer, lambda m: (m(x) - x.sum(1, keepdim=True)).square().mean())
