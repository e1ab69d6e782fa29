"""What programs about checkpointing make again and again."""

from functools import partial
from importlib import import_module


def checkpoint_of(torch):
    return import_module(f"{torch.__name__}.utils.checkpoint").checkpoint


#: Both forms: name, and what gives the function with the form chosen.
wanted_forms = (
    ("reentrant", lambda torch: partial(checkpoint_of(torch), use_reentrant=True)),
    ("other", lambda torch: partial(checkpoint_of(torch), use_reentrant=False)),
)


def leaf(torch, *values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def counted(calls):
    """exp(x sin x), which notes each call."""

    def fn(x):
        calls.append("run")
        return (x.sin() * x).exp()

    return fn


def times_of(count):
    """0, 1, ...: what a function that is not the same each time asks."""
    return iter(range(count))
