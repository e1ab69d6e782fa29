"""Recurrent layers, attention, and the rest of nn."""

from importlib import import_module

from tests.oracle.data import wave
from tests.oracle.programs.modules import fill, gradients
from tests.oracle.registry import program


@program(rules="T-53", each=("RNN", "LSTM", "GRU"))
def recurrent_layers(torch, see, name):
    layer = fill(torch, getattr(torch.nn, name)(3, 4, num_layers=2).double())
    x = torch.tensor(wave(5, 2, 3), dtype=torch.float64, requires_grad=True)
    out, state = layer(x)
    see("output", out)
    see("state", state)
    out.square().sum().backward()
    see("gradients", gradients(layer))
    see("input", x.grad)


@program(rules="T-53", each=("RNNCell", "LSTMCell", "GRUCell"))
def recurrent_cells(torch, see, name):
    cell = fill(torch, getattr(torch.nn, name)(3, 4).double())
    x = torch.tensor(wave(2, 3), dtype=torch.float64)
    out = cell(x)
    see("output", out)
    (out[0] if isinstance(out, tuple) else out).sum().backward()
    see("gradients", gradients(cell))


@program(rules="T-53")
def multihead_attention(torch, see):
    layer = fill(torch, torch.nn.MultiheadAttention(4, 2, batch_first=True).double())
    x = torch.tensor(wave(2, 3, 4), dtype=torch.float64, requires_grad=True)
    out, weights = layer(x, x, x)
    see("output", out)
    see("weights", weights)
    out.square().sum().backward()
    see("gradients", gradients(layer))


@program(rules="T-53")
def a_transformer_layer(torch, see):
    layer = torch.nn.TransformerEncoderLayer(4, 2, dim_feedforward=8, dropout=0.0, batch_first=True)
    fill(torch, layer.double())
    x = torch.tensor(wave(2, 3, 4), dtype=torch.float64, requires_grad=True)
    out = layer(x)
    see("output", out)
    out[..., 0].sum().backward()
    see("gradients", gradients(layer))


@program(rules="T-53 T-88")
def transposed_convolution(torch, see):
    layer = fill(torch, torch.nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1).double())
    x = torch.tensor(wave(1, 2, 3, 3), dtype=torch.float64, requires_grad=True)
    out = layer(x)
    see("output", out)
    out.square().sum().backward()
    see("gradients", gradients(layer))


@program(rules="T-53", each=("GroupNorm", "BatchNorm2d", "InstanceNorm2d", "RMSNorm"))
def further_normalisations(torch, see, name):
    nn = torch.nn
    make = {
        "GroupNorm": lambda: nn.GroupNorm(2, 4),
        "BatchNorm2d": lambda: nn.BatchNorm2d(4),
        "InstanceNorm2d": lambda: nn.InstanceNorm2d(4, affine=True),
        "RMSNorm": lambda: nn.RMSNorm(3),
    }[name]
    layer = fill(torch, make().double())
    x = torch.tensor(wave(2, 4, 3, 3), dtype=torch.float64, requires_grad=True)
    out = layer(x)
    see("output", out)
    out.square().sum().backward()
    see("gradients", gradients(layer))
    see("input", x.grad)


@program(rules="T-43")
def distributions(torch, see):
    d = import_module(f"{torch.__name__}.distributions")
    loc = torch.tensor([0.0, 1.0], dtype=torch.float64, requires_grad=True)
    scale = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    normal = d.Normal(loc, scale)
    see("log_prob", normal.log_prob(torch.tensor([0.5, -1.0], dtype=torch.float64)))
    see("entropy", normal.entropy())
    kl = d.kl_divergence(normal, d.Normal(torch.zeros_like(loc), torch.ones_like(scale)))
    see("kl", kl)
    see("gradients", torch.autograd.grad(kl.sum(), [loc, scale]))


@program(rules="T-63")
def lbfgs(torch, see):
    p = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([p], lr=0.5, max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = (p**4).sum() + (p**2).sum()
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    see("parameters", p)
