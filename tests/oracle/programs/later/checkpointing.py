"""Checkpointing: forget values in forward, compute them again in backward."""

from functools import partial
from importlib import import_module

from tests.oracle.registry import program as plain_program

program = partial(plain_program, milestone="checkpoint")


def _module(torch):
    return import_module(f"{torch.__name__}.utils.checkpoint")


def _counted(calls):
    def fn(x):
        calls.append("run")
        return (x.sin() * x).exp()

    return fn


@program(rules="H-3 H-4")
def gradients_are_the_same(torch, see):
    checkpoint = _module(torch).checkpoint
    for reentrant in (False, True):
        calls = []
        x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
        y = checkpoint(_counted(calls), x, use_reentrant=reentrant).sum()
        see(f"reentrant {reentrant}: once forward", len(calls), expect=1)
        y.backward()
        see(f"reentrant {reentrant}: gradient", x.grad)
        see(f"reentrant {reentrant}: again in backward", len(calls), expect=2)


@program(rules="H-2 H-3")
def limits_of_the_reentrant_form(torch, see):
    checkpoint = _module(torch).checkpoint
    x = torch.tensor([0.5], requires_grad=True)
    y = checkpoint(_counted([]), x, use_reentrant=True)
    see.raises("grad", lambda: torch.autograd.grad(y.sum(), x))
    z = checkpoint(_counted([]), x, use_reentrant=False)
    see("grad of the other", torch.autograd.grad(z.sum(), x)[0])
    see.raises(
        "keywords", lambda: checkpoint(lambda t, k: t, x, use_reentrant=True, k=1), phrase="keyword"
    )


@program(rules="H-5")
def another_shape_is_noticed(torch, see):
    module = _module(torch)
    sizes = iter([2, 3, 3])
    x = torch.ones(3, requires_grad=True)
    y = module.checkpoint(lambda t: t[: next(sizes)].exp().sum(), x, use_reentrant=False)
    see.raises("metadata", y.backward, phrase="metadata")


@program(rules="H-3")
def double_backward_through_a_checkpoint(torch, see):
    checkpoint = _module(torch).checkpoint
    x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
    y = checkpoint(_counted([]), x, use_reentrant=False).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    see("second", torch.autograd.grad(g.sum(), x)[0])
