"""Random tensors (spec T-30)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from vizgrad.core.arrays import dtypes, random, xp
from vizgrad.core.arrays.backend import is_on_host, parse_device
from vizgrad.core.arrays.dtypes import finfo, iinfo
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.philox import in_order_of
from vizgrad.core.arrays.random import Generator as _Generator
from vizgrad.core.function.failing import broadcast_error
from vizgrad.core.function.inplace import write
from vizgrad.core.function.transform_tensor import Wrapped, draws
from vizgrad.core.ops import copying, random_sampling
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import (
    check_dtype,
    check_kind,
    check_number,
    check_sizes,
    fills_out,
    index_of,
    number_of,
    refuse_gradients,
    sizes_of,
    takes_out,
    takes_tensors,
    written,
)
from vizgrad.core.ops.public.broadcasting import broadcast_tensors
from vizgrad.core.ops.public.creation import _empty, given_size, made, only_memory
from vizgrad.core.ops.public.from_values import memory_like
from vizgrad.core.tensor.in_memory import check_format
from vizgrad.core.tensor.requirements import Above, AtLeast, DtypeKind, Rank, SameDtype, Within
from vizgrad.core.tensor.tensor import Tensor, new_tensor

# Sampling in place: methods that overwrite a tensor with what is drawn (spec T-30).

_DOUBLE = dtypes.float64.np


def _fill(self: Tensor, array: Any, name: str) -> Tensor:
    return write(
        copying.overwrite, self, name=name, values=array.astype(self._array.dtype, copy=False)
    )


def _drawn(
    self: Tensor, draw: Callable[..., Any], generator: _Generator | None, *given: float
) -> Any:
    """Numbers for the elements of `self`; on a device in the order in which these lie in memory."""
    array = self._array

    def of_shape(shape: tuple[int, ...]) -> Any:
        return draw(shape, array.dtype, self.device, generator, *given)

    return of_shape(array.shape) if is_on_host(array) else in_order_of(array, of_shape)


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
    return _fill(self, _drawn(self, random.uniform, generator, low, to), "uniform_")


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
    return _fill(self, _drawn(self, random.normal, generator, mean, std), "normal_")


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
    if not isinstance(p, Tensor):
        return _fill(self, _drawn(self, random.bernoulli, generator, p), "bernoulli_")
    chosen = _chosen(p._array, self._array, _DOUBLE, self.device, generator)
    if not p.requires_grad:
        return _fill(self, chosen, "bernoulli_")
    result = random_sampling.bernoulli.record(p, drawn=chosen.astype(p._array.dtype))
    return write(copying.copy, self, result, name="bernoulli_")


def _chosen(chances: Any, like: Any, kind: Any, device: Any, generator: _Generator | None) -> Any:
    if not is_on_host(chances):  # in double for doubles, else in single precision
        single = like.dtype != _DOUBLE
        chances = chances.astype(xp.float32 if single else _DOUBLE, copy=False)
    return random.chosen(chances, like, kind, device, generator)


_RATE = Above(0, "exponential_ expects lambda > 0.0, but found lambda={value}")
_SPREAD = Above(0, "{function}_ expects {argument} > 0.0, but found {argument}={value}")


@method
@draws("fill")
@takes_tensors
@quiet
def exponential_(
    self: Tensor, lambd: Annotated[float, _RATE] = 1, *, generator: _Generator | None = None
) -> Tensor:
    """Numbers from the exponential distribution with rate `lambd`."""
    refuse_types(self, "exponential_", "iubc")
    return _fill(self, _drawn(self, random.exponential, generator, lambd), "exponential_")


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

    def draw(shape: tuple[int, ...], _: Any, device: Any, generator: _Generator | None) -> Any:
        return random.integers(low, high, shape, xp.int64, device, generator, not whole)

    return _fill(self, _drawn(self, draw, generator), "random_")


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


_CHANCE = Within("0 < x < 1", "geometric_ expects p to be in (0, 1), but got p={value}")


@method
@draws("fill")
@takes_tensors
@quiet
def geometric_(
    self: Tensor, p: Annotated[float, _CHANCE], *, generator: _Generator | None = None
) -> Tensor:
    """How many trials with probability `p` until the first success, from 1."""
    refuse_types(self, "geometric_", "bc")
    return _fill(self, _drawn(self, random.geometric, generator, p), "geometric_")


@method
@draws("fill")
@takes_tensors
@quiet
def cauchy_(
    self: Tensor, median: float = 0, sigma: Annotated[float, _SPREAD] = 1, *,
    generator: _Generator | None = None,
) -> Tensor:  # fmt: skip
    """Numbers from the Cauchy distribution."""
    refuse_types(self, "cauchy_", "iubc")
    return _fill(self, _drawn(self, random.cauchy, generator, median, sigma), "cauchy_")


@method
@draws("fill")
@takes_tensors
@quiet
def log_normal_(
    self: Tensor, mean: float = 1, std: Annotated[float, _SPREAD] = 2, *,
    generator: _Generator | None = None,
) -> Tensor:  # fmt: skip
    """Numbers whose logarithm is normal with this mean and standard deviation."""
    refuse_types(self, "log_normal_", "iubc")
    return _fill(self, _drawn(self, random.log_normal, generator, mean, std), "log_normal_")


def _float_dtype(name: str, dtype: Any) -> Any:
    found = check_dtype(name, dtype) or dtypes.get_default_dtype()
    if found.category != 2:
        raise NotImplementedError(f'"{name}" not implemented for {found.name}')
    return found.np


def _filled(name: str, draw: Any) -> Any:
    def function(
        *size: Any, generator: _Generator | None = None, dtype: Any = None, device: Any = None,
        requires_grad: bool = False, **_: Any,
    ) -> Tensor:  # fmt: skip
        shape = sizes_of(name, given_size(name, size, _))
        check_sizes(name, shape)
        found = check_dtype(name, dtype) or dtypes.get_default_dtype()
        if name == "randn" and 0 in shape:
            return made(
                _empty(shape, found.np, device), requires_grad
            )  # nothing is drawn: of any type
        drawn = found.np if found.category == 3 else _float_dtype(name, found)
        return made(draw(shape, drawn, parse_device(device), generator), requires_grad)

    function.__name__ = function.__qualname__ = name
    return fills_out(function)


rand = public(draws("size")(_filled("rand", random.uniform)))
randn = public(draws("size")(_filled("randn", random.normal)))
rand.__doc__ = "Numbers drawn evenly from [0, 1)."
randn.__doc__ = "Numbers drawn from the normal distribution with mean 0 and standard deviation 1."


def _in_order_of(input: Tensor, out: Tensor, memory_format: Any) -> Tensor:
    """`out`, fresh memory in C order, laid out as `input` is, or as `memory_format` says."""
    if input.__class__ is Wrapped:
        return out
    array = out._array
    laid = memory_like(input._array, array.dtype, check_format("rand_like", memory_format))
    if laid.strides != array.strides:
        if is_on_host(array):
            laid[...] = array
        else:  # what was drawn first lies first
            laid = in_order_of(laid, array.reshape)
        out._array = laid
    return out


def _like(name: str, drawn: Any) -> Any:
    def function(
        input: Tensor, *, generator: _Generator | None = None, dtype: Any = None, layout: Any = None,
        device: Any = None, pin_memory: bool | None = None, requires_grad: bool = False,
        memory_format: Any = None,
    ) -> Tensor:  # fmt: skip
        only_memory(name, layout=layout, pin_memory=pin_memory)
        out = drawn(
            input.shape, generator=generator, dtype=dtype or input.dtype,
            device=device or input.device, requires_grad=requires_grad,
        )  # fmt: skip
        return _in_order_of(input, out, memory_format)

    function.__name__ = function.__qualname__ = name
    return takes_tensors(function)


rand_like = public(draws("like")(_like("rand_like", rand)))
randn_like = public(draws("like")(_like("randn_like", randn)))
rand_like.__doc__ = "`rand` of the shape and type of `input`."
randn_like.__doc__ = "`randn` of the shape and type of `input`."


@public
@draws("size")
@fills_out
def randint(
    low: Any = 0, high: Any = None, size: Any = None, *, generator: _Generator | None = None,
    dtype: Any = dtypes.int64, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool | None = None,
) -> Tensor:  # fmt: skip
    """Integers from low, ..., high - 1; `randint(high, size)` starts at 0."""
    only_memory("randint", layout=layout, pin_memory=pin_memory)
    if size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    if not isinstance(size, Sequence):
        raise TypeError(
            f"randint(): argument 'size' must be tuple of ints, not {type(size).__name__}"
        )
    for name, limit in (("low", low), ("high", high)):
        if isinstance(limit, (float, bool)):
            raise TypeError(f"randint(): argument {name!r} must be int, not {type(limit).__name__}")
    if low >= high:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )
    dtype = check_dtype("randint", dtype) or dtypes.int64
    if dtype.np.kind == "c":
        raise RuntimeError(
            "check_random_bounds handles only integral, floating-point and boolean types; randint() was "
            f"asked for {dtype.name}"
        )
    if dtype.np.kind in "biu":
        least, most = (0, 1) if dtype.np.kind == "b" else (iinfo(dtype).min, iinfo(dtype).max)
        if low < least or high - 1 > most:
            raise RuntimeError(
                f"from or to - 1 is out of bounds for {dtype.name}: randint({low}, {high})"
            )
    shape = sizes_of("randint", (size,))
    check_sizes("randint", shape)
    array = random.integers(low, high, shape, dtype.np, parse_device(device), generator)
    return made(array, requires_grad)


@public
@draws("like")
@takes_out
def randint_like(
    input: Tensor, low: Any = 0, high: Any = None, *, generator: _Generator | None = None,
    dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool | None = None,
    requires_grad: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """`randint` of the shape and type of `input`."""
    if high is None:
        low, high = 0, low
    out = randint(
        low, high, input.shape, generator=generator, dtype=dtype or input.dtype,
        layout=layout, device=device or input.device, requires_grad=requires_grad, pin_memory=pin_memory,
    )  # fmt: skip
    return _in_order_of(input, out, memory_format)


@public
@draws("size")
@fills_out
@takes_tensors
def randperm(
    n: Annotated[int, AtLeast(0, "n must be non-negative, got {value}")], *,
    generator: _Generator | None = None, dtype: Any = dtypes.int64, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool | None = None,
) -> Tensor:  # fmt: skip
    """0, ..., n - 1 in random order."""
    only_memory("randperm", layout=layout, pin_memory=pin_memory)
    dtype = check_dtype("randperm", dtype) or dtypes.int64
    if dtype.np.kind in "bc":
        raise NotImplementedError(f'"randperm" not implemented for {dtype.name}')
    return made(random.permutation(n, dtype.np, parse_device(device), generator), requires_grad)


@public
@draws("chances")
@fills_out
@quiet
def normal(
    mean: Any, std: Any = 1.0, size: Any = None, *, generator: _Generator | None = None,
    dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool | None = None,
) -> Tensor:  # fmt: skip
    """Normal numbers with the given means and standard deviations (numbers with `size`, or tensors).

    To these a gradient of 0 goes. For complex numbers a mean that is a number is that of both parts.
    RuntimeError for a negative deviation.
    """
    only_memory("normal", layout=layout, pin_memory=pin_memory)
    check_number("normal", "mean", mean)
    if size is not None:
        mean, std = number_of(mean), number_of(std)
    check_deviation(std)
    found = check_dtype("normal", dtype)
    if found is not None and found.category < 2:
        raise NotImplementedError(f'"normal" not implemented for {found.name}')
    model = next((t for t in (mean, std) if isinstance(t, Tensor)), None)
    if model is None:
        shape = sizes_of("normal", (size,))
        check_sizes("normal", shape)
        for name, number in (("mean", mean), ("std", std)):
            if isinstance(number, complex):
                raise TypeError(f"normal(): argument {name!r} must be float, not complex")
        kind = (found or dtypes.get_default_dtype()).np
        drawn = random.normal(shape, kind, parse_device(device), generator, mean, std)
        return made(drawn, requires_grad)
    if model._array.dtype.kind not in "fcV":
        raise NotImplementedError(f'"normal" not implemented for {model.dtype.name} tensors')
    a, s = (t._array if isinstance(t, Tensor) else t for t in (mean, std))
    error = broadcast_error(xp.shape(a), xp.shape(s))
    if error is not None:
        raise error
    shape = xp.broadcast_shapes(xp.shape(a), xp.shape(s))
    into = found is not None and found.category == 3  # `out`, whose both parts are drawn
    kind = found.np if into and found is not None else model._array.dtype
    drawn = (random.normal(shape, kind, model.device, generator) * s + a).astype(kind)
    if not isinstance(std, Tensor):
        return random_sampling.normal_of_means.record(mean, drawn=drawn)
    if not isinstance(mean, Tensor):
        return random_sampling.normal_of_deviations.record(std, drawn=drawn)
    return random_sampling.normal.record(mean, std, drawn=drawn)


@public(method=True)
@draws("chances")
@takes_tensors
@quiet
def bernoulli(
    input: Tensor,
    p: float | None = None,
    *,
    generator: _Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """1 with the probability given by each element (or `p` for all), else 0. The gradient is 0.

    `out` may be of any type: each has a 0 and a 1.
    """
    if out is not None:
        refuse_gradients("bernoulli", out, input)
    if p is not None:
        result = input.detach().clone().bernoulli_(p, generator=generator)
    else:
        chances = input._array
        refuse_types(input, "bernoulli", "iubc")
        check_chances(chances)
        chosen = _chosen(chances, chances, chances.dtype, input.device, generator)
        chosen = chosen.astype(chances.dtype)
        result = random_sampling.bernoulli.record(input, drawn=chosen)
    return result if out is None else written(out, result.to(out.dtype), "bernoulli", input)


_MULTINOMIAL_TYPE = "multinomial only supports floating-point dtypes for input, got: {dtype}"


@public(method=True)
@draws("chances")
@takes_out
@quiet
def multinomial(
    input: Annotated[
        Tensor,
        DtypeKind("fV", _MULTINOMIAL_TYPE, RuntimeError),
        Rank((1, 2), "prob_dist must be 1 or 2 dim, got {ndim}"),
    ],
    num_samples: Annotated[int, Above(0, "cannot sample n_sample <= 0 samples, got {value}")],
    replacement: bool = False, *, generator: _Generator | None = None,
) -> Tensor:  # fmt: skip
    """`num_samples` positions per row, with probabilities proportional to the row's elements."""
    p = input._array
    if not replacement and num_samples > p.shape[-1]:
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement: "
            f"{num_samples} > {p.shape[-1]}"
        )
    if p.size and not (xp.isfinite(p) & (p >= 0)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if p.size and not (p.sum(-1) > 0).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    rows = p.reshape(math.prod(p.shape[:-1]), p.shape[-1])
    found = random.multinomial(rows, num_samples, replacement, input.device, generator)
    return new_tensor(found.reshape((*p.shape[:-1], num_samples)))


@public
@draws("chances")
@takes_tensors
def poisson(input: Tensor, generator: _Generator | None = None) -> Tensor:
    """Numbers of events, from the Poisson distribution with rates `input`."""
    check_kind("poisson", input)
    if not bool((input._array >= 0).all()):
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    drawn = random.poisson(input._array, input.device, generator)
    return random_sampling.poisson.record(input, drawn=drawn.astype(input._array.dtype, copy=False))


_OF_BINOMIAL = DtypeKind(
    "fV", "binomial only supports floating-point dtypes for {argument}, got: {dtype}", ValueError
)


@public
@draws("chances")
@takes_tensors
def binomial(
    count: Annotated[Tensor, _OF_BINOMIAL],
    prob: Annotated[
        Tensor,
        _OF_BINOMIAL,
        SameDtype("count", "Found dtype {dtype} but expected {other} in binomial"),
    ],
    generator: _Generator | None = None,
) -> Tensor:
    """Numbers of successes in `count` trials with probability `prob`, of one floating point type."""
    count, prob = broadcast_tensors(count.detach(), prob.detach())
    drawn = random.binomial(count._array, prob._array, count.device, generator)
    return new_tensor(drawn.astype(count._array.dtype, copy=False))
