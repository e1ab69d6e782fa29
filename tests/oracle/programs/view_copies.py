"""The `*_copy` functions: what a view would be, in memory of its own."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_M = wave(3, 4)


def _f64(torch, values):
    return torch.tensor(values, dtype=torch.float64)


_COPIES = {
    "alias_copy": lambda t, a: t.alias_copy(a),
    "as_strided_copy": lambda t, a: t.as_strided_copy(a, (2, 2), (1, 2), 1),
    "diagonal_copy": lambda t, a: t.diagonal_copy(a, 1),
    "expand_copy": lambda t, a: t.expand_copy(a, (2, 3, 4)),
    "permute_copy": lambda t, a: t.permute_copy(a, (1, 0)),
    "select_copy": lambda t, a: t.select_copy(a, 1, -1),
    "slice_copy": lambda t, a: t.slice_copy(a, 1, 1, None, 2),
    "split_copy": lambda t, a: t.split_copy(a, 2)[1],
    "split_with_sizes_copy": lambda t, a: t.split_with_sizes_copy(a, [1, 2])[1],
    "squeeze_copy": lambda t, a: t.squeeze_copy(a[:1]),
    "squeeze_copy, dim": lambda t, a: t.squeeze_copy(a[:1], 0),
    "t_copy": lambda t, a: t.t_copy(a),
    "transpose_copy": lambda t, a: t.transpose_copy(a, 0, 1),
    "unbind_copy": lambda t, a: t.unbind_copy(a, 1)[2],
    "unfold_copy": lambda t, a: t.unfold_copy(a, 1, 2, 1),
    "unsqueeze_copy": lambda t, a: t.unsqueeze_copy(a, 1),
    "view_as_real_copy": lambda t, a: t.view_as_real_copy(t.complex(a, a)),
    "view_copy": lambda t, a: t.view_copy(a, (4, 3)),
    "narrow_copy": lambda t, a: t.narrow_copy(a, 0, 1, 2),
    "unsafe_split": lambda t, a: t.unsafe_split(a, 2, 1)[1],
    "unsafe_chunk": lambda t, a: a.unsafe_chunk(3, 1)[0],
    "unsafe_split_with_sizes": lambda t, a: t.unsafe_split_with_sizes(a, [1, 3], 1)[1],
    "constant_pad_nd": lambda t, a: t.constant_pad_nd(a, (1, -1, 2, 0), 1.5),
}


@program(rules="X-16", each=_COPIES)
def copies_of_views(torch, see, name):
    x = _f64(torch, _M).requires_grad_()
    made = _COPIES[name](torch, x)
    see("value", made)
    see("is a view", made._is_view(), expect=False)
    if name != "narrow_copy":
        see("node", made.grad_fn.name())
    made.mul_(2)  # also of the pieces of an unsafe split
    see("gradient", torch.autograd.grad(made.pow(2).sum(), x))
    see.raises("no tensor", lambda: _COPIES[name](torch, "text"))
