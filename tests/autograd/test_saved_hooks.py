"""saved_tensors_hooks and what is made of them."""

from __future__ import annotations

import gc
import weakref

import pytest

import vizgrad as vg
from tests.core.function.custom.making import function, leaf
from vizgrad.autograd import graph
from vizgrad.core.tensor.modes import GUARD, MODES


@pytest.fixture(autouse=True)
def _nothing_stays_on():
    scoped = GUARD.scoped
    yield
    assert GUARD.scoped <= scoped
    assert MODES.on_record == ()
    assert MODES.saved_hooks is None
    assert MODES.before_write is None


def identity(t):
    return t


@pytest.mark.rule("V-60")
def test_each_saved_tensor_is_packed_once_and_unpacked_at_each_use():
    log = []

    def pack(t):
        log.append(("pack", t, vg.is_grad_enabled()))
        return len(log)

    def unpack(number):
        log.append(("unpack", number, vg.is_grad_enabled()))
        return log[number - 1][1]

    x = leaf(2.0, 3.0)
    with graph.saved_tensors_hooks(pack, unpack):
        square = x * x
        y = square.exp()
    assert [
        (what, t is expected, mode)
        for (what, t, mode), expected in zip(log, (x, x, y), strict=True)
    ] == [("pack", True, False)] * 3
    vg.autograd.grad(y.sum(), x, retain_graph=True)
    assert log[3:] == [("unpack", 3, False), ("unpack", 1, False), ("unpack", 2, False)]
    del log[3:]
    vg.autograd.grad(y.sum(), x, create_graph=True)
    assert {mode for _, _, mode in log[3:]} == {True}


@pytest.mark.rule("V-60")
def test_functions_are_packed_too():
    packed = []

    def forward(ctx, x):
        y, middle = x * 2, x * 3
        ctx.save_for_backward(x, y, None, middle)
        return y

    x = leaf()
    with graph.saved_tensors_hooks(lambda t: (packed.append(t), t.detach().clone())[1], identity):
        y = function(forward).apply(x)
    assert packed[0] is x
    assert packed[1] is y
    assert len(packed) == 3
    given, own, nothing, middle = y.grad_fn.saved_tensors
    assert given is not x
    assert given.is_leaf
    (given * 3).sum().backward()
    assert x.grad.tolist() == [3, 3]
    assert own.grad_fn is y.grad_fn
    assert nothing is None
    assert not middle.requires_grad


@pytest.mark.rule("V-61")
def test_only_the_innermost_pair_applies():
    log = []

    def hooks(name):
        return graph.saved_tensors_hooks(lambda t: (log.append(name), t)[1], identity)

    x = leaf()
    with hooks("outer"):
        with hooks("inner"):
            x.exp()
        x.exp()
    x.exp()
    assert log == ["inner", "outer"]


@pytest.mark.rule("V-62")
def test_a_pack_hook_must_not_write():
    def pack(t):
        return t.add_(1)

    for saves in (lambda x: x * x, lambda x: x.exp(), function(_save_input).apply):
        x = leaf() * 1
        with (
            graph.saved_tensors_hooks(pack, identity),
            pytest.raises(RuntimeError, match="pack hook is modifying its input") as caught,
        ):
            saves(x)
        assert caught.value.explanation.culprit.text == "def pack(t):"


def _save_input(ctx, x):
    ctx.save_for_backward(x)
    return x * 1


@pytest.mark.rule("V-62")
@pytest.mark.parametrize(
    ("result", "kind", "phrase"),
    [
        (5, TypeError, "type int"),
        (vg.ones(3), RuntimeError, r"shape \[3\]"),
        (vg.ones(2, dtype=vg.float64), RuntimeError, "float64"),
    ],
)
def test_what_unpack_must_give(result, kind, phrase):
    x = leaf()
    with graph.saved_tensors_hooks(identity, lambda packed: result):
        y, z = x.exp(), function(_save_input, lambda ctx, g: ctx.saved_tensors[0]).apply(x)
    for out in (y, z):
        with pytest.raises(kind, match=phrase):
            out.sum().backward()


@pytest.mark.rule("V-63")
def test_packed_values_are_not_checked():
    x = leaf()
    a = x * 1
    with graph.saved_tensors_hooks(identity, identity):
        y = (a * a).sum()
    a.detach().add_(1)
    y.backward()
    assert x.grad.tolist() == [4, 4]


@pytest.mark.rule("V-64")
def test_what_hooks_do_not_see():
    for hooks in ((3, identity), (identity, None)):
        context = graph.saved_tensors_hooks(*hooks)
        with pytest.raises(TypeError, match="must be callable"):
            context.__enter__()
    seen = []
    with graph.saved_tensors_hooks(lambda t: (seen.append(t), t)[1], identity):
        x = leaf()
        _ = x * 2, x / 3, x.sum(), x[0], x + x
    assert seen == []


@pytest.mark.rule("V-65", "E-8")
def test_hooks_on_one_saved_value():
    log = []
    x = leaf(2.0)
    y = x * x
    raw = y.grad_fn._raw_saved_self
    assert raw.data is x
    raw.register_hooks(lambda t: log.append("pack") or t.tolist(), vg.tensor)
    assert log == ["pack"]
    assert y.grad_fn._saved_self.tolist() == [2]
    with pytest.raises(RuntimeError, match="hooks have already been set"):
        raw.register_hooks(identity, identity)
    with pytest.raises(RuntimeError, match="value None"):
        (x * 2).grad_fn._raw_saved_self.register_hooks(identity, identity)
    with pytest.raises(TypeError, match="two callables"):
        y.grad_fn._raw_saved_other.register_hooks(1, 2)
    y.backward()
    assert x.grad.tolist() == [4]
    with pytest.raises(RuntimeError, match="after it has been freed"):
        raw.register_hooks(identity, identity)
    with pytest.raises(AttributeError):
        y.grad_fn._raw_saved_nothing  # noqa: B018


@pytest.mark.rule("V-65")
def test_hooks_on_a_value_of_a_function():
    x = leaf(3.0)
    y = function(_save_input, lambda ctx, g: g * ctx.saved_tensors[0]).apply(x)
    (raw,) = y.grad_fn._raw_saved_tensors
    raw.register_hooks(lambda t: t.tolist(), lambda v: vg.tensor(v) * 10)
    y.backward()
    assert x.grad.tolist() == [30]


@pytest.mark.rule("V-66")
def test_double_backward_through_fresh_tensors():
    x = vg.tensor(2.0, dtype=vg.float64, requires_grad=True)
    with graph.saved_tensors_hooks(lambda t: t.item(), lambda v: vg.tensor(v, dtype=vg.float64)):
        y = (x * 3).exp() * x
        (g,) = vg.autograd.grad(y, x, create_graph=True)
        (second,) = vg.autograd.grad(g, x)
    e = y.item() / 2
    assert g.item() == pytest.approx(e * 7)
    assert second.item() == pytest.approx(e * 24)


@pytest.mark.rule("V-60", "E-96")
def test_a_packed_input_is_let_go():
    gc.collect()
    gc.disable()
    try:
        x = leaf()
        with graph.saved_tensors_hooks(lambda t: t.detach().clone(), identity):
            a = x * 1
            y = a * a
        gone = weakref.ref(a)
        del a
        assert gone() is None
        assert y.grad_fn._saved_self.grad_fn.name() == "MulBackward0"
        y.sum().backward()
        assert x.grad.tolist() == [2, 2]
    finally:
        gc.enable()


@pytest.mark.rule("V-67")
def test_disabling():
    hooks = lambda: graph.saved_tensors_hooks(identity, identity)  # noqa: E731

    def entering(outer, inner):
        with outer, inner:
            pass

    disabled = graph.disable_saved_tensors_hooks
    with disabled("outer words"):
        with pytest.raises(RuntimeError, match="outer words"):
            hooks().__enter__()
        with pytest.raises(RuntimeError, match="inner words"):
            entering(disabled("inner words"), hooks())
        with pytest.raises(RuntimeError, match="outer words"):
            hooks().__enter__()
    with pytest.raises(RuntimeError, match="while active"):
        entering(hooks(), disabled("while active"))
    entering(hooks(), hooks())


@pytest.mark.rule("V-68")
def test_save_on_cpu():
    x = leaf(2.0, 3.0)
    with graph.save_on_cpu(pin_memory=True):
        a = x * 1
        y = (a * a * x.exp()).sum()
    assert a.grad_fn is not None
    a.detach().zero_()  # the copies are elsewhere
    y.backward()
    plain = x.detach().requires_grad_()
    (plain * plain * plain.exp()).sum().backward()
    assert vg.allclose(x.grad, plain.grad)


@pytest.mark.rule("V-70", "V-72")
def test_mutation_of_saved_tensors():
    x = leaf(2.0, 3.0)
    with graph.allow_mutation_on_saved_tensors() as context:
        a = x * 1
        y = a * a
        assert len(context.cloned) == 0
        a.add_(10)
        a[:1].zero_()
        z = (a * y).sum()
        a.mul_(0)
        assert len(context.cloned) == 2
        z.backward()
    # a = (0, 13) at the product, made of x + 10 but for the first element
    assert x.grad.tolist() == [0, 9 + 13 * 2 * 3]
    assert len(context.cloned) == 0


@pytest.mark.rule("V-70")
def test_mutation_of_what_a_function_saved():
    def doubling(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    x = leaf(2.0)
    with graph.allow_mutation_on_saved_tensors():
        a = x * 1
        y = function(_save_input, lambda ctx, g: g * ctx.saved_tensors[0]).apply(a)
        function(doubling, lambda ctx, g: g * 2).apply(a)
        y.sum().backward()
    assert x.grad.tolist() == [2]


@pytest.mark.rule("V-71")
def test_limits_of_mutation():
    x = leaf()
    before = x * 1
    early = (before * before).sum()
    with graph.allow_mutation_on_saved_tensors() as context:
        before.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            early.backward()
        with pytest.raises(RuntimeError, match="cannot be nested"):
            graph.allow_mutation_on_saved_tensors().__enter__()
        a = x * 1
        y, z = (a * a).sum(), (a * a).sum()
        a.add_(1)
        context.clear()
        with pytest.raises(AssertionError, match="outside of the 'allow_mutation"):
            y.backward()
    with pytest.raises(AssertionError, match="outside of the 'allow_mutation"):
        z.backward()


@pytest.mark.rule("V-4")
def test_increment_version():
    x = leaf()
    y = (x * x).sum()
    graph.increment_version(x)  # the write
    graph.increment_version([x, x])
    assert x._version == 3
    with pytest.raises(RuntimeError, match="modified by an inplace") as caught:
        y.backward()
    assert caught.value.explanation.culprit.text == "graph.increment_version(x)  # the write"
    for wrong in (3, [3]):
        with pytest.raises(RuntimeError, match="increment_version expects"):
            graph.increment_version(wrong)
