"""Covariances with weights, and norms called by name."""

from tests.oracle.data import complex_wave
from tests.oracle.points import slopes
from tests.oracle.registry import program

_WEIGHTS = ([1, 2, 3, 1, 0], [0.1, 0.2, 0.3, 0.4, 0.5])


@program(rules="T-40", each=("fweights", "aweights", "both"))
def covariances_with_weights(torch, see, name):
    f, a = torch.tensor(_WEIGHTS[0]), torch.tensor(_WEIGHTS[1], dtype=torch.float64)
    given = {"fweights": f, "aweights": a}
    given = given if name == "both" else {name: given[name]}
    rows = [[1.0, 2.0, 4.0, 0.5, 3.0], [0.0, -1.0, 2.0, 5.0, 1.0]]
    for correction in (0, 1, 2):
        see.derivatives(
            f"{correction}", lambda x, c=correction: torch.cov(x, correction=c, **given), rows
        )
    see("one row", torch.cov(torch.tensor(rows[0], dtype=torch.float64), **given))
    z = torch.tensor(complex_wave(2, 5), dtype=torch.complex128)
    see("complex", torch.cov(z, **given))
    if name != "fweights":
        see("by the weights", slopes(torch, lambda w: torch.cov(
            torch.tensor(rows, dtype=w.dtype), aweights=w), _WEIGHTS[1]))  # fmt: skip


@program(rules="T-40")
def weights_that_are_refused(torch, see):
    x = torch.tensor([[1.0, 2.0, 4.0], [0.0, 1.0, 0.5]])
    for name, phrase, given in (
        ("floats as counts", "integral dtype", {"fweights": torch.ones(3)}),
        ("counts as floats", "floating point dtype", {"aweights": torch.tensor([1, 2, 3])}),
        ("too few", "same numel", {"fweights": torch.tensor([1, 2])}),
        ("too many dimensions", "one or fewer dimensions", {"aweights": torch.ones(1, 3)}),
        ("negative count", "cannot be negative", {"fweights": torch.tensor([1, -1, 1])}),
        ("negative weight", "cannot be negative", {"aweights": torch.tensor([1.0, -1, 1])}),
        ("nothing", "sum to zero", {"fweights": torch.tensor([0, 0, 0])}),
    ):
        see.raises(name, lambda g=given: torch.cov(x, **g), phrase=phrase)
    see.raises("three dimensions", lambda: torch.cov(torch.ones(2, 2, 2)), phrase="two or fewer")
    see.raises("bools", lambda: torch.cov(x > 1), phrase="bool dtype is not supported")
    see("integers", torch.cov(x.long()))
    see.warns("too few observations", lambda: torch.cov(x[:, :1]), phrase="degrees of freedom")


@program(rules="T-36 T-39")
def norms_by_name(torch, see):
    square, cube = torch.tensor([[2.0, 1.0], [0.5, 3.0]]), torch.arange(24.0).reshape(2, 3, 4)
    for name in ("fro", "nuc"):
        see(name, torch.norm(square, p=name))
        see(f"{name}, dims", torch.norm(cube, p=name, dim=(0, 2)))
        see(f"{name}, kept", torch.norm(cube, p=name, dim=(0, 2), keepdim=True))
        see(f"{name}, method", square.norm(name))
    see.raises("of a tensor", lambda: torch.norm(cube, p="nuc"), phrase="dim must be a 2-tuple")
    see.raises(
        "one dim", lambda: torch.norm(square, p="nuc", dim=0), phrase="dim must be a 2-tuple"
    )
    see.raises("unknown", lambda: torch.norm(square, p="max"), phrase="not supported")
    see.raises("order", lambda: torch.linalg.matrix_norm(square, 3), phrase="not supported")
