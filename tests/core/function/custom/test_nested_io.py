"""NestedIOFunction: nested structures in and out."""

from __future__ import annotations

import gc
import weakref
from typing import NamedTuple

import pytest

import vizgrad as vg
from tests.core.function.custom.making import leaf
from vizgrad.autograd.function import NestedIOFunction


class Pair(NamedTuple):
    a: object
    b: object


class Scale(NestedIOFunction):
    """{name: part * factor}."""

    def forward_extended(self, parts, factor):
        self.save_for_backward(parts, factor)
        self.count = len(parts)
        return {name: part * factor for name, part in parts.items()}

    def backward_extended(self, grads):
        parts, factor = self.saved_tensors
        inner = sum((g * parts[name]).sum() for name, g in grads.items())
        return {name: g * factor for name, g in grads.items()}, inner


def parts():
    return {"a": leaf(1.0, 2.0), "b": leaf(3.0)}, vg.tensor(2.0, requires_grad=True)


@pytest.mark.rule("F-120", "F-121", "F-124", "F-125")
@pytest.mark.parametrize("call", [Scale.apply, Scale()])
def test_a_dict_in_and_a_dict_out(call):
    inputs, factor = parts()
    out = call(inputs, factor)
    assert list(out) == ["a", "b"]
    assert out["a"].grad_fn is out["b"].grad_fn
    assert out["a"].grad_fn.name() == "ScaleBackward"
    assert out["b"].output_nr == 1
    (out["a"].sum() + out["b"].sum() * 10).backward()
    assert inputs["a"].grad.tolist() == [2, 2]
    assert inputs["b"].grad.tolist() == [20]
    assert factor.grad.item() == 33


@pytest.mark.rule("F-121")
def test_both_methods_must_be_given():
    class Half(NestedIOFunction):
        @staticmethod
        def forward_extended(ctx, x):
            return x * 2

    with pytest.raises(NotImplementedError, match="forward_extended"):
        NestedIOFunction.apply(leaf())
    y = Half.apply(leaf())
    with pytest.raises(NotImplementedError, match="backward_extended"):
        y.sum().backward()


@pytest.mark.rule("F-122", "F-124")
def test_inputs_are_the_callers_tensors_in_their_structure():
    seen = []

    class Looking(NestedIOFunction):
        def forward_extended(self, *input):
            seen.append((input, vg.is_grad_enabled()))
            return input[0][1] * 2

        def backward_extended(self, grad):
            return [None, grad * 2], None

    x = leaf()
    given = [None, x]
    y = Looking.apply(given, None)
    ((found, _), mode), = seen  # fmt: skip
    assert found is given
    assert mode is False
    y.sum().backward()
    assert x.grad.tolist() == [2, 2]
    with pytest.raises(ValueError, match="of type int"):
        Looking.apply([None, x], 3)


@pytest.mark.rule("F-123", "F-111", "F-133")
def test_self_is_the_context_with_the_instances_attributes():
    class Power(NestedIOFunction):
        def __init__(self, exponent):
            super().__init__()
            self.exponent = exponent

        def slope(self, x):
            return self.exponent * x ** (self.exponent - 1)

        def forward_extended(self, x):
            self.save_for_backward(x)
            return x**self.exponent

        def backward_extended(self, grad):
            (x,) = self.saved_tensors
            return grad * self.slope(x)

    cube = Power(3)
    x = leaf(2.0)
    first, second = cube(x), cube(x)
    assert first.grad_fn is not second.grad_fn
    assert first.grad_fn.exponent == 3
    first.sum().backward()
    assert x.grad.tolist() == [12]


@pytest.mark.rule("F-125", "F-129")
def test_outputs_of_any_structure():
    class Giving(NestedIOFunction):
        def __init__(self, structure):
            super().__init__()
            self.structure = structure

        def forward_extended(self, x):
            return self.structure(x)

        def backward_extended(self, *grads):
            self.got = grads

    x = leaf()
    for structure, got in (
        (lambda x: x * 1, "(tensor([1., 1.]),)"),
        (lambda x: [x * 1, None], "(tensor([1., 1.]), None)"),
        (lambda x: Pair(x * 1, (x * 2,)), "(tensor([1., 1.]), (tensor([0., 0.]),))"),
        (lambda x: {"y": x * 1}, "({'y': tensor([1., 1.])},)"),
    ):
        out = Giving(structure)(x)
        expected = structure(x)
        assert type(out) is type(expected)
        first = out if isinstance(out, vg.Tensor) else out["y"] if isinstance(out, dict) else out[0]
        first.sum().backward(retain_graph=True)
        assert str(first.grad_fn.got) == got


@pytest.mark.rule("F-125")
def test_the_prototype_holds_no_tensor():
    gc.collect()
    gc.disable()
    try:
        out = Scale.apply(*parts())
        node = weakref.ref(out["a"].grad_fn)
        assert list(node()._nested_output) == ["a", "b"]
        del out
        assert node() is None
    finally:
        gc.enable()


@pytest.mark.rule("F-129")
def test_what_backward_extended_may_return():
    class Sum(NestedIOFunction):
        result = None

        def forward_extended(self, x, pair):
            return x + pair[0] + pair[1]

        def backward_extended(self, grad):
            return type(self)._forward_cls.result(grad)

    x, a, b = leaf(), leaf(), leaf()

    def run(result):
        Sum.result = staticmethod(result)
        for t in (x, a, b):
            t.grad = None
        Sum.apply(x, (a, b)).sum().backward()
        return [None if t.grad is None else t.grad.tolist()[0] for t in (x, a, b)]

    assert run(lambda g: (g, (g * 2, g * 3))) == [1, 2, 3]
    assert run(lambda g: (g, g * 2, g * 3)) == [1, 2, 3]  # flat
    assert run(lambda g: (g, None)) == [1, None, None]
    assert run(lambda g: (None, (g, None))) == [None, 1, None]
    with pytest.raises(RuntimeError, match=r"expected 3, got 1"):
        run(lambda g: g)
    with pytest.raises(ValueError, match="of type float"):
        run(lambda g: (1.0, (g, g)))


@pytest.mark.rule("F-130", "F-38")
def test_saved_structures_and_their_versions():
    inputs, factor = parts()
    out = Scale.apply(inputs, factor)
    saved, saved_factor = out["a"].grad_fn.saved_tensors
    assert saved["a"] is inputs["a"]
    assert saved_factor is factor
    with vg.no_grad():
        inputs["b"].add_(1)  # the write
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
        out["a"].sum().backward()
    assert caught.value.explanation.culprit.text == 'inputs["b"].add_(1)  # the write'


@pytest.mark.rule("F-130")
def test_none_is_kept_among_saved_values():
    class Saving(NestedIOFunction):
        def forward_extended(self, x):
            self.save_for_backward([x, None], None)
            return x * 1

        def backward_extended(self, grad):
            self.save_for_backward(grad)
            return grad

    x = leaf()
    node = Saving.apply(x).grad_fn
    (first, nothing), last = node.saved_tensors
    assert first is x
    assert nothing is last is None
    node.apply(vg.ones(2))
    assert node.saved_tensors[1] is None


@pytest.mark.rule("F-131", "F-26", "F-50")
def test_marking_nested_things():
    class Marking(NestedIOFunction):
        def forward_extended(self, pair):
            pair[0].mul_(2)
            other = pair[1] * 2
            self.mark_dirty([pair[0]])
            self.mark_non_differentiable(named={"other": other})
            return pair[0], other

        def backward_extended(self, a, b):
            return ((a * 2, None),)

    first, x = leaf(), leaf()
    inner = first * 1
    a, b = Marking.apply((inner, x))
    assert a is inner
    assert not b.requires_grad
    a.sum().backward()
    assert first.grad.tolist() == [2, 2]


@pytest.mark.rule("F-132", "E-41")
def test_freeing():
    retained = []

    class Plain(NestedIOFunction):
        def forward_extended(self, x):
            return [x * 2]

        def backward_extended(self, grad):
            retained.append(self.retain_variables)
            return grad * 2

    x = leaf()
    (y,) = Plain.apply(x)
    node = y.grad_fn
    y.sum().backward(retain_graph=True)
    assert node._nested_output == ["tensor"]
    y.sum().backward()  # freed here
    assert retained == [True, False]
    assert not hasattr(node, "_nested_output")
    assert not hasattr(node, "retain_variables")
    with pytest.raises(RuntimeError, match="second time") as caught:
        y.sum().backward()
    assert caught.value.explanation.culprit.text == "y.sum().backward()  # freed here"
    assert x.grad.tolist() == [4, 4]


@pytest.mark.rule("F-134")
def test_the_same_tensor_twice():
    class Add(NestedIOFunction):
        def forward_extended(self, pair):
            return pair["a"] + pair["b"]

        def backward_extended(self, grad):
            return {"a": grad, "b": grad * 10}

    x = leaf()
    y = Add.apply({"a": x, "b": x})
    assert len(y.grad_fn.next_functions) == 2
    y.sum().backward()
    assert x.grad.tolist() == [11, 11]


@pytest.mark.rule("F-120")
def test_double_backward():
    inputs, factor = parts()
    out = Scale.apply(inputs, factor)
    total = (out["a"] ** 2).sum() + out["b"].sum()
    da, db, df = vg.autograd.grad(total, (inputs["a"], inputs["b"], factor), create_graph=True)
    assert da.tolist() == [8, 16]  # 2 a f^2
    assert db.tolist() == [2]
    assert df.item() == 23  # 2 f sum a^2 + sum b
    assert vg.autograd.grad(df, factor, retain_graph=True)[0].item() == 10
    assert vg.autograd.grad(da.sum(), factor)[0].item() == 24  # 4 f sum a


@pytest.mark.rule("F-123")
def test_inputs_are_named_by_their_path():
    inputs, factor = parts()
    node = Scale.apply(inputs, factor)["a"].grad_fn.engine_node()
    assert node.input_names == ("parts['a']", "parts['b']", "factor")
    assert node.saved_names == node.input_names

    class Several(NestedIOFunction):
        def forward_extended(self, *given):
            self.save_for_backward(given[0].b)
            return given[0].a * 2

    pair = Pair(leaf(), [None, leaf()])
    node = Several.apply(pair).grad_fn.engine_node()
    assert node.input_names == ("given[0].a", "given[0].b[1]")
    assert node.saved_names == ("given[0].b[1]",)
