"""Optimizers: golden values (spec T-61), state, refusals, and what a step leaves in the version log."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import vizgrad as vg
from vizgrad import nn, optim

GOLDEN = [
    ("SGD", {}, [0.512, -1.024]),
    ("SGD", {"momentum": 0.9}, [0.062, -0.124]),
    ("SGD", {"momentum": 0.9, "dampening": 0.5}, [0.252, -0.504]),
    ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.01}, [-0.11165109, 0.22330219]),
    ("Adam", {}, [0.70158627, -1.70062339]),
    ("Adam", {"amsgrad": True}, [0.70158627, -1.70062339]),
    ("AdamW", {}, [0.69891118, -1.69494451]),
    ("RMSprop", {}, [2.5443e-12, -0.30968739]),
    ("RMSprop", {"centered": True, "momentum": 0.9}, [-1.03947899, 1.41908661]),
    ("Adagrad", {}, [0.78045618, -1.77582152]),
    ("Adadelta", {"lr": 1.0}, [0.99030905, -1.99030075]),
    ("Adamax", {}, [0.71549947, -1.70764824]),
    ("NAdam", {}, [0.75272927, -1.74750850]),
    ("RAdam", {}, [0.46230336, -0.92460672]),
    ("Rprop", {}, [0.636, -1.636]),
    ("Adafactor", {"eps": (1e-16, 1e-3)}, [0.59874397, -1.58217727]),
]
NAMES = sorted({name for name, _, _ in GOLDEN} | {"ASGD"})


def start() -> Any:
    return vg.tensor([1.0, -2.0], dtype=vg.float64, requires_grad=True)


def run(optimizer: Any, p: Any, steps: int) -> list[float]:
    for _ in range(steps):
        optimizer.zero_grad()
        (p**2).sum().backward()
        optimizer.step()
    return p.tolist()


@pytest.mark.parametrize(("name", "options", "expected"), GOLDEN)
def test_golden_values(name: str, options: dict[str, Any], expected: list[float]) -> None:
    p = start()
    optimizer = getattr(optim, name)([p], **{"lr": 0.1, **options})
    assert run(optimizer, p, 3) == pytest.approx(expected, rel=1e-4 if name == "RMSprop" else 1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_going_on_from_saved_state_is_going_on(name: str) -> None:
    p = start()
    first = getattr(optim, name)([p], lr=0.1)
    run(first, p, 3)
    q = p.detach().clone().requires_grad_()
    second = getattr(optim, name)([q], lr=0.5)
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    expected = run(first, p, 3)
    if name == "NAdam":  # its product of momenta is float32 until it is loaded, as in PyTorch
        expected = pytest.approx(expected, rel=1e-7)
    assert run(second, q, 3) == expected


@pytest.mark.parametrize("name", NAMES)
def test_maximize_climbs(name: str) -> None:
    p, q = start(), start()
    options = {"lr": 0.1, "maximize": True}
    for target, sign, extra in ((p, 1, {"lr": 0.1}), (q, -1, options)):
        optimizer = getattr(optim, name)([target], **extra)
        for _ in range(2):
            optimizer.zero_grad()
            (sign * target**2).sum().backward()
            optimizer.step()
    assert p.tolist() == pytest.approx(q.tolist())


@pytest.mark.parametrize("name", NAMES)
def test_a_step_is_one_write_on_the_line_of_the_call(name: str) -> None:
    layer = nn.Linear(2, 1)
    optimizer = getattr(optim, name)(layer.parameters(), lr=0.1)
    before = layer.weight._version
    x = vg.ones(1, 2, requires_grad=True)
    layer(x).sum().backward()
    loss = layer(x).sum()
    optimizer.step()  # the line that the error must name
    assert layer.weight._version == before + 1
    (written,) = layer.weight._storage.writes.latest(1)
    assert written.op == f"{name}.step"
    assert "the line that the error must name" in _line(written.site)
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
        loss.backward()
    assert "the line that the error must name" in str(caught.value.explanation.culprit)


def _line(site: Any) -> str:
    from linecache import getline

    return getline(site.file, site.line())


def test_parameters_without_gradient_stay() -> None:
    p, q = start(), start()
    optimizer = optim.Adam([p, q], lr=0.1)
    run(optimizer, p, 1)
    assert q.tolist() == [1, -2]
    assert list(optimizer.state) == [p]
    assert q._version == 0


def test_zero_grad() -> None:
    p = start()
    optimizer = optim.SGD([p])
    (p**2).sum().backward()
    optimizer.zero_grad(set_to_none=False)
    assert p.grad.tolist() == [0, 0]
    optimizer.zero_grad()
    assert p.grad is None


def test_closures_run_with_grad_and_give_their_loss() -> None:
    p = start()
    optimizer = optim.SGD([p], lr=0.1)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (p**2).sum()
        loss.backward()
        return loss

    with vg.no_grad():
        assert optimizer.step(closure).item() == 5


def test_groups_have_options_of_their_own() -> None:
    p, q = start(), start()
    optimizer = optim.SGD(
        [{"params": [p]}, {"params": [("q", q)], "lr": 0.5}], lr=0.1, momentum=0.9
    )
    assert [g["lr"] for g in optimizer.param_groups] == [0.1, 0.5]
    assert optimizer.param_groups[1]["param_names"] == ["q"]
    ((p + q) ** 2).sum().backward()
    optimizer.step()
    assert p.tolist() == pytest.approx([1 - 0.4, -2 + 0.8])
    assert q.tolist() == pytest.approx([1 - 2, -2 + 4])
    assert "Parameter Group 1" in repr(optimizer)


def test_steps_call_their_hooks() -> None:
    log: list[str] = []
    optimizer = optim.SGD([start()])
    optimizer.register_step_pre_hook(lambda o, args, kwargs: log.append("before"))
    optimizer.register_step_post_hook(lambda o, args, kwargs: log.append("after"))
    optimizer.step()
    assert log == ["before", "after"]


@pytest.mark.parametrize(
    ("make", "error", "phrase"),
    [
        (lambda p: optim.SGD([]), ValueError, "empty parameter list"),
        (optim.SGD, TypeError, "iterable of Tensors or dicts"),
        (lambda p: optim.SGD({p}), TypeError, "ordered collections"),
        (lambda p: optim.SGD([1]), TypeError, "can only optimize Tensors"),
        (lambda p: optim.SGD([p * 2]), ValueError, "can't optimize a non-leaf Tensor"),
        (
            lambda p: optim.SGD([{"params": [p]}, {"params": [p]}]),
            ValueError,
            "more than one parameter group",
        ),
        (lambda p: optim.SGD([p], lr=-1), ValueError, "Invalid learning rate: -1"),
        (lambda p: optim.SGD([p], nesterov=True), ValueError, "Nesterov momentum requires"),
        (
            lambda p: optim.SGD([p], momentum=0.9, dampening=0.1, nesterov=True),
            ValueError,
            "zero dampening",
        ),
        (lambda p: optim.Adam([p], betas=(1.0, 0.9)), ValueError, "beta parameter at index 0"),
        (lambda p: optim.Adam([p], eps=-1), ValueError, "Invalid epsilon value"),
        (lambda p: optim.Rprop([p], etas=(1.2, 0.5)), ValueError, "Invalid eta values"),
        (lambda p: optim.RMSprop([p], differentiable=True), NotImplementedError, "differentiable"),
        (
            lambda p: optim.LBFGS([{"params": [p]}, {"params": [start()]}]),
            ValueError,
            "per-parameter options",
        ),
        (
            lambda p: optim.Optimizer([p], {}).step() if p.sum().backward() is None else 0,
            NotImplementedError,
            "update",
        ),
    ],
)
def test_refusals(make: Any, error: type[Exception], phrase: str) -> None:
    with pytest.raises(error, match=phrase):
        make(start())


def test_state_of_other_groups_is_refused() -> None:
    one, two = optim.SGD([start()]), optim.SGD([start(), start()])
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        one.load_state_dict(two.state_dict())


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_finds_the_minimum_of_a_bowl(search: str | None) -> None:
    p = start()
    optimizer = optim.LBFGS([p], lr=1 if search else 0.3, line_search_fn=search)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (vg.tensor([1.0, 10.0], dtype=vg.float64) * (p - 3) ** 2).sum()
        loss.backward()
        return loss

    first = optimizer.step(closure)
    assert first.item() == pytest.approx(254)
    for _ in range(3):
        optimizer.step(closure)
    assert p.tolist() == pytest.approx([3, 3], abs=1e-4)
    with pytest.raises(TypeError, match="needs a closure"):
        optimizer.step()


def test_a_copied_lbfgs_goes_on() -> None:
    """PyTorch's has lost its parameters then."""
    p = vg.nn.Parameter(vg.tensor([3.0, -2.0]))
    q, twin = copy.deepcopy((p, vg.optim.LBFGS([p], max_iter=30)))

    def loss() -> Any:
        twin.zero_grad()
        found = (q - 1).square().sum()
        found.backward()
        return found

    twin.step(loss)
    assert q.tolist() == pytest.approx([1, 1], abs=1e-4)
    assert p.tolist() == [3, -2]


def test_recorded_steps_are_the_plain_ones() -> None:
    """Of the largest gradients so far, too, whose recorded steps PyTorch writes over what it has saved."""
    for make, settings in (
        (optim.SGD, {"momentum": 0.9, "dampening": 0.1, "weight_decay": 0.2}),
        (optim.Adam, {"amsgrad": True, "weight_decay": 0.2}),
        (optim.AdamW, {"amsgrad": True, "maximize": True}),
    ):
        plain = vg.tensor([1.0, -2.0, 3.0], dtype=vg.float64)
        x = plain.clone().requires_grad_()
        recorded = x.clone()
        one = make([plain], lr=0.1, **settings)
        other = make([recorded], lr=0.1, differentiable=True, **settings)
        for factor in (1.0, -3.0, 0.5):
            plain.grad = plain * factor
            recorded.grad = recorded.clone() * factor
            one.step()
            other.step()
        assert vg.allclose(plain, recorded, atol=1e-7)
        recorded.sum().backward()
        assert x.grad.isfinite().all()


def test_a_recorded_step_of_complex_numbers_steps_both_parts() -> None:
    start = vg.tensor([1.0 + 2.0j, -0.5 + 0.1j])
    plain, x = start.clone(), start.clone().requires_grad_()
    recorded = x.clone()
    one, other = optim.Adam([plain], lr=0.1), optim.Adam([recorded], lr=0.1, differentiable=True)
    for _ in range(2):
        plain.grad, recorded.grad = plain.clone(), recorded.clone()
        one.step()
        other.step()
    assert vg.allclose(plain, recorded, atol=1e-5)
    recorded.abs().sum().backward()
    assert x.grad.isfinite().all()
