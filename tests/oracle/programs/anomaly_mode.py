"""Anomaly mode, sentence by sentence (E-85 ... E-88, M-41)."""

import warnings

from tests.oracle.making import function, leaf
from tests.oracle.registry import program

nan, inf = float("nan"), float("inf")


def _quietly(torch, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.autograd.detect_anomaly(**options)


@program(rules="E-85")
def what_nodes_keep(torch, see):
    x = leaf(torch)
    plain = (x * 2).grad_fn
    with _quietly(torch):
        y = x * 3
        z = y.exp()
        see("stack", "what_nodes_keep" in "".join(y.grad_fn.metadata["traceback_"]), expect=True)
        see("keys", sorted(y.grad_fn.metadata))
        (g,) = torch.autograd.grad(z.sum(), x, create_graph=True)
        see("made in a backward", "parent_" in g.grad_fn.metadata, expect=True)
        see("by", g.grad_fn.metadata["parent_"])
        custom = function(torch, lambda ctx, x: x * 1).apply(x)
        see("custom", "traceback_" in custom.grad_fn.metadata, expect=True)
        with torch.no_grad():
            see("no node", (x * 2).grad_fn)
    see("without it", plain.metadata, expect={})


def _failing(torch):
    def fail(ctx, g):
        raise ValueError("mine")

    return function(torch, lambda ctx, x: x * 1, fail)


@program(rules="E-86 E-88", each=("forward and backward", "backward alone", "forward alone"))
def an_error_in_a_node(torch, see, when):
    x = leaf(torch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.set_detect_anomaly("forward" in when):
            y = _failing(torch).apply(x).sum()
        with torch.autograd.set_detect_anomaly("backward" in when):
            see.raises("error", y.backward, phrase="mine")
    told = [str(w.message) for w in caught]
    see("warnings", len(told))
    see("names the node", [("MadeBackward" in t) for t in told])
    see("shows the place", [("an_error_in_a_node" in t) for t in told])
    see("has none", [("No forward pass information" in t) for t in told])


@program(rules="E-86")
def an_error_in_a_second_backward(torch, see):
    once = torch.autograd.function.once_differentiable
    fn = function(torch, lambda ctx, x: x * 1, once(lambda ctx, g: g * 1))
    x = leaf(torch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.set_detect_anomaly(True):
            y = fn.apply(x)
            (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
            see.raises("error", g.sum().backward, phrase="once_differentiable")
    see("stacks told", len(caught) >= 1, expect=True)


_VALUES = {"nan": nan, "inf": inf, "-inf": -inf, "a number": 1.0}


@program(rules="E-87", each=_VALUES.items())
def outputs_that_are_checked(torch, see, case):
    give = lambda ctx, g: (None, torch.full_like(g, case[1]))  # noqa: E731
    fn = function(torch, lambda ctx, a, b: a + b, give)
    a, b = leaf(torch), leaf(torch)
    for check in (True, False):
        b.grad = None
        with _quietly(torch, check_nan=check):
            y = fn.apply(a, b).sum()
            see.attempt(f"check_nan={check}", y.backward)
        see(f"check_nan={check}: gradient", b.grad)


@program(rules="E-87")
def the_message_names_node_and_output(torch, see):
    fn = function(torch, lambda ctx, a, b: a + b, lambda ctx, g: (g, g * nan))
    a, b = leaf(torch), leaf(torch)
    with _quietly(torch):
        y = fn.apply(a, b).sum()
        see.raises(
            "custom", y.backward, phrase="'MadeBackward' returned nan values in its 1th output"
        )
        x = torch.zeros(2, requires_grad=True)
        z = (x.sqrt() * 0).sum()
        see.raises("built-in", z.backward, phrase="SqrtBackward0")
        see("nothing stored", x.grad, expect=None)


@program(rules="E-87 M-41")
def entering_and_leaving(torch, see):
    now = lambda: (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())  # noqa: E731
    see("at first", now(), expect=(False, True))
    see.warns("detect_anomaly", torch.autograd.detect_anomaly, UserWarning)
    see.silent("set_detect_anomaly", lambda: torch.autograd.set_detect_anomaly(False))
    with _quietly(torch, check_nan=False):
        see("inside", now(), expect=(True, False))
        with torch.autograd.set_detect_anomaly(False):
            see("off inside", now())
        see("inside again", now(), expect=(True, False))
    see("after", now(), expect=(False, True))
    torch.autograd.set_detect_anomaly(True, check_nan=False)
    see("as a function", now(), expect=(True, False))
    torch.autograd.set_detect_anomaly(False)
    see("off", now(), expect=(False, True))

    def failing():
        with _quietly(torch):
            leaf(torch).sum().backward(retain_graph=torch.nothing)

    see.raises("an error inside", failing)
    see("after an error", now(), expect=(False, True))


@program(rules="E-87")
def a_gradient_given_with_nan(torch, see):
    x = leaf(torch)
    with _quietly(torch):
        y = x + 1
        see.attempt("a sum", lambda: y.backward(torch.tensor([nan, 1.0])))
        z = x * 2
        z.register_hook(lambda g: g * nan)
        see.attempt("a hook", lambda: z.sum().backward())
        see.attempt("a leaf as root", lambda: x.backward(torch.tensor([nan, 1.0])))
