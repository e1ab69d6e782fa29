"""Methods that change a tensor in place, on a batch: what is written is what a loop writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from vizgrad.core.ops.forms import FORMS
from vizgrad.func import vmap

PLACES = vg.tensor([0, 2])

#: Of those that take more than another tensor: t is (3, 4), u another one.
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "index_add_": lambda t, u: t.index_add_(0, PLACES, u[:2]),
    "index_copy_": lambda t, u: t.index_copy_(0, PLACES, u[:2]),
    "index_fill_": lambda t, u: t.index_fill_(1, PLACES, 3.0),
    "index_put_": lambda t, u: t.index_put_((PLACES,), u[:2]),
    "index_reduce_": lambda t, u: t.index_reduce_(0, PLACES, u[:2], "prod"),
    "scatter_": lambda t, u: t.scatter_(1, u.argsort(1), u),
    "scatter_add_": lambda t, u: t.scatter_add_(0, u.argsort(0), u),
    "scatter_reduce_": lambda t, u: t.scatter_reduce_(0, u.argsort(0), u, "sum"),
    "masked_fill_": lambda t, u: t.masked_fill_(u > 0.9, 2.0),
    "masked_scatter_": lambda t, u: t.masked_scatter_(u > 0.9, u),
    "put_": lambda t, u: t.put_(PLACES, u[0, :2]),
    "fill_": lambda t, u: t.fill_(u[0, 0]),
    "fill_diagonal_": lambda t, u: t[:, :3].fill_diagonal_(7.0),
    "transpose_": lambda t, u: t.transpose_(0, 1),
    "swapaxes_": lambda t, u: t.swapaxes_(0, 1),
    "swapdims_": lambda t, u: t.swapdims_(0, 1),
    "unsqueeze_": lambda t, u: t.unsqueeze_(0),
    "as_strided_": lambda t, u: t.as_strided_((2, 2), (1, 2)),
    "addmm_": lambda t, u: t.addmm_(u, u.t() @ u),
    "addmv_": lambda t, u: t[:, 0].addmv_(u, u[0]),
    "addr_": lambda t, u: t.addr_(u[:, 0], u[0]),
    "cumsum_": lambda t, u: t.cumsum_(0),
    "cumprod_": lambda t, u: t.cumprod_(1),
    "clamp_": lambda t, u: t.clamp_(u - 0.3, u),
    "clip_": lambda t, u: t.clip_(0.3, 0.6),
    "clamp_min_": lambda t, u: t.clamp_min_(0.3),
    "lerp_": lambda t, u: t.lerp_(u, 0.3),
    "addcmul_": lambda t, u: t.addcmul_(u, u),
    "addcdiv_": lambda t, u: t.addcdiv_(u, u),
    "renorm_": lambda t, u: t.renorm_(2, 0, 0.5),
    "polygamma_": lambda t, u: t.polygamma_(1),
    "erfinv_": lambda t, u: t.clamp_(0.1, 0.9).erfinv_(),
    "logit_": lambda t, u: t.clamp_(0.1, 0.9).logit_(),
    "set by index": lambda t, u: t.__setitem__((PLACES, 1), u[0, 0]),
    "set by itself": lambda t, u: t.__setitem__(u[:, 0].argsort()[0], u[1]),
    "set a part": lambda t, u: t.__setitem__((slice(1, None), 0), u[:2, 1]),
    "added to a row": lambda t, u: t[1].add_(u[0]),
}
#: Random, of integers, not of a shape of its own, or of each element by a function.
OTHERS = {
    "uniform_", "normal_", "bernoulli_", "exponential_", "random_", "geometric_", "cauchy_", "log_normal_",
    "bitwise_and_", "bitwise_left_shift_", "bitwise_not_", "bitwise_or_", "bitwise_right_shift_",
    "bitwise_xor_", "gcd_", "lcm_", "resize_", "resize_as_", "set_", "map_", "map2_", "apply_", "mvlgamma_",
    "baddbmm_", "addbmm_", "requires_grad_", "sparse_resize_", "sparse_resize_and_clear_", "float_power_",
    "index_fill_", "share_memory_",
}  # fmt: skip
NAMES = sorted(
    {n for n, forms in FORMS.items() if n.endswith("_") and not n.endswith("__") and forms.method}
    - OTHERS
    | CALLS.keys()
)


def _call(name: str, t: Any, u: Any) -> Any:
    made = t.clone()
    if name in CALLS:
        CALLS[name](made, u)
        return made
    method = getattr(made, name)
    try:
        method()
    except TypeError:
        method(u)
    return made


@pytest.mark.rule("D-1")
@pytest.mark.parametrize("name", NAMES)
def test_a_batch_is_written_as_a_loop_does(name: str) -> None:
    random = np.random.default_rng(0)
    x, other = random.random((2, 3, 4)) + 0.1, random.random((2, 3, 4)) + 0.5
    want = [_call(name, vg.from_numpy(a), vg.from_numpy(b)) for a, b in zip(x, other, strict=True)]
    found = vmap(lambda t, u: _call(name, t, u))(vg.from_numpy(x), vg.from_numpy(other))
    np.testing.assert_allclose(found.numpy(), np.stack([w.numpy() for w in want]), rtol=1e-9)
