"""Checkpoints within functions that are differentiated within checkpoints: nothing is left in a cycle."""

import gc
import weakref

from tests.oracle.registry import program


class Mark:
    pass


def differentiated(torch, function):
    return lambda x: torch.autograd.grad(function(x), x, create_graph=True)[0]


def checkpointed(torch, function):
    return lambda x: torch.utils.checkpoint.checkpoint(function, x, use_reentrant=False)


def built(torch, order):
    """`order`: d differentiates what stands before it, c checkpoints it."""
    function = lambda x: x.sin().exp().sin()  # noqa: E731
    for step in order:
        function = (differentiated if step == "d" else checkpointed)(torch, function)
    return function


def marked(out):
    """A weak reference for each node above `out`, which dies with it."""
    todo, seen, marks = [out.grad_fn], set(), []
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        todo += [n for n, _ in node.next_functions]
        node.metadata["mark"] = mark = Mark()
        marks.append(weakref.ref(mark))
    return marks


def without_collector(run):
    """What `run` gives, with the garbage collector off."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        return run()
    finally:
        if enabled:
            gc.enable()


@program(
    rules="Y-16",
    each=("c", "cd", "cdc", "cdcd", "ccdcd", "cdccd", "dcd", "dcdc", "ccd", "cdcdcd", "cdcc"),
)
def nothing_is_left_of_nested_checkpoints(torch, see, order):
    def run():
        a = torch.tensor(0.3, requires_grad=True)
        out = built(torch, order)(a)
        marks = marked(out)
        value = out.detach()
        del a, out
        return value, len(marks), sum(mark() is not None for mark in marks)

    for early in (True, False):
        with torch.utils.checkpoint.set_checkpoint_early_stop(early):
            value, count, left = without_collector(run)
        see(f"early stop {early}: value", value)
        see(f"early stop {early}: nodes", count)
        see(f"early stop {early}: left", left, expect=0)


@program(rules="Y-16", each=("cdcd", "cdc"))
def nothing_is_left_after_a_backward(torch, see, order):
    def run():
        a = torch.tensor(0.3, requires_grad=True)
        out = built(torch, order)(a)
        marks = marked(out)
        out.backward()
        gradient = a.grad
        del a, out
        return gradient, sum(mark() is not None for mark in marks)

    gradient, left = without_collector(run)
    see("gradient", gradient)
    see("left", left, expect=0)


@program(rules="Y-16")
def nothing_is_left_of_a_recomputation_that_failed(torch, see):
    def run():
        a = torch.tensor(0.3, requires_grad=True)
        calls = []

        def drifting(x):
            calls.append(1)
            y = x.sin().exp()
            return (y.sin() if len(calls) < 2 else y).cos()

        out = checkpointed(torch, drifting)(a)
        marks = marked(out)
        see.raises("it fails", out.backward, phrase="saved")
        del a, out
        return sum(mark() is not None for mark in marks)

    see("left", without_collector(run), expect=0)
