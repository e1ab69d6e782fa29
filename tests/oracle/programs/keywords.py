"""Arguments of functions given by PyTorch's names for them."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_CALLS = {
    "det": lambda torch, a: torch.det(input=a),
    "slogdet": lambda torch, a: torch.slogdet(input=a).logabsdet,
    "inverse": lambda torch, a: torch.inverse(input=a),
    "matrix_power": lambda torch, a: torch.matrix_power(input=a, n=3),
    "pinverse": lambda torch, a: torch.pinverse(input=a, rcond=1e-3),
    "pinv": lambda torch, a: torch.linalg.pinv(input=a, rtol=1e-3),
    "matrix_rank, atol": lambda torch, a: torch.linalg.matrix_rank(input=a, atol=0.5),
    "matrix_rank, both": lambda torch, a: torch.linalg.matrix_rank(a, atol=0.1, rtol=0.9),
    "matrix_rank, atol 0": lambda torch, a: torch.linalg.matrix_rank(a, atol=0.0, hermitian=False),
    "swapaxes": lambda torch, a: torch.swapaxes(input=a, axis0=0, axis1=1),
    "swapaxes, method": lambda torch, a: a.swapaxes(axis0=0, axis1=1),
    "heaviside": lambda torch, a: torch.heaviside(input=a - a[0, 0], values=a.detach()),
    "isin": lambda torch, a: torch.isin(a, a[0], assume_unique=False, invert=True),
}


@program(rules="T-96", each=_CALLS)
def given_by_name(torch, see, name):
    see(name, _CALLS[name](torch, torch.tensor(wave(3, 3, low=-1, high=2), dtype=torch.float64)))
