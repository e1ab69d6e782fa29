"""Execution order, seen through hooks."""

from tests.oracle.data import wave
from tests.oracle.registry import program


def _watch(log, **tensors):
    """Logs the names of nodes as they finish; leaves by their AccumulateGrad, kept alive by the graph."""
    for name, t in tensors.items():
        t.grad_fn.register_hook(lambda gi, go, n=name: log.append(n))


@program(rules="E-42 E-43")
def the_verified_example(torch, see):
    l1 = torch.tensor(wave(3), requires_grad=True)
    l2 = torch.tensor(wave(3, seed=1), requires_grad=True)
    log = []
    p = l1 * 2
    q = l2 * 3
    r = q.exp()
    added = p + r
    s = added.sum()
    _watch(log, p=p, q=q, r=r, add=added, sum=s)
    for name, leaf in (("acc(l1)", l1), ("acc(l2)", l2)):
        leaf.register_post_accumulate_grad_hook(lambda t, n=name: log.append(n))
    s.backward()
    see("order", log, expect=["sum", "add", "r", "q", "acc(l2)", "p", "acc(l1)"])


@program(rules="E-40 E-42")
def a_node_waits_for_all_its_users(torch, see):
    x = torch.ones(2, requires_grad=True)
    log = []
    y = x * 2
    early = y + 1
    late = (y * 3).exp()
    s = early.sum() + late.sum()
    _watch(log, y=y, early=early, late=late)
    gradients = []
    y.register_hook(lambda g: (log.append("y's hook"), gradients.append(g))[0])
    s.backward()
    see("order", log, expect=["late", "early", "y's hook", "y"])
    see("the hook sees the total", gradients)
    see("gradient", x.grad)


@program(rules="E-42")
def leaves_run_as_soon_as_they_are_ready(torch, see):
    leaves = [torch.ones(2, requires_grad=True) for _ in range(4)]
    log = []
    for i, leaf in enumerate(leaves):
        leaf.register_post_accumulate_grad_hook(lambda t, i=i: log.append(f"leaf {i}"))
    total = leaves[0] * 1
    for i, leaf in enumerate(leaves[1:], 1):
        total = total * leaf
        _watch(log, **{f"mul{i}": total})
    total.sum().backward()
    see("order", log, expect=["mul3", "leaf 3", "mul2", "leaf 2", "mul1", "leaf 1", "leaf 0"])


@program(rules="E-42")
def a_deep_branch_recorded_first_runs_last(torch, see):
    x = torch.ones(2, requires_grad=True)
    log = []
    first = x * 2
    second = first.exp()
    third = second.sin()
    shallow = x * 3
    _watch(log, first=first, second=second, third=third, shallow=shallow)
    (third + shallow).sum().backward()
    see("order", log, expect=["shallow", "third", "second", "first"])


@program(rules="E-42 E-44")
def several_roots_start_with_the_latest(torch, see):
    x = torch.ones(2, requires_grad=True)
    log = []
    a, b, c = x * 1, x * 2, x * 3
    _watch(log, a=a, b=b, c=c)
    torch.autograd.backward([a.sum(), c.sum(), b.sum()])
    see("order", log)


@program(rules="E-40")
def undefined_gradients_count_as_delivered(torch, see):
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return None

    x = torch.ones(2, requires_grad=True)
    log = []
    y = x * 2
    _watch(log, y=y)
    z = Nothing.apply(y) + y * 3
    z.sum().backward()
    see("y runs once", log, expect=["y"])
    see("gradient", x.grad, expect=[6, 6])


@program(rules="E-40 E-53")
def a_branch_that_is_all_undefined(torch, see):
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return None

    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    log = []
    y = x.exp()
    y.register_hook(lambda g: log.append(f"tensor hook {g}"))
    y.grad_fn.register_hook(lambda gi, go: log.append(f"node hook {gi} {go}"))
    (Nothing.apply(y) + w).sum().backward()
    see("hooks", log)
    see("the leaf is untouched", x.grad, expect=None)
    see("the other", w.grad, expect=[1, 1])


@program(rules="E-46")
def the_same_program_runs_in_the_same_order(torch, see):
    def once():
        x = torch.tensor(wave(4), dtype=torch.float64, requires_grad=True)
        log = []
        parts = [getattr(x, name)() for name in ("sin", "cos", "exp", "tanh", "sigmoid")]
        _watch(log, **{f"part{i}": p for i, p in enumerate(parts)})
        torch.stack(parts).prod(0).sum().backward()
        return log, x.grad.tolist()

    first, second = once(), once()
    see("order", first[0])
    see("bits", first == second, expect=True)
    see("gradient", first[1])


@program(rules="E-42 E-6")
def order_in_a_recurrence(torch, see):
    w = torch.tensor(wave(2, 2), dtype=torch.float64, requires_grad=True)
    h = torch.zeros(2, dtype=torch.float64)
    log = []
    loss = 0
    for step in range(3):
        h = torch.tanh(w @ h + step)
        loss = loss + h.sum()
        h.register_hook(lambda g, s=step: log.append(f"h{s}"))
        _watch(log, **{f"tanh{step}": h})
    w.register_hook(lambda g: log.append("w"))
    loss.backward()
    see("order", log, expect=["h2", "tanh2", "h1", "tanh1", "h0", "tanh0", "w"])
    see("gradient", w.grad)


@program(rules="E-95")
def long_chains_do_not_recurse(torch, see):
    x = torch.ones((), dtype=torch.float64, requires_grad=True)
    y = x
    for _ in range(5000):
        y = y * 1.0001
    y.backward()
    see("gradient", x.grad)
    del y
    z = x
    for _ in range(5000):
        z = z + 1
    del z
    see("still alive", x, expect=1)
