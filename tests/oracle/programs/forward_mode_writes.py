"""Views of duals, and writing in place where there are duals (A-8)."""

from tests.oracle.registry import program


def dual_of(torch, *values, dtype=None):
    """A dual of these values whose tangent is 1, 2, 3, ..."""
    primal = torch.tensor(values, dtype=dtype)
    tangent = torch.arange(1, len(values) + 1).to(primal.dtype)
    return torch.autograd.forward_ad.make_dual(primal, tangent)


def tangent_of(torch, tensor):
    found = torch.autograd.forward_ad.unpack_dual(tensor).tangent
    return None if found is None else found.clone()


@program(rules="A-8")
def in_place_and_views_of_duals(torch, see):
    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        dual = fwad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])) * 1
        dual.mul_(3)
        see("in place", fwad.unpack_dual(dual).tangent.clone(), expect=[3, 30])
        see("of a view", fwad.unpack_dual(dual[1:]).tangent.clone(), expect=[30])
        plain = torch.zeros(3)
        plain[1:] = dual
        see(
            "written into a plain tensor",
            fwad.unpack_dual(plain).tangent.clone(),
            expect=[0, 3, 30],
        )
        dual.copy_(torch.zeros(2))
        see("overwritten", fwad.unpack_dual(dual).tangent.clone(), expect=[0, 0])


@program(rules="A-8")
def a_view_of_a_dual_shows_a_part_of_its_tangent(torch, see):
    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        tangent = torch.arange(6.0).reshape(2, 3)
        dual = fwad.make_dual(torch.ones(2, 3), tangent)
        for name, view in (
            ("select", dual[1]), ("slice", dual[:, ::2]), ("transpose", dual.t()),
            ("view", dual.view(6)), ("expand", dual[:1].expand(4, 3)), ("diagonal", dual.diagonal()),
            ("split", dual.split(1)[1]), ("unbind", dual.unbind(1)[2]),
            ("as_strided", dual.as_strided((2,), (3,), 1)),
        ):  # fmt: skip
            part = fwad.unpack_dual(view).tangent
            see(name, (part.clone(), part._is_view(), part.stride()))
        part = fwad.unpack_dual(dual[1]).tangent
        part.mul_(10)
        see("one memory", tangent.clone(), expect=[[0, 1, 2], [30, 40, 50]])


@program(rules="A-8")
def a_dual_written_into_a_part_makes_the_whole_dual(torch, see):
    with torch.autograd.forward_ad.dual_level():
        x = torch.zeros(2, 3)
        before = x.t()[1:]
        x[1].copy_(dual_of(torch, 1.0, 2.0, 3.0))
        see("whole", tangent_of(torch, x), expect=[[0, 0, 0], [1, 2, 3]])
        see("a view from before", tangent_of(torch, before), expect=[[0, 2], [0, 3]])
        before.mul_(2)
        see("written through that", tangent_of(torch, x), expect=[[0, 0, 0], [1, 4, 6]])
        x[1] = 5.0
        see("a plain number", tangent_of(torch, x), expect=[[0, 0, 0], [0, 0, 0]])


@program(rules="A-8")
def existing_views_follow_a_write_to_their_base(torch, see):
    with torch.autograd.forward_ad.dual_level():
        base = torch.zeros(4)
        late, real = base[2:], torch.zeros(2, dtype=torch.complex64)
        base.add_(dual_of(torch, 1.0, 2.0, 3.0, 4.0))
        see("view", tangent_of(torch, late), expect=[3, 4])
        real.real.copy_(dual_of(torch, 1.0, 2.0))
        see("through the real part", torch.view_as_real(tangent_of(torch, real)))
        turned = torch.zeros(3, 2).t()
        part = turned[0]
        turned.copy_(torch.autograd.forward_ad.make_dual(torch.ones(2, 3), torch.ones(2, 3) * 2))
        see("not in C order", (tangent_of(torch, turned), tangent_of(torch, part)))


_WRITES = {
    "add_": lambda x, y: x.add_(y, alpha=2), "sub_": lambda x, y: x.sub_(y), "mul_": lambda x, y: x.mul_(y),
    "div_": lambda x, y: x.div_(y), "pow_": lambda x, y: x.pow_(3),
    "exp_": lambda x, y: x.exp_(), "tanh_": lambda x, y: x.tanh_(), "clamp_": lambda x, y: x.clamp_(1.5, 9),
    "addcmul_": lambda x, y: x.addcmul_(y, y, value=2), "lerp_": lambda x, y: x.lerp_(y, 0.25),
    "copy_": lambda x, y: x.copy_(y), "fill_": lambda x, y: x.fill_(7),
    "fill_ tensor": lambda x, y: x.fill_(y[1]),
    "zero_": lambda x, y: x.zero_(), "masked_fill_": lambda x, y: x.masked_fill_(x > 2, 1.0),
    "setitem": lambda x, y: x.__setitem__(slice(1, 3), y[:2]),
    "setitem by index": lambda x, y: x.__setitem__([2, 0], y[:2]),
    "setitem by mask": lambda x, y: x.__setitem__(x > 2, y[0]),
    "index_add_": lambda x, y: x.index_add_(0, x.new_tensor([2, 2, 0]).long(), y),
    "index_copy_": lambda x, y: x.index_copy_(0, x.new_tensor([2, 1, 0]).long(), y),
    "index_fill_": lambda x, y: x.index_fill_(0, x.new_tensor([1]).long(), 4.0),
    "scatter_": lambda x, y: x.scatter_(0, x.new_tensor([2, 1, 0]).long(), y),
    "scatter_add_": lambda x, y: x.scatter_add_(0, x.new_tensor([2, 1, 1]).long(), y),
    "cumsum_": lambda x, y: x.cumsum_(0), "abs_": lambda x, y: x.abs_(),
    "view": lambda x, y: x[1:].mul_(y[:2]),
    "normal_": lambda x, y: x.normal_(), "unsqueeze_": lambda x, y: x.unsqueeze_(0),
    "relu_": lambda x, y: x.relu_(), "where": lambda x, y: x.copy_(x.where(x > 2, y)),
}  # fmt: skip


@program(rules="A-8", each=_WRITES.items())
def writes_where_there_are_duals(torch, see, case):
    _, write = case
    values = (1.0, 2.5, 4.0)
    with torch.autograd.forward_ad.dual_level():
        other = dual_of(torch, 3.0, 2.0, 0.5, dtype=torch.float64)
        for name, given, y in (
            ("both", dual_of(torch, *values, dtype=torch.float64), other),
            ("target", dual_of(torch, *values, dtype=torch.float64), other.detach()),
            ("operand", torch.tensor(values, dtype=torch.float64), other),
        ):
            x = given if name == "operand" else given * 1
            known = torch.autograd.forward_ad.unpack_dual(x).tangent
            write(x, y)
            see(name, tangent_of(torch, x))
            if known is not None:
                now = torch.autograd.forward_ad.unpack_dual(x).tangent
                see(f"{name}: in place", now.data_ptr() == known.data_ptr(), expect=True)


@program(rules="A-8 A-9")
def gradients_of_tangents_of_written_tensors(torch, see):
    fwad = torch.autograd.forward_ad
    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    v = torch.tensor([1.0, 3.0], dtype=torch.float64)
    with fwad.dual_level():
        dual = fwad.make_dual(x, v)
        for name, compute in (
            ("mul_", lambda y: y.mul_(dual)),
            ("exp_", lambda y: y.exp_()),
            ("a part", lambda y: y[1:].mul_(dual[:1])),
            ("copy_", lambda y: torch.zeros(2, dtype=torch.float64).copy_(y * y)),
            ("setitem", lambda y: y.__setitem__(0, dual[1] ** 2)),
        ):
            y = dual.sin()
            made = compute(y)
            y = y if made is None or name == "a part" else made
            tangent = fwad.unpack_dual(y).tangent
            see(name, torch.autograd.grad(tangent.sum(), x, retain_graph=True)[0])


@program(rules="A-8")
def a_tensor_written_with_itself(torch, see):
    with torch.autograd.forward_ad.dual_level():
        x = dual_of(torch, 1.0, 2.5, 4.0) * 1
        x.mul_(x)
        see.differs(
            "its square", tangent_of(torch, x).tolist(), torch=[2.0, 17.5, 60.0], vizgrad=[2.0, 10.0, 24.0],
            because="2 * x * t; the reference reads an operand that the write has changed already",
        )  # fmt: skip


_OVER = {
    "mul_": lambda torch, y, w: y.mul_(w),
    "mul_ of a part": lambda torch, y, w: (y[1:].mul_(w[1:]), y)[1],
    "exp_": lambda torch, y, w: y.exp_() * w,
    "tanh_ of a part": lambda torch, y, w: (y[:1].tanh_(), y * w)[1],
    "pow_": lambda torch, y, w: y.pow_(3) * w,
    "addcmul_": lambda torch, y, w: y.addcmul_(w, w * w),
    "setitem": lambda torch, y, w: (y.__setitem__(0, w[1] * w[0]), y * y)[1],
    "div_": lambda torch, y, w: w.clone().div_(y),
}


@program(rules="A-9 A-10", each=_OVER.items())
def tangents_of_gradients_through_writes(torch, see, case):
    fwad = torch.autograd.forward_ad
    _, compute = case
    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    w = torch.tensor([1.5, -0.5], dtype=torch.float64, requires_grad=True)
    ones = torch.ones(2, dtype=torch.float64)
    with fwad.dual_level():
        for name, a, b in (
            ("both", fwad.make_dual(x, ones), fwad.make_dual(w, 3 * ones)),
            ("written", fwad.make_dual(x, ones), w),
            ("operand", x, fwad.make_dual(w, 3 * ones)),
        ):
            y = compute(torch, a.sin(), b)
            for which, g in zip("xw", torch.autograd.grad(y.sum(), (a, b)), strict=True):
                see(f"{name}: {which}", (g.detach().clone(), tangent_of(torch, g)))


@program(rules="A-10", each=("hooks", "checkpoint"))
def saved_values_that_come_back_have_their_tangents(torch, see, how):
    from functools import partial

    fwad = torch.autograd.forward_ad
    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)

    def f(t):
        return (t.exp() * t.tanh()).sin()

    with fwad.dual_level():
        dual = fwad.make_dual(x, torch.ones(2, dtype=torch.float64))
        if how == "hooks":
            pack = torch.autograd.graph.saved_tensors_hooks(
                lambda t: t.detach().clone(), lambda t: t
            )
            with pack:
                y = f(dual)
        else:
            again = partial(torch.utils.checkpoint.checkpoint, use_reentrant=False)
            y = again(f, dual)
        (g,) = torch.autograd.grad(y.sum(), dual)
        see("gradient", (g.detach().clone(), tangent_of(torch, g)))
