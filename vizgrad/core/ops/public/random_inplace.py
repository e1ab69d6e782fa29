"""Sampling in place: methods that overwrite a tensor with what is drawn (spec T-30)."""

from __future__ import annotations

import math
from typing import Any

from vizgrad.core.arrays import dtypes, random, xp
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.limits import finfo, iinfo
from vizgrad.core.arrays.random import Generator as _Generator
from vizgrad.core.function.inplace import write
from vizgrad.core.function.transform_tensor import draws
from vizgrad.core.ops import copying, random_sampling
from vizgrad.core.ops.forms import method
from vizgrad.core.ops.public.arguments import index_of
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.tensor.tensor import Tensor

_DOUBLE = dtypes.float64.np


def _fill(self: Tensor, array: Any, name: str) -> Tensor:
    return write(
        copying.overwrite, self, name=name, values=array.astype(self._array.dtype, copy=False)
    )


def refuse_types(self: Tensor, name: str, kinds: str) -> None:
    """NotImplementedError for types that do not hold what would be drawn."""
    if self._array.dtype.kind in kinds:
        raise NotImplementedError(
            f'"{name}" not implemented for {self.dtype.name} tensors: draw floating point numbers and '
            "convert them"
        )


@method
@draws("fill")
@takes_tensors
@quiet
def uniform_(
    self: Tensor, from_: float = 0, to: float = 1, *, generator: _Generator | None = None, **kw: Any
) -> Tensor:
    """Numbers drawn evenly from [from, to)."""
    low = kw.pop("from", from_)
    if kw:
        raise TypeError(f"uniform_() got an unexpected keyword argument {next(iter(kw))!r}")
    refuse_types(self, "uniform_", "iub")
    most = finfo(self.dtype).max
    for name, limit in (("from", low), ("to", to)):
        if not -most <= limit <= most:
            raise RuntimeError(f"{name} is out of bounds for {self.dtype.name}: {limit}")
    if low > to:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low} > to={to}"
        )
    if to - low > most:
        raise RuntimeError(
            f"uniform_ expects to-from <= {most}, the largest {self.dtype.name}, but found to={to} and "
            f"from={low}"
        )
    drawn = random.uniform(self._array.shape, self._array.dtype, self.device, generator)
    return _fill(self, drawn * (to - low) + low, "uniform_")


@method
@draws("fill")
@takes_tensors
@quiet
def normal_(
    self: Tensor, mean: float = 0, std: float = 1, *, generator: _Generator | None = None
) -> Tensor:
    """Normal numbers; of a complex tensor `mean` is that of both parts, and `std` that of the whole."""
    mean, std = _plain("normal_", "mean", mean), _plain("normal_", "std", std)
    for name, number in (("mean", mean), ("std", std)):
        if isinstance(number, complex):
            raise TypeError(f"normal_(): argument {name!r} must be float, not complex")
    check_deviation(std)
    refuse_types(self, "normal_", "iub")
    drawn = random.normal(self._array.shape, self._array.dtype, self.device, generator)
    return _fill(self, drawn * std + of_both_parts(self._array.dtype, mean), "normal_")


def of_both_parts(dtype: Any, mean: float) -> Any:
    """`mean` as an element of `dtype`; complex: in both parts."""
    return dtype.type(complex(mean, mean) if dtype.kind == "c" else mean)


def check_deviation(std: Any) -> None:
    if isinstance(std, Tensor) and std.is_complex():
        raise RuntimeError("normal expects standard deviation to be non-complex")
    least = std._array.min(initial=0) if isinstance(std, Tensor) and not std.is_complex() else std
    if not isinstance(least, (Tensor, complex)) and not least >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {least}")


def check_chances(p: Any) -> None:
    if p.size and not (p.min() >= 0 and p.max() <= 1):
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true: probabilities lie in [0, 1]"
        )


def _plain(name: str, argument: str, value: Any) -> Any:
    """A number, of a 0-d tensor that requires no grad the one in it."""
    if not isinstance(value, Tensor):
        return value
    if value._array.ndim or value.requires_grad:
        raise TypeError(f"{name}(): argument '{argument}' must be float, not Tensor")
    return value.item()


@method
@draws("fill")
@takes_tensors
@quiet
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: _Generator | None = None) -> Tensor:
    """1 with probability `p`, else 0. The gradient of probabilities, given as a tensor, is 0."""
    if isinstance(p, Tensor):
        refuse_types(p, "bernoulli_tensor_p_", "iubc")
        check_chances(p._array)
        p = p.expand(self._array.shape)
    elif not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    refuse_types(self, "bernoulli_", "c")
    drawn = random.uniform(self._array.shape, _DOUBLE, self.device, generator)
    if not isinstance(p, Tensor):
        return _fill(self, drawn < p, "bernoulli_")
    chosen = drawn < p._array
    if not p.requires_grad:
        return _fill(self, chosen, "bernoulli_")
    result = random_sampling.bernoulli.record(p, drawn=chosen.astype(p._array.dtype))
    return write(copying.copy, self, result, name="bernoulli_")


@method
@draws("fill")
@takes_tensors
@quiet
def exponential_(self: Tensor, lambd: float = 1, *, generator: _Generator | None = None) -> Tensor:
    """Numbers from the exponential distribution with rate `lambd`."""
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
    refuse_types(self, "exponential_", "iubc")
    drawn = random.exponential(self._array.shape, self._array.dtype, self.device, generator)
    return _fill(self, drawn / lambd, "exponential_")


@method
@draws("fill")
@takes_tensors
@quiet
def random_(
    self: Tensor, *limits: Any, generator: _Generator | None = None, **named: Any
) -> Tensor:
    """Whole numbers: `random_(from, to)` with from <= n < to, `random_(to)` from 0.

    Without `to` they go as far as the type counts one by one. RuntimeError for limits that the type does
    not hold, TypeError for those that are no ints.
    """
    given = [*limits, *named.values()]
    open_ended = len(given) == 2 and given[1] is None
    if len(given) > 2 or not named.keys() <= {"from", "to"}:
        raise TypeError("random_() takes (), (to), or (from, to)")
    whole = [index_of(n) for n in (given[:1] if open_ended else given)]
    low, high = 0, _most(self)
    if open_ended:
        low = whole[0]
    elif whole:
        *first, high = whole
        low = first[0] if first else 0
        if low >= high:
            raise RuntimeError(
                f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
            )
    _check_held(self, low, high)
    drawn = random.integers(low, high, self._array.shape, xp.int64, self.device, generator)
    return _fill(self, drawn, "random_")


def _most(self: Tensor) -> int:
    """One more than the largest number up to which the type holds all whole ones."""
    kind = self._array.dtype.kind
    if kind in "iu":
        return iinfo(self.dtype).max + 1
    return 2 if kind == "b" else 2 ** (1 - round(math.log2(finfo(self.dtype).eps))) + 1


def _check_held(self: Tensor, low: int, high: int) -> None:
    kind = self._array.dtype.kind
    if kind == "c":
        raise NotImplementedError(f'"random_" not implemented for {self.dtype.name} tensors')
    if kind == "b":
        least, most = 0, 1
    else:
        held = iinfo(self.dtype) if kind in "iu" else finfo(self.dtype)
        least, most = held.min, held.max
    for name, value in (("from", low), ("to - 1", high - 1)):
        if not least <= value <= most:
            raise RuntimeError(f"{name} is out of bounds for {self.dtype.name}: {value}")


@method
@draws("fill")
@takes_tensors
@quiet
def geometric_(self: Tensor, p: float, *, generator: _Generator | None = None) -> Tensor:
    """How many trials with probability `p` until the first success, from 1."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    refuse_types(self, "geometric_", "bc")
    drawn = random.uniform(self._array.shape, _DOUBLE, self.device, generator)
    return _fill(self, xp.ceil(xp.log1p(-drawn) / math.log1p(-p)).clip(1), "geometric_")


@method
@draws("fill")
@takes_tensors
@quiet
def cauchy_(
    self: Tensor, median: float = 0, sigma: float = 1, *, generator: _Generator | None = None
) -> Tensor:
    """Numbers from the Cauchy distribution."""
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma}")
    refuse_types(self, "cauchy_", "iubc")
    drawn = random.uniform(self._array.shape, _DOUBLE, self.device, generator)
    return _fill(self, median + sigma * xp.tan(math.pi * (drawn - 0.5)), "cauchy_")


@method
@draws("fill")
@takes_tensors
@quiet
def log_normal_(
    self: Tensor, mean: float = 1, std: float = 2, *, generator: _Generator | None = None
) -> Tensor:
    """Numbers whose logarithm is normal with this mean and standard deviation."""
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std}")
    refuse_types(self, "log_normal_", "iubc")
    drawn = random.normal(self._array.shape, _DOUBLE, self.device, generator)
    return _fill(self, xp.exp(mean + std * drawn), "log_normal_")
