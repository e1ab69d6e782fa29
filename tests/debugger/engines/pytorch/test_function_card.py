"""`vizgrad.check` of custom Functions of PyTorch's: what is wrong is found where it is; right ones pass."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402

Function = torch.autograd.Function


class Cube(Function):
    @staticmethod
    def forward(ctx: Any, x: Any, times: float) -> Any:
        ctx.save_for_backward(x)
        ctx.times = times
        return x**3 * times

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g * ctx.times, None


class Reversed(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return -g


class Rounded(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.round()

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g


class Marked(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return 2 * g


class SinglePrecision(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x @ torch.ones(2, 2)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g @ torch.ones(2, 2)


class Once(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x * g


class FromIntermediate(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        e = torch.exp(x)
        ctx.save_for_backward(x, e)  # BLAME
        return x * e

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, e = ctx.saved_tensors
        return g * (e + x * e)


class Detaching(Cube):
    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        x = x.detach()  # BLAME
        return 3 * x**2 * g * ctx.times, None


class Drawing(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return 2.0 * x * (torch.rand(x.shape) < 0.5)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        mask = torch.rand(g.shape) < 0.5  # BLAME
        return 2.0 * g * mask


class Wrong(Cube):
    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x**2 * g * ctx.times, None  # BLAME


class OneShort(Cube):
    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g  # BLAME


class Dirty(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        x.mul_(2)  # BLAME
        return x * 1

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return 2 * g


class Holding(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x.exp()
        ctx.y = y  # BLAME
        return y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * ctx.y


def example() -> Any:
    return torch.tensor([0.3, -0.4], requires_grad=True)


def checked(cls: Any) -> Any:
    more = (2.0,) if issubclass(cls, Cube) else ()
    return vizgrad.check(cls, example(), *more)


@pytest.mark.parametrize("cls", [Cube, Reversed, Rounded, Marked, SinglePrecision, Once])
def test_nothing_is_said_of_what_is_right_or_meant(cls: Any) -> None:
    assert checked(cls) == []


@pytest.mark.parametrize(("cls", "kind", "name"), [
    (FromIntermediate, "second-order-cut", "e"),
    (Detaching, "second-order-cut", "x"),
    (Drawing, "not-repeatable", "mask"),
    (Wrong, "function-return", "x"),
    (OneShort, "function-return", "OneShortBackward"),
    (Dirty, "function-dirty", "x"),
    (Holding, "reference-cycle", "y"),
])  # fmt: skip
def test_what_is_wrong_is_found_at_its_line(cls: Any, kind: str, name: str) -> None:
    first = checked(cls)[0]
    assert (first.kind, first.tensor) == (kind, name)
    assert first.culprit is not None
    assert first.culprit.text.endswith("# BLAME")
    assert len(first.fix) > 10


class Scaled(Function):
    """Its second gradient costs a pass over elements, that of the shift nothing."""

    @staticmethod
    def forward(ctx: Any, x: Any, by: Any, shift: Any) -> Any:
        ctx.save_for_backward(x, by)
        return x * by + shift

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, by = ctx.saved_tensors
        return g * by, g * x, g


class Projected(Function):
    @staticmethod
    def forward(ctx: Any, x: Any, times: float, weight: Any) -> Any:
        ctx.save_for_backward(x, weight)
        ctx.times = times
        return times * (x @ weight)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, weight = ctx.saved_tensors
        of_x = ctx.times * (g @ weight.mT) if ctx.needs_input_grad[0] else None
        of_weight = ctx.times * (x.mT @ g)  # BLAME
        return of_x, None, of_weight


class ProjectedOnce(Projected):
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: Any) -> Any:
        x, weight = ctx.saved_tensors
        of_x = ctx.times * (g @ weight.mT) if ctx.needs_input_grad[0] else None
        of_weight = ctx.times * (x.mT @ g)  # BLAME
        return of_x, None, of_weight


class Asking(Projected):
    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, weight = ctx.saved_tensors
        of_x = ctx.times * (g @ weight.mT) if ctx.needs_input_grad[0] else None
        return of_x, None, ctx.times * (x.mT @ g) if ctx.needs_input_grad[2] else None


@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("cls", [Projected, ProjectedOnce])
def test_a_product_for_an_input_that_needs_no_gradient_is_a_finding(cls: Any, frozen: bool) -> None:
    x, weight = torch.rand(3, 2, requires_grad=True), torch.rand(2, 2, requires_grad=not frozen)
    (found,) = vizgrad.check(cls, x, 3.0, weight)
    assert (found.kind, found.tensor) == ("needless-gradient", "weight")
    assert found.culprit is not None
    assert found.culprit.text.endswith("# BLAME")
    assert "ctx.needs_input_grad[2]" in found.fix


def test_what_costs_next_to_nothing_or_is_asked_for_is_no_finding() -> None:
    x, weight = torch.rand(3, 2, requires_grad=True), torch.rand(2, 2)
    assert vizgrad.check(Asking, x, 3.0, weight) == []
    assert vizgrad.check(Asking, x, 3.0, weight.requires_grad_()) == []
    assert vizgrad.check(Scaled, x, torch.rand(3, 2), torch.rand(3, 2)) == []


def test_it_leaves_nothing_behind_and_a_watch_does_not_hear_of_it() -> None:
    torch.manual_seed(3)
    state, given = torch.get_rng_state(), example()
    with vizgrad.watch() as watch:
        assert vizgrad.check(Holding, given)
        assert vizgrad.check(Drawing, given)
    assert watch.findings == []
    assert torch.equal(torch.get_rng_state(), state)
    assert given.grad is None
    assert given._version == 0


def test_what_forward_raises_is_raised() -> None:
    with pytest.raises(TypeError, match="missing"):
        vizgrad.check(Cube, example())


def test_apply_stands_for_its_class_and_the_base_is_refused() -> None:
    x = torch.randn(3, dtype=torch.float64, requires_grad=True)
    assert vizgrad.check(Cube.apply, x, 2.0) == vizgrad.check(Cube, x, 2.0)
    with pytest.raises(
        TypeError, match="Function has no forward of its own: give a class derived from"
    ):
        vizgrad.check(Function, x)
