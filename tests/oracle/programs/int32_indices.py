"""Where indices may be int32, and where they may not."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_M = wave(3, 4)


def _f64(torch, values):
    return torch.tensor(values, dtype=torch.float64)


_BY_INDEX = {
    "gather": lambda t, a, i, v: a.gather(1, i),
    "scatter": lambda t, a, i, v: a.scatter(1, i, v),
    "scatter, a number": lambda t, a, i, v: a.scatter(1, i, 2.5),
    "scatter_add": lambda t, a, i, v: a.scatter_add(1, i, v),
    "scatter_reduce": lambda t, a, i, v: a.scatter_reduce(1, i, v, "amax"),
    "index_select": lambda t, a, i, v: a.index_select(1, i[0]),
    "index_add": lambda t, a, i, v: a.index_add(1, i[0], v),
    "index_reduce": lambda t, a, i, v: a.index_reduce(1, i[0], v, "mean"),
    "take_along_dim, flat": lambda t, a, i, v: t.take_along_dim(a, i),
    "embedding": lambda t, a, i, v: t.nn.functional.embedding(i, a),
    "embedding_bag": lambda t, a, i, v: t.nn.functional.embedding_bag(i, a),
    "x[i]": lambda t, a, i, v: a[i],
}


@program(rules="X-31", each=_BY_INDEX)
def indices_of_int32(torch, see, name):
    for dtype in (torch.int32, torch.int64):
        a = _f64(torch, wave(3, 4)).requires_grad_()
        v = _f64(torch, wave(3, 2, seed=2)).requires_grad_()
        index = torch.tensor([[0, 2], [1, 0], [2, 2]], dtype=dtype)
        made = _BY_INDEX[name](torch, a, index, v)
        see(f"{dtype}"[-5:], made)
        see(
            f"{dtype}"[-5:] + ": gradient",
            torch.autograd.grad(made.pow(2).sum(), (a, v), allow_unused=True),
        )


_NOT_INT32 = {
    "index_copy": lambda t, a, i: a.index_copy(0, i, a[:2]),
    "index_fill": lambda t, a, i: a.index_fill(0, i, 1.0),
    "put": lambda t, a, i: a.put(i, a[0, :2]),
    "take_along_dim": lambda t, a, i: t.take_along_dim(a, i[None], 1),
    "one_hot": lambda t, a, i: t.nn.functional.one_hot(i),
    "nll_loss": lambda t, a, i: t.nn.functional.nll_loss(a[:2], i),
    "gather, int16": lambda t, a, i: a.gather(0, i[None].short()),
    "scatter, uint8": lambda t, a, i: a.scatter(0, i[None].byte(), 1.0),
}


@program(rules="X-31", each=_NOT_INT32)
def where_int32_is_refused(torch, see, name):
    index = torch.tensor([0, 1], dtype=torch.int32)
    see.raises(name, lambda: _NOT_INT32[name](torch, torch.ones(3, 4), index))


@program(rules="X-31")
def take_along_dim_counts_from_the_end(torch, see):
    a = _f64(torch, _M).requires_grad_()
    made = torch.take_along_dim(a, torch.tensor([[-1, 0, -4]]), 1)
    see("value", made)
    see("gradient", torch.autograd.grad(made.pow(2).sum(), a))
    see.raises(
        "without dim", lambda: torch.take_along_dim(a, torch.tensor([-1])), phrase="out of bounds"
    )
    see.raises("gather", lambda: a.gather(1, torch.tensor([[-1]])), phrase="out of bounds")
