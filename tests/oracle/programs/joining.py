"""Joining and parting: cat, stack, split, chunk, unbind."""

from tests.oracle.data import wave
from tests.oracle.registry import program


@program(rules="T-37", each=(0, 1, -1))
def cat_parts_its_gradient(torch, see, dim):
    see.derivatives("two", lambda a, b: torch.cat([a, b], dim=dim), wave(2, 2), wave(2, 2, seed=1))
    see.derivatives("twice the same", lambda a: torch.cat([a, a * 2, a], dim=dim), wave(2, 2))


@program(rules="T-15")
def cat_of_unequal_pieces(torch, see):
    see.derivatives("rows", lambda a, b: torch.cat((a, b)), wave(1, 2), wave(3, 2, seed=1))
    see(
        "a 1-dim empty tensor is skipped",
        torch.cat([torch.tensor([]), torch.ones(1, 2)]),
        expect=[[1, 1]],
    )
    see.raises(
        "shapes",
        lambda: torch.cat([torch.ones(1, 2), torch.ones(1, 3)]),
        phrase="sizes of tensors must match",
    )
    see.raises(
        "dims",
        lambda: torch.cat([torch.ones(2), torch.ones(1, 2)]),
        phrase="same number of dimensions",
    )
    see.raises("nothing", lambda: torch.cat([]), phrase="non-empty")
    see.raises("0-dim", lambda: torch.cat([torch.tensor(1.0)]), phrase="zero-dimensional")


@program(rules="T-15 T-37", each=(0, 1, -1))
def stack_adds_a_dim(torch, see, dim):
    see.derivatives(
        "two", lambda a, b: torch.stack([a, b], dim=dim), wave(2, 3), wave(2, 3, seed=1)
    )
    see.raises(
        "shapes", lambda: torch.stack([torch.ones(2), torch.ones(3)], dim=0), phrase="equal size"
    )


@program(rules="T-37")
def stacks_by_axis(torch, see):
    a, b = wave(2, 2), wave(2, 2, seed=1)
    for name in ("hstack", "vstack", "dstack"):
        see.derivatives(name, lambda x, y, n=name: getattr(torch, n)([x, y]), a, b)


@program(rules="T-15")
def split_and_chunk_sizes(torch, see):
    x = torch.arange(5.0)
    see("split", x.split(2))
    see("split by sizes", x.split([1, 4]))
    see("chunk", [len(c) for c in x.chunk(4)], expect=[2, 2, 1])
    see("chunk of two", x.chunk(2))
    see("tensor_split", x.tensor_split(3))
    see("tensor_split at", x.tensor_split([1, 3]))
    see("is a tuple", type(x.split(2)) is tuple, expect=True)
    see.raises("sizes that do not add up", lambda: x.split([1, 1]), phrase="sum exactly to 5")


@program(rules="T-37 V-28")
def pieces_are_views_with_their_own_slot(torch, see):
    for name, part in (
        ("split", lambda x: x.split(1)),
        ("chunk", lambda x: x.chunk(2)),
        ("unbind", lambda x: x.unbind(0)),
        ("tensor_split", lambda x: x.tensor_split(2)),
        ("iteration", list),
    ):
        x = torch.tensor(wave(2, 3), dtype=torch.float64, requires_grad=True)
        y = x * 1
        first, second = part(y)
        see(f"{name}: views", (first._base is y, second._base is y), expect=(True, True))
        see(f"{name}: slots", (first.output_nr, second.output_nr))
        see(f"{name}: one node", first.grad_fn is second.grad_fn)
        second.square().sum().backward()
        see(f"{name}: gradient", x.grad)


@program(rules="T-37", each=(0, 1))
def unbind_gives_one_piece_an_index(torch, see, dim):
    see.derivatives("all", lambda x: x.unbind(dim), wave(2, 3))
    see.derivatives("one", lambda x: x.unbind(dim)[1] ** 2, wave(2, 3))


@program(rules="T-37")
def joined_pieces_give_back_the_whole(torch, see):
    see.derivatives(
        "cat of split", lambda x: torch.cat(x.split([1, 2], dim=1), dim=1) ** 2, wave(2, 3)
    )
    see.derivatives("stack of unbind", lambda x: torch.stack(x.unbind(1), dim=1) ** 2, wave(2, 3))
