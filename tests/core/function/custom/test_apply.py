"""Running forward: styles, keyword arguments, what is attached when."""

from __future__ import annotations

import pytest

import vizgrad as vg
from vizgrad.autograd import Function


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor=3.0, *, unusable=None):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return (grad * ctx.factor, *([None] * (len(ctx.needs_input_grad) - 1)))


class Split(Function):
    @staticmethod
    def forward(x, factor=3.0):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.seen = (inputs, output, vg.is_grad_enabled())
        ctx.factor = inputs[1]
        return "ignored"

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


def leaf():
    return vg.ones(2, requires_grad=True)


@pytest.mark.rule("F-10")
def test_forward_gets_the_callers_objects_and_no_grad_mode():
    given, seen = leaf(), []

    class Looking(Function):
        @staticmethod
        def forward(ctx, x):
            seen.extend([x is given, x.requires_grad, vg.is_grad_enabled()])
            with vg.enable_grad():
                y = x * 2
                seen.append(y.requires_grad)
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad * 100

    y = Looking.apply(given)
    assert seen == [True, True, False, True]
    assert y.grad_fn.name() == "LookingBackward"
    y.sum().backward()
    assert given.grad.tolist() == [100, 100]


@pytest.mark.rule("F-10", "F-19")
def test_the_mode_comes_back_when_forward_fails():
    class Failing(Function):
        @staticmethod
        def forward(ctx, x):
            vg.set_grad_enabled(True)
            raise KeyError("mine")

    with vg.no_grad():
        with pytest.raises(KeyError, match="mine"):
            Failing.apply(leaf())
        assert not vg.is_grad_enabled()
    with pytest.raises(KeyError):
        Failing.apply(leaf())
    assert vg.is_grad_enabled()


@pytest.mark.rule("F-11")
def test_a_node_is_attached_only_if_needed():
    for y in (Scale.apply(vg.ones(2)), vg.no_grad()(Scale.apply)(leaf())):
        assert not y.requires_grad
        assert y.grad_fn is None
        assert y.tolist() == [3, 3]
    assert Scale.apply(leaf()).requires_grad


@pytest.mark.rule("F-12")
def test_tensors_inside_containers_are_opaque():
    class OfList(Function):
        @staticmethod
        def forward(ctx, items):
            return items[0] * 2

    assert not OfList.apply([leaf()]).requires_grad


@pytest.mark.rule("F-13", "F-15")
def test_split_style():
    x = leaf()
    y = Split.apply(x)
    inputs, output, grad_mode = y.grad_fn.seen
    assert inputs[0] is x
    assert inputs[1] == 3.0
    assert output is y
    assert grad_mode is False
    y.sum().backward()
    assert x.grad.tolist() == [3, 3]


@pytest.mark.rule("F-14")
def test_keyword_arguments():
    x = leaf()
    assert Scale.apply(x=x).grad_fn.needs_input_grad == (True,)
    y = Scale.apply(factor=5.0, x=x)
    assert y.tolist() == [5, 5]
    assert y.grad_fn.needs_input_grad == (True, False)
    assert Split.apply(x=x).grad_fn.needs_input_grad == (True, False)
    for cls in (Scale, Split):
        for wrong in ({"other": 1}, {"unusable": 1}):
            with pytest.raises(TypeError, match="unexpected keyword") as caught:
                cls.apply(x, **wrong)
            assert caught.value.explanation.culprit.text == "cls.apply(x, **wrong)"
        with pytest.raises(TypeError, match="missing"):
            cls.apply()
        with pytest.raises(TypeError):
            cls.apply(x, 1.0, 2.0)


@pytest.mark.rule("F-14")
def test_a_default_before_a_given_argument_is_filled_in():
    class Two(Function):
        @staticmethod
        def forward(ctx, x, factor=3.0, shift=1.0):
            return x * factor + shift

        @staticmethod
        def backward(ctx, grad):
            return grad * 3, None, None

    y = Two.apply(leaf(), shift=2.0)
    assert y.tolist() == [5, 5]
    y.sum().backward()


@pytest.mark.rule("F-14")
def test_any_number_of_arguments():
    class Sum(Function):
        @staticmethod
        def forward(ctx, *args):
            return args[0] + args[1]

        @staticmethod
        def backward(ctx, grad):
            return grad, grad

    a, b = leaf(), leaf()
    y = Sum.apply(a, b)
    y.sum().backward()
    assert b.grad.tolist() == [1, 1]
    with pytest.raises(TypeError, match="unexpected keyword"):
        Sum.apply(a, b, c=1)


@pytest.mark.rule("F-16")
def test_missing_methods():
    class Nothing(Function):
        pass

    class OnlyForward(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    with pytest.raises(NotImplementedError, match="forward") as caught:
        Nothing.apply(leaf())
    assert caught.value.explanation.culprit.text == "class Nothing(Function):"
    y = OnlyForward.apply(leaf())
    with pytest.raises(NotImplementedError, match="backward or vjp") as caught:
        y.sum().backward()
    assert caught.value.explanation.culprit.text == "class OnlyForward(Function):"


@pytest.mark.rule("F-17")
def test_vjp_is_backward():
    class Vjp(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, grad):
            return grad * 2

    class Both(Vjp):
        @staticmethod
        def backward(ctx, grad):
            return grad

    x = leaf()
    Vjp.apply(x).sum().backward()
    assert x.grad.tolist() == [2, 2]
    y = Both.apply(x)
    with pytest.raises(RuntimeError, match="both 'backward' and 'vjp'") as caught:
        y.sum().backward()
    assert caught.value.explanation.culprit.text == "def vjp(ctx, grad):"


@pytest.mark.rule("F-18")
def test_class_methods():
    class Both(Function):
        factor = 4.0

        @classmethod
        def forward(cls, ctx, x):
            return x * cls.factor

        @classmethod
        def backward(cls, ctx, grad):
            return grad * cls.factor

    x = leaf()
    Both.apply(x).sum().backward()
    assert x.grad.tolist() == [4, 4]


@pytest.mark.rule("F-19")
def test_errors_of_backward_keep_their_class_and_say_where():
    class Failing(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise KeyError("mine")

    y = Failing.apply(leaf())
    with pytest.raises(KeyError, match="mine") as caught:
        y.sum().backward()
    assert any("while running FailingBackward" in note for note in caught.value.__notes__)


def test_the_recorded_line_is_that_of_the_call():
    y = Scale.apply(leaf())  # recorded here
    node = y.grad_fn.engine_node()
    assert node.formula_place().text.startswith("return (grad * ctx.factor")
    assert vg.errors.place_of(node.site).text == "y = Scale.apply(leaf())  # recorded here"
