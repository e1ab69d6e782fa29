"""Models and trainings as people write them, small. Each gives tensors to watch, a loss, and options."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

Made = tuple[dict[str, Any], Any, dict[str, Any]]


def _of(model: nn.Module, loss: Any, **options: Any) -> Made:
    return dict(model.named_parameters()), loss, options


# --- vision ---------------------------------------------------------------------------------------


class Residual(nn.Module):
    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outside)
        self.shortcut = nn.Sequential()
        if stride > 1 or inside != outside:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside)
            )

    def forward(self, x: Any) -> Any:
        out = F.relu(self.bn1(self.conv1(x)), inplace=True)
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return F.relu(out, inplace=True)


class ResNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 4, 3, 1, 1), nn.BatchNorm2d(4), nn.ReLU(inplace=True)
        )
        self.stages = nn.Sequential(
            *(Residual(i, o, s) for i, o, s in [(4, 4, 1), (4, 8, 2), (8, 8, 1), (8, 16, 2)])
        )
        self.fc = nn.Linear(16, 5)

    def forward(self, x: Any) -> Any:
        return self.fc(torch.flatten(F.adaptive_avg_pool2d(self.stages(self.stem(x)), 1), 1))


def resnet() -> Made:
    model = ResNet()
    return _of(model, F.cross_entropy(model(torch.randn(2, 3, 8, 8)), torch.tensor([1, 4])))


class ViT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 4, 4)
        self.token = nn.Parameter(torch.zeros(1, 1, 8))
        self.places = nn.Parameter(torch.randn(1, 5, 8) * 0.02)
        layer = nn.TransformerEncoderLayer(
            8, 2, 16, dropout=0.1, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(8, 5)

    def forward(self, x: Any) -> Any:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.places
        return self.head(self.encoder(x)[:, 0])


def vit() -> Made:
    model = ViT()
    return _of(model, F.cross_entropy(model(torch.randn(2, 3, 8, 8)), torch.tensor([1, 4])))


def unet() -> Made:
    down, up = nn.Conv2d(1, 4, 3, 2, 1), nn.ConvTranspose2d(4, 1, 2, 2)
    model = nn.ModuleDict({"down": down, "up": up, "out": nn.Conv2d(2, 1, 1)})
    x = torch.randn(1, 1, 6, 6)
    deep = up(F.silu(down(x)))
    return _of(model, F.mse_loss(model["out"](torch.cat([x, deep], 1)), torch.zeros_like(x)))


# --- language -------------------------------------------------------------------------------------


class GPTBlock(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU("tanh"), nn.Linear(4 * width, width)
        )

    def forward(self, x: Any) -> Any:
        b, t, c = x.shape
        q, k, v = (
            part.view(b, t, self.heads, c // self.heads).transpose(1, 2)
            for part in self.attn(self.ln_1(x)).split(c, 2)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(mixed.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, layers: int) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(11, 8), nn.Embedding(6, 8)
        self.h = nn.ModuleList(GPTBlock(8, 2) for _ in range(layers))
        self.ln_f = nn.LayerNorm(8)
        self.lm_head = nn.Linear(8, 11, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, ids: Any) -> Any:
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


def _of_gpt(layers: int) -> Made:
    model, ids = GPT(layers), torch.randint(11, (2, 7))
    logits = model(ids[:, :-1])
    return _of(model, F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()))


def gpt() -> Made:
    return _of_gpt(2)


def gpt_of_12_layers() -> Made:
    return _of_gpt(12)


def bert_with_a_mask() -> Made:
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    model = nn.ModuleDict(
        {"words": nn.Embedding(11, 8), "layers": nn.TransformerEncoder(layer, 1), "out": nn.Linear(8, 11)}
    )  # fmt: skip
    ids = torch.randint(11, (2, 5))
    hidden = model["layers"](
        model["words"](ids),
        src_key_padding_mask=torch.tensor([[False] * 5, [False] * 3 + [True] * 2]),
    )
    return _of(model, F.cross_entropy(model["out"](hidden).flatten(0, 1), ids.flatten()))


def lstm_of_sequences() -> Made:
    model = nn.LSTM(3, 4, 2, batch_first=True)
    packed = nn.utils.rnn.pack_padded_sequence(torch.randn(2, 5, 3), [5, 3], batch_first=True)
    out, _ = nn.utils.rnn.pad_packed_sequence(model(packed)[0], batch_first=True)
    return _of(model, out.pow(2).mean())


def recurrent_by_hand() -> Made:
    cell, state = nn.GRUCell(2, 3), torch.zeros(1, 3)
    for moment in torch.randn(6, 1, 2):
        state = cell(moment, state)
    return _of(cell, state.sum())


# --- trainings ------------------------------------------------------------------------------------


def accumulated() -> Made:
    model = nn.Linear(3, 2)
    model(torch.randn(4, 3)).pow(2).mean().backward()
    return _of(model, model(torch.randn(4, 3)).pow(2).mean())


def gradient_penalty() -> Made:
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    x = torch.randn(2, 3, requires_grad=True)
    (grad,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    return _of(model, (grad.norm(dim=1) - 1).pow(2).mean())


def double_backward() -> Made:
    a, b = (torch.randn(3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    return {"a": a, "b": b}, (a**3 * b.sin()).sum(), {"create_graph": True}


def autocast() -> Made:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    with torch.autocast("cpu", torch.bfloat16):
        loss = model(torch.randn(3, 4)).float().pow(2).mean()
    return _of(model, loss * 1024)


def checkpointed() -> Made:
    model = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    x = checkpoint(model, torch.randn(4, 3), use_reentrant=False)
    return _of(model, x.sum())


def checkpointed_reentrant() -> Made:
    """The parameters are not in the graph: a backward within a node gives them their gradients."""
    model = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    x = torch.randn(4, 3, requires_grad=True)
    return _of(model, checkpoint(model, x, use_reentrant=True).sum())


def weight_normed() -> Made:
    model = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    return _of(model, model(torch.randn(4, 3)).sum())


def spectral_normed() -> Made:
    model = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2))
    return _of(model, model(torch.randn(4, 3)).sum())


def optimised_in_hooks() -> Made:
    """Each parameter is stepped as soon as it has its gradient."""
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
    for parameter in model.parameters():
        optimizer = torch.optim.SGD([parameter], 0.1)

        def hook(p: Any, optimizer: Any = optimizer) -> None:
            optimizer.step()

        parameter.register_post_accumulate_grad_hook(hook)
    return _of(model, model(torch.randn(2, 3)).pow(2).sum())


def optimised_in_hooks_that_drop() -> Made:
    model = nn.Linear(3, 1)

    def hook(p: Any) -> None:
        p.grad = None

    model.weight.register_post_accumulate_grad_hook(hook)
    return _of(model, model(torch.randn(2, 3)).pow(2).sum())


def clipped_in_hooks() -> Made:
    model = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    for parameter in model.parameters():
        parameter.register_hook(lambda grad: grad.clamp(-0.1, 0.1))
    model[1].register_full_backward_hook(lambda module, grads, sent: (grads[0] * 2,))
    return _of(model, model(torch.randn(2, 3)).pow(2).sum())


# --- what is not ordinary --------------------------------------------------------------------------


class Neural(torch.autograd.Function):
    """An ODE by Euler's steps, whose backward solves the adjoint one: backwards within a backward."""

    @staticmethod
    def forward(ctx: Any, y: Any, field: Any, *parameters: Any) -> Any:
        ctx.field, ctx.states = field, [y]
        with torch.no_grad():
            for _ in range(4):
                y = y + 0.1 * field(y)
                ctx.states.append(y)
        return y.clone()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        parameters = tuple(ctx.field.parameters())
        sums = [torch.zeros_like(p) for p in parameters]
        for state in reversed(ctx.states[:-1]):
            with torch.enable_grad():
                y = state.detach().requires_grad_()
                found = torch.autograd.grad(ctx.field(y), (y, *parameters), 0.1 * grad)
            grad = grad + found[0]
            sums = [total + each for total, each in zip(sums, found[1:], strict=True)]
        return grad, None, *sums


def neural_ode() -> Made:
    field = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 2))
    y = torch.randn(3, 2, requires_grad=True)
    loss = Neural.apply(y, field, *field.parameters()).pow(2).sum()
    return {"y": y, **dict(field.named_parameters())}, loss, {}


def complex_numbers() -> Made:
    z = torch.randn(4, dtype=torch.complex64, requires_grad=True)
    w = torch.randn(4, requires_grad=True)
    out = torch.fft.fft(z * w).abs().sum() + torch.view_as_real(z.conj() * w).sum()
    return {"z": z, "w": w}, out, {}


def linear_algebra() -> Made:
    a = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)
    matrix = a @ a.T + torch.eye(3, dtype=torch.float64)
    b = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
    loss = torch.linalg.solve(matrix, b).sum() + torch.linalg.cholesky(matrix).logdet()
    return {"a": a, "b": b}, loss + torch.linalg.eigvalsh(matrix).max(), {}


def a_layer_for_each_sample() -> Made:
    model = nn.Linear(3, 2)
    parameters = dict(model.named_parameters())

    def out(x: Any) -> Any:
        return torch.func.functional_call(model, parameters, (x,))

    return _of(model, torch.func.vmap(out)(torch.randn(4, 3)).pow(2).sum())


def views_written_in_place() -> Made:
    a, b = torch.randn(4, requires_grad=True), torch.randn(2, requires_grad=True)
    c = a * 1
    c[:2].mul_(b)
    c.view(2, 2)[1].exp_()
    return {"a": a, "b": b}, c.sum(), {}


def deep() -> Made:
    a = out = torch.randn(2, requires_grad=True)
    for _ in range(300):
        out = out * 1.01 + 0.001
    return {"a": a}, out.sum(), {}


def several_losses_of_one_body() -> Made:
    body, one, two = nn.Linear(3, 3), nn.Linear(3, 1), nn.Linear(3, 2)
    hidden = body(torch.randn(2, 3)).relu()
    tensors = dict(nn.ModuleList([body, one, two]).named_parameters())
    return tensors, [one(hidden).sum(), two(hidden).sum()], {"retain_graph": True}


MODELS = [
    resnet, vit, unet, gpt, gpt_of_12_layers, bert_with_a_mask, lstm_of_sequences, recurrent_by_hand,
    accumulated, gradient_penalty, double_backward, autocast, checkpointed, checkpointed_reentrant,
    weight_normed, spectral_normed, optimised_in_hooks, optimised_in_hooks_that_drop, clipped_in_hooks,
    neural_ode, complex_numbers, linear_algebra, a_layer_for_each_sample, views_written_in_place, deep,
    several_losses_of_one_body,
]  # fmt: skip
