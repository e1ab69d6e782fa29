"""Dual numbers: levels, making and unpacking, what propagates (A-1 ... A-7, A-9, A-11)."""

from tests.oracle.data import wave
from tests.oracle.registry import program


@program(rules="A-1")
def levels(torch, see):
    fwad = torch.autograd.forward_ad
    see.raises("without a level", lambda: fwad.make_dual(torch.ones(1), torch.ones(1)))
    see.raises("exit without enter", fwad.exit_dual_level)
    with fwad.dual_level():

        def nested():
            with fwad.dual_level():
                pass

        see.raises("nested", nested, phrase="nested")


@program(rules="A-1")
def a_level_by_hand(torch, see):
    fwad = torch.autograd.forward_ad
    see("number", fwad.enter_dual_level(), expect=0)
    see.raises("another level", lambda: fwad.exit_dual_level(level=3), phrase="not the last one")
    see("left", fwad.exit_dual_level(level=0), expect=None)
    with fwad.dual_level() as level:
        see("of a block", level, expect=0)
        see.raises(
            "unknown",
            lambda: fwad.make_dual(torch.ones(1), torch.ones(1), level=4),
            phrase="invalid",
        )
    see("unpacked outside", fwad.unpack_dual(torch.ones(1)).tangent, expect=None)

    def failing():
        with fwad.dual_level():
            raise KeyError("inside")

    see.raises("an error inside", failing)
    see("leaves it", fwad.enter_dual_level(), expect=0)
    fwad.exit_dual_level()

    @fwad.dual_level()
    def decorated():
        return fwad.unpack_dual(fwad.make_dual(torch.ones(1), torch.ones(1)) * 3).tangent.tolist()

    see("decorated", (decorated(), decorated()), expect=([3.0], [3.0]))


@program(rules="A-2 A-5")
def duals_are_made_and_unpacked(torch, see):
    fwad = torch.autograd.forward_ad
    primal, tangent = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    with fwad.dual_level():
        dual = fwad.make_dual(primal, tangent)
        see("a view", (dual._is_view(), dual._base is primal), expect=(True, True))
        p, t = fwad.unpack_dual(dual)
        see("primal and tangent", (p, t), expect=([1, 2], [3, 4]))
        see("same tangent", t is tangent, expect=True)
        see("of a plain tensor", fwad.unpack_dual(primal).tangent, expect=None)
    see("after the level", fwad.unpack_dual(dual).tangent, expect=None)


@program(rules="A-3")
def what_make_dual_refuses(torch, see):
    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        see.raises(
            "int primal", lambda: fwad.make_dual(torch.tensor([1]), torch.ones(1)), phrase="int64"
        )
        see.raises("sizes", lambda: fwad.make_dual(torch.ones(2), torch.ones(3)), phrase="size")
        dual = fwad.make_dual(torch.ones(1), torch.ones(1))
        see.raises("a dual primal", lambda: fwad.make_dual(dual, torch.ones(1)))
        see.raises("a dual tangent", lambda: fwad.make_dual(torch.ones(1), dual))


_FUNCTIONS = {
    "exp": lambda torch, x: x.exp(),
    "product": lambda torch, x: x * x.sin() / (2 + x),
    "sum": lambda torch, x: x.sum(0),
    "prod": lambda torch, x: x.prod(),
    "mean var": lambda torch, x: x.mean(1) + x.var(1),
    "matmul": lambda torch, x: x @ x.t(),
    "softmax": lambda torch, x: x.softmax(1),
    "logsumexp": lambda torch, x: x.logsumexp(0),
    "views": lambda torch, x: x.t()[1:].reshape(-1)[None],
    "cat": lambda torch, x: torch.cat([x, x * 2]),
    "where": lambda torch, x: torch.where(x > 0, x * x, -x),
    "max": lambda torch, x: x.max(1)[0],
    "index": lambda torch, x: x[[0, 1, 0], [2, 1, 0]],
    "cumsum": lambda torch, x: x.cumsum(1),
    "norm": lambda torch, x: x.norm(dim=1),
    "clamp": lambda torch, x: x.clamp(-0.5, 0.5),
}


@program(rules="A-6", each=_FUNCTIONS.items())
def tangents_propagate(torch, see, case):
    fwad = torch.autograd.forward_ad
    _, fn = case
    x = torch.tensor(wave(2, 3), dtype=torch.float64)
    v = torch.tensor(wave(2, 3, seed=1), dtype=torch.float64)
    with fwad.dual_level():
        out = fwad.unpack_dual(fn(torch, fwad.make_dual(x, v)))
        see("primal", out.primal.clone())
        see("tangent", out.tangent.clone())


@program(rules="A-7 M-11")
def what_keeps_and_drops_a_tangent(torch, see):
    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        dual = fwad.make_dual(torch.ones(2), torch.ones(2))

        def has(t):
            return fwad.unpack_dual(t).tangent is not None

        see("clone, double", (has(dual.clone()), has(dual.double())), expect=(True, True))
        see("detach, data", (has(dual.detach()), has(dual.data)), expect=(False, False))
        with torch.no_grad():
            see("under no_grad", has(dual * 2), expect=True)
        see("comparison", has(dual > 0), expect=False)


@program(rules="A-9")
def reverse_over_forward(torch, see):
    fwad = torch.autograd.forward_ad
    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    v = torch.tensor([1.0, 3.0], dtype=torch.float64)
    with fwad.dual_level():
        tangent = fwad.unpack_dual(fwad.make_dual(x, v).exp()).tangent
        see("gradient of the tangent", torch.autograd.grad(tangent.sum(), x)[0])


@program(rules="A-2")
def what_unpacking_gives(torch, see):
    fwad = torch.autograd.forward_ad
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with fwad.dual_level():
        dual = fwad.make_dual(x, torch.ones(2))
        unpacked = fwad.unpack_dual(dual)
        see("fields", unpacked._fields, expect=("primal", "tangent"))
        see("a view", unpacked.primal._is_view(), expect=True)
        see("without tangent", fwad.unpack_dual(unpacked.primal).tangent, expect=None)
        see("nor its parts", fwad.unpack_dual(unpacked.primal[1:]).tangent, expect=None)
        see.graph("history", unpacked.primal)
        see("printed", str(torch.ones(2)[:1] * dual.detach()[:1]))
        see("with its tangent", "tangent=" in repr(dual), expect=True)
    see("not any more", "tangent=" in repr(dual), expect=False)


@program(rules="A-3")
def a_tangent_of_another_type(torch, see):
    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        dual = fwad.make_dual(torch.ones(2), torch.ones(2, dtype=torch.float64))
        see.differs(
            "double", str(fwad.unpack_dual(dual).tangent.dtype).partition(".")[2],
            torch="float64", vizgrad="float32",
            because="a tangent has its tensor's type, as gradients have",
        )  # fmt: skip
        whole = torch.zeros(2, dtype=torch.float64)
        see.raises("integers", lambda: fwad.make_dual(whole, torch.ones(2).long()), phrase="int64")
        z = fwad.make_dual(
            torch.ones(2, dtype=torch.complex64), torch.ones(2, dtype=torch.complex64)
        )
        see("complex", fwad.unpack_dual(z * 1j).tangent.imag.clone(), expect=[1, 1])
    see.raises(
        "outside", lambda: fwad.make_dual(torch.ones(1), torch.ones(1)), phrase="no level exists"
    )


@program(rules="A-4")
def a_tangent_lies_as_its_tensor_does(torch, see):
    fwad = torch.autograd.forward_ad
    turned = torch.arange(6.0).reshape(3, 2).t()
    with fwad.dual_level():
        for name, primal, tangent in (
            ("turned", torch.ones(2, 3), turned),
            ("turned primal", torch.ones(3, 2).t(), torch.ones(2, 3)),
            ("gaps", torch.ones(2, 6)[:, ::2], torch.ones(2, 3)),
            ("expanded tangent", torch.ones(2, 3), torch.ones(1, 3).expand(2, 3)),
        ):
            dual = fwad.make_dual(primal, tangent)
            got = fwad.unpack_dual(dual).tangent
            see(name, (got.stride(), got is tangent, got.clone()))
        alike = fwad.make_dual(torch.ones(3, 2).t(), turned)
        see("alike", fwad.unpack_dual(alike).tangent is turned, expect=True)


@program(rules="A-5")
def a_new_level_knows_nothing_of_the_last(torch, see):
    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        kept = fwad.make_dual(torch.ones(2), torch.ones(2))
        base = torch.zeros(2)
        base.copy_(kept)
    with fwad.dual_level():
        see("dual, base", [fwad.unpack_dual(t).tangent for t in (kept, base, kept * 2, base[1:])])
        again = fwad.make_dual(kept, torch.ones(2) * 5)
        see("dual again", fwad.unpack_dual(again * 2).tangent.clone(), expect=[10, 10])


@program(rules="A-6")
def what_has_no_tangent(torch, see):
    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        x = fwad.make_dual(torch.tensor([1.5, -2.5, 0.0]), torch.tensor([1.0, 2.0, 4.0]))

        def tangent(t):
            found = fwad.unpack_dual(t).tangent
            return None if found is None else found.clone()

        for name in ("gt", "eq"):
            see(name, tangent(getattr(x, name)(0)), expect=None)
        for name in ("argmax", "isnan", "long", "bool", "argsort", "count_nonzero", "any"):
            see(name, tangent(getattr(x, name)()), expect=None)
        for name in ("floor", "round", "sign", "trunc"):
            see(name, tangent(getattr(x, name)()), expect=[0, 0, 0])
        see("indices", [tangent(t) for t in x.sort()], expect=([2, 4, 1], None))
        see("zeros_like", tangent(torch.zeros_like(x)), expect=None)
        see("drawn", tangent(torch.bernoulli(x.abs().clamp(max=1))), expect=[0, 0, 0])
        see.raises("floor_divide", lambda: x // 2, phrase="forward AD with")
        see.raises("set_", lambda: (x * 1).set_(torch.ones(3)), phrase="forward AD with set_")
        see.raises("resize_", lambda: (x * 1).resize_(2), phrase="resize")


@program(rules="A-6")
def no_tangent_goes_into_out(torch, see):
    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        x = fwad.make_dual(torch.ones(2), torch.ones(2))
        phrase = "because it is an out= function"
        see.raises("operand", lambda: torch.add(x, x, out=torch.empty(2)), phrase=phrase)
        see.raises("out", lambda: torch.exp(torch.ones(2), out=x), phrase=phrase)
        see.raises(
            "no derivative",
            lambda: torch.gt(x, 0, out=torch.empty(2, dtype=torch.bool)),
            phrase=phrase,
        )
        with torch.no_grad():
            see.raises("no_grad", lambda: torch.exp(x, out=torch.empty(2)), phrase=phrase)
        see("plain ones", torch.exp(torch.zeros(2), out=torch.empty(2)), expect=[1, 1])


@program(rules="A-7 M-30")
def inference_mode_has_no_tangents(torch, see):
    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        dual = fwad.make_dual(torch.ones(2), torch.ones(2))
        with torch.inference_mode():
            made = dual * 2
            see("computed", fwad.unpack_dual(made).tangent, expect=None)
            see("unpacked", fwad.unpack_dual(dual).tangent, expect=None)
        see("afterwards", fwad.unpack_dual(made).tangent, expect=None)
        see("the dual", fwad.unpack_dual(dual).tangent.clone(), expect=[1, 1])


@program(rules="A-7")
def more_that_keeps_or_drops_a_tangent(torch, see):
    import copy

    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        dual = fwad.make_dual(torch.ones(2), torch.tensor([1.0, 2.0]))

        def has(t):
            return fwad.unpack_dual(t).tangent is not None

        see("requires_grad_", has(dual.clone().requires_grad_()), expect=True)
        see("view, reshape", (has(dual.view(2, 1)), has(dual.reshape(1, 2))), expect=(True, True))
        see("Parameter", has(torch.nn.Parameter(dual)), expect=False)
        see("deepcopy", has(copy.deepcopy(dual)), expect=False)
        see("new_ones", has(dual.new_ones(2)), expect=False)
        see("filled", fwad.unpack_dual(dual.clone().fill_(3)).tangent.clone(), expect=[0, 0])
        see("compared", fwad.unpack_dual(dual.clone().eq_(1)).tangent.clone(), expect=[0, 0])
        see("numbers", (dual.sum().item(), dual.tolist(), float(dual[0])))


@program(rules="A-9", each=("create_graph", "retain_graph"))
def forward_over_reverse(torch, see, how):
    fwad = torch.autograd.forward_ad
    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    v = torch.tensor([1.0, 3.0], dtype=torch.float64)
    with fwad.dual_level():
        dual = fwad.make_dual(x, v)
        y = (dual**3 * dual.exp()).sum() + torch.tanh(dual).prod()
        for name, wanted in (("dual", dual), ("primal", x)):
            (g,) = torch.autograd.grad(y, wanted, **{how: True, "retain_graph": True})
            found = fwad.unpack_dual(g)
            see(name, (found.primal.detach().clone(), found.tangent.detach().clone()))
            see(f"{name}: recorded", g.requires_grad, expect=how == "create_graph")
        y.backward()
        see(".grad", (x.grad, fwad.unpack_dual(x.grad).tangent))


@program(rules="A-9")
def a_gradient_of_a_tangent_has_none(torch, see):
    fwad = torch.autograd.forward_ad
    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    with fwad.dual_level():
        dual = fwad.make_dual(x, torch.ones(2, dtype=torch.float64))
        tangent = fwad.unpack_dual((dual**3).sum()).tangent
        (g,) = torch.autograd.grad(tangent, x, create_graph=True)
        see("itself", (g.detach().clone(), fwad.unpack_dual(g).tangent))
        see("third", torch.autograd.grad(g.sum(), x)[0], expect=[6, 6])


@program(rules="A-11")
def forward_mode_switched_off(torch, see):
    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        dual = fwad.make_dual(torch.ones(2), torch.ones(2))
        with fwad._set_fwd_grad_enabled(False):
            off = dual * 2
            see("unpacked", fwad.unpack_dual(dual).tangent, expect=None)
            with fwad._set_fwd_grad_enabled(True):
                see("on within", fwad.unpack_dual(dual * 2).tangent.clone(), expect=[2, 2])
        see("computed", fwad.unpack_dual(off).tangent, expect=None)
        see("on again", fwad.unpack_dual(dual).tangent.clone(), expect=[1, 1])
