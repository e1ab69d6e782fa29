"""Checkpoints of chains of functions, and of modules."""

from importlib import import_module

from tests.oracle.data import wave
from tests.oracle.programs.checkpoint_parts import checkpoint_of, leaf, wanted_forms
from tests.oracle.registry import program


@program(rules="H-7", each=wanted_forms)
def chains_in_segments(torch, see, form):
    module = import_module(f"{torch.__name__}.utils.checkpoint")
    calls = []

    def step(number):
        def run(t):
            calls.append(number)
            return (t * (number + 1)).sin()

        return run

    x = leaf(torch, 0.5, 1.0)
    chain = [step(n) for n in range(5)]
    reentrant = form[0] == "reentrant"
    y = module.checkpoint_sequential(chain, 2, x, use_reentrant=reentrant)
    see("forward", list(calls))
    y.sum().backward()
    see("with the first part again", list(calls), expect=[0, 1, 2, 3, 4, 0, 1])
    see("gradient", x.grad)


@program(rules="H-7")
def wrong_segments(torch, see):
    module = import_module(f"{torch.__name__}.utils.checkpoint")
    x, chain = leaf(torch, 0.5), [torch.sin, torch.cos]

    def run(count, **settings):
        return module.checkpoint_sequential(chain, count, x, use_reentrant=False, **settings)

    see.raises("more than functions", lambda: run(3))
    see.raises("none", lambda: run(0))
    see.raises("a keyword", lambda: run(1, depth=2), phrase="Unexpected keyword arguments: depth")
    see("one", run(1))


@program(rules="H-7")
def a_sequential_module(torch, see):
    module = import_module(f"{torch.__name__}.utils.checkpoint")
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
    with torch.no_grad():
        for number, p in enumerate(net.parameters()):
            p.copy_(torch.arange(float(p.numel())).reshape(p.shape) * 0.25 - number * 0.1)
    x = torch.tensor([[0.5, -1.0]])
    module.checkpoint_sequential(net, 3, x, use_reentrant=False).sum().backward()
    see("gradients", [p.grad for p in net.parameters()])


@program(rules="H-3 H-4 T-55", each=wanted_forms)
def running_statistics_move_twice(torch, see, form):
    """In the recomputation too, even if it ends with them."""
    for name, after in {"at the end": lambda t: t, "before the end": torch.sigmoid}.items():
        norm = torch.nn.BatchNorm1d(2).double()
        x = torch.tensor(wave(4, 2), dtype=torch.float64, requires_grad=True)
        form[1](torch)(lambda t, norm=norm, after=after: after(norm(t)), x).sum().backward()
        see(name, [norm.running_mean, norm.running_var, norm.num_batches_tracked])


@program(rules="H-3")
def a_norm_without_running_statistics(torch, see):
    norm = torch.nn.BatchNorm1d(2, track_running_stats=False).double()
    x = torch.tensor(wave(4, 2), dtype=torch.float64, requires_grad=True)
    checkpoint_of(torch)(norm, x, use_reentrant=False).exp().sum().backward()
    see("without statistics", x.grad)
