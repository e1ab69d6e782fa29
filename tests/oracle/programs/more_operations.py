"""Operations that few programs need, and the in-place forms of all."""

from functools import partial

from tests.oracle.data import wave
from tests.oracle.registry import program

_A = wave(3, 3, low=0.2, high=1.5)
_DERIVATIVES = {
    "addr": lambda torch, a: torch.addr(a, a[0], a[1], beta=2, alpha=3),
    "addbmm": lambda torch, a: torch.addbmm(a, torch.stack([a, a]), torch.stack([a, a * 2]), alpha=2),
    "ldexp": lambda torch, a: torch.ldexp(a, torch.tensor([1.0, 2, -1], dtype=a.dtype)),
    "frexp": lambda torch, a: torch.frexp(a).mantissa,
    "put": lambda torch, a: torch.put(a, torch.tensor([0, 4, 8]), a[0] * 2),
    "put, accumulate": lambda torch, a: a.put(torch.tensor([0, 4, 4]), a[0] * 2, accumulate=True),
    "index_reduce": lambda torch, a: a.index_reduce(0, torch.tensor([0, 2, 0]), a * 2, "prod"),
    "index_reduce, mean": lambda torch, a: a.index_reduce(
        1, torch.tensor([0, 2, 0]), a * 2, "mean", include_self=False
    ),
    "index_reduce, amax": lambda torch, a: a.index_reduce(0, torch.tensor([1, 2, 1]), a * 2, "amax"),
    "diagflat": lambda torch, a: torch.diagflat(a[:2, :2], 1),
    "narrow_copy": lambda torch, a: a.narrow_copy(1, 1, 2),
    "trapz": lambda torch, a: torch.trapz(a, dim=0),
    "gradient": lambda torch, a: torch.gradient(a),
    "gradient, spaced": lambda torch, a: torch.gradient(a, spacing=0.5, dim=1, edge_order=2),
    "gradient, placed": lambda torch, a: torch.gradient(
        a, spacing=(torch.tensor([0.0, 1, 4], dtype=a.dtype),), dim=0
    ),
    "stft": lambda torch, a: torch.stft(
        a.reshape(-1), 4, 2, window=torch.ones(4, dtype=a.dtype), return_complex=True
    ),
    "stft, plain": lambda torch, a: torch.view_as_real(
        torch.stft(
            a.reshape(-1), 4, 3, win_length=3, window=torch.arange(1, 4).to(a.dtype), center=False,
            onesided=False, normalized=True, return_complex=True,
        )
    ),
    "istft": lambda torch, a: torch.istft(
        torch.complex(a[:, :2], a[:, 1:]), 4, 2, window=torch.arange(1, 5).to(a.dtype), length=4
    ),
    "triangular_solve": lambda torch, a: torch.triangular_solve(a[:, :1], a, transpose=True).solution,
    "svd": lambda torch, a: torch.svd(a)[1],
    "qr": lambda torch, a: torch.qr(a)[1],
    "igamma": lambda torch, a: torch.igamma(a.detach(), a),
    "mvlgamma": lambda torch, a: torch.mvlgamma(a + 1, 2),
    "hardshrink": lambda torch, a: a.hardshrink(0.6),
    "pinverse": lambda torch, a: a[:, :2].pinverse(),
}  # fmt: skip


@program(rules="T-36 T-37 T-38 T-39", each=_DERIVATIVES)
def derivatives(torch, see, name):
    see.derivatives(name, partial(_DERIVATIVES[name], torch), _A)


_IN_PLACE = {
    "addmm_": lambda torch, a, b: a.addmm_(b, b, beta=2, alpha=3),
    "addmv_": lambda torch, a, b: a[0].addmv_(b, b[0]),
    "addr_": lambda torch, a, b: a.addr_(b[0], b[1], alpha=2),
    "atan2_": lambda torch, a, b: a.atan2_(b),
    "hypot_": lambda torch, a, b: a.hypot_(b),
    "xlogy_": lambda torch, a, b: a.xlogy_(b),
    "copysign_": lambda torch, a, b: a.copysign_(-b),
    "float_power_": lambda torch, a, b: a.float_power_(b),
    "logit_": lambda torch, a, b: a.logit_(0.1),
    "lt_": lambda torch, a, b: a.lt_(b),
    "eq_": lambda torch, a, b: a.eq_(b),
    "ldexp_": lambda torch, a, b: a.ldexp_(b),
    "renorm_": lambda torch, a, b: a.renorm_(2, 0, 1.0),
    "fill_diagonal_": lambda torch, a, b: a.fill_diagonal_(7),
    "put_": lambda torch, a, b: a.put_(torch.tensor([1, 5]), b[0, :2]),
    "index_reduce_": lambda torch, a, b: a.index_reduce_(0, torch.tensor([0, 1, 1]), b, "mean"),
    "polygamma_": lambda torch, a, b: a.polygamma_(1),
    "i0_": lambda torch, a, b: torch.i0_(a),
    "exp_": lambda torch, a, b: torch.exp_(a),
}


@program(rules="V-10 V-12", each=_IN_PLACE)
def in_place(torch, see, name):
    x = torch.tensor(_A, dtype=torch.float64, requires_grad=True)
    b = torch.tensor(wave(3, 3, low=0.3, high=1.2, seed=3), dtype=torch.float64)
    a = x * 0.5
    result = _IN_PLACE[name](torch, a, b)
    see("value", a)
    see("returns itself", result is a or result._base is a)
    weight = torch.tensor(wave(3, 3, seed=9), dtype=torch.float64)
    see("gradient", torch.autograd.grad((a * weight).sum(), x, allow_unused=True)[0])


_TURNS = {
    "t_": lambda a: a.t_(),
    "transpose_": lambda a: a.transpose_(0, 1),
    "swapaxes_": lambda a: a.swapaxes_(0, 1),
    "unsqueeze_": lambda a: a.unsqueeze_(1),
    "squeeze_": lambda a: a[:1].clone().squeeze_(0),
    "as_strided_": lambda a: a.as_strided_((2, 2), (3, 1)),
}


@program(rules="V-10 V-29", each=_TURNS)
def shapes_changed_in_place(torch, see, name):
    x = torch.tensor(_A, dtype=torch.float64, requires_grad=True)
    a = x * 1
    turned = _TURNS[name](a)
    see("value", turned)
    see("stride", turned.stride())
    weight = torch.arange(turned.numel(), dtype=torch.float64).reshape(turned.shape)
    see("gradient", torch.autograd.grad((turned * weight).sum(), x)[0])
    plain = torch.ones(2, 3)
    plain.t_()
    see("version", plain._version)
    leaf = torch.ones(2, 3, requires_grad=True)
    see.raises("of a leaf", leaf.t_, phrase="leaf Variable")


@program(rules="T-38 T-30")
def without_derivatives(torch, see):
    x = torch.tensor([0.5, 1.5, 1.7, 3.0])
    see("histogram", list(torch.histogram(x, 3)))
    see("with a range", list(torch.histogram(x, 2, range=(0.0, 2.0), density=True)))
    see("unravel_index", list(torch.unravel_index(torch.tensor([5, 11]), (3, 4))))
    see("of one size", list(torch.unravel_index(torch.tensor([5]), 6)))
    for shape in ([3.0], [torch.tensor(3)], 6.0, None):
        call = lambda shape=shape: torch.unravel_index(torch.tensor([0]), shape)  # noqa: E731
        see.raises(f"of {shape}", call, phrase="expected 'shape'")
    see("frexp", list(torch.frexp(torch.tensor([0.0, 1.0, -3.5]))))
    see("filled", torch.fill(x, 2))
    see("from a buffer", torch.frombuffer(bytearray(b"\x01\x00\x02\x00"), dtype=torch.int16))
    strided = torch.empty_strided((2, 3), (1, 2))
    see("strided", [list(strided.shape), strided.stride()])
    see("questions", [torch.is_nonzero(x[0]), torch.is_same_size(x, x), torch.is_signed(x)])
    see.raises("two elements", lambda: torch.is_nonzero(x), phrase="ambiguous")
    see("same place", [x.is_set_to(x), x.is_set_to(x[1:])])
    y = torch.zeros(2, 2)
    y.apply_(lambda v: v + 2)
    y.map_(torch.eye(2), lambda v, w: v * w)
    see("by element", y)
    tall = torch.zeros(7, 3)
    see("wrapped", [tall.clone().fill_diagonal_(1, wrap=True), tall.fill_diagonal_(1)])
    see("lu", [list(torch.lu(torch.tensor([[1.0, 2], [3, 4]])))])
