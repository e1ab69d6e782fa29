"""Samplers that are asked for more than is taken."""

import inspect
from itertools import islice

from tests.oracle.registry import program

FOR_EVER = int(1e10)


@program(rules="Y-3", each=[True, False])
def numbers_of_samples_may_mean_for_ever(torch, see, replacement):
    D = torch.utils.data
    sampler = D.RandomSampler(range(5), replacement=replacement, num_samples=FOR_EVER)
    first = list(islice(iter(sampler), 100))
    see("taken", (len(first), set(first) <= set(range(5)), type(first[0]).__name__))
    see("asked for", len(sampler), expect=FOR_EVER)
    loader = D.DataLoader(range(5), sampler=sampler, batch_size=40)
    see("batches", [len(batch) for batch in islice(loader, 3)], expect=[40, 40, 40])
    see("batches asked for", len(loader))


@program(rules="Y-3")
def samples_are_drawn_in_portions(torch, see):
    D = torch.utils.data
    generator = torch.Generator().manual_seed(1)
    taken = iter(D.RandomSampler(range(5), True, 70, generator))
    states = []
    for _ in range(70):
        next(taken)
        state = generator.get_state()
        states.append(state.tolist() if isinstance(state, torch.Tensor) else repr(state))
    changes = [i for i in range(1, 70) if states[i] != states[i - 1]]
    see("drawn anew before", changes, expect=[32, 64])
    see("all", list(taken), expect=[])


@program(rules="Y-3")
def portions_add_up_to_what_was_asked_for(torch, see):
    D = torch.utils.data
    for n in (1, 31, 32, 33, 64, 65, 100):
        sampler = D.RandomSampler(range(3), replacement=True, num_samples=n)
        see(f"{n} of 3", len(list(sampler)), expect=n)
    see("lazily", inspect.isgenerator(iter(sampler)), expect=True)
    a, b = (
        list(D.RandomSampler(range(9), True, 70, torch.Generator().manual_seed(4)))
        for _ in range(2)
    )
    see("the same seed", a == b, expect=True)
