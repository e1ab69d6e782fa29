"""In-place Functions: mark_dirty."""

from __future__ import annotations

import warnings

import pytest

import vizgrad as vg
from tests.core.function.custom.making import function, leaf


def doubling(ctx, x):
    x.mul_(2)
    ctx.mark_dirty(x)
    return x


def Double():
    return function(doubling, lambda ctx, g: g * 2)


@pytest.mark.rule("F-50", "F-51")
def test_a_dirty_input_is_returned_as_itself():
    first = leaf()
    x = first * 1
    old = x.grad_fn
    y = Double().apply(x)
    assert y is x
    assert x._version == 2
    assert x.grad_fn.name() == "MadeBackward"
    assert x.grad_fn.next_functions == ((old, 0),)
    x.sum().backward()
    assert first.grad.tolist() == [2, 2]


@pytest.mark.rule("F-50")
def test_marking_counts_without_a_graph_too():
    x, w = vg.ones(2), leaf() * 1
    assert Double().apply(x) is x
    with vg.no_grad():
        Double().apply(w)
    assert x._version == w._version == 2


@pytest.mark.rule("F-50")
def test_only_tensors_are_dirty():
    made = function(lambda ctx, x: (ctx.mark_dirty(5), x * 2)[1])
    with pytest.raises(RuntimeError, match="mark_dirty can only accept variables") as caught:
        made.apply(leaf())
    assert caught.value.explanation.kind == "function-dirty"


@pytest.mark.rule("F-51")
def test_a_dirty_input_must_be_returned():
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x * 3  # the line to edit

    with pytest.raises(RuntimeError, match="not returned as output") as caught:
        function(forward).apply(leaf() * 1)
    assert caught.value.explanation.kind == "function-dirty"
    assert caught.value.explanation.culprit.text == "return x * 3  # the line to edit"


@pytest.mark.rule("F-51", "V-11")
def test_a_constant_becomes_part_of_the_graph():
    def add_into(ctx, total, x):
        total.add_(x)
        ctx.mark_dirty(total)
        return total

    total, x = vg.zeros(2), leaf()
    assert function(add_into, lambda ctx, g: (g, g)).apply(total, x) is total
    assert total.requires_grad
    assert not total.is_leaf
    total.sum().backward()
    assert x.grad.tolist() == [1, 1]


@pytest.mark.rule("F-52")
def test_a_dirty_leaf():
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        Double().apply(leaf())
    x = leaf()
    with vg.no_grad():
        alias = Double().apply(x)
    assert alias is not x
    assert not alias.requires_grad
    assert alias.data_ptr() == x.data_ptr()
    assert x.is_leaf
    assert x.tolist() == [2, 2]


@pytest.mark.rule("F-53")
def test_a_dirty_tensor_that_is_no_input():
    def forward(ctx, x):
        y = x * 2
        ctx.mark_dirty(y)
        return y

    x = leaf()
    with pytest.warns(UserWarning, match="not an input"):
        y = function(forward, lambda ctx, g: g * 2).apply(x)
    y.sum().backward()
    assert x.grad.tolist() == [2, 2]


@pytest.mark.rule("F-54", "V-30", "V-31")
def test_a_dirty_view_rewrites_the_history_of_its_base():
    first = leaf(1.0, 1.0, 1.0, 1.0)
    base = first * 1
    view, sibling = base[:2], base[1:]
    assert Double().apply(view) is view
    assert base.grad_fn.name() == "CopySlices"
    assert view.grad_fn.name() == "AsStridedBackward0"
    assert base.tolist() == [2, 2, 1, 1]
    (base.sum() + sibling.sum() * 10).backward()
    assert first.grad.tolist() == [2, 22, 11, 11]


@pytest.mark.rule("F-54", "V-31")
def test_a_dirty_view_need_not_be_the_first_argument():
    """PyTorch 2.13 takes the first argument for the view, and loses the gradient of the other."""

    def scale(ctx, factor, x):
        ctx.save_for_backward(factor, x.clone())
        x.mul_(factor)
        ctx.mark_dirty(x)
        return x

    def backward(ctx, g):
        factor, old = ctx.saved_tensors
        return (g * old).sum(), g * factor

    made = function(scale, backward)
    for create_graph in (False, True):
        first, factor = leaf(2.0, 3.0), vg.tensor(5.0, requires_grad=True)
        base = first * 1
        made.apply(factor, base[:1])
        grads = vg.autograd.grad(base.sum(), (first, factor), create_graph=create_graph)
        assert [g.tolist() for g in grads] == [[5, 1], 2]


@pytest.mark.rule("F-54", "V-30")
def test_the_gradient_of_a_dirty_view_goes_through_the_function():
    first = leaf(1.0, 1.0, 1.0)
    view = (first * 1)[1:]
    assert Double().apply(view) is view
    (view * 3).sum().backward()
    assert first.grad.tolist() == [0, 6, 6]


@pytest.mark.rule("F-54")
def test_a_dirty_view_allows_one_output():
    def two(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x, x * 3

    made = function(two, lambda ctx, a, b: 2 * a + 6 * b)
    with pytest.raises(RuntimeError, match="cannot return more than one Tensor") as caught:
        made.apply((leaf() * 1)[:1])
    assert "clone" in caught.value.explanation.fix
    x = leaf()
    a, b = made.apply(x * 1)
    (a + b).sum().backward()
    assert x.grad.tolist() == [8, 8]


@pytest.mark.rule("F-55", "E-73")
def test_what_marking_resets():
    made = function(
        lambda ctx, total, x: (total.add_(x), ctx.mark_dirty(total), total)[2],
        lambda ctx, g: (g, g),
    )
    total = vg.zeros(2)
    total.grad = vg.ones(2)
    made.apply(total, leaf())
    total.retain_grad()
    assert total.grad is None

    log = []
    x = leaf() * 1
    x.retain_grad()
    x.register_hook(lambda g: log.append(("old", g.tolist())))
    Double().apply(x)
    x.register_hook(lambda g: log.append(("new", g.tolist())))
    x.sum().backward()
    assert log == [("new", [1, 1]), ("old", [2, 2])]
    assert x.grad.tolist() == [1, 1]


@pytest.mark.rule("F-56")
def test_an_unmarked_write_is_warned_of_with_its_line():
    def forward(ctx, weights):
        weights.mul_(2)  # the write
        return weights

    x = leaf() * 1
    with pytest.warns(UserWarning, match="changed its input `weights` in place") as caught:
        y = function(forward).apply(x)
    assert "weights.mul_(2)  # the write" in str(caught[0].message)
    assert y is not x
    assert y._base is x
    assert x.grad_fn.name() == "MulBackward0"


@pytest.mark.rule("F-56")
def test_marked_writes_and_reads_are_not_warned_of():
    def both(ctx, x, view):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    base = leaf() * 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Double().apply(leaf() * 1)
        function(both).apply(base, base.detach())
        function(lambda ctx, x: x.clone().mul_(2)).apply(leaf())
        function(lambda ctx, x, seen: (seen.add_(1), x * 2)[1]).apply(leaf(), vg.zeros(2))
        function(lambda ctx, x: x.mul_(2)).apply(vg.ones(2))


@pytest.mark.rule("F-50", "V-20")
def test_consumers_notice_a_dirty_write():
    x = leaf() * 1
    y = (x * x).sum()
    Double().apply(x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


@pytest.mark.rule("F-51")
def test_a_dirty_output_may_be_saved():
    def exp_(ctx, x):
        x.exp_()
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    first = leaf(0.0, 0.0)
    x = first * 1
    y = function(exp_, lambda ctx, g: g * ctx.saved_tensors[0]).apply(x)
    assert y.grad_fn.saved_tensors[0].grad_fn is y.grad_fn
    y.sum().backward()
    assert first.grad.tolist() == [1, 1]
