"""Tangents of tensors that are a part of their memory, and what `as_strided` reads beside them."""

from functools import partial

from tests.oracle.registry import program

OUTSIDE = "can access memory outside of `tensor`"


def _part(torch, offset):
    return lambda a: torch.as_strided(a, (2,), (1,), offset)


def _squares(part):
    return lambda a: part(a).square().sum()


def _of_memory(torch, how):
    """Six of twelve elements."""
    whole = torch.arange(12.0, dtype=torch.float64).reshape(2, 3, 2)
    if how == "slice":
        return whole[1:]
    if how == "detached":
        return whole[1:].detach()
    x = torch.zeros(1, 3, 2, dtype=torch.float64)
    x.data = whole[1:]
    return x


def _weights(torch):
    return torch.arange(1.0, 7, dtype=torch.float64).reshape(1, 3, 2)


@program(rules="Y-66", each=["slice", "detached", "assigned"])
def the_tangent_is_zero_beside_the_tensor(torch, see, how):
    fw = torch.autograd.forward_ad
    x = _of_memory(torch, how)
    for offset in (0, 1, 5, 6, 8, 10):
        see(f"jvp, {offset}", torch.func.jvp(_part(torch, offset), (x,), (_weights(torch),))[1])
    with fw.dual_level():
        x.mul_(fw.make_dual(torch.ones_like(x), _weights(torch)))
        for offset in (0, 1, 5, 8):
            part = torch.as_strided(x, (2,), (1,), offset)
            see(f"written, {offset}", fw.unpack_dual(part).tangent)


@program(rules="Y-66")
def derivatives_of_derivatives_beside_the_tensor(torch, see):
    x, w = _of_memory(torch, "slice"), _weights(torch)

    def f(a):
        return torch.as_strided(a, (3,), (1,), 5) ** 3

    def along(a):
        return torch.func.jvp(f, (a,), (w,))[1]

    see("forward over forward", torch.func.jvp(along, (x,), (w,))[1])
    see(
        "forward over reverse", torch.func.jvp(torch.func.grad(lambda a: f(a).sum()), (x,), (w,))[1]
    )
    see("reverse over forward", torch.func.grad(lambda a: along(a).sum())(x))
    see(
        "by the tangent",
        torch.func.grad(lambda v: torch.func.jvp(f, (x,), (v,))[1].sum())(w),
    )


@program(rules="Y-66")
def an_example_of_a_batch_is_not_left(torch, see):
    batch = torch.arange(36.0).reshape(3, 2, 3, 2)[:, 1:]

    see("offset", torch.func.vmap(lambda a: a * 0 + a.storage_offset())(batch)[:, 0, 0, 0])
    for offset in (1, 5, 11):
        left = partial(torch.func.vmap(_part(torch, offset)), batch)
        see.raises(f"left, {offset}", left, phrase=OUTSIDE)
    for offset in (6, 10):
        part = _part(torch, offset)
        see(f"within, {offset}", torch.func.vmap(part)(batch))
        see(f"gradient, {offset}", torch.func.vmap(torch.func.grad(_squares(part)))(batch))


@program(rules="Y-66")
def columns_of_tangents_are_not_left(torch, see):
    x = _of_memory(torch, "slice")
    for offset in (1, 5):
        columns = partial(torch.func.jacfwd(_part(torch, offset)), x)
        see.raises(f"{offset}", columns, phrase=OUTSIDE)
    for offset in (6, 10):
        see(f"{offset}", torch.func.jacfwd(_part(torch, offset))(x))
