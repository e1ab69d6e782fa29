"""Classes, members of contexts and nodes, helpers and legacy classes of Function."""

import warnings
from typing import NamedTuple

from tests.oracle.making import function, leaf
from tests.oracle.registry import program


@program(rules="F-1 F-127 F-128")
def helpers_can_be_imported(torch, see):
    module = torch.autograd.function
    names = (
        "_nested_map", "_iter_filter", "_unflatten", "_iter_tensors", "_iter_tensors_permissive",
        "_iter_None_tensors", "_map_tensor_data", "_ContextMethodMixin", "_HookMixin",
    )  # fmt: skip
    see("found", [name for name in names if hasattr(module, name)], expect=list(names))


@program(rules="F-2")
def a_subclass_has_a_backward_class_of_its_own(torch, see):
    first = function(torch, lambda ctx, x: x * 1)
    second = type("Second", (first,), {})
    see("names", (first._backward_cls.__name__, second._backward_cls.__name__))
    see("own", second._backward_cls is first._backward_cls, expect=False)
    see("forward class", second._backward_cls._forward_cls is second, expect=True)
    y = second.apply(leaf(torch))
    see("node", y.grad_fn.name(), expect="SecondBackward")
    see("is the context class", isinstance(y.grad_fn, second._backward_cls), expect=True)


@program(rules="F-3")
def bases_of_a_backward_class(torch, see):
    cls = function(torch, lambda ctx, x: x * 1)._backward_cls
    names = [c.__name__.lstrip("_") for c in cls.__mro__]
    see("order", names[:2] + names[3:])  # the native base has a name of its own in each
    see("a node", isinstance(cls(), torch.autograd.graph.Node), expect=True)


@program(rules="F-5")
def metadata_is_a_dict_for_anybody(torch, see):
    node = function(torch, lambda ctx, x: x * 1).apply(leaf(torch)).grad_fn
    see("empty", node.metadata, expect={})
    node.metadata["a"] = 1
    see("kept", node.metadata, expect={"a": 1})
    see("names", (node.name(), type(node).__name__), expect=("MadeBackward", "MadeBackward"))


@program(rules="F-6")
def attributes_live_on_the_node(torch, see):
    def forward(ctx, x):
        ctx.mine = 3
        return x * 1

    def backward(ctx, g):
        ctx.late = ctx.mine + 1
        return g

    y = function(torch, forward, backward).apply(leaf(torch))
    see("from forward", y.grad_fn.mine, expect=3)
    see.raises("missing", lambda: y.grad_fn.late, phrase="MadeBackward")
    y.sum().backward()
    see("from backward", y.grad_fn.late, expect=4)


@program(rules="F-7")
def needs_input_grad_is_not_narrowed_and_can_be_set(torch, see):
    seen = []

    def backward(ctx, g):
        seen.append(ctx.needs_input_grad)
        return g, g, None, None

    fn = function(torch, lambda ctx, a, b, c, n: a * b * c * n, backward)
    a, b = leaf(torch), leaf(torch)
    y = fn.apply(a, b, torch.ones(2), 3)
    torch.autograd.grad(y.sum(), a, retain_graph=True)
    y.grad_fn.needs_input_grad = (False,) * 4
    torch.autograd.grad(y.sum(), a)
    see("in backward", seen, expect=[(True, True, False, False), (False,) * 4])
    flags = []
    quiet = function(torch, lambda ctx, x: flags.append(ctx.needs_input_grad) or x * 1)
    with torch.no_grad():
        quiet.apply(a)
    quiet.apply(a)
    see("at the call", flags)


@program(rules="F-8")
def edges_are_those_of_tensor_arguments(torch, see):
    fn = function(torch, lambda ctx, n, a, t, b: a * n + b)
    y = fn.apply(2, leaf(torch), "text", torch.ones(2))
    see("edges", [(node, nr) for node, nr in y.grad_fn.next_functions])
    see("sequence number", isinstance(y.grad_fn._sequence_nr(), int), expect=True)
    see("outputs", len(y.grad_fn._input_metadata), expect=1)
    meta = y.grad_fn._input_metadata[0]
    see("their shape and type", (tuple(meta.shape), str(meta.dtype).rpartition(".")[2]))


@program(rules="F-91")
def instance_methods(torch, see):
    class Old(torch.autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, g):
            return g * 2

    got = see.outcome(lambda: Old.apply(leaf(torch)).detach())
    see.differs(
        "apply", got, torch=[2, 4], vizgrad=RuntimeError, because="F-91: they are refused by name"
    )


@program(rules="F-93")
def registering_a_hook_in_a_dict(torch, see):
    register = torch.autograd.function._HookMixin._register_hook
    hooks, handle = register(None, print)
    again, other = register(hooks, len)
    see("one dict", again is hooks, expect=True)
    see("hooks", [fn.__name__ for fn in hooks.values()], expect=["print", "len"])
    handle.remove()
    see("left", [fn.__name__ for fn in hooks.values()], expect=["len"])
    handle.remove()
    other.remove()
    see("none", len(hooks), expect=0)


@program(rules="F-100 F-101")
def a_node_applies_the_function(torch, see):
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.factor = 4
            return x * 4

        @staticmethod
        def backward(ctx, g):
            return g * ctx.factor, "unchecked"

        @staticmethod
        def jvp(ctx, t):
            return t * ctx.factor * 10

    node = Both.apply(leaf(torch)).grad_fn
    see("apply", node.apply(torch.ones(2)))
    see("apply_jvp", node.apply_jvp(torch.ones(2)), expect=[40, 40])


@program(rules="F-102")
def a_bare_backward_function(torch, see):
    node = torch.autograd.function.BackwardCFunction()
    see("name", node.name(), expect="BackwardCFunction")
    see.raises("apply", lambda: node.apply(torch.ones(1)))
    node.save_for_backward(torch.ones(1))
    see("saving", len(node.to_save), expect=1)


@program(rules="F-90 F-111")
def instances_of_legacy_classes(torch, see):
    module = torch.autograd.function
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        instance = module.InplaceFunction(True)
    see("flag", instance.inplace, expect=True)
    see.differs(
        "warnings",
        len(caught),
        torch=1,
        vizgrad=0,
        because="F-111: this class is meant to be instantiated",
    )


@program(rules="F-126")
def rebuilding_differs_for_tuples_with_names(torch, see):
    class Pair(NamedTuple):
        a: object
        b: object

    unflatten = torch.autograd.function._unflatten
    one = torch.ones(1)
    see.differs(
        "namedtuple",
        see.outcome(lambda: tuple(unflatten([1, 2], Pair(one, one)))),
        torch=TypeError,
        vizgrad=(1, 2),
        because="F-126: rebuilt field by field",
    )
    see.differs(
        "dict",
        see.outcome(lambda: unflatten([1, 2], {"a": one, "b": one})),
        torch=1,
        vizgrad={"a": 1, "b": 2},
        because="F-126: rebuilt key by key",
    )
    see("None inside", unflatten([1, 2], (one, None)), expect=(1, None))
    see.differs(
        "None alone", unflatten([1], None), torch=1, vizgrad=None, because="F-126: None stays None"
    )
    see("surplus", unflatten([1, 2, 3], [one, (one,)]))


@program(rules="F-122 F-127")
def helpers_refuse_other_objects(torch, see):
    module = torch.autograd.function
    nested = module._nested_map(lambda t: isinstance(t, torch.Tensor), lambda t: t * 2, "Tensors")
    one = torch.ones(1)
    see("mapped", nested([one, (one, None)]))
    see("a dict", nested({"a": one}))
    see.raises("a number", lambda: nested([3]), phrase="Tensors")
    quiet = module._nested_map(lambda t: False, lambda t: t)
    see.raises("without a message", lambda: quiet([3]), phrase="int")
    see("permissive", list(module._iter_tensors_permissive([one, 3])))
    see("of data", module._map_tensor_data([leaf(torch)]))
