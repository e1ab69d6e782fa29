"""Conjugates: lazy views in PyTorch, computed at once in vizgrad, which says so where that shows."""

import warnings

from tests.oracle.registry import program

BECAUSE = "numpy has no view that conjugates"

#: Writes to what is made from the matrix `a`.
WRITES = {
    "conj": lambda a: a.conj().add_(1 + 2j),
    "an element": lambda a: a.conj().__setitem__((0, 0), 1 + 2j),
    "the imaginary part": lambda a: a.conj().imag.fill_(2),
    "the real part": lambda a: a.conj().real.fill_(1),
    "a part of it": lambda a: a.conj()[1:].fill_(1j),
    "mH": lambda a: a.mH.add_(1 + 2j),
    "H": lambda a: a.H.fill_(3j),
    "adjoint": lambda a: a.adjoint().mul_(2j),
    "of a part": lambda a: a[1:].conj().fill_(1j),
    "copied": lambda a: a.conj().copy_(a * 2),
    "detached": lambda a: a.conj().detach().zero_(),
}

#: Writes to memory of its own, in PyTorch too.
COPIES = {
    "conj_physical": lambda a: a.conj_physical().add_(1),
    "resolve_conj": lambda a: a.conj().resolve_conj().add_(1),
    "resolve_neg": lambda a: a.conj().imag.resolve_neg().add_(1),
    "clone": lambda a: a.conj().clone().add_(1),
    "a product": lambda a: (a.conj() * 1).add_(1),
    "of a temporary": lambda a: (a * 2).conj().add_(1),
    "of real numbers": lambda a: a.real.clone().conj().add_(1),
    "a transpose": lambda a: a.conj().t_(),
}


def _matrix(torch):
    return torch.tensor([[1 + 1j, 2j], [3 + 0j, 4 - 1j]])


@program(rules="Y-31", each=WRITES)
def a_write_to_a_conjugate_warns_that_the_operand_stays(torch, see, name):
    a = _matrix(torch)
    on_torch = torch.__name__ == "torch"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        WRITES[name](a)
    said = [str(w.message) for w in caught if "conjugate" in str(w.message)]
    see.differs("warnings", len(said), torch=0, vizgrad=1, because=BECAUSE)
    changed = not torch.equal(a, _matrix(torch))
    see.differs("operand changed", changed, torch=True, vizgrad=False, because=BECAUSE)
    if not on_torch and "conj_physical()" not in said[0]:
        see.broken.append(f"the warning does not say what to do: {said[0]}")


@program(rules="Y-31", each=COPIES)
def a_write_to_a_copy_of_a_conjugate_is_silent(torch, see, name):
    a = _matrix(torch)
    see.silent("write", lambda: COPIES[name](a))
    see("operand", a, expect=[[1 + 1j, 2j], [3 + 0j, 4 - 1j]])


@program(rules="Y-31")
def a_conjugate_of_a_conjugate_is_of_the_same_operand(torch, see):
    a = torch.zeros(2, dtype=torch.complex64)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        twice = a.conj().conj()
        twice.add_(1 + 2j)
        twice.add_(1)
    see("values", twice, expect=[2 + 2j, 2 + 2j])
    see.differs("warned once", len(caught), torch=0, vizgrad=1, because=BECAUSE)
    see.differs("operand", a.tolist(), torch=[2 + 2j, 2 + 2j], vizgrad=[0j, 0j], because=BECAUSE)


@program(rules="Y-31")
def flags_are_true_of_what_is_held(torch, see):
    a = _matrix(torch)
    c = a.conj()
    see.differs("conj", c.is_conj(), torch=True, vizgrad=False, because=BECAUSE)
    see.differs("imag of it", c.imag.is_neg(), torch=True, vizgrad=False, because=BECAUSE)
    see.differs("mH", a.mH.is_conj(), torch=True, vizgrad=False, because=BECAUSE)
    plain = {"itself": a, "clone": c.clone(), "resolved": c.resolve_conj(), "twice": c.conj(),
             "physical": a.conj_physical(), "product": c * 1}  # fmt: skip
    see("others", {name: (t.is_conj(), t.is_neg()) for name, t in plain.items()})
    see("functions", (torch.is_conj(a), torch.is_neg(a)), expect=(False, False))
    see("nothing to resolve", (a.resolve_conj() is a, a.resolve_neg() is a), expect=(True, True))
    see(
        "values",
        [c.resolve_conj(), c.imag.resolve_neg(), torch.resolve_conj(c), a.mH.resolve_conj()],
    )
    real = torch.ones(2, 2)
    see("real", (real.conj() is real, real.is_conj(), real.conj_physical() is real))


@program(rules="Y-31")
def conjugates_have_the_gradients_of_pytorch(torch, see):
    a = torch.tensor([[1 + 1j, 2j], [3 + 0j, 4 - 1j]], dtype=torch.complex128, requires_grad=True)
    weights = torch.tensor([[1j, 2.0], [3 - 1j, 1.0]], dtype=torch.complex128)
    for name, made in {
        "conj": a.conj(), "mH": a.mH, "resolved": a.conj().resolve_conj(), "twice": a.conj().conj(),
        "negative": a.conj().imag.resolve_neg() * 1j,
    }.items():  # fmt: skip
        see(name, torch.autograd.grad((made * weights).abs().sum(), a, retain_graph=True)[0])
    see.graph("history of a copy", a.conj().resolve_conj())


@program(rules="Y-31")
def a_write_to_a_conjugate_is_recorded_in_its_own_history(torch, see):
    a = torch.tensor([1 + 1j, 2j], requires_grad=True)
    copy = (a * 2).conj().resolve_conj()
    copy.mul_(1j)
    see("gradient", torch.autograd.grad(copy.real.sum(), a)[0])
    see("version", copy._version, expect=1)
