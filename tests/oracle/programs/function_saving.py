"""save_for_backward, saved_tensors, attributes, materialised gradients."""

import gc
import weakref

from tests.oracle.registry import program


def _saving(torch, save):
    """A Function y = 2x that saves save(x, y) and keeps what it read in `read`."""
    read = []

    class Saving(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.save_for_backward(*save(x, y))
            read.append(("in forward", ctx.saved_tensors))
            return y

        @staticmethod
        def backward(ctx, grad):
            read.append(ctx.saved_tensors)
            return grad * 2

    return Saving, read


@program(rules="F-35")
def what_may_be_saved(torch, see):
    x = torch.ones(2, requires_grad=True)
    fn, read = _saving(torch, lambda x, y: (x, None, y))
    fn.apply(x).sum().backward()
    see("tensors and None", read[1])
    bad, _ = _saving(torch, lambda x, y: (x, 3.0))
    see.raises("a number", lambda: bad.apply(x), phrase="save_for_backward can only save variables")
    with torch.no_grad():
        see("ignored without a graph", bad.apply(x))
    see("for a constant", bad.apply(torch.ones(2)))


@program(rules="F-36")
def saving_takes_place_after_forward(torch, see):
    fn, read = _saving(torch, lambda x, y: (x,))
    y = fn.apply(torch.ones(2, requires_grad=True))
    see("in forward", read[0], expect=("in forward", ()))
    see("afterwards", y.grad_fn.saved_tensors)
    see("two calls: the last wins", _last_wins(torch))


def _last_wins(torch):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, x)
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad

    return len(Twice.apply(torch.ones(2, requires_grad=True)).grad_fn.saved_tensors)


@program(rules="F-37")
def inputs_come_back_as_themselves_outputs_anew(torch, see):
    x = torch.ones(2, requires_grad=True)
    inner = []

    def save(given, y):
        middle = given + 5
        inner.append(middle)
        return given, y, middle

    fn, _ = _saving(torch, save)
    y = fn.apply(x)
    saved = y.grad_fn.saved_tensors
    see("values", saved)
    see("the input itself", saved[0] is x, expect=True)
    see("a new object for the output", saved[1] is y, expect=False)
    see("that knows its node", saved[1].grad_fn is y.grad_fn, expect=True)
    see(
        "an intermediate is constant",
        (saved[2].requires_grad, saved[2].grad_fn),
        expect=(False, None),
    )


@program(rules="F-38 V-20")
def reading_checks_versions(torch, see):
    x = torch.ones(2, requires_grad=True) * 1
    fn, _ = _saving(torch, lambda x, y: (x,))
    y = fn.apply(x)
    x.add_(1)
    phrase = "modified by an inplace operation"
    see.raises("in backward", lambda: y.sum().backward(), phrase=phrase)
    see.raises("from outside", lambda: y.grad_fn.saved_tensors, phrase=phrase)


@program(rules="F-39 E-41")
def saved_tensors_are_freed(torch, see):
    fn, _ = _saving(torch, lambda x, y: (x,))
    y = fn.apply(torch.ones(2, requires_grad=True)).sum()
    node = y.grad_fn.next_functions[0][0]
    node.note = "kept"
    y.backward()
    see.raises("again", y.backward, phrase="second time")
    see.raises("reading", lambda: node.saved_tensors, phrase="already been freed")
    see("attributes stay", node.note, expect="kept")


@program(rules="F-39")
def a_function_that_reads_nothing_runs_twice(torch, see):
    class Blind(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, save):
            if save:
                ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2, None

    for save in (False, True):
        x = torch.ones((), requires_grad=True)
        y = Blind.apply(x, save)
        y.backward()
        y.backward()
        see(f"saved {save}", x.grad, expect=4)


@program(rules="F-41")
def attributes_are_kept_without_checks(torch, see):
    class Keeping(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.x = x
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.x * grad

    leaf = torch.ones(2, requires_grad=True)
    x = leaf + 0
    y = Keeping.apply(x)
    x.detach().add_(1)
    y.sum().backward()
    see("the changed value is used", leaf.grad, expect=[4, 4])
    y.sum().backward()
    see("and not freed", leaf.grad, expect=[8, 8])


@program(rules="F-41 E-96")
def a_saved_output_makes_no_cycle(torch, see):
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    gc.collect()
    gc.disable()
    try:
        y = Exp.apply(torch.ones(2, requires_grad=True))
        gone = weakref.ref(y)
        del y
        see("dies at once", gone() is None, expect=True)
    finally:
        gc.enable()


@program(rules="F-44")
def undefined_gradients_are_zeros_or_none(torch, see):
    def two(materialize):
        class Two(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.set_materialize_grads(materialize)
                return x * 1, x[:1] * 2

            @staticmethod
            def backward(ctx, a, b):
                log.append((a, b))
                return a

        log = []
        return Two, log

    for materialize in (True, False):
        fn, log = two(materialize)
        fn.apply(torch.ones(2, requires_grad=True))[0].sum().backward()
        see(f"materialize {materialize}", log[0])


@program(rules="F-44 F-68")
def a_function_is_called_with_nothing_but_zeros(torch, see):
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return None

    class Passing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            log.append(grad)
            return grad

    log = []
    x = torch.ones(2, requires_grad=True)
    Nothing.apply(Passing.apply(x)).sum().backward()
    see("gradient", log, expect=[[0, 0]])
    see("the leaf gets zeros", x.grad, expect=[0, 0])
    y = torch.ones(2, requires_grad=True)
    Nothing.apply(y * 2).sum().backward()
    see("built-in nodes stay undefined", y.grad, expect=None)
