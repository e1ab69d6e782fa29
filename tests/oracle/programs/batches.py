"""Data sets, samplers and loaders."""

from typing import Any, NamedTuple

from tests.oracle.registry import program


class Pair(NamedTuple):
    x: Any
    y: Any


def data(torch):
    from importlib import import_module

    return import_module(f"{torch.__name__}.utils.data")


def numbers(torch, n=5):
    return data(torch).TensorDataset(torch.arange(float(n)), torch.arange(n) * 10)


@program(rules="T-50")
def batches_of_tensors(torch, see):
    D = data(torch)
    loader = D.DataLoader(numbers(torch), batch_size=2)
    see("batches", list(loader))
    see("how many", (len(loader), len(loader.dataset)))
    short = D.DataLoader(numbers(torch), batch_size=2, drop_last=True)
    see("dropped", (list(short), len(short)))
    see("one by one", list(D.DataLoader(numbers(torch), batch_size=None))[:2])
    see("of a list", list(D.DataLoader([1, 2, 3], 2)))
    see("own batches", list(D.DataLoader(numbers(torch), batch_sampler=[[0, 3], [1]])))
    see("own order", list(D.DataLoader(numbers(torch), 3, sampler=[4, 2, 0])))
    see("own collating", list(D.DataLoader([1, 2, 3], 2, collate_fn=sum)))
    see("twice", [len(list(loader)), len(list(loader))])


@program(rules="T-50")
def shuffled_batches_hold_everything_once(torch, see):
    D = data(torch)
    torch.manual_seed(0)
    loader = D.DataLoader(numbers(torch, 50), batch_size=8, shuffle=True)
    rounds = [torch.cat([x for x, _ in loader]).tolist() for _ in range(2)]
    see("everything", [sorted(r) == list(range(50)) for r in rounds], expect=[True, True])
    see("in another order each time", rounds[0] != rounds[1], expect=True)
    seeded = [
        list(D.RandomSampler(range(9), generator=torch.Generator().manual_seed(3)))
        for _ in range(2)
    ]
    see("repeatable", seeded[0] == seeded[1], expect=True)
    see("more than there are", len(list(D.RandomSampler(range(3), num_samples=7))))
    drawn = list(D.RandomSampler(range(3), replacement=True, num_samples=20))
    see("drawn anew", (len(drawn), set(drawn) <= {0, 1, 2}))
    see("some", sorted(D.SubsetRandomSampler([3, 1, 7])))
    see("weighted", list(D.WeightedRandomSampler([0.0, 1.0], 3)))
    see("batches", list(D.BatchSampler(D.SequentialSampler(range(5)), 2, False)))


@program(rules="T-50")
def what_collating_makes(torch, see):
    import numpy as np

    collate = data(torch).default_collate
    for name, batch in {
        "floats": [1.0, 2.0], "ints": [1, 2], "bools": [True, False], "text": ["a", "b"],
        "pairs": [(1, 2.0), (3, 4.0)], "lists": [[1, 2], [3, 4]], "dicts": [{"a": 1}, {"a": 2}],
        "named": [Pair(1, 2), Pair(3, 4)], "arrays": [np.ones(2), np.zeros(2)],
        "numpy numbers": [np.float32(1), np.float32(2)], "nested": [{"a": [(1, "x")]}, {"a": [(2, "y")]}],
    }.items():  # fmt: skip
        found = collate(batch)
        see(name, found)
        see(f"{name}: class", type(found).__name__)
    see.raises("objects", lambda: collate([object()]), phrase="batch must contain tensors")
    see.raises("unequal", lambda: collate([[1], [1, 2]]), phrase="of equal size")
    see.raises("tensors", lambda: collate([torch.ones(1), torch.ones(2)]), phrase="equal size")
    see.raises(
        "text in arrays", lambda: collate([np.array(["a"])]), phrase="batch must contain tensors"
    )
    see("not collated", data(torch).default_convert({"a": np.ones(2), "b": (1, "x")}))


@program(rules="T-50")
def parts_and_sums_of_data(torch, see):
    D = data(torch)
    both = numbers(torch) + numbers(torch, 2)
    see("added", (len(both), both[5], both[-1]))
    see("part", (len(D.Subset(both, [6, 0])), D.Subset(both, [6, 0])[0]))
    see("stacked", D.StackDataset(range(3), "abc")[1])
    see("stacked by name", D.StackDataset(a=range(3), b="abc")[1])
    parts = D.random_split(range(10), [7, 3], generator=torch.Generator().manual_seed(1))
    see("split", sorted([*parts[0], *parts[1]]))
    see("lengths", [len(p) for p in parts])
    see("shares", [len(p) for p in D.random_split(range(11), [0.5, 0.3, 0.2])])
    see.raises("sum", lambda: D.random_split(range(5), [1, 2]), phrase="does not equal the length")
    see.raises("share", lambda: D.random_split(range(5), [1.5, -0.5]), phrase="not between 0 and 1")
    see.raises(
        "sizes", lambda: D.TensorDataset(torch.ones(2), torch.ones(3)), phrase="Size mismatch"
    )
    see.raises("none", lambda: D.ConcatDataset([]), phrase="empty iterable")
    see.raises("no items", lambda: D.Dataset()[0], phrase="should implement __getitem__")
    see.raises("beyond", lambda: both[-8])


@program(rules="T-50")
def streams(torch, see):
    D = data(torch)

    class Stream(D.IterableDataset):
        def __iter__(self):
            return iter(range(5))

    see("batches", list(D.DataLoader(Stream(), 2)))
    see("dropped", list(D.DataLoader(Stream(), 2, drop_last=True)))
    see("one by one", list(D.DataLoader(Stream(), batch_size=None)))
    see.raises(
        "shuffle", lambda: D.DataLoader(Stream(), shuffle=True), phrase="unspecified shuffle"
    )
    see.raises("sampler", lambda: D.DataLoader(Stream(), sampler=[1]), phrase="unspecified sampler")
    see.raises("length", lambda: len(D.DataLoader(Stream(), 2)), phrase="has no len()")


@program(rules="T-50")
def options_that_exclude_each_other(torch, see):
    D = data(torch)
    few = numbers(torch)
    for name, options, phrase in [
        ("size", {"batch_size": 0}, "positive integer"),
        ("shuffle", {"shuffle": True, "sampler": [0]}, "mutually exclusive with shuffle"),
        (
            "batches",
            {"batch_sampler": [[0]], "batch_size": 2},
            "mutually exclusive with batch_size",
        ),
        ("no batch", {"batch_size": None, "drop_last": True}, "disables auto-batching"),
        ("workers", {"num_workers": -1}, "should be non-negative"),
        ("timeout", {"timeout": -1}, "should be non-negative"),
        ("prefetch", {"prefetch_factor": 2}, "prefetch_factor"),
        ("persistent", {"persistent_workers": True}, "needs num_workers > 0"),
    ]:
        see.raises(name, lambda o=options: D.DataLoader(few, **o), phrase=phrase)
    loader = D.DataLoader(few)
    see.raises(
        "later", lambda: setattr(loader, "batch_size", 3), phrase="after DataLoader is initialized"
    )
    see.raises("drop", lambda: D.BatchSampler([1], 1, 3), phrase="boolean")
    see.raises("replacement", lambda: D.RandomSampler([1], replacement=1), phrase="boolean")
    see.raises("samples", lambda: D.RandomSampler([1], num_samples=0), phrase="positive integer")


@program(rules="T-50 T-60")
def a_training_loop_over_a_loader(torch, see):
    D = data(torch)
    x = torch.arange(12.0).reshape(6, 2) / 12
    loader = D.DataLoader(D.TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)
    model = torch.nn.Linear(2, 1)
    with torch.no_grad():
        for p in model.parameters():
            p.fill_(0.1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(3):
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(inputs), targets)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    see("losses", losses)
