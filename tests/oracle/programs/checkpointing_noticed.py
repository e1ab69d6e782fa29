"""Recomputations that are not what the forward was, and what makes them the same."""

from importlib import import_module

from tests.oracle.programs.checkpoint_parts import checkpoint_of, leaf, times_of
from tests.oracle.registry import program

_NOTICED = "a gradient of other values than the forward's would be wrong"


def _error(torch):
    return import_module(f"{torch.__name__}.utils.checkpoint").CheckpointError


@program(rules="H-5")
def another_shape_is_noticed(torch, see):
    sizes = iter([2, 3, 3])
    x = leaf(torch, 1.0, 1.0, 1.0)
    y = checkpoint_of(torch)(lambda t: t[: next(sizes)].exp().sum(), x, use_reentrant=False)
    see.raises("metadata", y.backward, phrase="different metadata than during the forward pass")
    see("class", issubclass(_error(torch), RuntimeError), expect=True)


@program(rules="H-5")
def another_type_is_noticed(torch, see):
    types = iter([torch.float64, torch.float32])
    x = leaf(torch, 1.0, 2.0)
    y = checkpoint_of(torch)(lambda t: t.to(next(types)).exp().sum(), x, use_reentrant=False)
    see.raises("metadata", y.backward, phrase="tensor at position 0")


def _several(counts):
    def fn(t):
        for _ in range(next(counts)):
            t = t.sin()
        return t

    return fn


@program(rules="H-5")
def fewer_values_are_noticed(torch, see):
    checkpoint = checkpoint_of(torch)
    x = leaf(torch, 0.5, 1.0)
    for setting in ("default", "none"):
        y = checkpoint(
            _several(iter([3, 1])), x, use_reentrant=False, determinism_check=setting
        ).sum()
        see.raises(setting, y.backward, phrase="Number of tensors saved during recomputation: 1")


@program(rules="H-4 H-5")
def more_values_are_noticed_by_who_runs_to_the_end(torch, see):
    checkpoint = checkpoint_of(torch)
    x = leaf(torch, 0.5, 1.0)
    y = checkpoint(_several(iter([1, 3])), x, use_reentrant=False).sum()
    see("stopped early: what was needed is right", torch.autograd.grad(y, x)[0])
    y = checkpoint(_several(iter([1, 3])), x, use_reentrant=False, early_stop=False).sum()
    see.raises("to the end", y.backward, phrase="trying to save more tensors during recomputation")
    y = checkpoint(_several(iter([1, 3])), x, use_reentrant=False, debug=True).sum()
    see.differs(
        "debug",
        see.outcome(lambda: torch.autograd.grad(y, x)[0]),
        torch=[0.8775825618903728, 0.5403023058681398],
        vizgrad=_error(torch),
        because="debug compares all operations",
    )


@program(rules="H-5")
def the_check_can_be_left_out(torch, see):
    sizes = iter([(2, 3), (3, 2)])
    x = leaf(torch, *([1.0] * 6))
    y = checkpoint_of(torch)(
        lambda t: t.reshape(next(sizes)).exp().sum(),
        x,
        use_reentrant=False,
        determinism_check="none",
    )
    # the value is 2 by 3, what stands for it 3 by 2
    see.raises("the shapes do not fit", y.backward)


@program(rules="H-4")
def other_values_of_the_same_shape(torch, see):
    times = times_of(2)
    x = leaf(torch, 0.5, 1.0)
    y = checkpoint_of(torch)(lambda t: (t * (1 + next(times))).exp().sum(), x, use_reentrant=False)
    see.differs(
        "a counter",
        see.outcome(lambda: torch.autograd.grad(y, x)[0]),
        torch=[2.718281828459045, 7.38905609893065],
        vizgrad=_error(torch),
        because=_NOTICED,
    )


@program(rules="H-4")
def another_operation_of_the_same_shape(torch, see):
    times = times_of(2)
    x = leaf(torch, 0.5, 1.0)

    def fn(t):
        return (t.sin() if next(times) else t).exp().sum()

    y = checkpoint_of(torch)(fn, x, use_reentrant=False)
    see.differs(
        "the first saved value is another",
        see.outcome(lambda: torch.autograd.grad(y, x)[0]),
        torch=[0.5, 1.0],
        vizgrad=_error(torch),
        because=_NOTICED,
    )


@program(rules="H-4")
def a_parameter_written_before_backward(torch, see):
    x, w = leaf(torch, 0.5, 1.0), leaf(torch, 2.0, 3.0)
    y = checkpoint_of(torch)(lambda t: (t * w).sum(), x, use_reentrant=False)
    with torch.no_grad():
        w.mul_(10)
    see.differs(
        "closed over",
        see.outcome(lambda: torch.autograd.grad(y, x)[0]),
        torch=[20.0, 30.0],
        vizgrad=_error(torch),
        because=_NOTICED,
    )


@program(rules="H-4")
def a_keyword_written_before_backward(torch, see):
    x, w = leaf(torch, 0.5, 1.0), leaf(torch, 2.0, 3.0)
    y = checkpoint_of(torch)(lambda t, *, k: (t * k).sum(), x, k=w, use_reentrant=False)
    with torch.no_grad():
        w.mul_(10)
    see.differs(
        "keyword",
        see.outcome(lambda: torch.autograd.grad(y, x)[0]),
        torch=[20.0, 30.0],
        vizgrad=RuntimeError,
        because="keywords are kept as positional arguments are",
    )


@program(rules="H-3")
def an_argument_written_before_backward(torch, see):
    a = leaf(torch, 0.5, 1.0) * 1
    y = checkpoint_of(torch)(lambda t: (t * t).sum(), a, use_reentrant=False)
    a.mul_(2)
    see.raises("positional", y.backward, phrase="modified by an inplace operation")


@program(rules="H-3")
def an_argument_written_by_the_function(torch, see):
    a = leaf(torch, 0.5, 1.0) * 1
    y = checkpoint_of(torch)(lambda t: t.mul_(2).exp().sum(), a, use_reentrant=False)
    see("value", y)
    see.raises("backward", y.backward, phrase="modified by an inplace operation")


@program(rules="H-4")
def a_saved_value_that_the_function_writes(torch, see):
    x = leaf(torch, 0.5, 1.0)

    def fn(t):
        y = t.exp()
        y.mul_(2)
        return y.sin()

    see.raises("without", fn(x).sum().backward, phrase="modified by an inplace operation")
    y = checkpoint_of(torch)(fn, x, use_reentrant=False).sum()
    see.differs(
        "with",
        see.outcome(lambda: torch.autograd.grad(y, x)[0]),
        torch=[-6.514954865883166, 7.203636720071863],
        vizgrad=RuntimeError,
        because="the gradient would be that of the new value, without a word",
    )


@program(rules="H-4")
def memory_of_outside_that_the_function_fills_anew(torch, see):
    buffer = torch.zeros(2, dtype=torch.float64)
    x = leaf(torch, 0.5, 1.0)

    def fn(t):
        buffer.copy_(torch.tensor([3.0, 4.0]))
        return (t * buffer).sum()

    y = checkpoint_of(torch)(fn, x, use_reentrant=False)
    see("the same again", torch.autograd.grad(y, x)[0], expect=[3.0, 4.0])


@program(rules="H-3")
def a_function_that_reads_its_saved_values_twice(torch, see):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0] + g * ctx.saved_tensors[0]

    x = leaf(torch, 0.5, 1.0)
    y = checkpoint_of(torch)(lambda t: Square.apply(t.sin()).sum(), x, use_reentrant=False)
    see.differs(
        "twice",
        see.outcome(lambda: torch.autograd.grad(y, x)[0]),
        torch=_error(torch),
        vizgrad=[0.8414709848078965, 0.9092974268256817],
        because="what was dropped after the first reading is computed again",
    )


def _dropout(torch):
    def fn(t):
        return (torch.nn.functional.dropout(t, 0.5) * t).sum()

    return fn


@program(rules="H-6")
def random_numbers_are_the_same_again(torch, see):
    ones = [1.0] * 400
    for reentrant in (False, True):
        torch.manual_seed(3)
        x = leaf(torch, *ones)
        y = checkpoint_of(torch)(_dropout(torch), x, use_reentrant=reentrant)
        after_forward = torch.rand(3)
        y.backward()
        after_backward = torch.rand(3)
        # each element counts 0, or 2 from either factor
        see(f"{reentrant}: the mask of the forward", bool(x.grad.sum() == 2 * y), expect=True)
        torch.manual_seed(3)
        torch.nn.functional.dropout(x.detach(), 0.5)
        same = bool((torch.rand(3) == after_forward).all())
        see(f"{reentrant}: forward moved on", same, expect=True)
        same = bool((torch.rand(3) == after_backward).all())
        see(f"{reentrant}: backward did not", same, expect=True)


@program(rules="H-6")
def random_numbers_that_are_not_kept(torch, see):
    torch.manual_seed(3)
    x = leaf(torch, *[1.0] * 400)
    y = checkpoint_of(torch)(_dropout(torch), x, use_reentrant=False, preserve_rng_state=False)

    def outcome():
        (g,) = torch.autograd.grad(y, x)
        return bool(g.sum() == 2 * y)

    see.differs(
        "another mask",
        see.outcome(outcome),
        torch=False,
        vizgrad=_error(torch),
        because=_NOTICED,
    )


@program(rules="H-6")
def a_module_with_dropout_and_running_statistics(torch, see):
    net = torch.nn.Sequential(torch.nn.BatchNorm1d(2), torch.nn.Tanh(), torch.nn.Dropout(0.5))
    net[2].p = 0.0
    x = torch.tensor([[0.5, 1.0], [2.0, -1.0], [0.1, 0.3]])
    checkpoint_of(torch)(net, x, use_reentrant=False).sum().backward()
    see("gradients", [p.grad for p in net.parameters()])
    see("the statistics move twice", [net[0].running_mean, net[0].num_batches_tracked])


@program(rules="H-6")
def autocast_is_the_forwards(torch, see):
    for reentrant in (False, True):
        types = []

        def fn(a, w, types=types):
            y = a @ w
            types.append(str(y.dtype).rpartition(".")[2])
            return y.float().sum()

        a = torch.ones(2, 2, requires_grad=True)
        w = torch.ones(2, 2, requires_grad=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = checkpoint_of(torch)(fn, a, w, use_reentrant=reentrant, early_stop=False)
        y.backward()
        see(f"{reentrant}: inside", list(types), expect=["bfloat16"] * 2)
        see(f"{reentrant}: gradient", (a.grad.dtype == torch.float32, a.grad))
        y = checkpoint_of(torch)(fn, a, w, use_reentrant=reentrant, early_stop=False)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y.backward()
        see(f"{reentrant}: not in the forward", types[2:], expect=["float32"] * 2)


@program(rules="H-5")
def debugging_switched_off(torch, see):
    module = import_module(f"{torch.__name__}.utils.checkpoint")
    x = leaf(torch, 0.5, 1.0)
    with module.set_checkpoint_debug_enabled(False):
        y = module.checkpoint(_several(iter([3, 3])), x, use_reentrant=False, debug=True).sum()
    y.backward()
    see("gradient", x.grad)
