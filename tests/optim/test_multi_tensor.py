"""Small parameters are stepped at once: the bits are those that steps one by one leave."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from vizgrad import nn, optim
from vizgrad.optim import multi_tensor

SHAPES = [(3, 4), (), (5,), (0, 2), (2, 3, 4), (70, 80), (1,), (64, 64)]


def parameters(dtype: Any = vg.float32) -> list[Any]:
    draws = np.random.default_rng(1)
    return [nn.Parameter(vg.tensor(draws.standard_normal(shape), dtype=dtype)) for shape in SHAPES]


def give_gradients(params: list[Any], seed: int) -> None:
    draws = np.random.default_rng(seed)
    for number, param in enumerate(params):
        grad = vg.tensor(draws.standard_normal(param.shape), dtype=param.dtype)
        if number == 0:  # one that does not lie in the order of its elements
            grad = grad.t().contiguous().t()
        param.grad = grad


def bits(params: list[Any], optimizer: Any) -> list[bytes]:
    found = [param.detach().numpy().tobytes() for param in params]
    for param in params:
        state = optimizer.state.get(param, {})
        found += [state[name].numpy().tobytes() for name in sorted(state)]
    return found


def both(run: Callable[[list[Any], Any], None], make: Any, dtype: Any = vg.float32) -> list[int]:
    """Runs it with plans and without, compares, and returns how many plans the optimizer has."""
    results: list[list[bytes]] = []
    plans: list[int] = []
    for fewest in (multi_tensor.FEWEST, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(multi_tensor, "FEWEST", fewest)
            params = parameters(dtype)
            optimizer = make(params)
            run(params, optimizer)
            results.append(bits(params, optimizer))
            plans.append(sum(known.plan is not None for known in optimizer._small.values()))
    assert results[0] == results[1]
    assert plans[1] == 0
    return plans[:1]


def steps(count: int, params: list[Any], optimizer: Any, seed: int = 0) -> None:
    for number in range(count):
        give_gradients(params, seed + number)
        optimizer.step()


@pytest.mark.parametrize("name", ["Adam", "AdamW"])
@pytest.mark.parametrize("dtype", [vg.float32, vg.float64])
@pytest.mark.parametrize("options", [{}, {"weight_decay": 0.1}, {"lr": 1.0, "eps": 0.1}])
def test_the_bits_are_the_same(name: str, dtype: Any, options: dict[str, Any]) -> None:
    found = both(
        lambda params, optimizer: steps(5, params, optimizer),
        lambda params: getattr(optim, name)(params, **options),
        dtype,
    )
    assert found == [1]


@pytest.mark.parametrize("options", [{"amsgrad": True}, {"maximize": True}])
def test_some_options_are_stepped_one_by_one(options: dict[str, Any]) -> None:
    found = both(
        lambda params, optimizer: steps(3, params, optimizer),
        lambda params: optim.Adam(params, **options),
    )
    assert found == [0]


def _no_gradient(params: list[Any], optimizer: Any) -> None:
    give_gradients(params, 7)
    params[2].grad = None
    optimizer.step()


def _other_memory(params: list[Any], optimizer: Any) -> None:
    params[2].data = vg.full((5,), 3.0)


def _other_state(params: list[Any], optimizer: Any) -> None:
    optimizer.state[params[2]]["exp_avg"] = vg.full((5,), 3.0)


def _other_dict(params: list[Any], optimizer: Any) -> None:
    known = optimizer.state[params[2]]
    optimizer.state[params[2]] = {name: value.clone() * 2 for name, value in known.items()}


def _loaded(params: list[Any], optimizer: Any) -> None:
    state = copy.deepcopy(optimizer.state_dict())
    steps(2, params, optimizer, 20)
    optimizer.load_state_dict(state)


def _no_state(params: list[Any], optimizer: Any) -> None:
    optimizer.state.clear()


def _other_options(params: list[Any], optimizer: Any) -> None:
    optimizer.param_groups[0].update(lr=0.5, betas=(0.5, 0.9), amsgrad=True)


def _written(params: list[Any], optimizer: Any) -> None:
    with vg.no_grad():
        params[0].mul_(2)
        optimizer.state[params[0]]["exp_avg"].mul_(2)


def _gradient_in_its_own_memory(params: list[Any], optimizer: Any) -> None:
    give_gradients(params, 8)
    params[2].grad = params[2].detach()
    params[4].grad = params[4].detach()[:]
    optimizer.step()


def _more_parameters(params: list[Any], optimizer: Any) -> None:
    draws = np.random.default_rng(3)
    params.append(nn.Parameter(vg.tensor(draws.standard_normal(7), dtype=vg.float32)))
    optimizer.add_param_group({"params": [params[-1]], "lr": 0.3})


@pytest.mark.parametrize(
    "between",
    [
        _no_gradient, _other_memory, _other_state, _other_dict, _loaded, _no_state, _other_options,
        _written, _gradient_in_its_own_memory, _more_parameters,
    ],
)  # fmt: skip
def test_what_happens_between_steps_is_seen(between: Callable[[list[Any], Any], None]) -> None:
    def run(params: list[Any], optimizer: Any) -> None:
        steps(3, params, optimizer)
        between(params, optimizer)
        steps(6, params, optimizer, 10)

    both(run, optim.Adam)


def test_parameters_that_share_memory_are_stepped_one_after_the_other() -> None:
    def make(params: list[Any]) -> Any:
        params[2] = nn.Parameter(params[4].data[0, 0])
        params[4] = nn.Parameter(params[4].data)
        return optim.Adam(params)

    assert both(lambda params, optimizer: steps(4, params, optimizer), make) == [0]


def test_a_subclass_steps_as_it_says() -> None:
    seen: list[Any] = []

    class Own(optim.Adam):
        def update(self, param: Any, grad: Any, state: Any, group: Any) -> None:
            seen.append(param.shape)
            super().update(param, grad, state, group)

    params = parameters()
    steps(3, params, Own(params))
    assert seen == SHAPES * 3


def test_each_parameter_is_written_once_and_in_order() -> None:
    params = parameters()
    optimizer = optim.Adam(params)
    for number in range(3):
        give_gradients(params, number)
        before = [param._version for param in params]
        optimizer.step()
        assert [param._version for param in params] == [version + 1 for version in before]
        writes = [param._storage.last_write for param in params]
        assert writes == sorted(writes)
    assert params[0]._storage.writes is not None
    assert optimizer._small[id(optimizer.param_groups[0])].plan is not None


def test_an_observer_is_told_of_each_write_before_it_happens() -> None:
    from vizgrad.core.tensor.modes import keep_before_writes

    params = parameters()
    optimizer = optim.Adam(params)
    steps(3, params, optimizer)
    give_gradients(params, 9)
    expected = [param.detach().clone() for param in params]
    told: list[tuple[Any, Any]] = []
    keep_before_writes(lambda tensor: told.append((tensor, tensor.detach().clone())))
    try:
        optimizer.step()
    finally:
        keep_before_writes(None)
    assert [next(i for i, p in enumerate(params) if p is t) for t, _ in told] == [
        *range(len(params))
    ]
    for (_, value), was in zip(told, expected, strict=True):
        assert vg.equal(value, was)


def test_plans_are_no_part_of_an_optimizer_that_is_copied_or_saved() -> None:
    params = parameters()
    optimizer = optim.Adam(params)
    steps(3, params, optimizer)
    for copied in (copy.deepcopy, lambda found: pickle.loads(pickle.dumps(found))):
        other = copied(optimizer)
        assert not other._small
        copies = other.param_groups[0]["params"]
        for count in (1, 3):
            steps(count, params, optimizer, 30)
            steps(count, copies, other, 30)
        assert bits(params, optimizer) == bits(copies, other)


def test_where_there_is_no_plan_one_is_looked_for_ever_more_rarely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = 0

    class Counted(multi_tensor.Plan):
        def __init__(self, *args: Any) -> None:
            nonlocal looked
            looked += 1
            super().__init__(*args)

    monkeypatch.setattr(multi_tensor, "Plan", Counted)
    params = [nn.Parameter(vg.ones(100, 100)) for _ in range(8)]
    optimizer = optim.Adam(params)
    steps(40, params, optimizer)
    assert looked == 6
