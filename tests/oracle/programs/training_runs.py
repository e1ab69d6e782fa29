"""Trainings of three epochs, from equal weights and over equal batches: one loss curve on both sides."""

from pathlib import Path

import numpy as np

from tests.oracle.programs.batches import data
from tests.oracle.registry import program

FOLDER = Path(__file__).parents[3] / "notebooks" / "data"
EPOCHS = 3


def numbers(seed, *shape):
    """Between -1 and 1, without the regularity of `wave`: a deep model would not break its symmetry."""
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def start(torch, model):
    """Double precision, and the same weights on both sides: small, those of norms near one."""
    model.double()
    with torch.no_grad():
        for seed, (name, p) in enumerate(model.named_parameters()):
            values = numbers(seed, *p.shape)
            if p.dim() > 1:
                values = values / p[0].numel() ** 0.5
            elif name.endswith("weight"):
                values = 1 + values / 10
            else:
                values = values / 10
            p.copy_(torch.tensor(values.tolist(), dtype=torch.float64))
    return model


def train(torch, see, model, optimizer, batches, loss_of, *, clip=None, schedule=None):
    """Three times over `batches`; sees the loss of each step, and the parameters and state at the end."""
    losses, norms = [], []
    for _ in range(EPOCHS):
        for batch in batches:
            optimizer.zero_grad()
            loss = loss_of(model, *batch)
            loss.backward()
            if clip is not None:
                norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), clip).item())
            optimizer.step()
            if schedule is not None:
                schedule.step()
            losses.append(loss.item())
    see("losses", torch.tensor(losses, dtype=torch.float64))
    see("norms", torch.tensor(norms, dtype=torch.float64))
    see("learns", sum(losses[-3:]) < 0.9 * sum(losses[:3]), expect=True)
    see("state", {name: value.detach() for name, value in model.state_dict().items()})


def digits(torch, count, *shape):
    with np.load(FOLDER / "digits.npz", allow_pickle=False) as file:
        order = np.random.default_rng(0).permutation(len(file["images"]))[:count]
        images, labels = file["images"][order] / 16, file["labels"][order]
    return (
        torch.tensor(images.reshape(count, *shape).tolist(), dtype=torch.float64),
        torch.tensor(labels.tolist()),
    )


def characters(torch, count, length):
    """(vocabulary, inputs, targets): rows of `length` characters of the play, and what follows each."""
    text = (FOLDER / "as-you-like-it.txt").read_text(encoding="ascii")[5000:]
    text = text[: count * length + 1]
    vocabulary = sorted(set(text))
    ids = torch.tensor([vocabulary.index(character) for character in text])
    return len(vocabulary), ids[:-1].reshape(count, length), ids[1:].reshape(count, length)


def loader(torch, *tensors, size):
    D = data(torch)
    order = np.random.default_rng(1).permutation(len(tensors[0])).tolist()
    batches = [order[at : at + size] for at in range(0, len(order), size)]
    return D.DataLoader(D.TensorDataset(*tensors), batch_sampler=batches)


@program(rules="T-41 T-53 T-55 T-61 T-88")
def a_cnn_on_digits(torch, see):
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64, 10),
    )
    start(torch, model)
    images, labels = digits(torch, 1500, 1, 8, 8)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    batches = loader(torch, images[:1200], labels[:1200], size=64)
    train(
        torch, see, model, optimizer, batches, lambda m, x, y: nn.functional.cross_entropy(m(x), y)
    )
    model.eval()
    with torch.no_grad():
        right = (model(images[1200:]).argmax(1) == labels[1200:]).double().mean().item()
    see("accuracy", right)
    see("works", right > 0.9, expect=True)


@program(rules="T-39 T-53 T-56 T-61 T-63 T-78")
def a_character_transformer(torch, see):
    nn = torch.nn
    rows, length, width = 192, 24, 32
    size, inputs, targets = characters(torch, rows, length)

    class Transformer(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.place = nn.Embedding(size, width), nn.Embedding(length, width)
            self.blocks = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    width, 4, 2 * width, dropout=0.0, activation="gelu", batch_first=True,
                    norm_first=True,
                )
                for _ in range(4)
            )  # fmt: skip
            self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, size)

        def forward(self, ids):
            mask = torch.triu(torch.ones(length, length, dtype=torch.bool), 1)
            x = self.embed(ids) + self.place(torch.arange(length))
            for block in self.blocks:
                x = block(x, src_mask=mask)
            return self.out(self.norm(x))

    model = start(torch, Transformer())
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    batches = loader(torch, inputs, targets, size=12)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=3e-3, total_steps=EPOCHS * len(batches)
    )

    def loss_of(m, x, y):
        return nn.functional.cross_entropy(m(x).flatten(0, 1), y.flatten())

    train(torch, see, model, optimizer, batches, loss_of, schedule=schedule)


@program(rules="T-53 T-56 T-61", each=("GRU", "LSTM"))
def a_character_model_that_recurs(torch, see, kind):
    nn = torch.nn
    rows, length, width = 96, 20, 24
    size, inputs, targets = characters(torch, rows, length)

    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(size, width)
            self.recur = getattr(nn, kind)(width, width, num_layers=2, batch_first=True)
            self.out = nn.Linear(width, size)

        def forward(self, ids):
            return self.out(self.recur(self.embed(ids))[0])

    model = start(torch, Recurrent())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def loss_of(m, x, y):
        return nn.functional.cross_entropy(m(x).flatten(0, 1), y.flatten())

    batches = loader(torch, inputs, targets, size=12)
    train(torch, see, model, optimizer, batches, loss_of, clip=1.0)


@program(rules="T-36 T-42 T-43 T-53 T-61")
def a_vae_with_noise_from_outside(torch, see):
    """q.rsample() is mean + noise * std: with the noise given, both sides draw the same codes."""
    D, nn = torch.distributions, torch.nn
    latent = 4

    class Vae(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 2 * latent))
            self.decoder = nn.Sequential(nn.Linear(latent, 32), nn.ReLU(), nn.Linear(32, 64))

        def forward(self, x, noise):
            mean, log_std = self.encoder(x).chunk(2, -1)
            q = D.Normal(mean, log_std.exp())
            return q, D.Bernoulli(
                logits=self.decoder(q.mean + noise * q.stddev), validate_args=False
            )

    def loss_of(m, x, noise):
        q, p = m(x, noise)
        prior = D.Normal(torch.zeros_like(q.mean), torch.ones_like(q.mean))
        return (D.kl_divergence(q, prior).sum(-1) - p.log_prob(x).sum(-1)).mean()

    model = start(torch, Vae())
    images, _ = digits(torch, 640, 64)
    noise = torch.tensor((numbers(5, 640, latent) * 3**0.5).tolist(), dtype=torch.float64)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3, momentum=0.5)
    train(torch, see, model, optimizer, loader(torch, images, noise, size=64), loss_of)


@program(rules="T-38 T-44 T-53 T-61")
def a_graph_network(torch, see):
    """Attention along edges, then sums and maxima of messages: segments of rows, by scatter and gather."""
    nn = torch.nn
    count, width = 40, 12
    nodes = torch.arange(count)
    # A ring with chords: every node hears from its neighbour and from a node further off, some from both.
    source = torch.cat([nodes, nodes, nodes[::3]])
    target = torch.cat([(nodes + 1) % count, (nodes * 7 + 3) % count, (nodes[::3] + 1) % count])
    features = torch.tensor(numbers(11, count, 6).tolist(), dtype=torch.float64)
    # What there is to learn cannot be read off a node alone: it is in those it hears from.
    heard = torch.zeros(count, 6, dtype=torch.float64).index_add(0, target, features[source])
    labels = heard[:, :3].argmax(1)

    class Layer(nn.Module):
        def __init__(self, inside):
            super().__init__()
            self.message, self.own = nn.Linear(inside, width), nn.Linear(inside, width)
            self.score = nn.Linear(2 * width, 1)
            self.join = nn.Linear(3 * width, width)

        def forward(self, x):
            sent, kept = self.message(x).index_select(0, source), self.own(x)
            score = nn.functional.leaky_relu(
                self.score(torch.cat([sent, kept[target]], -1)).squeeze(-1), 0.2
            )
            top = torch.full((count,), -1e9, dtype=score.dtype)
            top = top.scatter_reduce(0, target, score.detach(), "amax")
            weight = (score - top[target]).exp()
            total = torch.zeros_like(top).scatter_add(0, target, weight)
            sent = sent * (weight / total.gather(0, target)).unsqueeze(-1)
            where = target.unsqueeze(-1).expand_as(sent)
            summed = torch.zeros_like(kept).index_add(0, target, sent)
            largest = torch.zeros_like(kept).scatter_reduce(
                0, where, sent, "amax", include_self=False
            )
            return torch.relu(self.join(torch.cat([kept, summed, largest], -1)))

    model = start(torch, nn.Sequential(Layer(6), Layer(width), nn.Linear(width, 3)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    parts = [(nodes[first::3],) for first in range(3)]  # Each step asks about a third of the nodes.

    def loss_of(m, asked):
        return nn.functional.cross_entropy(m(features)[asked], labels[asked])

    train(torch, see, model, optimizer, parts * 8, loss_of)
