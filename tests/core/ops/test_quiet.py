"""Floating-point errors are values and cause no warning, whatever filters the user has set."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest

import vizgrad as vg

INF, NAN = float("inf"), float("nan")

ERRORS = {
    "log of 0": lambda x: (x * 0).log(),
    "1 / 0": lambda x: 1 / (x * 0),
    "0 / 0": lambda x: (x * 0) / (x * 0),
    "overflow": lambda x: (x * 1e30) * 1e30,
    "exp": lambda x: (x * 1000).exp(),
    "inf - inf": lambda x: x * INF - x * INF,
    "sqrt": lambda x: (-x).sqrt(),
    "pow": lambda x: (x * 0) ** -1.5,
    "sum": lambda x: (x * 3e38).sum(),
    "matmul": lambda x: (x[None] * 3e38) @ x[:, None],
    "matmul of one element": lambda x: (x[:1, None] * INF) @ (x[None] * 0),
    "matmul of halves": lambda x: (x[None].half() * 6e4) @ x[:, None].half(),
    "matmul of stacks": lambda x: (x[None, None] * INF) @ (x[None, :, None] * 0),
    "addmm": lambda x: vg.addmm(x[:, None] * INF, x[:, None] * -INF, x[None]),
    "addmv": lambda x: vg.addmv(x, vg.stack([x, x]) * INF, x * 0),
    "addcdiv": lambda x: vg.addcdiv(x, x, x * 0),
    "cross": lambda x: vg.linalg.cross(vg.cat([x, x[:1]]) * INF, vg.cat([x[:1], x])),
    "convolution": lambda x: vg.conv1d(x[None, None] * INF, x[None, None, :1] * 0),
    "transposed convolution": lambda x: vg.conv_transpose1d(
        x[None, None] * INF, x[None, None] * -INF
    ),
    "depthwise convolution": lambda x: vg.conv1d(
        x[None, :, None] * INF, x[:, None, None] * 0, groups=2
    ),
    "group_norm": lambda x: vg.nn.functional.group_norm(x[None] * 0, 1, x * -INF, x),
    "linear": lambda x: vg.nn.functional.linear(x[None] * INF, x[None] * 0),
    "prelu": lambda x: vg.nn.functional.prelu(x * -INF, x[:1] * 0),
    "fft": lambda x: vg.fft.rfft(x * INF, norm="ortho").abs(),
    "polar": lambda x: vg.polar(x, x * INF).abs(),
    "avg_pool": lambda x: vg.nn.functional.avg_pool1d(
        vg.stack([x * INF, x * -INF])[None].mT.flatten(1)[:, None], 2
    ),
    "fold": lambda x: vg.nn.functional.fold(vg.stack([x, -x])[None] * INF, (1, 3), (1, 2)),
    "cumsum": lambda x: vg.cumsum(vg.stack([x, -x]) * INF, 0),
    "scatter_add": lambda x: vg.zeros(1).scatter_add(
        0, vg.tensor([0, 0]), vg.cat([x[:1], -x[1:]]) * INF
    ),
    "new tensor": lambda x: x.new_tensor(vg.tensor([1e300], dtype=vg.float64)),
    "std": lambda x: x.std(0, correction=1) / 0,
    "logsumexp": lambda x: (x * -INF).logsumexp(0),
    "remainder": lambda x: x % 0,
    "acos": lambda x: (x + 5).acos(),
    "log in place": lambda x: (x * 0).log_(),
    "div in place": lambda x: (x * 1).div_(0),
    "mul in place": lambda x: (x * 1e38).mul_(1e38),
    "narrowed in place": lambda x: (x * 1).add_(vg.tensor([1e300, 0], dtype=vg.float64)),
    "compared in place": lambda x: (x * NAN).ge_(x),
    "out": lambda x: vg.log(x.detach() * 0, out=vg.empty(2)),
    "narrowed out": lambda x: vg.exp(x.detach().double() * 400, out=vg.empty(2)),
    "drawn beyond the type": lambda x: (
        vg.empty(9).log_normal_(1e300) + vg.empty(9).cauchy_(0, 1e308)
    ),
    "drawn around the huge": lambda x: vg.empty(9, dtype=vg.float16).normal_(1e300, 1),
    "to half": lambda x: (x * 1e9).half().float(),
    "to int": lambda x: (x * float("nan")).long(),
}


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("action", ["always", "error"])
def test_no_warning(name: str, action: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        x = vg.tensor([1.0, 2.0], requires_grad=True)
        y = ERRORS[name](x)
        if y.requires_grad:
            y.sum().backward(create_graph=False)
            (g,) = vg.autograd.grad(ERRORS[name](x).sum(), x, create_graph=True)
            if g.requires_grad:
                g.sum().backward()
    assert [str(w.message) for w in caught] == []


def test_the_users_numpy_still_warns() -> None:
    x = vg.tensor([0.0], requires_grad=True)
    x.log().sum().backward()
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        np.log(np.zeros(1))


def test_every_thread_is_quiet() -> None:
    caught: list[object] = []

    def work() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                vg.tensor([0.0], requires_grad=True).log().sum().backward()
            except Warning as warning:
                caught.append(warning)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert caught == []
