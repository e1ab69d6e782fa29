"""Checkpointing: forget values in forward, compute them again in backward."""

from importlib import import_module

from tests.oracle.programs.checkpoint_parts import (
    checkpoint_of,
    counted,
    leaf,
    times_of,
    wanted_forms,
)
from tests.oracle.registry import program


@program(rules="H-2 H-3 H-4", each=wanted_forms)
def gradients_are_the_same(torch, see, form):
    calls = []
    x = leaf(torch, 0.5, 1.0)
    y = form[1](torch)(counted(calls), x).sum()
    see("once in forward", len(calls), expect=1)
    y.backward()
    see("gradient", x.grad)
    see("again in backward", len(calls), expect=2)


@program(rules="H-3")
def the_graph_is_the_functions_own(torch, see):
    x = leaf(torch, 0.5, 1.0)
    see.graph("graph", checkpoint_of(torch)(counted([]), x, use_reentrant=False).sum())
    see("one node", type(checkpoint_of(torch)(counted([]), x, use_reentrant=True).grad_fn).__name__)


@program(rules="H-3")
def without_grad_mode_it_is_a_call(torch, see):
    calls = []
    x = leaf(torch, 0.5, 1.0)
    with torch.no_grad():
        y = checkpoint_of(torch)(counted(calls), x, use_reentrant=False)
    see("value", y)
    see("requires grad", y.requires_grad, expect=False)


@program(rules="H-1")
def use_reentrant_left_out(torch, see):
    x = leaf(torch, 0.5)
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = checkpoint_of(torch)(counted([]), x)
    see.differs(
        "warnings",
        len(caught),
        torch=1,
        vizgrad=0,
        because="the form without limits is the default, as PyTorch advises",
    )
    see.differs(
        "node",
        type(y.grad_fn).__name__,
        torch="CheckpointFunctionBackward",
        vizgrad="ExpBackward0",
        because="the form without limits is the default, as PyTorch advises",
    )


@program(rules="H-2")
def limits_of_the_reentrant_form(torch, see):
    checkpoint = checkpoint_of(torch)
    x = leaf(torch, 0.5)
    y = checkpoint(counted([]), x, use_reentrant=True)
    grad = torch.autograd.grad
    see.raises("grad", lambda: grad(y.sum(), x), phrase="incompatible with .grad()")
    y = checkpoint(counted([]), x, use_reentrant=True)
    see.raises("inputs", lambda: y.sum().backward(inputs=[x]), phrase="use_reentrant=False")
    see.raises(
        "keywords",
        lambda: checkpoint(lambda t, k: t, x, use_reentrant=True, k=1),
        phrase="Unexpected keyword arguments: k",
    )
    see.raises(
        "debug",
        lambda: checkpoint(counted([]), x, use_reentrant=True, debug=True),
        phrase="is only supported when use_reentrant=False",
    )
    y = checkpoint(counted([]), x, use_reentrant=True)
    y.sum().backward(create_graph=True)
    see("no second derivative", x.grad.requires_grad)


@program(rules="H-2 H-3")
def a_parameter_from_outside(torch, see):
    checkpoint = checkpoint_of(torch)
    x, w = torch.ones(2), leaf(torch, 3.0, 4.0)
    y = see.warns(
        "reentrant",
        lambda: checkpoint(lambda t: t * w, x, use_reentrant=True),
        phrase="None of the inputs have requires_grad=True",
    )
    see("reentrant requires grad", y.requires_grad, expect=False)
    z = checkpoint(lambda t: (t * w).exp(), x, use_reentrant=False)
    z.sum().backward()
    see("gradient", w.grad)


@program(rules="H-2")
def nested_outputs(torch, see):
    checkpoint = checkpoint_of(torch)
    x = leaf(torch, 0.5, 1.0)

    def fn(t):
        return t * 2, [t * 3], "text", None

    flat, (inner,), text, nothing = checkpoint(fn, x, use_reentrant=True)
    see("reentrant", (flat.requires_grad, inner.requires_grad, text, nothing))
    flat, (inner,), text, nothing = checkpoint(fn, x, use_reentrant=False)
    see("other", (flat.requires_grad, inner.requires_grad, text, nothing))


@program(rules="H-2")
def the_reentrant_form_needs_a_gradient_inside(torch, see):
    x = leaf(torch, 0.5, 1.0)
    y = checkpoint_of(torch)(lambda t: t.detach() * 2, x, use_reentrant=True)
    see("requires grad", y.requires_grad, expect=True)
    see.raises("backward", y.sum().backward, phrase="none of output has requires_grad=True")


@program(rules="H-3")
def keywords_and_other_arguments(torch, see):
    x = leaf(torch, 0.5, 1.0)

    def fn(t, power, *, scale, parts):
        return (t**power * scale).exp() * parts["a"][0]

    parts = {"a": [leaf(torch, 2.0, 3.0), None]}
    y = checkpoint_of(torch)(fn, x, 3, scale=0.5, parts=parts, use_reentrant=False)
    y.sum().backward()
    see("gradients", (x.grad, parts["a"][0].grad))


@program(rules="H-3")
def double_backward_through_a_checkpoint(torch, see):
    x = leaf(torch, 0.5, 1.0)
    y = checkpoint_of(torch)(counted([]), x, use_reentrant=False).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    see("first", g)
    see("second", torch.autograd.grad(g.sum(), x, create_graph=True)[0])
    see("through both", torch.autograd.grad((g * y).sum(), x)[0])


@program(rules="H-3 H-8", each=wanted_forms)
def each_backward_recomputes(torch, see, form):
    calls = []
    x = leaf(torch, 0.5, 1.0)
    y = form[1](torch)(counted(calls), x).sum()
    y.backward(retain_graph=True)
    y.backward(retain_graph=True)
    see("calls", len(calls), expect=3)
    see("accumulated", x.grad)
    y.backward()
    see.raises("freed", y.backward, phrase="backward through the graph a second time")
    see("in the end", len(calls), expect=4)


@program(rules="H-3")
def reading_a_saved_value_recomputes(torch, see):
    calls = []
    x = leaf(torch, 0.5, 1.0)
    y = checkpoint_of(torch)(counted(calls), x, use_reentrant=False)
    see("saved", y.grad_fn._saved_result)
    see("again", y.grad_fn._saved_result)
    see("calls", len(calls), expect=3)


@program(rules="H-4")
def recomputation_stops_early(torch, see):
    checkpoint = checkpoint_of(torch)
    early = import_module(f"{torch.__name__}.utils.checkpoint").set_checkpoint_early_stop
    reached = []

    def fn(t):
        y = t.exp()
        reached.append("saved")
        z = y + 1
        reached.append("end")
        return z

    x = leaf(torch, 0.5, 1.0)
    checkpoint(fn, x, use_reentrant=False).sum().backward()
    see("stops", list(reached), expect=["saved", "end"])
    checkpoint(fn, x, use_reentrant=False, early_stop=False).sum().backward()
    see("does not", reached[2:], expect=["saved", "end", "saved", "end"])
    del reached[:]
    with early(False):
        y = checkpoint(fn, x, use_reentrant=False).sum()
        see("forward", len(reached))
    y.backward()
    see("the block of the forward counts", list(reached), expect=["saved", "end"] * 2)
    see("gradient", x.grad)


@program(rules="H-4")
def the_early_stop_passes_through_blocks_of_the_function(torch, see):
    log = []

    def fn(t):
        try:
            return t.exp() + 1
        finally:
            log.append(torch.is_grad_enabled())

    x = leaf(torch, 0.5)
    checkpoint_of(torch)(fn, x, use_reentrant=False).sum().backward()
    see("finally", log, expect=[True, True])
    see("grad mode", torch.is_grad_enabled(), expect=True)


@program(rules="H-3")
def checkpoints_within_checkpoints(torch, see):
    checkpoint = checkpoint_of(torch)
    x = leaf(torch, 0.5, 1.0)
    calls = []

    def inner(t):
        calls.append("inner")
        return t.sin().exp()

    def outer(t):
        calls.append("outer")
        return checkpoint(inner, t.cos(), use_reentrant=False).tanh() * t

    y = checkpoint(outer, x, use_reentrant=False).sum()
    y.backward()
    see("gradient", x.grad)
    see("calls", calls)


@program(rules="H-3")
def three_deep(torch, see):
    checkpoint = checkpoint_of(torch)
    x = leaf(torch, 0.5, 1.0)

    def deep(t, level):
        t = t.sin() * t
        if level:
            t = checkpoint(deep, t, level - 1, use_reentrant=False)
        return t.exp()

    y = checkpoint(deep, x, 2, use_reentrant=False).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    see("first", g)
    see("second", torch.autograd.grad(g.sum(), x)[0])


@program(rules="H-3")
def the_same_parameter_in_several(torch, see):
    checkpoint = checkpoint_of(torch)
    x, w = leaf(torch, 0.5, 1.0), leaf(torch, 2.0, 3.0)
    t = x
    for _ in range(3):
        t = checkpoint(lambda a: (a * w).sin(), t, use_reentrant=False)
    t.sum().backward()
    t = x
    for _ in range(3):
        t = (t * w).sin()
    see("gradients", (x.grad, w.grad))
    see("as without", torch.autograd.grad(t.sum(), (x, w)))


@program(rules="H-3", each=wanted_forms)
def an_error_of_the_recomputation_comes_through(torch, see, form):
    times = times_of(2)

    def fn(t):
        y = t.exp()
        if next(times) == 1:
            raise KeyError("mine")
        return y * y

    x = leaf(torch, 0.5)
    y = form[1](torch)(fn, x).sum()
    see.raises("backward", lambda: y.backward(retain_graph=True), phrase="mine")
    see("grad mode", torch.is_grad_enabled(), expect=True)
    see("nothing arrived", x.grad, expect=None)


@program(rules="H-3")
def a_gradient_inside_the_function(torch, see):
    x = leaf(torch, 0.5, 1.0)

    def fn(t):
        y = t.exp() * t
        (g,) = torch.autograd.grad(y.sum(), t, create_graph=True)
        return g.sin() + y

    for early in (True, False):
        y = checkpoint_of(torch)(fn, x, use_reentrant=False, early_stop=early).sum()
        see(f"gradient, {early}", torch.autograd.grad(y, x)[0])
    fn(x).sum().backward()
    see("as without", x.grad)


@program(rules="H-1")
def contexts_around_forward_and_recomputation(torch, see):
    checkpoint = checkpoint_of(torch)
    log = []

    class Noting:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            log.append(f"enter {self.name}")

        def __exit__(self, *exc):
            log.append(f"leave {self.name}")

    def contexts():
        return Noting("forward"), Noting("recomputation")

    x = leaf(torch, 0.5)
    y = checkpoint(counted(log), x, use_reentrant=False, context_fn=contexts).sum()
    see("forward", list(log))
    y.backward(retain_graph=True)
    y.backward()
    see("backward", log[3:])
    see.raises(
        "no pair",
        lambda: checkpoint(torch.exp, x, use_reentrant=False, context_fn=lambda: 1),
    )
    del log[:]
    with torch.no_grad():
        checkpoint(torch.exp, x, use_reentrant=False, context_fn=contexts)
    see("without grad mode", log, expect=[])


@program(rules="H-5")
def wrong_settings(torch, see):
    checkpoint = checkpoint_of(torch)
    x = leaf(torch, 0.5)
    see.raises(
        "determinism_check",
        lambda: checkpoint(torch.exp, x, use_reentrant=False, determinism_check="some"),
        phrase="determinism_check should be one of",
    )
    see.raises("no function", lambda: checkpoint(3, x, use_reentrant=False))


@program(rules="H-2")
def the_helpers(torch, see):
    module = import_module(f"{torch.__name__}.utils.checkpoint")
    x = leaf(torch, 0.5)
    see.warns(
        "validity",
        lambda: module.check_backward_validity([x.detach(), 3]),
        phrase="None of the inputs have requires_grad=True",
    )
    see.silent("valid", lambda: module.check_backward_validity([3, x]))
    a, b, c = module.detach_variable((x * 2, x.detach(), 3))
    see("detached", (a, a.requires_grad, a.is_leaf, b.requires_grad, c))
    see.raises("a list", lambda: module.detach_variable([x]), phrase="Only tuple of tensors")
    see("states", module.get_device_states(x, 3))
