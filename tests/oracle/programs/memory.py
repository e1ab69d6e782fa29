"""Memory behind tensors: `data_ptr`, `untyped_storage`, `set_`, `resize_`."""

from tests.oracle.registry import program


@program(rules="V-1 V-4")
def set_shows_other_memory(torch, see):
    x, y = torch.ones(3), torch.arange(4.0)
    see("is itself", x.set_(y) is x)
    see("value", x)
    see("same memory", x.data_ptr() == y.data_ptr())
    see("versions", [x._version, y._version])
    y.add_(1)
    see("after a write", x)
    x.set_(y, 1, (2,), (2,))
    see("a region", x)
    x.set_()
    see("nothing", x)
    see.raises("another type", lambda: torch.ones(2).set_(torch.arange(3)), phrase="Could not set")
    leaf = torch.ones(2, requires_grad=True)
    see.raises("a leaf", lambda: leaf.set_(y), phrase="leaf Variable")
    with torch.no_grad():
        leaf.set_(torch.arange(3.0))
    see("a leaf under no_grad", leaf)


@program(rules="V-1")
def storages(torch, see):
    y = torch.arange(4.0)
    storage = y.untyped_storage()
    see("sizes", [storage.nbytes(), storage.size(), len(storage), storage[0], storage[7]])
    see("one block", y[1:].untyped_storage().data_ptr() == storage.data_ptr())
    see("at its begin", storage.data_ptr() == y.data_ptr())
    z = torch.empty(0).set_(storage, 1, (3,), (1,))
    see("from a storage", z)
    z[0] = 9
    see("is the same memory", y)


@program(rules="V-1 V-10")
def resizing(torch, see):
    q = torch.arange(6.0).reshape(2, 3)
    q.resize_(3, 2)
    q.resize_(2)
    q.resize_(2, 3)
    see("version", q._version)
    see("the same memory throughout", q)
    larger = torch.arange(6.0)
    larger.resize_(3, 4)
    see("larger keeps what is there", larger.flatten()[:6])
    leaf = torch.ones(2, requires_grad=True)
    see.raises("with gradient", lambda: leaf.resize_(3), phrase="cannot resize")
