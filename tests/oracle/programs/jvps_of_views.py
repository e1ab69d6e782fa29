"""The `jvp` of a Function that returns a view: what is wrong with it is said."""

from tests.oracle.registry import program

NO_VIEW = "the jvp is not returning a view."
OF_THE_INPUT = "the jvp is not returning a view of the given grad input"
OF_THE_BASE = "the jvp is not returning a view of the same base as the given grad input"

FORWARDS = (
    ("view_as", lambda x: x.view_as(x)),
    ("as it is", lambda x: x),
    ("a slice", lambda x: x[:]),
)


def applied(torch, forward, jvp, *args):
    class View(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *args):
            return forward(*args)

    View.jvp = staticmethod(lambda ctx, *tangents: jvp(*tangents))
    return torch.autograd.forward_ad.unpack_dual(View.apply(*args)).tangent


def dual(torch, part=False, value=3.0):
    """A dual tensor whose tangent is a view of a larger one (`part`), or none."""
    if part:
        primal, tangent = torch.ones(4)[:2], torch.full((4,), value)[:2]
    else:
        primal, tangent = torch.ones(2), torch.full((2,), value)
    return torch.autograd.forward_ad.make_dual(primal, tangent)


@program(rules="Y-19", each=FORWARDS)
def each_way_of_being_wrong_is_named(torch, see, case):
    _, forward = case
    other = torch.ones(2)
    for part in (False, True):
        elsewhere = OF_THE_BASE if part else OF_THE_INPUT
        wrong = (
            ("a copy", lambda t: t.clone(), NO_VIEW),
            ("a product", lambda t: t * 1, NO_VIEW),
            ("zeros", lambda t: torch.zeros(2), NO_VIEW),
            ("detached", lambda t: t.detach(), NO_VIEW),
            ("another tensor", lambda t: other, NO_VIEW),
            ("a view of another tensor", lambda t: other.view_as(other), elsewhere),
            ("a view of a copy", lambda t: t.clone().view_as(t), elsewhere),
        )
        with torch.autograd.forward_ad.dual_level():
            for name, jvp, phrase in wrong:
                see.raises(
                    f"{name}, part {part}",
                    lambda jvp=jvp, part=part: applied(torch, forward, jvp, dual(torch, part)),
                    phrase=phrase,
                )
            for name, jvp in (
                ("a view", lambda t: t.view_as(t)),
                ("a view of a view", lambda t: t.view_as(t)[:]),
            ):
                right = applied(torch, forward, jvp, dual(torch, part))
                see(f"{name}, part {part}", right, expect=[3, 3])


@program(rules="Y-19")
def a_tangent_that_is_a_view_may_be_returned_as_it_is(torch, see):
    with torch.autograd.forward_ad.dual_level():
        see("a view", applied(torch, lambda x: x[:], lambda t: t, dual(torch, part=True)))
        see.raises(
            "no view",
            lambda: applied(torch, lambda x: x[:], lambda t: t, dual(torch)),
            phrase=NO_VIEW,
        )


@program(rules="Y-19", each=FORWARDS)
def only_the_operand_that_is_shown_counts(torch, see, case):
    _, forward = case

    def run(jvp, first):
        return applied(torch, lambda a, b: forward(a), jvp, first, dual(torch, value=4.0))

    with torch.autograd.forward_ad.dual_level():
        see("of its own", run(lambda t, u: t.view_as(t), dual(torch)), expect=[3, 3])
        see.raises(
            "of the other operand",
            lambda: run(lambda t, u: u.view_as(u), dual(torch)),
            phrase=OF_THE_INPUT,
        )
        see.raises("a sum", lambda: run(lambda t, u: t + u, dual(torch)), phrase=NO_VIEW)
        for name, jvp in (
            ("a view of it", lambda t, u: t.view_as(t)),
            ("the other", lambda t, u: u),
            ("a view of the other", lambda t, u: u.view_as(u)),
            ("a sum, too", lambda t, u: t + u),
        ):
            see(f"without a tangent: {name}", run(jvp, torch.ones(2)))
