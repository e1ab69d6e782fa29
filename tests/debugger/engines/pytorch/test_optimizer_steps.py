"""Steps of PyTorch's optimizers in a watch: listened to once, told of as if they always were."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
from torch import nn  # noqa: E402
from torch.optim.optimizer import register_optimizer_step_post_hook  # noqa: E402

import vizgrad as vg  # noqa: E402
from vizgrad.debugger.engines.api.summarizer import Origin  # noqa: E402
from vizgrad.debugger.engines.pytorch import torch_watch  # noqa: E402
from vizgrad.debugger.engines.pytorch.torch_nodes import origin_place, recorded_at  # noqa: E402
from vizgrad.debugger.engines.pytorch.write_lines import writes_to  # noqa: E402

MAKERS: dict[str, Callable[[Any], Any]] = {
    "sgd": lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, weight_decay=0.1),
    "adamw": lambda p: torch.optim.AdamW(p, 0.1),
    "adam in lists": lambda p: torch.optim.Adam(p, 0.1, foreach=True, weight_decay=0.1),
    "rmsprop": lambda p: torch.optim.RMSprop(p, 0.1),
}


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions that a watch hears of."""
    names: list[str] = []
    real = torch_watch.heard_as

    def hear(func: Any) -> tuple[str, str]:
        names.append(real(func)[1])
        return real(func)

    monkeypatch.setattr(torch_watch, "heard_as", hear)
    return names


def backward(model: nn.Module) -> None:
    model.zero_grad()
    model(torch.ones(2, 3)).sum().backward()


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_steps_that_nobody_listens_to_are_told_like_the_first(
    maker: Callable[[Any], Any], heard: list[str]
) -> None:
    model = nn.Linear(3, 2)
    optimizer = maker(model.parameters())
    counts: list[int] = []
    with vg.watch() as w:
        for _ in range(4):
            backward(model)
            begin = len(heard)
            optimizer.step()  # STEP
            counts.append(len(heard) - begin)
    assert counts[1] == counts[3] < 10 < counts[0]
    assert not w.findings
    told = list(writes_to(model.weight))
    assert [each.version for each in told] == list(
        range(told[0].version, model.weight._version + 1)
    )
    once, rest = divmod(len(told), 4)
    assert not rest
    assert [each.op for each in told] == [each.op for each in told[:once]] * 4
    assert {each.place.text for each in told if each.place} == {"optimizer.step()  # STEP"}


def test_a_watch_listens_again_after_a_step_that_failed() -> None:
    model = nn.Linear(3, 2)
    optimizer = torch.optim.Adam(model.parameters(), 0.1)
    with vg.watch():
        for _ in range(2):
            backward(model)
            optimizer.step()
        optimizer.state[model.weight]["exp_avg"] = torch.zeros(7)
        with pytest.raises(RuntimeError):
            optimizer.step()
        made = model.weight * 2
        place = origin_place(recorded_at(made.grad_fn))
    assert place is not None
    assert place.text == "made = model.weight * 2"


def test_hooks_and_closures_of_the_users_are_listened_to(heard: list[str]) -> None:
    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def double(*args: Any) -> None:
        with torch.no_grad():
            model.weight.mul_(2)  # HOOK

    with vg.watch():
        backward(model)
        optimizer.step()
        optimizer.register_step_post_hook(double)
        optimizer.step()
        optimizer.step()
        last = list(writes_to(model.weight))[-1]
        heard.clear()
        other = torch.optim.SGD(model.parameters(), 0.1)
        for _ in range(2):
            other.step(lambda: model(torch.ones(2, 3)).sum())
    assert last.place is not None
    assert last.place.text == "model.weight.mul_(2)  # HOOK"
    assert heard.count("linear") == 2


def test_a_hook_of_all_optimizers_is_listened_to() -> None:
    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def double(*args: Any) -> None:
        with torch.no_grad():
            model.weight.mul_(2)  # HOOK OF ALL

    with vg.watch():
        backward(model)
        optimizer.step()
        handle = register_optimizer_step_post_hook(double)
        try:
            optimizer.step()
        finally:
            handle.remove()
        last = list(writes_to(model.weight))[-1]
    assert last.place is not None
    assert last.place.text == "model.weight.mul_(2)  # HOOK OF ALL"


def test_a_long_watch_keeps_no_place_of_what_is_gone() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 2))

    def places() -> int:
        gc.collect()
        return sum(type(each) is Origin for each in gc.get_objects())

    with vg.watch():
        for _ in range(3):
            backward(model)
        before = places()
        for _ in range(10):
            backward(model)
        assert places() <= before


@pytest.mark.parametrize(("to_none", "times"), [(True, 0), (False, 2)])
def test_clearing_to_none_asks_nothing_of_the_watch(
    heard: list[str], to_none: bool, times: int
) -> None:
    """Where zeros are written, the watch hears it: two gradients are filled."""
    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, foreach=False)
    with vg.watch():
        model(torch.ones(2, 3)).sum().backward()
        heard.clear()
        optimizer.zero_grad(set_to_none=to_none)
        assert heard.count("zero_") == times
        assert ("grad" in heard) is not to_none


def test_a_mode_of_the_program_hears_gradients_being_cleared() -> None:
    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    names: list[str] = []

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            names.append(func.__name__)
            return func(*args, **(kwargs or {}))

    with vg.watch(), Mode():
        model(torch.ones(2, 3)).sum().backward()
        names.clear()
        optimizer.zero_grad()
    assert names.count("__get__") >= 2
    assert names.count("__set__") == 2
