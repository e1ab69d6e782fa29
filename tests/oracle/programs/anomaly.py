"""Anomaly mode."""

import warnings

from tests.oracle.registry import program


@program(rules="M-41")
def the_mode_is_restored(torch, see):
    state = lambda: (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())  # noqa: E731
    see("before", state(), expect=(False, True))
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        see("inside", state(), expect=(True, False))
    see("after", state(), expect=(False, True))


@program(rules="E-87")
def entering_warns(torch, see):
    def enter():
        with torch.autograd.detect_anomaly():
            pass

    see.warns("warning", enter, phrase="Anomaly Detection has been enabled")


@program(rules="E-87")
def a_nan_is_an_error_naming_the_node(torch, see):
    x = torch.zeros(2, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        y = (x * 0).sqrt().sum()
        see.raises("nan", (y * 0).backward, phrase="returned nan values in its 0th output")
        z = (x + 1).log().sum()
        z.backward()
        x.grad = None
        w = x.sqrt().sum()
        w.backward()
    see("inf does not count", x.grad)


@program(rules="E-86")
def an_error_tells_where_its_node_was_made(torch, see):
    x = torch.ones(2, requires_grad=True)

    class Failing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("in backward")

    def run():
        with torch.autograd.set_detect_anomaly(True):
            y = Failing.apply(x).sum()
            try:
                y.backward()
            except ValueError as error:
                return str(error)

    see("error", see.warns("warning", run, phrase="FailingBackward"), expect="in backward")


@program(rules="E-88")
def without_the_mode_in_forward_there_is_no_stack(torch, see):
    x = torch.zeros(2, requires_grad=True)
    y = (x * 0).sqrt().sum() * 0

    def run():
        with torch.autograd.set_detect_anomaly(True):
            try:
                y.backward()
            except RuntimeError:
                return "raised"

    see("raised", see.warns("warning", run, phrase="No forward pass information available"))


@program(rules="E-85")
def nodes_keep_their_stack(torch, see):
    x = torch.ones(2, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            y = x.exp()
            (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    see("keys", "traceback_" in y.grad_fn.metadata, expect=True)
    see("without the mode", x.exp().grad_fn.metadata, expect={})
    see("made in a backward", "parent_" in g.grad_fn.metadata)
