"""Random networks as plain data: layers, how they are trained, and the program that says so."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests.fuzz.draw import Draw
from tests.fuzz.network_layers import layer
from tests.fuzz.network_run import scope
from tests.fuzz.observe import unwarned

#: Elements between two layers at most.
MOST = 1500
OPTIMIZERS = ("SGD(parts, lr=0.05, momentum=0.9)", "SGD(parts, lr=0.05, momentum=0.5, nesterov=True, weight_decay=0.1)", "SGD(parts, lr=0.02)",
              "Adam(parts, lr=0.01)", "Adam(parts, lr=0.01, amsgrad=True, weight_decay=0.1)", "AdamW(parts, lr=0.01)", "RMSprop(parts, lr=0.01, momentum=0.5, centered=True)",
              "RMSprop(parts, lr=0.01)", "Adagrad(parts, lr=0.05)", "Adadelta(parts)", "Adamax(parts, lr=0.01)", "NAdam(parts, lr=0.01)", "RAdam(parts, lr=0.01)",
              "ASGD(parts, lr=0.01)")  # fmt: skip
LOSSES = ("(y * fixed(y)).mean()", "(y * fixed(y)).sum()", "F.mse_loss(y, fixed(y))", "F.smooth_l1_loss(y, fixed(y))", "y.logsumexp(-1).mean()",
          "F.cross_entropy(y.flatten(1), labels(y.flatten(1)))", "F.huber_loss(y, fixed(y), delta=0.5)", "F.l1_loss(y, fixed(y))",
          "F.binary_cross_entropy_with_logits(y, fixed(y) / 2)", "F.multi_margin_loss(y.flatten(1), labels(y.flatten(1)))", "F.gaussian_nll_loss(y, fixed(y), y.square() + 1)")  # fmt: skip
HOOKS = ("net.m{k}.register_forward_hook(lambda m, given, y: y * 1.5)", "net.m{k}.register_forward_pre_hook(lambda m, given: tuple(g * 0.5 for g in given))",
         "net.m{k}.register_full_backward_hook(lambda m, gi, go: tuple(None if g is None else g * 0.5 for g in gi))",
         "net.m{k}.register_full_backward_pre_hook(lambda m, go: tuple(None if g is None else g * 2 for g in go))",
         "[p.register_hook(lambda g: g * 0.5) for p in net.m{k}.parameters()]", "[p.register_post_accumulate_grad_hook(lambda p: (p.grad.mul_(0.9), None)[1]) for p in net.m{k}.parameters()]",
         "[p.requires_grad_(False) for p in net.m{k}.parameters()]", "net.m{k}.eval()")  # fmt: skip
#: Of layers that have a weight of several dimensions.
NORMS = ("torch.nn.utils.parametrizations.weight_norm(net.m{k}); fill(net)", "torch.nn.utils.parametrizations.orthogonal(net.m{k}); fill(net)",
         "torch.nn.utils.parametrizations.spectral_norm(net.m{k}); fill(net)", "torch.nn.utils.weight_norm(net.m{k}); fill(net)")  # fmt: skip
COPIES = ("net = copy.deepcopy(net)", "other = Net().to(net_dtype); other.load_state_dict(net.state_dict()); net = other",
          "net.load_state_dict({key: value.clone() for key, value in net.state_dict().items()})", "net = net.to(memory_format=torch.channels_last) if x.ndim == 4 else net; x = last(x)",
          "x = last(x)", "for p in net.parameters(): p.grad = torch.zeros_like(p)")  # fmt: skip


@dataclass(frozen=True)
class Network:
    """`layers` are pairs (constructor, line); `ties` pairs of modules with one weight."""

    shape: tuple[int, ...]
    layers: tuple[tuple[str, str], ...]
    dtype: str = "float64"
    #: Numbers of an embedding that the network begins with, or 0.
    words: int = 0
    ties: tuple[tuple[int, int], ...] = ()
    #: Lines between making and training.
    before: tuple[str, ...] = ()
    loss: str = LOSSES[0]
    optimizer: str = OPTIMIZERS[0]
    penalty: bool = False
    autocast: bool = False
    clip: bool = False
    evaluated: bool = False
    steps: int = 2

    def source(self) -> list[str]:
        """A program that leaves what is to be compared in `seen`."""
        lines = [
            "class Net(torch.nn.Module):",
            "    def __init__(self):",
            "        super().__init__()",
        ]
        lines += [
            f"        self.m{k} = torch.nn.{made}"
            for k, (made, _) in enumerate(self.layers)
            if made
        ]
        lines += [f"        self.m{k}.weight = self.m{j}.weight" for j, k in self.ties]
        lines += (
            [f"        self.words = torch.nn.Embedding({self.words}, {self.shape[-1]})"]
            if self.words
            else []
        )
        lines += [
            "    def forward(self, x):",
            *(["        x = self.words(x)"] if self.words else []),
        ]
        lines += [
            f"        {line.format(m=f'self.m{k}')}" for k, (_, line) in enumerate(self.layers)
        ]
        lines += [
            "        return x",
            f"net_dtype = torch.{self.dtype}",
            "net = Net().to(net_dtype); fill(net)",
        ]
        lines.append(
            f"x = places({self.shape[:-1]}, {self.words})"
            if self.words
            else f"x = numbers({self.shape}, net_dtype)"
        )
        lines += self.before
        lines += [
            "" if self.words else "x.requires_grad_()",
            "parts = [p for p in net.parameters() if p.requires_grad]",
        ]
        lines += [f"optimizer = torch.optim.{self.optimizer} if parts else None"]
        lines += ["net.eval()"] if self.evaluated else []
        lines += [f"for step in range({self.steps}):"]
        body = ["x.grad = None"] if not self.words else []
        body += ["if parts and step: optimizer.zero_grad()"]
        given = "x" if self.words else "x * 1"  # a leaf may not be written to
        around = 'with torch.autocast("cpu", dtype=torch.bfloat16): ' if self.autocast else ""
        body += [
            f"{around}y = net({given}); loss = {self.loss}",
            "look('output', y); look('loss', loss)",
        ]
        if self.penalty:
            over = "parts" if self.words else "[x, *parts]"
            body += [f"slopes = torch.autograd.grad(loss, {over}, create_graph=True, allow_unused=True)",
                     "loss = loss + 0.1 * sum(g.square().sum() for g in slopes if g is not None)"]  # fmt: skip
        body += ["loss.backward()", "" if self.words else "look('gradient of x', x.grad)"]
        body += ["for name, p in net.named_parameters(): look('gradient of ' + name, p.grad)"]
        body += ["if parts: torch.nn.utils.clip_grad_norm_(parts, 1.0)"] if self.clip else []
        body += [
            "if parts: optimizer.step()",
            "for name, value in net.state_dict().items(): look('state ' + name, value)",
        ]
        return [line for line in [*lines, *(f"    {line}" for line in body if line)] if line]


def drawn(torch: Any, seed: object) -> Network:
    d = Draw(f"network {seed}")
    d.odd = False
    words = d.whole(3, 9) if d.chance(0.12) else 0
    rank = 3 if words else d.pick((2, 3, 3, 4, 4, 4, 4, 5))
    shape = (
        d.whole(2, 3),
        d.whole(1, 4),
        *(d.whole(2, 7 if rank < 5 else 4) for _ in range(rank - 2)),
    )
    layers = _layers(torch, d, shape, d.whole(1, 9))
    made = [k for k, (constructor, _) in enumerate(layers) if constructor]
    before = [
        d.pick(HOOKS).format(k=d.pick(made)) for _ in range(d.pick((0, 0, 0, 1, 1, 2))) if made
    ]
    weighted = [k for k in made if layers[k][0].startswith(("Linear", "Conv1", "Conv2", "Conv3"))]
    before += [d.pick(NORMS).format(k=d.pick(weighted))] if weighted and d.chance(0.15) else []
    before += [d.pick(COPIES) for _ in range(d.pick((0, 0, 1)))]
    dtype = "float32" if d.chance(0.15) else "float64"
    autocast = dtype == "float32" and d.chance(0.3)
    # PyTorch's second derivative of `weight_norm` is not what differences of its first one say
    penalty = d.chance(0.3) and not any("weight_norm" in line for line in before)
    return Network(
        shape, layers, dtype, words, _ties(torch, d, layers), tuple(before), d.pick(LOSSES), d.pick(OPTIMIZERS), penalty=penalty,
        autocast=autocast, clip=d.chance(0.2), evaluated=d.chance(0.2), steps=1 if autocast else d.pick((1, 2, 2)),
    )  # fmt: skip


def _layers(torch: Any, d: Draw, shape: tuple[int, ...], count: int) -> tuple[tuple[str, str], ...]:
    """Layers that PyTorch takes one after the other."""
    found: list[tuple[str, str]] = []
    names = scope(torch, {})
    x = names["numbers"](shape, torch.float64).requires_grad_() * 1
    for _ in range(4 * count):
        if len(found) == count or x.ndim < 2:
            break
        made, line = layer(d, tuple(x.shape))
        after = applied(torch, names, made, line, x)
        if after is not None and 0 < after.numel() <= MOST:
            found.append((made, line))
            x = after
    return tuple(found)


def applied(torch: Any, names: dict[str, Any], made: str, line: str, x: Any) -> Any:
    """The layer's result, or None where PyTorch refuses."""
    inner = dict(names, x=x.detach().clone().requires_grad_() * 1, self=types.SimpleNamespace())
    try:
        with unwarned():
            if made:
                inner["self"].m = eval(f"torch.nn.{made}", inner).double()
            exec(line.format(m="self.m"), inner)
            inner["x"].sum().backward()
    except Exception:  # noqa: BLE001  the next one may fit
        return None
    return inner["x"] if isinstance(inner["x"], torch.Tensor) else None


def _ties(torch: Any, d: Draw, layers: tuple[tuple[str, str], ...]) -> tuple[tuple[int, int], ...]:
    if not d.chance(0.3):
        return ()
    shapes: dict[Any, int] = {}
    for k, (made, _) in enumerate(layers):
        weight = (
            getattr(eval(f"torch.nn.{made}", {"torch": torch}), "weight", None) if made else None
        )
        if weight is not None:
            if tuple(weight.shape) in shapes:
                return ((shapes[tuple(weight.shape)], k),)
            shapes[tuple(weight.shape)] = k
    return ()


#: What a network is without what is special about it.
PLAIN = (("ties", ()), ("penalty", False), ("autocast", False), ("clip", False), ("evaluated", False), ("steps", 1), ("dtype", "float64"),
         ("loss", LOSSES[1]), ("optimizer", OPTIMIZERS[2]))  # fmt: skip
NOTHING = ("", "pass")


def simpler(torch: Any, network: Network) -> Iterator[Network]:
    """Networks that are one step simpler, the largest steps first. Not all of them fit together."""
    yield from _fewer_layers(torch, network)
    for k in range(len(network.before)):
        yield replace(network, before=network.before[:k] + network.before[k + 1 :])
    for word, plain in PLAIN:
        if getattr(network, word) != plain:
            yield replace(network, **{word: plain})
    for k, (made, line) in enumerate(network.layers):
        if made and line != "x = {m}(x)":
            yield _with(network, k, (made, "x = {m}(x)"))
        if "inplace=True" in made:
            yield _with(network, k, (made.replace("inplace=True", "inplace=False"), line))
    for k, n in enumerate(network.shape):
        for smaller in sorted({1, 2, n - 1}):
            if 0 < smaller < n:
                yield replace(network, shape=(*network.shape[:k], smaller, *network.shape[k + 1 :]))


def _with(network: Network, place: int, layer: tuple[str, str]) -> Network:
    return replace(network, layers=(*network.layers[:place], layer, *network.layers[place + 1 :]))


def _fewer_layers(torch: Any, network: Network) -> Iterator[Network]:
    """Without the end, one layer, or the beginning. Numbers of layers stay what they are."""
    for k in range(len(network.layers) - 1):
        ties = tuple(tie for tie in network.ties if max(tie) <= k)
        yield replace(network, layers=network.layers[: k + 1], ties=ties)
    for k in range(len(network.layers)):
        if network.layers[k] != NOTHING:
            yield _with(network, k, NOTHING)
    if not network.words:
        yield from _begun_later(torch, network)


def _begun_later(torch: Any, network: Network) -> Iterator[Network]:
    """The network without its first layers: what it is given has the shape that they made."""
    names = scope(torch, {})
    x = names["numbers"](network.shape, torch.float64)
    for k, (made, line) in enumerate(network.layers[:-1]):
        x = applied(torch, names, made, line, x)
        if x is None:
            return
        gone = (NOTHING,) * (k + 1)
        if network.layers[: k + 1] != gone:
            yield replace(network, shape=tuple(x.shape), layers=gone + network.layers[k + 1 :])
