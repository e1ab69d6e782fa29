"""The names of torch.special."""

from __future__ import annotations

from vizgrad.ops.public.arithmetic import logit as logit
from vizgrad.ops.public.arithmetic import polygamma as polygamma
from vizgrad.ops.public.arithmetic import round as round
from vizgrad.ops.public.elementwise import digamma as digamma
from vizgrad.ops.public.elementwise import digamma as psi
from vizgrad.ops.public.elementwise import erf as erf
from vizgrad.ops.public.elementwise import erfc as erfc
from vizgrad.ops.public.elementwise import erfinv as erfinv
from vizgrad.ops.public.elementwise import exp2 as exp2
from vizgrad.ops.public.elementwise import expm1 as expm1
from vizgrad.ops.public.elementwise import lgamma as gammaln
from vizgrad.ops.public.elementwise import log1p as log1p
from vizgrad.ops.public.elementwise import sigmoid as expit
from vizgrad.ops.public.elementwise import sinc as sinc
from vizgrad.ops.public.elementwise import xlogy as xlogy
from vizgrad.ops.public.normalizing import log_softmax as log_softmax
from vizgrad.ops.public.normalizing import softmax as softmax
from vizgrad.ops.public.selecting import where
from vizgrad.ops.public.statistics import logsumexp as logsumexp
from vizgrad.tensor.tensor import Tensor

__all__ = [
    "digamma", "entr", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gammaln", "log1p", "log_ndtr",
    "log_softmax", "logit", "logsumexp", "ndtr", "polygamma", "psi", "round", "sinc", "softmax", "xlog1py",
    "xlogy",
]  # fmt: skip


def entr(input: Tensor) -> Tensor:
    """-x log x: 0 at 0, -inf below."""
    value = -xlogy(input, input)
    return where(input < 0, float("-inf"), value)


def xlog1py(input: Tensor, other: Tensor) -> Tensor:
    """input * log(1 + other), 0 where input is 0."""
    return xlogy(input, other + 1)


def ndtr(input: Tensor) -> Tensor:
    """The area under the standard normal density up to x."""
    return erfc(input * -(0.5**0.5)) * 0.5


def log_ndtr(input: Tensor) -> Tensor:
    """log of `ndtr` (for x above -25)."""
    return ndtr(input).log()
