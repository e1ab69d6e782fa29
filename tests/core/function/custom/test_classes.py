"""The classes of a Function: its backward class, contexts that are nodes, legacy style."""

from __future__ import annotations

from collections import OrderedDict

import pytest

import vizgrad as vg
from vizgrad.autograd import Function
from vizgrad.autograd import function as names


class Double(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.note = "from forward"
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        ctx.later = "from backward"
        return grad * 2


def applied(function=Double):
    return function.apply(vg.ones(2, requires_grad=True))


@pytest.mark.rule("F-1")
def test_public_names():
    for name in [
        "Function",
        "FunctionCtx",
        "FunctionMeta",
        "BackwardCFunction",
        "InplaceFunction",
        "NestedIOFunction",
        "once_differentiable",
        "traceable",
        "_nested_map",
        "_iter_filter",
        "_unflatten",
        "_iter_tensors",
        "_iter_tensors_permissive",
        "_iter_None_tensors",
        "_map_tensor_data",
        "_HookMixin",
    ]:
        assert hasattr(names, name), name
    assert names._ContextMethodMixin is names.FunctionCtx
    assert vg.autograd.Function is names.Function


@pytest.mark.rule("F-2", "F-4")
def test_each_function_has_its_backward_class():
    class Again(Double):
        pass

    for cls in (Double, Again):
        assert cls._backward_cls.__name__ == cls.__name__ + "Backward"
        assert issubclass(cls._backward_cls, names.BackwardCFunction)
        assert cls._backward_cls._forward_cls is cls
    first, second = Double._backward_cls, Again._backward_cls
    assert type(first._autograd_function_id) is int
    assert first._autograd_function_id < second._autograd_function_id


@pytest.mark.rule("F-3")
def test_the_context_is_the_node():
    seen = []

    class Looking(Double):
        @staticmethod
        def backward(ctx, grad):
            seen.append(ctx)
            return grad

    y = applied(Looking)
    assert [c.__name__ for c in type(y.grad_fn).__mro__] == [
        "LookingBackward", "BackwardCFunction", "FunctionBase", "FunctionCtx", "_HookMixin", "object",
    ]  # fmt: skip
    y.sum().backward()
    assert seen[0] is y.grad_fn
    assert isinstance(y.grad_fn, vg.autograd.graph.Node)


@pytest.mark.rule("F-5", "F-6")
def test_names_metadata_and_attributes():
    y = applied()
    node = y.grad_fn
    assert node.name() == type(node).__name__ == "DoubleBackward"
    assert node.metadata == {}
    node.metadata["key"] = 1
    assert y.grad_fn.metadata == {"key": 1}
    assert node.note == "from forward"
    y.sum().backward()
    assert node.later == "from backward"
    with pytest.raises(AttributeError, match="DoubleBackward"):
        node.missing  # noqa: B018


@pytest.mark.rule("F-6")
def test_the_users_attributes_never_meet_the_engines():
    """What the engine calls its own fields is free for the user."""
    taken = [
        "shape",
        "dtype",
        "edges",
        "hooks",
        "code",
        "lasti",
        "scope",
        "sequence_nr",
        "outputs",
        "meta",
        "site",
        "run",
        "run_all",
        "run_tensors",
        "release",
        "saved_values",
        "restore_saved",
        "wants_tensors",
        "input_names",
        "op",
        "variable",
    ]

    class Storing(Function):
        @staticmethod
        def forward(ctx, x):
            for name in taken:
                setattr(ctx, name, "mine: " + name)
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            assert all(getattr(ctx, name) == "mine: " + name for name in taken)
            return ctx.saved_tensors[0] * grad

    x = vg.tensor([2.0, 3.0], requires_grad=True)
    y = Storing.apply(x * 1)
    (y * 5).sum().backward()
    assert x.grad.tolist() == [10, 15]
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()


@pytest.mark.rule("F-7")
def test_needs_input_grad():
    seen = []

    class Three(Function):
        @staticmethod
        def forward(ctx, a, factor, b):
            seen.append(ctx.needs_input_grad)
            return a * factor + b

        @staticmethod
        def backward(ctx, grad):
            seen.append(ctx.needs_input_grad)
            return grad, None, None

    a, b = vg.ones(2, requires_grad=True), vg.ones(2)
    y = Three.apply(a, 2.0, b)
    y.sum().backward()
    assert seen == [(True, False, False)] * 2
    with vg.no_grad():
        Three.apply(a, 2.0, b)
    assert seen[-1] == (True, False, False)
    y.grad_fn.needs_input_grad = (False,)
    assert y.grad_fn.needs_input_grad == (False,)


@pytest.mark.rule("F-8")
def test_members_of_the_node():
    class Mixed(Function):
        @staticmethod
        def forward(ctx, a, number, b):
            ctx.save_for_backward(a, None)
            return a * number, "text", b * 1

        @staticmethod
        def backward(ctx, *grads):
            return grads[0], None, None

    a = vg.ones(2, requires_grad=True)
    inner = a * 1
    y, _, _ = Mixed.apply(inner, 2.0, vg.ones(3))
    node = y.grad_fn
    assert node.next_functions == ((inner.grad_fn, 0), (None, 0))
    assert node.saved_tensors == (inner, None)
    raw = node._raw_saved_tensors
    assert [r.data for r in raw] == [inner, None]
    assert node._sequence_nr() > inner.grad_fn._sequence_nr()
    first, text, last = node._input_metadata
    assert (first.shape, text, last.shape) == ((2,), None, (3,))
    for name in ["to_save", "dirty_tensors", "non_differentiable", "saved_for_forward"]:
        assert getattr(node, name) is None
    assert node.materialize_grads is True
    for name in [
        "register_hook",
        "register_prehook",
        "apply",
        "apply_jvp",
        "maybe_clear_saved_tensors",
    ]:
        assert callable(getattr(node, name))
    node.maybe_clear_saved_tensors()
    assert node.saved_tensors == (inner, None)


@pytest.mark.rule("F-8", "E-75")
def test_hooks_registered_on_the_context_outlive_the_output():
    log = []
    x = vg.ones(2, requires_grad=True)
    y = Double.apply(x * 1)
    node = y.grad_fn
    edge = vg.autograd.graph.GradientEdge(node, 0)
    node.register_prehook(lambda grads: log.append("pre"))
    node.register_hook(lambda inputs, outputs: log.append("post"))
    del y
    assert node.next_functions[0][0].name() == "MulBackward0"
    (grad,) = vg.autograd.grad(edge, x, vg.ones(2))
    assert grad.tolist() == [2, 2]
    assert log == ["pre", "post"]


@pytest.mark.rule("F-90")
def test_instances_are_deprecated_and_cannot_be_called():
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = Double()
    with pytest.raises(RuntimeError, match="static forward method") as caught:
        instance(vg.ones(1))
    assert caught.value.explanation.fix == "call Double.apply(...) on the class"


@pytest.mark.rule("F-91")
def test_instance_methods_are_legacy():
    class Legacy(Function):
        def forward(self, x):  # the line to edit
            return x * 2

    class Modern(Legacy):
        @classmethod
        def forward(cls, ctx, x):  # pyright: ignore[reportIncompatibleMethodOverride]  so it is meant
            return x * 3

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    assert Legacy._is_legacy
    assert not Modern._is_legacy
    assert not Double._is_legacy
    x = vg.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="non-static forward") as caught:
        Legacy.apply(x)
    assert caught.value.explanation.culprit.text == "def forward(self, x):  # the line to edit"
    Modern.apply(x).sum().backward()
    assert x.grad.tolist() == [3, 3]


@pytest.mark.rule("F-92")
def test_traceable():
    assert Double.is_traceable is False
    marked = names.traceable(type("Marked", (Double,), {}))
    assert marked.is_traceable is True
    assert Double.is_traceable is False


@pytest.mark.rule("F-93")
def test_the_hook_mixin():
    hooks, handle = names._HookMixin._register_hook(None, print)
    assert list(hooks.values()) == [print]
    same, other = names._HookMixin._register_hook(hooks, len)
    assert same is hooks
    handle.remove()
    assert list(hooks.values()) == [len]
    other.remove()
    given = OrderedDict()
    assert names._HookMixin._register_hook(given, print)[0] is given


@pytest.mark.rule("F-100")
def test_a_node_can_be_applied_by_hand():
    y = applied()
    grad = vg.tensor([1.0, 2.0])
    assert y.grad_fn.apply(grad).tolist() == [2, 4]
    assert y.grad_fn(grad).tolist() == [2, 4]
    product = vg.ones(2, requires_grad=True) * 3
    assert product.grad_fn(grad)[0].tolist() == [3, 6]


@pytest.mark.rule("F-101", "F-80")
def test_jvp_is_called_by_apply_jvp():
    class WithJvp(Double):
        @staticmethod
        def jvp(ctx, tangent):
            return tangent * 2

    assert applied(WithJvp).grad_fn.apply_jvp(vg.ones(1)).tolist() == [2]
    with pytest.raises(NotImplementedError, match="jvp"):
        applied().grad_fn.apply_jvp(vg.ones(1))


@pytest.mark.rule("F-102")
def test_a_bare_backward_function():
    bare = names.BackwardCFunction()
    assert bare.name() == "BackwardCFunction"
    assert bare.next_functions == ()
    assert bare.saved_tensors == ()
    assert bare.metadata == {}
    bare.save_for_backward(vg.ones(1))
    with pytest.raises(AttributeError, match="_forward_cls"):
        bare.apply(vg.ones(1))


@pytest.mark.rule("F-84")
def test_vmap_members_are_stored():
    assert Function.generate_vmap_rule is False
    with pytest.raises(NotImplementedError, match="generate_vmap_rule"):
        Double.vmap(None, (0,), vg.ones(1))
