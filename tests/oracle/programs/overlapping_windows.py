"""Writing through windows that overlap: `unfold`, `as_strided`."""

from tests.oracle.registry import program

WINDOWS = (
    ("unfold", 5, lambda x: x.unfold(0, 2, 1)),
    ("unfold of rows", 6, lambda x: x.view(2, 3).unfold(1, 2, 1)),
    ("as_strided", 5, lambda x: x.as_strided((3, 2), (1, 1))),
    ("wider windows", 6, lambda x: x.as_strided((2, 3), (2, 1))),
    ("windows that do not overlap", 7, lambda x: x.as_strided((3, 2), (2, 1))),
)


def number(torch, value):
    return torch.tensor(value, dtype=torch.float64)


def ones(torch, *shape):
    return torch.ones(shape, dtype=torch.float64)


#: What is written does not depend on the order of writing.
CONSTANTS = (
    ("fill_", lambda torch, v: v.fill_(3.0)),
    ("fill_ with a tensor", lambda torch, v: v.fill_(number(torch, 3.0))),
    ("zero_", lambda torch, v: v.zero_()),
    ("[:]", lambda torch, v: v.__setitem__(slice(None), 1.0)),
    ("[...]", lambda torch, v: v.__setitem__(..., 1.0)),
    ("[0]", lambda torch, v: v.__setitem__(0, 1.0)),
    ("[indices]", lambda torch, v: v.__setitem__(torch.tensor([0, 1]), 1.0)),
    ("[mask]", lambda torch, v: v.__setitem__(v > -100, 1.0)),
    ("[:] of a tensor", lambda torch, v: v.__setitem__(slice(None), number(torch, 2.0))),
    ("masked_fill_", lambda torch, v: v.masked_fill_(v > -100, 2.0)),
    ("masked_fill_ of some", lambda torch, v: v.masked_fill_(v > 0.9, 2.0)),
    ("masked_scatter_", lambda torch, v: v.masked_scatter_(v > -100, ones(torch, v.numel()))),
    ("copy_", lambda torch, v: v.copy_(ones(torch, *v.shape))),
    ("index_put_", lambda torch, v: v.index_put_((torch.tensor([0, 1]),), number(torch, 4.0))),
    ("index_fill_", lambda torch, v: v.index_fill_(0, torch.tensor([0, 1]), 4.0)),
    (
        "index_copy_",
        lambda torch, v: v.index_copy_(0, torch.tensor([0]), ones(torch, *v[:1].shape)),
    ),
    ("mul_ by 0", lambda torch, v: v.mul_(0.0)),
    ("sub_ of itself", lambda torch, v: v.sub_(v)),
    ("clamp_", lambda torch, v: v.clamp_(0.5, 1.1)),
    ("clamp_min_", lambda torch, v: v.clamp_min_(0.9)),
    ("relu_", lambda torch, v: v.relu_()),
    ("abs_", lambda torch, v: v.abs_()),
    ("round_", lambda torch, v: v.round_()),
    ("sign_", lambda torch, v: v.sign_()),
    ("lerp_ to the end", lambda torch, v: v.lerp_(ones(torch, *v.shape), 1.0)),
    (
        "addcmul_ of 0",
        lambda torch, v: v.addcmul_(ones(torch, *v.shape), ones(torch, *v.shape) * 0),
    ),
)


@program(rules="Y-18", each=CONSTANTS)
def constants_are_written_through_windows(torch, see, case):
    _, write = case
    for name, size, view in WINDOWS:
        x = torch.linspace(0.3, 1.7, size, dtype=torch.float64)
        see(f"{name}: returned", write(torch, view(x)) is not None)
        see(f"{name}: memory", x)
        see(f"{name}: version", x._version, expect=1)


@program(rules="Y-18 V-12", each=CONSTANTS)
def and_the_write_is_recorded(torch, see, case):
    _, write = case
    for name, size, view in WINDOWS:
        leaf = torch.linspace(0.3, 1.7, size, dtype=torch.float64).requires_grad_()
        x = leaf * 1
        v = view(x)
        write(torch, v)
        weights = torch.arange(1.0, size + 1, dtype=torch.float64)
        see(f"{name}: memory", x.detach())
        see.attempt(
            f"{name}: gradient of the base",
            lambda x=x, leaf=leaf, w=weights: torch.autograd.grad(
                (x * w).sum(), leaf, retain_graph=True
            )[0],
        )
        see.attempt(
            f"{name}: gradient of the windows",
            lambda v=v, leaf=leaf: torch.autograd.grad(v.sum(), leaf)[0],
        )


@program(rules="Y-18")
def what_expands_is_refused_as_ever(torch, see):
    def expanded():
        return ones(torch, 3)[:1].expand(4)

    phrase = "more than one element of the written-to tensor refers to a single memory location"
    for name, write in (
        ("add_", lambda v: v.add_(1)),
        ("mul_", lambda v: v.mul_(2)),
        ("copy_", lambda v: v.copy_(ones(torch, 4))),
        ("[:]", lambda v: v.__setitem__(slice(None), ones(torch, 4))),
        ("out=", lambda v: torch.add(ones(torch, 4), 1, out=v)),
    ):
        see.raises(name, lambda w=write: w(expanded()), phrase=phrase)
    see("fill_", expanded().fill_(2.0))
    see("one row is no repetition", ones(torch, 5).as_strided((1, 3), (0, 1)).add_(1))


@program(rules="Y-18")
def each_element_is_computed_from_what_was_there(torch, see):
    x = torch.ones(4, dtype=torch.float64, requires_grad=True)
    y = x * 1
    y.unfold(0, 2, 1).mul_(2.0)
    see.differs(
        "memory",
        y.detach(),
        torch=[2, 4, 4, 2],
        vizgrad=[2, 2, 2, 2],
        because="PyTorch doubles a place as often as it is seen; its gradient, 2, is right here",
    )
    y.sum().backward()
    see("gradient", x.grad, expect=[2, 2, 2, 2])


@program(rules="Y-18")
def what_is_copied_into_windows_is_not_recorded(torch, see):
    leaf = torch.ones(4, dtype=torch.float64, requires_grad=True)
    x = leaf * 1
    v = x.unfold(0, 2, 1)
    see.differs(
        "put_",
        see.outcome(lambda: v.put_(torch.tensor([0]), ones(torch, 1)).shape),
        torch=(3, 2),
        vizgrad=RuntimeError,
        because="the result is copied into the windows, and each would be given the whole gradient",
    )
    plain = torch.ones(4, dtype=torch.float64)
    plain.unfold(0, 2, 1).put_(torch.tensor([0]), number(torch, 3.0))
    see("where nothing is recorded", plain, expect=[3, 1, 1, 1])
