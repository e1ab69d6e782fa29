"""`vizgrad.card` of custom Functions of PyTorch's: proven, failed with its case, or untested."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.debugger.engines.pytorch.test_function_card import (  # noqa: E402
    Cube,
    FromIntermediate,
    Holding,
    Reversed,
    example,
)
from vizgrad.debugger.engines.api.abilities import CAPABILITIES  # noqa: E402

Function = torch.autograd.Function


class Linear(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any, w: Any) -> Any:
        return x * w

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, w = ctx.saved_tensors
        return g * w, g * x

    @staticmethod
    def jvp(ctx: Any, x_t: Any, w_t: Any) -> Any:
        x, w = ctx.saved_tensors
        zero = torch.zeros_like
        return (zero(x) if x_t is None else x_t) * w + x * (zero(w) if w_t is None else w_t)


class WrongTangent(Linear):
    @staticmethod
    def jvp(ctx: Any, x_t: Any, w_t: Any) -> Any:
        _, w = ctx.saved_tensors
        return x_t * w  # BLAME


class WrongBatch(Linear):
    generate_vmap_rule = False

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Any, w: Any) -> Any:  # BLAME
        return x * w * 2, 0


class Hiding(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.x = x  # BLAME
        return x**2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return 2 * ctx.x * g


class Hoarding(Function):
    calls: list[Any] = []  # noqa: RUF012

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        Hoarding.calls.append(ctx)
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2


class Once(Cube):
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g * ctx.times, None


class Raising(Cube):
    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        raise KeyError("no gradient")  # BLAME


def states(card: Any) -> dict[str, str]:
    return {c.name: c.state for c in card.capabilities}


def test_all_is_proven() -> None:
    card = vizgrad.card(Linear, example(), example())
    assert states(card) == dict.fromkeys(CAPABILITIES, "proven")
    assert card["backward"].detail == "4 derivatives agree with differences"
    assert card["version safety"].detail == "2 writes noticed, 1 harmless"
    assert vizgrad.check(Linear, example(), example()) == []


def test_what_is_missing_or_refused_is_untested() -> None:
    card = vizgrad.card(Once, example(), 2.0)
    assert {n for n, s in states(card).items() if s != "proven"} == {
        "double backward",
        "jvp",
        "vmap",
    }
    assert card["double backward"].detail == "raises an error: @once_differentiable"
    assert "no jvp: forward mode" in card["jvp"].detail
    assert "no vmap: vmap raises" in card["vmap"].detail


def test_a_gradient_that_is_meant_to_be_another() -> None:
    card = vizgrad.card(Reversed, example())
    assert "on purpose" in card["backward"].detail
    assert card["double backward"].state == "untested"


@pytest.mark.parametrize(("cls", "inputs", "name", "kind"), [
    (FromIntermediate, 1, "double backward", "second-order-cut"),
    (WrongTangent, 2, "jvp", "function-return"),
    (WrongBatch, 2, "vmap", "function-return"),
    (Hiding, 1, "version safety", "hidden-write"),
    (Holding, 1, "version safety, freeing", "reference-cycle"),
])  # fmt: skip
def test_what_failed_has_its_case(cls: Any, inputs: int, name: str, kind: str) -> None:
    given = [example() for _ in range(inputs)]
    card = vizgrad.card(cls, *given)
    assert ", ".join(n for n, s in states(card).items() if s == "failed") == name
    (failure,) = card[name.rpartition(", ")[2]].failures
    assert failure.kind == kind
    assert failure.culprit is not None
    assert failure.culprit.text.endswith("# BLAME")
    assert vizgrad.check(cls, *given) == [failure]


def test_what_is_kept_for_good() -> None:
    try:
        card = vizgrad.card(Hoarding, example())
        assert card["freeing"].state == "failed"
        assert card["freeing"].failures[0].kind == "history-kept"
    finally:
        Hoarding.calls.clear()


def test_one_that_raises() -> None:
    card = vizgrad.card(Raising, example(), 2.0)
    assert "KeyError" in card["backward"].failures[0].story
    assert states(card)["double backward"] == "untested"
    assert card["version safety"].state == "untested"


def test_text_and_picture_are_those_of_any_card() -> None:
    card = vizgrad.card(FromIntermediate, example())
    assert "FromIntermediate(float32[2]): 4 proven, 1 failed, 2 untested" in repr(card)
    assert 'class="capability error"' in card.to_svg()
    assert card.data.place is not None
    assert card.data.place.text == "class FromIntermediate(Function):"
    assert "Cube(float32[2], 2.0)" in repr(vizgrad.card(Cube, example(), 2.0))


def test_nothing_is_left_behind() -> None:
    torch.manual_seed(3)
    state, given = torch.get_rng_state(), example()
    with vizgrad.watch() as watch:
        vizgrad.card(Linear, given, given)
    assert watch.findings == []
    assert torch.equal(torch.get_rng_state(), state)
    assert given.grad is None
    assert given._version == 0
