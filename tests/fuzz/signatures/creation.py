"""Tensors out of nothing, out of data, out of random numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.fuzz.draw import Draw
from tests.fuzz.kinds import SoFar, first
from tests.fuzz.values import Code, Given


def trials(d: Draw, so_far: SoFar) -> Given:
    """Counts, none of which is NaN: PyTorch draws for ever."""
    made = d.tensor(d.shape(), d.dtype("float"), 1, 4)
    return replace(made, values=tuple(1.0 if v != v else v for v in made.values))


def data(d: Draw, so_far: SoFar) -> Any:
    """Numbers, nested lists of them, arrays, tensors."""
    return _data(d, d.shape((0, 3), most=12))


def listed(d: Draw, so_far: SoFar) -> Any:
    """`data`, but no single number, which is a size to `Tensor.new`."""
    return _data(d, d.shape((1, 3), most=12))


def _data(d: Draw, shape: tuple[int, ...]) -> Any:
    kind = d.pick(("int", "float", "bool", "complex", "mixed", "array", "tensor"))
    if kind == "tensor":
        return d.tensor(shape, d.dtype())
    if kind == "array":
        name = d.pick(("float64", "float32", "int64", "bool", "complex64", "uint8"))
        return Code(f"__import__('numpy').ones({shape}, '{name}')")
    count = 1
    for n in shape:
        count *= n
    pool: dict[str, tuple[Any, ...]] = {
        "int": (0, 1, -2, 7, 2**40),
        "float": (0.5, -0.0, 2.0, 1e300, float("inf"), float("nan")),
        "bool": (True, False),
        "complex": (1 + 2j, 0j),
        "mixed": (1, 2.5, True),
    }
    return _nest([d.pick(pool[kind]) for _ in range(count)], shape, ragged=d.strange(0.3))


def _nest(values: list[Any], shape: tuple[int, ...], ragged: bool) -> Any:
    if not shape:
        return values[0]
    step = len(values) // shape[0] if shape[0] else 0
    rows = [_nest(values[k * step : (k + 1) * step], shape[1:], False) for k in range(shape[0])]
    return [*rows, [1, 2]] if ragged else rows


def some_strides(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    size = so_far["size"]
    return tuple(d.whole(0, 4) for _ in range(len(size) + d.strange(0.2)))


def buffer(d: Draw, so_far: SoFar) -> Code:
    return Code(f"bytearray(range({d.pick((0, 8, 16, 24))}))")


GRAD = "*requires_grad=flag??"

TABLE = f"""
zeros ones : size=sizes() *dtype=dtype()? {GRAD}
zeros ones : _=sizes() *dtype=dtype()?
~empty ~rand ~randn : size=sizes() *dtype=dtype()? {GRAD}
~empty ~rand ~randn : _=sizes() *dtype=dtype()?
~empty_permuted : size=pick((2,3),(0,2),(2,)) physical_layout=pick((0,1),(1,0),(0,)) *dtype=dtype()? {GRAD}
~empty_strided : size=sizes((0,3)) stride=some_strides *dtype=dtype()? {GRAD}
full : size=sizes() fill_value=number() *dtype=dtype()? {GRAD}
full : size=sizes() fill_value=shaped((),'any') *dtype=dtype()?
zeros_like ones_like ~empty_like ~rand_like ~randn_like : input=t() *dtype=dtype()? {GRAD}
    *memory_format=code('torch.contiguous_format','torch.preserve_format')??
full_like : input=t() fill_value=number() *dtype=dtype()? {GRAD}
arange : end=real(0,8) *dtype=dtype()? {GRAD}
arange : start=real(-3,3) end=real(3,8) step=pick(1,2,-1)? *dtype=dtype()?
range : start=real(-3,3) end=real(3,8) step=pick(1,2,-1)? *dtype=dtype()? {GRAD}
linspace : start=number() end=number() steps=integer(0,5) *dtype=dtype()? {GRAD}
logspace : start=number() end=number() steps=integer(0,5) base=real(0,10)? *dtype=dtype()?
linspace logspace : start=shaped((),'any') end=real() steps=integer(0,4)
eye : n=integer(0,4) m=integer(0,4)? *dtype=dtype()? {GRAD}
tril_indices triu_indices : row=integer(0,4) col=integer(0,4) offset=integer(-2,2)? *dtype=dtype('int')?
tensor : data=data *dtype=dtype()? {GRAD}
as_tensor asarray : data=data dtype=dtype()?
asarray : obj=data *dtype=dtype()? *copy=pick(True,False,None)? {GRAD}
scalar_tensor : s=number() *dtype=dtype()?
from_numpy : _0=arrays
frombuffer : buffer=buffer *dtype=dtype()? *count=integer(-1,3)? *offset=integer(0,3)?
~randint : high=integer(1,5) size=sizes() *dtype=dtype()?
~randint : low=integer(-3,0) high=integer(1,5) size=sizes() *dtype=dtype()?
~randint_like : input=t('real') high=integer(1,5) *dtype=dtype()?
~randint_like : input=t('real') low=integer(-3,0) high=integer(1,5) *dtype=dtype()?
~randperm : n=integer(0,5) *dtype=dtype('real')?
~bernoulli : input=t('float',low=0,high=1)
~bernoulli : input=t('float') p=real(0,1)
~poisson : input=t('float',low=0,high=4)
~binomial : count=trials prob=same(low=0,high=1)
~multinomial : input=t('double',rank=(1,2),low=0.1,high=3,least=1) num_samples=integer(1,2)
    replacement=flag?
~normal : mean=t('float') std=same(low=0.1)
~normal : mean=t('float') std=real(0.1,2)?
~normal : mean=real() std=t('float',low=0.1)
~normal : mean=real() std=real(0.1,2) size=sizes()
~T.uniform_ : input=t('float') _0=real(-2,0)? _1=real(0,2)?
~T.normal_ ~T.cauchy_ : input=t('float') _0=real()? _1=real(0.1,2)?
~T.log_normal_ : input=t('float') _0=real()? _1=real(0.1,1)?
~T.exponential_ : input=t('float') _0=real(0.1,2)?
~T.geometric_ : input=t('real') _0=pick(0.3,0.7)
~T.random_ : input=t('real') _0=integer(0,2)? _1=integer(3,7)?
~T.bernoulli_ : input=t('real') _0=real(0,1)?
T.new_zeros T.new_ones ~T.new_empty : input=t() size=sizes() *dtype=dtype()? {GRAD}
T.new_full : input=t() size=sizes() fill_value=number() *dtype=dtype()? {GRAD}
~T.new_empty_strided : input=t() size=pick((2,3),(0,2)) stride=pick((3,1),(1,2)) *dtype=dtype()?
T.new_tensor : input=t() data=data *dtype=dtype()? {GRAD}
"""


def arrays(d: Draw, so_far: SoFar) -> Code:
    name = d.pick(("float64", "float32", "int64", "bool", "complex64", "uint8", "int16", "uint16"))
    shape = d.shape((0, 3))
    turn = d.pick(("", ".T", "[::1]" if shape else ""))
    return Code(f"__import__('numpy').ones({shape}, '{name}'){turn}")


__all__ = ["TABLE", "Code", "Given", "first"]
