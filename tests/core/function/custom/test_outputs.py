"""What becomes of each thing that forward returns."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import pytest

import vizgrad as vg
from tests.core.function.custom.making import function, leaf
from vizgrad.autograd import Function


class Pair(NamedTuple):
    a: object
    b: object


@pytest.mark.rule("F-20", "F-23")
def test_one_object_or_a_plain_tuple():
    x = leaf()
    assert function(lambda ctx, x: None).apply(x) is None
    assert function(lambda ctx, x: ()).apply(x) == ()
    assert isinstance(function(lambda ctx, x: x * 2).apply(x), vg.Tensor)
    one = function(lambda ctx, x: (x * 2,)).apply(x)
    assert type(one) is tuple
    assert one[0].requires_grad
    pair = function(lambda ctx, x: Pair(x * 2, x * 3)).apply(x)
    assert type(pair) is tuple
    assert [y.output_nr for y in pair] == [0, 1]


@pytest.mark.rule("F-21")
def test_other_elements_pass_through_and_hold_a_slot():
    log = []
    marker = object()
    made = function(
        lambda ctx, x: (marker, None, x * 2), lambda ctx, *grads: (log.append(grads), grads[2])[1]
    )
    first, second, y = made.apply(leaf())
    assert first is marker
    assert second is None
    assert y.output_nr == 2
    y.sum().backward()
    assert log[0][:2] == (None, None)
    assert log[0][2].tolist() == [1, 1]


@pytest.mark.rule("F-22")
def test_a_container_is_opaque_and_warned_of_once():
    made = function(lambda ctx, x: [x * 2])
    with pytest.warns(UserWarning, match="opaque.*NestedIOFunction"):
        (inner,) = made.apply(leaf())
    assert not inner.requires_grad
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made.apply(leaf())  # once per class
        function(lambda ctx, x: [x > 0]).apply(leaf())  # nothing is lost
        function(lambda ctx, x: [x * 2]).apply(vg.ones(2))


@pytest.mark.rule("F-24")
def test_one_tensor_at_two_slots():
    log = []

    def twice(ctx, x):
        y = x * 2
        return y, y

    made = function(twice, lambda ctx, a, b: (log.append((a.tolist(), b.tolist())), b)[1])
    a, b = made.apply(leaf())
    assert a is b
    assert a.output_nr == 1
    (a * 5).sum().backward()
    assert log == [([0, 0], [5, 5])]


@pytest.mark.rule("F-25", "F-26")
def test_integers_are_not_differentiable():
    log = []
    made = function(
        lambda ctx, x: (x * 2, x > 1, x.long()),
        lambda ctx, *grads: (log.append([g.dtype for g in grads]), grads[0])[1],
    )
    y, mask, whole = made.apply(leaf())
    assert y.requires_grad
    assert not mask.requires_grad
    assert not whole.requires_grad
    y.sum().backward()
    assert log == [[vg.float32, vg.bool, vg.int64]]


@pytest.mark.rule("F-26", "F-44")
@pytest.mark.parametrize("materialize", [True, False])
def test_marked_outputs(materialize):
    log = []

    def forward(ctx, x):
        y, z = x * 2, x * 3
        ctx.mark_non_differentiable(z)
        ctx.set_materialize_grads(materialize)
        return y, z

    made = function(forward, lambda ctx, a, b: (log.append(b), a)[1])
    y, z = made.apply(leaf())
    assert y.requires_grad
    assert not z.requires_grad
    y.sum().backward()
    assert (log[0].tolist() == [0, 0]) if materialize else (log[0] is None)


@pytest.mark.rule("F-26")
def test_only_tensors_can_be_marked():
    made = function(lambda ctx, x: (ctx.mark_non_differentiable(3), x * 2)[1])
    with pytest.raises(RuntimeError, match="only accepts variable arguments, but got int"):
        made.apply(leaf())


@pytest.mark.rule("F-26")
def test_a_marked_input_comes_back_as_a_detached_alias():
    made = function(lambda ctx, x: (ctx.mark_non_differentiable(x), x)[1])
    x = leaf()
    y = made.apply(x)
    assert y is not x
    assert not y.requires_grad
    assert not y._is_view()
    assert x.requires_grad
    with vg.no_grad():
        x.fill_(7)
    assert y.tolist() == [7, 7]
    assert y._version == 1


@pytest.mark.rule("F-27")
def test_an_input_returned_as_it_is():
    made = function(lambda ctx, x: x, lambda ctx, g: g * 10)
    x = leaf()
    y = made.apply(x)
    assert y is not x
    assert y._is_view()
    assert y._base is x
    assert y.grad_fn.name() == "MadeBackward"
    assert x.is_leaf
    y.sum().backward()
    assert x.grad.tolist() == [10, 10]
    part = (x * 2)[:1]
    assert made.apply(part)._base is part._base
    assert part.grad_fn.name() == "SliceBackward0"


@pytest.mark.rule("F-27")
def test_an_input_returned_without_recording():
    """A view of a constant; of what requires grad, under no_grad, a detached alias as in PyTorch 2.13."""
    made = function(lambda ctx, x: x)
    x, constant = leaf(), vg.ones(2)
    assert made.apply(constant)._base is constant
    with vg.no_grad():
        assert made.apply(constant)._base is constant
        alias = made.apply(x)
        assert alias is not x
        assert not alias._is_view()
        assert not alias.requires_grad
        alias.add_(1)
    assert x.tolist() == [2, 2]
    assert x._version == 1


@pytest.mark.rule("F-28", "V-45")
@pytest.mark.parametrize("forward", [lambda ctx, x: x, lambda ctx, x: x[:1]])
def test_views_of_a_function_are_not_written_to(forward):
    made = function(forward, lambda ctx, g: g.expand(2))
    x = leaf()
    with pytest.raises(RuntimeError, match="created inside a custom Function") as caught:
        made.apply(x * 1).mul_(2)
    assert "clone" in caught.value.explanation.fix
    base = x * 1
    view = made.apply(base)
    base.mul_(2)
    with pytest.raises(RuntimeError, match="base or another view of its base has been modified"):
        view.grad_fn  # noqa: B018
    made.apply(vg.ones(2)).mul_(2)  # no gradient is involved


@pytest.mark.rule("F-29", "V-46")
def test_views_among_several_differentiable_outputs():
    x = leaf()
    view, _ = function(lambda ctx, x: (x[:1], x * 2)).apply(x * 1)
    with pytest.raises(RuntimeError, match="returns multiple views"):
        view.mul_(2)
    view, _ = function(lambda ctx, x: (x[:1], x.long())).apply(x * 1)
    with pytest.raises(RuntimeError, match="created inside a custom Function"):
        view.mul_(2)


@pytest.mark.rule("F-30")
def test_split_style_may_not_save_an_input_it_returns():
    def made(save):
        class Same(Function):
            @staticmethod
            def forward(x):
                return x  # the line to edit

            @staticmethod
            def setup_context(ctx, inputs, output):
                getattr(ctx, save)(*inputs)

            @staticmethod
            def backward(ctx, grad):
                return grad

        return Same

    for save in ("save_for_backward", "save_for_forward"):
        with pytest.raises(RuntimeError, match="returned as-is") as caught:
            made(save).apply(leaf())
        assert caught.value.explanation.culprit.text == "return x  # the line to edit"


def test_outputs_of_one_node():
    made = function(lambda ctx, x: (x * 1, x * 2, x * 3), lambda ctx, a, b, c: a + 10 * b + 100 * c)
    x = leaf()
    a, b, c = made.apply(x)
    assert a.grad_fn is b.grad_fn is c.grad_fn
    (b + c * 2).sum().backward()
    assert x.grad.tolist() == [210, 210]
