"""save_for_backward, saved_tensors and related attributes."""

from __future__ import annotations

import gc
import weakref

import pytest

import vizgrad as vg
from tests.core.function.custom.making import function, leaf


def saving(save):
    """y = 2x; saves save(x, y); `read` keeps what was read in backward."""
    read = []

    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(*save(x, y))
        ctx.inside = (ctx.saved_tensors, ctx.to_save)
        return y

    def backward(ctx, grad):
        read.append(ctx.saved_tensors)
        return grad * 2

    return function(forward, backward), read


@pytest.mark.rule("F-35")
def test_only_tensors_and_none_are_saved():
    made, read = saving(lambda x, y: (x, None, y))
    made.apply(leaf()).sum().backward()
    assert read[0][1] is None
    bad, _ = saving(lambda x, y: (x, 3.0))
    with pytest.raises(TypeError, match="can only save variables, but argument 1 is of type float"):
        bad.apply(leaf())
    with vg.no_grad():
        bad.apply(leaf())
    bad.apply(vg.ones(2))


@pytest.mark.rule("F-35")
def test_the_last_call_wins():
    def forward(ctx, x):
        ctx.save_for_backward(x, x)
        ctx.save_for_backward(x)
        return x * 1

    assert len(function(forward).apply(leaf()).grad_fn.saved_tensors) == 1


@pytest.mark.rule("F-36")
def test_saving_takes_place_when_apply_finishes():
    made, _ = saving(lambda x, y: (x,))
    x = leaf()
    node = made.apply(x).grad_fn
    assert node.inside == ((), (x,))
    assert node.saved_tensors == (x,)
    assert node.to_save is None


@pytest.mark.rule("F-36")
def test_saving_in_backward_has_no_effect():
    def backward(ctx, grad):
        ctx.save_for_backward(grad, grad)
        return grad

    x = leaf()
    y = function(lambda ctx, x: (ctx.save_for_backward(x), x * 1)[1], backward).apply(x)
    y.sum().backward(retain_graph=True)
    assert y.grad_fn.saved_tensors == (x,)


@pytest.mark.rule("F-37")
def test_inputs_come_back_as_themselves_outputs_anew():
    middle = []

    def save(x, y):
        middle.append(x + 5)
        return x, y, middle[0]

    made, _ = saving(save)
    x = leaf() * 1
    y = made.apply(x)
    saved = y.grad_fn.saved_tensors
    assert saved[0] is x
    assert saved[1] is not y
    assert saved[1].grad_fn is y.grad_fn
    assert saved[1].data_ptr() == y.data_ptr()
    assert not saved[2].requires_grad


@pytest.mark.rule("F-37")
def test_the_second_derivative_goes_through_saved_inputs_and_outputs():
    def exp(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    made = function(exp, lambda ctx, g: g * ctx.saved_tensors[0])
    x = vg.tensor(0.5, dtype=vg.float64, requires_grad=True)
    y = made.apply(x)
    for _ in range(3):
        (y,) = vg.autograd.grad(y, x, create_graph=True)
        assert y.item() == pytest.approx(1.6487212707)


@pytest.mark.rule("F-37")
def test_an_intermediate_is_missing_from_the_second_derivative():
    def cube(ctx, x):
        ctx.save_for_backward(3 * x * x)
        return x**3

    made = function(cube, lambda ctx, g: g * ctx.saved_tensors[0])
    x = vg.tensor(2.0, requires_grad=True)
    (g,) = vg.autograd.grad(made.apply(x) ** 2, x, create_graph=True)
    assert vg.autograd.grad(g, x)[0].item() == 288  # the true value is 480


@pytest.mark.rule("F-38", "V-20")
def test_reading_checks_versions_and_names_the_line():
    made, _ = saving(lambda x, y: (x, y))
    for which in (0, 1):
        x = leaf() * 1
        y = made.apply(x)
        (x, y)[which].detach().add_(1)  # the write
        with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
            y.grad_fn.saved_tensors  # noqa: B018
        explanation = caught.value.explanation
        assert explanation.kind == "saved-overwritten"
        assert explanation.culprit.text == "(x, y)[which].detach().add_(1)  # the write"
        assert "version 1; expected version 0" in str(caught.value)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()


@pytest.mark.rule("F-38")
def test_a_saved_value_is_named_as_in_forward():
    def forward(ctx, weights):
        ctx.save_for_backward(weights)
        return weights * 2

    x = leaf() * 1
    y = function(forward).apply(x)
    assert y.grad_fn.engine_node().saved_names == ("weights",)
    x.add_(1)
    with pytest.raises(RuntimeError) as caught:
        y.grad_fn.saved_tensors  # noqa: B018
    assert "saved `weights`" in str(caught.value.explanation)


@pytest.mark.rule("F-39", "E-41")
def test_what_was_saved_is_freed():
    made, _ = saving(lambda x, y: (x,))
    y = made.apply(leaf()).sum()
    node = y.grad_fn.next_functions[0][0]
    node.note = "kept"
    y.backward()  # freed here
    for read in (lambda: node.saved_tensors, lambda: node._raw_saved_tensors, y.backward):
        with pytest.raises(RuntimeError, match="second time") as caught:
            read()
        assert caught.value.explanation.culprit.text == "y.backward()  # freed here"
    assert node.note == "kept"


@pytest.mark.rule("F-39")
@pytest.mark.parametrize("save", [True, False])
def test_a_function_that_reads_nothing_runs_twice(save):
    def forward(ctx, x):
        if save:
            ctx.save_for_backward(x)
        return x * 2

    x = leaf(1.0)
    y = function(forward, lambda ctx, g: g * 2).apply(x)
    y.sum().backward()
    y.sum().backward()
    assert x.grad.tolist() == [4]
    with pytest.raises(RuntimeError, match="already been freed"):
        y.grad_fn.saved_tensors  # noqa: B018


@pytest.mark.rule("F-40")
def test_saved_variables():
    made, _ = saving(lambda x, y: (x,))
    x = leaf()
    node = made.apply(x).grad_fn
    with pytest.warns(DeprecationWarning, match="use 'saved_tensors'"):
        assert node.saved_variables == (x,)


@pytest.mark.rule("F-41")
def test_attributes_are_kept_without_check_or_freeing():
    def forward(ctx, x):
        ctx.x = x
        return x * x

    first = leaf()
    x = first + 0
    y = function(forward, lambda ctx, g: 2 * ctx.x * g).apply(x)
    x.detach().add_(1)
    y.sum().backward()
    y.sum().backward()
    assert first.grad.tolist() == [8, 8]


@pytest.mark.rule("F-41", "E-96")
def test_a_saved_output_makes_no_cycle_an_attribute_does():
    def saved(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    def kept(ctx, x):
        ctx.y = x.exp()
        return ctx.y

    gc.collect()
    gc.disable()
    try:
        for forward, dies in ((saved, True), (kept, False)):
            y = function(forward).apply(leaf())
            tensor, node = weakref.ref(y), weakref.ref(y.grad_fn)
            del y
            assert (tensor() is None) is dies
            assert (node() is None) is dies
    finally:
        gc.enable()
    gc.collect()
    assert node() is None


@pytest.mark.rule("F-42")
def test_save_for_forward_takes_tensors():
    x = leaf()
    made = function(lambda ctx, x: (ctx.save_for_forward(x, None), x * 1)[1])
    node = made.apply(x).grad_fn
    assert node.saved_for_forward == (x, None)
    assert node.saved_tensors == ()
    bad = function(lambda ctx, x: ctx.save_for_forward(x, 3))
    for kind in (AssertionError, TypeError):
        with pytest.raises(kind, match="save_for_forward expects"):
            bad.apply(x)


@pytest.mark.rule("F-43")
def test_flags_of_newer_versions():
    x = leaf()
    forward = lambda ctx, x: (ctx.save_for_backward(x), x * 1)[1]  # noqa: E731
    once = function(forward, clear_saved_tensors_on_access=True).apply(x)
    assert once.grad_fn.saved_tensors == (x,)
    with pytest.raises(RuntimeError, match="freed"):
        once.grad_fn.saved_tensors  # noqa: B018

    seen = []

    def boxed(ctx, grads):
        seen.append(type(grads))
        return grads.pop() * 3

    function(forward, boxed, boxed_grads_call=True).apply(x).sum().backward()
    assert seen == [list]
    assert x.grad.tolist() == [3, 3]


@pytest.mark.rule("F-44", "F-68")
@pytest.mark.parametrize("materialize", [True, False])
def test_undefined_gradients(materialize):
    log = []

    def forward(ctx, x):
        ctx.set_materialize_grads(materialize)
        return x * 1, x[:1].double() * 2

    def backward(ctx, a, b):
        log.append((a, b))
        return a

    made = function(forward, backward)
    made.apply(leaf())[0].sum().backward()
    a, b = log[0]
    assert a.tolist() == [1, 1]
    if materialize:
        assert (b.tolist(), b.dtype) == ([0], vg.float64)
    else:
        assert b is None
    with pytest.raises(TypeError, match="expects a bool"):
        function(lambda ctx, x: ctx.set_materialize_grads(1)).apply(leaf())


@pytest.mark.rule("F-44", "F-68", "E-53")
def test_a_function_runs_although_nothing_arrived():
    nothing = function(lambda ctx, x: x * 1, lambda ctx, g: None)
    log = []
    passing = function(lambda ctx, x: x * 1, lambda ctx, g: (log.append(g.tolist()), g)[1])
    x, y = leaf(), leaf()
    nothing.apply(passing.apply(x)).sum().backward()
    assert log == [[0, 0]]
    assert x.grad.tolist() == [0, 0]
    nothing.apply(y * 2).sum().backward()
    assert y.grad is None


@pytest.mark.rule("F-45")
def test_mark_shared_storage():
    made = function(lambda ctx, x: (ctx.mark_shared_storage((x, x)), x * 1)[1])
    with pytest.warns(FutureWarning, match="mark_shared_storage is deprecated"):
        made.apply(leaf())
