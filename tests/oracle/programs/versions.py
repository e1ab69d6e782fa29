"""Version counters: what counts, what shares a counter, what does not."""

import numpy as np

from tests.oracle.data import wave
from tests.oracle.registry import program


@program(rules="V-1")
def views_and_detached_results_share_the_counter(torch, see):
    x = torch.zeros(4)
    view, detached, data = x[1:], x.detach(), x.data
    x.add_(1)
    see("after one write", [t._version for t in (x, view, detached, data)], expect=[1, 1, 1, 0])
    view.mul_(2)
    detached.add_(1)
    see("through the others", [t._version for t in (x, view, detached, data)], expect=[3, 3, 3, 0])
    data.zero_()
    see("through data", [t._version for t in (x, data)], expect=[3, 1])
    see("memory is shared by all", x)


@program(rules="V-2")
def every_in_place_operation_counts(torch, see):
    x = torch.ones(2, 2)
    versions = [x._version]

    def wrote(*_):
        versions.append(x._version)

    wrote(x.add_(1))
    wrote(x.copy_(torch.zeros(2, 2)))
    wrote(x.zero_())
    wrote(x.fill_(3))
    wrote(x.mul_(2).sub_(1))
    x[0] = 5
    wrote()
    x += 1
    wrote()
    x[0] += 1
    wrote()
    x[[0, 1], [0, 0]] = 9.0
    wrote()
    x[x > 5] = 0.0
    wrote()
    torch.add(torch.ones(2, 2), 1, out=x)
    wrote()
    with torch.no_grad():
        wrote(x.exp_())
    see("versions", versions)
    see("value", x)


@program(rules="V-2")
def reading_counts_nothing(torch, see):
    x = torch.ones(2, 2, requires_grad=True)
    y = x * 2
    y.sum().item()
    y.view(4), y.t(), y[0], y.detach().numpy(), y.clone()
    y.sum().backward()
    see("version", (x._version, y._version), expect=(0, 0))


@program(rules="V-3")
def writes_past_the_counter(torch, see):
    x = torch.zeros(3)
    x.data.add_(1)
    x.numpy()[0] = 7
    see("value", x, expect=[7, 1, 1])
    see("version", x._version, expect=0)
    x.data = torch.ones(3)
    see("after .data was replaced", x._version, expect=0)
    array = np.zeros(2)
    shared = torch.from_numpy(array)
    array[:] = 5
    see("a foreign buffer", (shared, shared._version))


@program(rules="V-4")
def increment_version_counts_without_a_change(torch, see):
    increment = torch.autograd.graph.increment_version
    x, y = torch.ones(2), torch.ones(2)
    increment(x)
    increment([x, y])
    see("versions", (x._version, y._version), expect=(2, 1))
    see("value", x, expect=[1, 1])
    w = torch.ones(2, requires_grad=True)
    z = (w * w).sum()
    increment(w)
    see.raises("a saved value is stale", z.backward, phrase="modified by an inplace operation")


@program(rules="V-6")
def in_place_results_keep_shape_and_dtype(torch, see):
    x = torch.zeros(3)
    see("broadcasting into it", x.add_(torch.ones(1)), expect=[1, 1, 1])
    see.raises("growing it", lambda: x.add_(torch.ones(2, 3)), phrase="shape")
    see("float64 into float32", x.add_(torch.ones(3, dtype=torch.float64)))
    see.raises("float into int", lambda: torch.tensor([1]).add_(0.5), phrase="can't be cast")
    see("copy_ casts", torch.tensor([1, 2]).copy_(torch.tensor([1.7, 2.2])), expect=[1, 2])
    see.raises("copy_ does not grow", lambda: x.copy_(torch.ones(2, 3)))


@program(rules="V-7")
def overlapping_memory_cannot_be_written(torch, see):
    x = torch.zeros(1).expand(3)
    see.raises("expanded", lambda: x.add_(1), phrase="single memory location")
    see.raises(
        "by index",
        lambda: x.__setitem__(slice(None), torch.ones(3)),
        phrase="single memory location",
    )
    y = torch.arange(4.0)
    see.raises("partial overlap", lambda: y[1:].copy_(y[:-1]), phrase="clone()")
    see.raises("partial overlap of operands", lambda: y[1:].add_(y[:-1]), phrase="clone()")
    see("full overlap is fine", y.add_(y), expect=[0, 2, 4, 6])


@program(rules="V-7")
def a_write_at_named_places_shares_no_memory_with_its_operands(torch, see):
    x, n = torch.ones(3), torch.tensor([2, 0, 1])
    for name, write in {
        "index_copy_": lambda: x.index_copy_(0, n, x),
        "index_add_": lambda: x.index_add_(0, n, x),
        "index_fill_": lambda: n.index_fill_(0, n, 1),
        "index_reduce_": lambda: x.index_reduce_(0, n, x, "amax"),
        "index_put_": lambda: x.index_put_((n,), x),
        "scatter_": lambda: x.scatter_(0, n, x),
        "scatter_ by its index": lambda: n.scatter_(0, n, 7),
        "scatter_add_": lambda: x.scatter_add_(0, n, x),
        "scatter_reduce_": lambda: x.scatter_reduce_(0, n, x, "amax"),
        "put_": lambda: x.put_(n, x),
        "by mask": lambda: x.__setitem__(x > 0, x),
        "by its own elements": lambda: n.__setitem__(n, 5),
        "a part": lambda: x.__setitem__(n[:2], x[:2]),
    }.items():
        see.raises(name, write, phrase="some elements of the input tensor")
    see("untouched", (x, n, x._version, n._version), expect=([1, 1, 1], [2, 0, 1], 0, 0))
    see("a mask that is itself", torch.tensor([True, True]).masked_fill_(n[:2] > 0, False))
    see("an element of its own", (x + 1).masked_fill_(x > 0, x[0]), expect=[1, 1, 1])
    see("and in the target", x.masked_fill_(n > 0, x[1]), expect=[1, 1, 1])
    leaf = torch.ones(3, requires_grad=True)
    see.raises(
        "a leaf comes first", lambda: leaf.index_copy_(0, n[:1], leaf), phrase="leaf Variable"
    )


@program(rules="V-8")
def out_refuses_arguments_with_history(torch, see):
    a, out = torch.ones(2, requires_grad=True), torch.zeros(2)
    phrase = "out=... arguments don't support automatic differentiation"
    see.raises("operand", lambda: torch.add(a, 1, out=out), phrase=phrase)
    see.raises("target", lambda: torch.add(torch.ones(2), 1, out=a), phrase=phrase)
    with torch.no_grad():
        torch.add(a, 1, out=out)
    see("under no_grad", out, expect=[2, 2])
    see("the result is out", torch.mul(out, 2, out=out) is out, expect=True)


@program(rules="V-1 V-29")
def a_clone_has_a_counter_of_its_own(torch, see):
    x = torch.tensor(wave(3))
    x.add_(1)
    y = x.clone()
    see("starts at 0", y._version, expect=0)
    y.add_(1)
    see("and leaves the other", (x._version, y._version), expect=(1, 1))
    z = x.contiguous()
    z.add_(1)
    see("contiguous of a contiguous tensor is the tensor", x._version, expect=2)


@program(rules="V-1")
def counters_of_gradients(torch, see):
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    before = x.grad._version
    x.grad.zero_()
    (x * 2).sum().backward()
    see("zeroed and added to", x.grad._version - before, expect=2)
