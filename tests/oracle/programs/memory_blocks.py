"""Blocks of memory: `data_ptr`, `untyped_storage`, and `set_`, which shows another one (spec 03 A)."""

from tests.oracle.registry import program


@program(rules="V-1")
def views_lie_in_the_block_of_their_base(torch, see):
    x = torch.arange(4.0)
    part = x[2:]
    block = x.untyped_storage()
    see("bytes", (block.nbytes(), len(block)), expect=(16, 16))
    see("begins", block.data_ptr() == x.data_ptr(), expect=True)
    see("shared", part.untyped_storage().data_ptr() == x.data_ptr(), expect=True)
    see("whole", part.untyped_storage().nbytes(), expect=16)
    see("offset", (part.data_ptr() - x.data_ptr(), part.storage_offset()), expect=(8, 2))
    same = x.detach().untyped_storage().data_ptr() == block.data_ptr()
    other = x.clone().untyped_storage().data_ptr() == block.data_ptr()
    see("detach, clone", (same, other), expect=(True, False))


@program(rules="V-1")
def a_view_without_elements_begins_where_it_was_cut(torch, see):
    x = torch.arange(6.0)
    y = x.reshape(2, 3)
    cuts = (x[6:], x[4:4], x.narrow(0, 6, 0), x.split([6, 0])[1], x.split([2, 0, 4])[1], x[5:][1:])
    see("in one dimension", [v.storage_offset() for v in cuts], expect=[6, 4, 6, 6, 2, 6])
    cuts = (y[2:], y[:, 3:], y[1:, 3:], y.T[3:], y[2:, 1:])
    see("in two", [v.storage_offset() for v in cuts], expect=[6, 3, 6, 3, 7])
    see("from within", y[1:, 3:].as_strided((0,), (1,)).storage_offset(), expect=6)
    see("all of it", x[6:].as_strided((6,), (1,), 0), expect=[0, 1, 2, 3, 4, 5])
    see.raises("beyond", lambda: x[5:][1:].as_strided((1,), (1,)), phrase="out of bounds")
    see.raises("before", lambda: x.as_strided((0,), (1,), -1), phrase="invalid storage offset -1")


@program(rules="V-2")
def set_shows_the_memory_of_another_and_counts(torch, see):
    x, y = torch.arange(4.0), torch.zeros(2)
    see("itself", y.set_(x) is y, expect=True)
    see("version", y._version, expect=1)
    see("no view", (y._is_view(), y.data_ptr() == x.data_ptr()), expect=(False, True))
    y.add_(1)
    see("written", x, expect=[1, 2, 3, 4])
    see("counters", (x._version, y._version), expect=(0, 2))


@program(rules="V-2")
def set_shows_a_part(torch, see):
    x = torch.arange(6.0)
    for name, source in (("storage", x.untyped_storage()), ("tensor", x)):
        y = torch.zeros(2).set_(source, 1, (2, 2), (2, 1))
        see(f"of a {name}", y, expect=[[1, 2], [3, 4]])
        see.layout(f"layout of a {name}", y)
    see("nothing", torch.ones(3).set_().shape, expect=(0,))
    see.raises(
        "outside", lambda: torch.zeros(2).set_(x.untyped_storage(), 4, (3,), (1,)),
        phrase="storage",
    )  # fmt: skip


@program(rules="V-10 V-20")
def set_is_a_write(torch, see):
    leaf = torch.ones(2, requires_grad=True)
    see.raises(
        "leaf", lambda: leaf.set_(torch.zeros(2)), phrase="a leaf Variable that requires grad"
    )
    y = leaf * 1
    z = y * y
    with torch.no_grad():
        y.set_(torch.zeros(2))
    see.raises("saved", lambda: z.sum().backward(), phrase="modified by an inplace operation")
    see.raises(
        "type", lambda: torch.zeros(2).set_(torch.ones(2, dtype=torch.int64)),
        phrase="Could not set tensor of type",
    )  # fmt: skip
    with torch.no_grad():
        leaf.set_(torch.zeros(2))
    see("without grad mode", (leaf._version, leaf.is_leaf), expect=(1, True))
