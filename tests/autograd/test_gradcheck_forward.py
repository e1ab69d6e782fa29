"""gradcheck of forward mode (G-1, G-2): what is wrong with a `jvp` alone is found, and by name."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from vizgrad.autograd import Function, gradcheck, gradgradcheck
from vizgrad.autograd.gradcheck import GradcheckError


def x(*shape: int, dtype: Any = vg.float64) -> Any:
    count = 1
    for n in shape:
        count *= n
    return vg.linspace(0.3, 1.7, count).to(dtype).reshape(shape).requires_grad_()


def function(jvp: Any) -> Any:
    class Cube(Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.save_for_backward(a)
            ctx.save_for_forward(a)
            return a**3

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (a,) = ctx.saved_tensors
            return 3 * a * a * g

    if jvp is not None:
        Cube.jvp = staticmethod(jvp)
    return Cube.apply


class Scaled(Function):
    """In the style that batches want."""

    @staticmethod
    def forward(a: Any, factor: Any) -> Any:
        return a * a * factor

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        a, ctx.factor = inputs
        ctx.save_for_backward(a)
        ctx.save_for_forward(a)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return 2 * ctx.saved_tensors[0] * g * ctx.factor, None

    @staticmethod
    def jvp(ctx: Any, t: Any, _: Any) -> Any:
        return 2 * ctx.saved_tensors[0] * t * ctx.factor


def right(ctx: Any, t: Any) -> Any:
    return 3 * ctx.saved_tensors[0] ** 2 * t


@pytest.mark.rule("G-1", "G-2")
@pytest.mark.parametrize("fast", [False, True])
def test_right_tangents_pass(fast: bool) -> None:
    options = {"check_forward_ad": True, "fast_mode": fast}
    assert gradcheck(function(right), x(3), **options)
    options["check_batched_forward_grad"] = True
    assert gradcheck(Scaled.apply, (x(3), 2.0), **options)
    assert gradcheck(lambda a, b: (a @ b, a.sum()), (x(2, 3), x(3, 2)), **options)
    assert gradcheck(lambda a: a.exp() * a.conj(), x(2, dtype=vg.complex128), **options)
    assert gradcheck(vg.sin, x(2), check_backward_ad=False, **options)


@pytest.mark.rule("G-2")
@pytest.mark.parametrize("fast", [False, True])
def test_a_wrong_tangent_is_found_where_the_gradient_is_right(fast: bool) -> None:
    wrong = function(lambda ctx, t: 2 * ctx.saved_tensors[0] ** 2 * t)
    assert gradcheck(wrong, x(3))
    with pytest.raises(GradcheckError, match="computed with forward mode mismatch") as caught:
        gradcheck(wrong, x(3), check_forward_ad=True, fast_mode=fast)
    assert "by forward mode" in str(caught.value)
    assert caught.value.report is not None
    assert "forward mode" in str(caught.value.report)
    assert not gradcheck(wrong, x(3), check_forward_ad=True, raise_exception=False)


@pytest.mark.rule("G-5")
def test_a_tangent_that_is_not_linear_is_found() -> None:
    shifted = function(lambda ctx, t: right(ctx, t) + (t.abs().sum() == 0))
    with pytest.raises(GradcheckError, match="zero for tangents of zero"):
        gradcheck(shifted, x(1), check_forward_ad=True)


@pytest.mark.rule("G-1")
def test_a_function_without_jvp_says_so() -> None:
    with pytest.raises(NotImplementedError, match="implement the jvp"):
        gradcheck(function(None), x(3), check_forward_ad=True)


@pytest.mark.rule("G-7")
def test_second_derivatives_forward_over_reverse() -> None:
    for rev in (False, True):
        assert gradgradcheck(
            vg.tanh, x(3), check_fwd_over_rev=True, check_rev_over_rev=rev, check_undefined_grad=rev
        )
    assert gradgradcheck(function(right), x(2), check_fwd_over_rev=True)


@pytest.mark.rule("G-2")
def test_outputs_that_are_views_of_complex_inputs() -> None:
    for view in (vg.view_as_real, lambda z: z.real, lambda z: z.T, lambda z: z[1:]):
        assert gradcheck(view, x(2, 2, dtype=vg.complex128), check_forward_ad=True)
