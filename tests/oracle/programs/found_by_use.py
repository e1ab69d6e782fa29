"""Corners of `grad`, of allow_mutation_on_saved_tensors and of anomaly mode (spec 07: X-8, X-9, X-10)."""

import warnings

from tests.oracle.registry import program

# --- zeros for what was not used -------------------------------------------------------------------------


def _unused(torch, **settings):
    x = torch.ones(2, requires_grad=True)
    z = torch.ones(3, 2, dtype=torch.float64).t().requires_grad_()
    return torch.autograd.grad((x * 2).sum(), [x, z], materialize_grads=True, **settings)


@program(rules="X-8")
def materialized_zeros_require_grad_with_create_graph(torch, see):
    for create_graph in (False, True):
        used, unused = _unused(torch, create_graph=create_graph)
        see(f"{create_graph}: used", used)
        see(f"{create_graph}: unused", unused)
        see(f"{create_graph}: flag", unused.requires_grad, expect=create_graph)
        see(f"{create_graph}: leaf", (unused.is_leaf, unused.grad_fn))
    with torch.no_grad():
        x, z = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    see("retain_graph alone", _unused(torch, retain_graph=True)[1].requires_grad, expect=False)
    zeros = torch.autograd.grad((x * 2).sum(), z, materialize_grads=True, create_graph=True)[0]
    see("second derivative", torch.autograd.grad(zeros.sum(), z, allow_unused=True), expect=[None])


@program(rules="X-8")
def materialized_zeros_of_other_kinds(torch, see):
    x, c = (
        torch.ones(2, requires_grad=True),
        torch.ones(2, dtype=torch.complex64, requires_grad=True),
    )
    see("complex", torch.autograd.grad(x.sum(), c, materialize_grads=True, create_graph=True))

    class Half(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a * 1

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    y = Half.apply(x, c).sum()
    see(
        "a Function's None",
        torch.autograd.grad(y, [x, c], materialize_grads=True, create_graph=True),
    )
    for create_graph in (False, True):
        found = torch.autograd.grad(
            x * 2, [x, c], torch.eye(2), is_grads_batched=True, materialize_grads=True,
            create_graph=create_graph,
        )  # fmt: skip
        see(f"batched {create_graph}", found)


@program(rules="X-8")
def zeros_of_an_edge_are_refused(torch, see):
    edge_of = torch.autograd.graph.get_gradient_edge
    x, z = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    w = z * 2
    y = x * 2
    phrase = "materialize_grads cannot be used when the given input is a GradientEdge"
    for name, settings in (
        ("plain", {}),
        ("create_graph", {"create_graph": True}),
        ("batched", {"is_grads_batched": True, "grad_outputs": torch.eye(2)}),
    ):
        given = {"grad_outputs": torch.ones(2), "retain_graph": True} | settings
        see.raises(name, lambda given=given: torch.autograd.grad(
            y, [edge_of(w)], materialize_grads=True, **given), phrase=phrase)  # fmt: skip
    used = torch.autograd.grad(y.sum(), [edge_of(y), z], materialize_grads=True)
    see("a used edge", used)


# --- copies before writes ------------------------------------------------------------------------------


@program(rules="X-9")
def one_memory_at_one_version_is_held_and_copied_once(torch, see):
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
        count = lambda: [len(context.original), len(context.cloned)]  # noqa: E731
        x = torch.arange(1.0, 4.0).requires_grad_()
        a = x * 1
        y = a * a
        see("one", count(), expect=[1, 0])
        z, w = a.sin(), a * a * a
        see("more nodes", count())
        a.mul_(2)
        see("written", count())
        a.mul_(2)
        see("written again", count())
        u = a.cos()
        see("another version", count())
        a.zero_()
        see("both versions", count())
        (y + z + w + u).sum().backward()
        see("after backward", count())
    see("after the block", [len(context.original), len(context.cloned)], expect=[0, 0])
    see("gradient", x.grad)


@program(rules="X-9")
def nothing_is_left_after_the_block(torch, see):
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
        x = torch.ones(3, requires_grad=True)
        a = x * 1
        y = (a * a * a.exp()).sum()
        a.add_(1)
        see("copies", len(context.cloned), expect=1)
    see("after", [len(context.original), len(context.cloned)], expect=[0, 0])
    see.raises("backward", y.backward)
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
        y = (a * a).sum()
        context.clear()
        see("cleared", len(context.cloned), expect=0)


# --- anomaly mode where warnings are errors -------------------------------------------------------------


def _failing(torch, raised):
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise raised

    return Fails.apply(torch.ones(2, requires_grad=True)).sum()


@program(
    rules="X-10", each=(ValueError("stop"), KeyError("k"), RuntimeError("r"), UserWarning("w"))
)
def the_error_of_a_backward_is_not_replaced_by_a_warning(torch, see, raised):
    cls, argument = type(raised), raised.args[0]
    for forward in (True, False):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if not forward:
                y = _failing(torch, cls(argument))
            with torch.autograd.detect_anomaly():
                if forward:
                    y = _failing(torch, cls(argument))
                warnings.simplefilter("error")
                see.raises(f"recorded in the mode: {forward}", y.backward, phrase=argument)


@program(rules="X-10")
def nan_is_found_where_warnings_are_errors(torch, see):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            x = torch.zeros(2, requires_grad=True)
            y = (x.sqrt() * 0).sum()
            warnings.simplefilter("error")
            see.raises("nan", y.backward, phrase="returned nan values in its 0th output")
