"""Reading arguments as PyTorch's binding does: dims, sizes, numbers, `out=`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache, wraps
from itertools import chain
from typing import Any, NamedTuple

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import DEVICES, elsewhere
from vizgrad.core.arrays.dtypes import INTS, DType, finfo
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.layout import shaped
from vizgrad.core.errors import index_of, warn_outside, wrap_dim
from vizgrad.core.function.failing import MOST_DIMENSIONS, too_many_dimensions
from vizgrad.core.function.inplace import (
    check_placing,
    check_write,
    one_block,
    refuse_partial_overlap,
)
from vizgrad.core.ops.copying import to_copy
from vizgrad.core.tensor.duals import DUALS, is_dual
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.requirements import Kinds, checked, wrong_operand
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, address, storage_of

_copy_narrowed = quiet(xp.copyto)  # a number too large for the type of `out` is inf


def dims_of(dim: Any, ndim: int) -> tuple[int, ...] | None:
    """Non-negative dimensions; None for all of them (also for an empty list, T-14).

    A 0-dim tensor may be reduced over "dimension 0", which it does not have: that gives ().
    """
    if dim is None:
        return None
    if dim.__class__ is int:
        only = wrap_dim(dim, ndim)
        return (only,) if ndim else ()
    if isinstance(dim, Iterable) and getattr(dim, "ndim", 1):
        dims: tuple[int, ...] = ()
        for each in dim:
            d = wrap_dim(index_of(each), ndim)
            if d in dims:
                raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
            dims += (d,)
        return (dims if ndim else ()) if dims else None
    return dims_of(index_of(dim), ndim)


def one_dim(dim: Any, ndim: int) -> int:
    """A single dimension, counted from the start; TypeError for several, or for none."""
    return wrap_dim(dim if dim.__class__ is int else index_of(dim), ndim)


def own_number(target: Tensor, value: Any) -> Any:
    """The value to fill `target` with: one of its own elements is read beforehand."""
    if not isinstance(value, Tensor) or value._array.size != 1:
        return value
    return value.clone() if one_block(target, value) else value


def sizes_of(name: str, sizes: Sequence[Any]) -> tuple[int, ...]:
    """A shape given as several ints or as one sequence of them; TypeError if it is not given at all."""
    if not sizes:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    if len(sizes) == 1 and not hasattr(sizes[0], "__index__"):
        sizes = sizes[0]
    try:
        return tuple([n if n.__class__ is int else index_of(n) for n in sizes])
    except (AttributeError, TypeError):
        wrong = (
            next((n for n in sizes if n.__class__ is bool or not hasattr(n, "__index__")), sizes)
            if isinstance(sizes, Iterable)
            else sizes
        )
        raise TypeError(
            f"{name}(): argument 'size' (position 1) must be tuple of ints, not "
            f"{type(wrong).__name__}"
        ) from None


def check_sizes(name: str, shape: tuple[int, ...]) -> None:
    """RuntimeError for a tensor that is to have a negative dimension, or more than numpy allows."""
    if len(shape) > MOST_DIMENSIONS:
        raise too_many_dimensions(name)
    for n in shape:
        if n < 0:
            raise RuntimeError(
                f"{name}: Dimension size must be non-negative. Trying to create tensor with "
                f"negative dimension {n}: {list(shape)}"
            )


def dims_given(name: str, dims: Sequence[Any]) -> tuple[int, ...]:
    """Dims given as several ints or as one sequence of them, not yet wrapped; TypeError for none."""
    if not dims:
        raise TypeError(f'{name}() missing 1 required positional arguments: "dims"')
    if len(dims) == 1 and not hasattr(dims[0], "__index__"):
        dims = dims[0]
    return tuple([index_of(d) for d in dims])


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex, xp.number, xp.bool_))


def check_number(function: str, argument: str, value: Any) -> None:
    """TypeError for what is neither a number nor a Tensor."""
    if not is_number(value) and not isinstance(value, Tensor):
        raise wrong_call(
            TypeError(
                f"{function}(): argument '{argument}' must be Number, not {type(value).__name__}"
            ),
            "give it a number, or a tensor",
        )


def check_kind(name: str, tensor: Tensor, kinds: str = "fV") -> None:
    """NotImplementedError for a tensor whose numpy kind is none of these (floating point, without more)."""
    if tensor._array.dtype.kind not in kinds:
        raise wrong_call(
            NotImplementedError(f'"{name}" not implemented for {tensor.dtype.name}'),
            "convert the tensor with .float()",
            "cut-dtype",
        )


def as_float(input: Tensor) -> Tensor:
    """`input`, integers and bools in the default float type."""
    if not isinstance(input, Tensor):
        raise TypeError(f"argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    if input._array.dtype.kind in "fcV":
        return input
    return to_copy.record(input, dtype=dtypes.get_default_dtype().np)


def beside_number(input: Tensor, *numbers: Any) -> Tensor:
    """`input` in the type it has beside Python numbers (T-3): an int tensor beside 1.5 is a float one."""
    category = input.dtype.category
    for value in numbers:
        own = None if value is None else dtypes.of_scalar(_plain(value))
        if own is not None and own.category > category:
            category = own.category
            target = own if own.category != 3 else dtypes.promote_types(own, input.dtype)
            input = to_copy.record(input, dtype=target.np)
    return input


def rounded(value: Any, input: Tensor) -> Any:
    """A number with which elements are compared, as one of them (`element`); None stays."""
    if value is None:
        return None
    dtype = input._array.dtype
    value = element(value, dtype)
    return float(dtype.type(value)) if dtype in dtypes.NARROW else value


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, (xp.generic, Tensor)) else value


def check_dtype(name: str, dtype: Any) -> DType | None:
    if dtype is None or isinstance(dtype, DType):
        return dtype
    if dtype is float:
        return dtypes.float64
    if dtype is int:
        return dtypes.int64
    if dtype is bool:
        return dtypes.bool_
    raise TypeError(f"{name}(): argument 'dtype' must be vizgrad.dtype, not {type(dtype).__name__}")


def refuse_gradients(name: str, *tensors: Tensor) -> None:
    """RuntimeError where an `out`, or what is computed from, requires grad."""
    if MODES.grad and any(t.requires_grad for t in tensors):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )
    if DUALS.on and any(map(is_dual, tensors)):
        raise wrong_call(
            NotImplementedError(
                f"Trying to use forward AD with {name}_out that does not support it because it is an out= "
                "function"
            ),
            "leave `out` out, or copy the result into it with copy_",
        )


def written(out: Tensor, result: Tensor, name: str, *inputs: Any) -> Tensor:
    """Writes `result` into `out` and returns it; RuntimeError where autograd would be lost (V-8).

    `out` is resized to the shape of the result, with a warning if it had elements; RuntimeError if it is an
    operand, too.
    """
    tensors = [t for t in inputs if isinstance(t, Tensor)]
    differentiable = result._array.dtype.kind in "fcV" or DUALS.on
    refuse_gradients(name, out, *(tensors if differentiable else ()))
    array = result._array
    if result.dtype.category > out.dtype.category:
        raise RuntimeError(
            f"result type {result.dtype.name} can't be cast to the desired output type "
            f"{out.dtype.name}"
        )
    if name in _OF_ONE_TYPE and out.dtype is not result.dtype:
        raise wrong_call(
            RuntimeError(
                f"Expected out tensor to have dtype {result.dtype.name}, but got {out.dtype.name} instead"
            ),
            f"give {name}() an out of the result's type",
        )
    if name in _READ_BY_PLACE:
        check_placing(out, *tensors)
    for tensor in tensors:
        refuse_partial_overlap(out, tensor)
    check_write(out, recorded=False)
    storage = storage_of(out)
    if out._array.shape != array.shape:
        if any(tensor is out for tensor in tensors):
            raise RuntimeError(
                f"output with shape {list(out._array.shape)} doesn't match the broadcast shape "
                f"{list(array.shape)}: {name}() reads its out, which can't be resized"
            )
        if out._array.size:
            warn_outside(
                "An output with one or more elements was resized since it had shape "
                f"{list(out._array.shape)}, which does not match the required output shape "
                f"{list(array.shape)}. Give an out of the right shape, or of size 0.",
            )
        out._array = shaped(xp.empty_like, out._array, shape=array.shape)
        storage.origin, storage.nbytes = address(out._array), out._array.nbytes
    copy = xp.copyto if array.dtype is out._array.dtype else _copy_narrowed
    if DEVICES.several and (place := elsewhere(out)) is not None:
        with place:
            copy(out._array, array, casting="unsafe")
    else:
        copy(out._array, array, casting="unsafe")
    storage.wrote(name, caller())
    return out


def number_of(value: Any) -> Any:
    """A number, also one that a tensor without dimensions says; TypeError for what has a gradient to lose."""
    if isinstance(value, xp.generic):
        return value.item()  # one of numpy's would say beside arrays what type the result has
    if not isinstance(value, Tensor):
        return value
    if value._array.ndim or value.requires_grad:
        why = f"of shape {list(value._array.shape)}" if value._array.ndim else "that requires grad"
        raise wrong_call(
            TypeError(f"the argument must be Number, not Tensor {why}"),
            "give it a number; beside an operator (x * t) a tensor broadcasts, and gets its gradient",
        )
    return value.item()


def element(value: Any, dtype: Any) -> Any:
    """A number as PyTorch writes it into elements of the numpy type `dtype`.

    Fractions are cut off; a negative number goes into an unsigned type from the other end. RuntimeError
    for what the type does not hold: a number too large, an infinity as an integer, an imaginary part.
    """
    if isinstance(value, (xp.generic, Tensor)):
        value = number_of(value)
    kind = dtype.kind
    if kind == "b":
        return bool(value)
    if kind == "c":
        if any(_largest(dtype) < abs(part) < math.inf for part in (value.real, value.imag)):
            raise _overflow(value, dtype)
        return value
    if isinstance(value, complex):
        if value.imag:
            raise _overflow(value, dtype)
        value = value.real
    if kind in "iu":
        limits = xp.iinfo(dtype)
        low, high = int(limits.min), int(limits.max)
        if isinstance(value, float):
            if not low <= value <= high:
                raise _overflow(value, dtype)
            return int(value)
        if not (low or -high) <= value <= high:
            raise _overflow(value, dtype)
        return int(value) % (high + 1) if low == 0 else int(value)
    if _largest(dtype) < abs(value) < math.inf:
        raise _overflow(value, dtype)
    return value


def factor(value: Any, dtype: Any) -> Any:
    """`element` of the type in which elements of `dtype` are computed: halves in single precision."""
    if dtype.itemsize == 2 and dtype.kind in "fV":
        dtype = dtypes.float32.np
    return element(value, dtype)


@cache
def _largest(dtype: Any) -> float:
    """The largest finite number of a floating or complex type."""
    return finfo(dtypes.from_numpy(dtype)).max


def _overflow(value: Any, dtype: Any) -> RuntimeError:
    return wrong_call(
        RuntimeError(f"value cannot be converted to type {dtype} without overflow: {value}"),
        "give a number that the type holds, or convert the tensor to another type first",
    )


def check_number_fits(self: Tensor, value: Any) -> None:
    """RuntimeError for a complex number that is to be written into a real tensor."""
    if isinstance(value, complex) and self._array.dtype.kind != "c":
        raise wrong_call(
            RuntimeError(
                f"value cannot be converted to type {self.dtype.name} without overflow: {value} is complex"
            ),
            "write its .real, or make the tensor complex first with .to(vizgrad.complex64)",
        )


# Keywords that many functions take in the same way: `out=`, and numpy's `axis=` and `keepdims=`.

_OUT = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)


def takes_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with `out=`: a tensor that the result is written into, or one for each result (V-8).

    For functions whose time does not count beside one more call; the others have the parameter themselves.
    """
    function = checked(function)
    name, kinds = function.__name__, Kinds(function)
    passed = kinds.passed

    @wraps(function)
    def call(*args: Any, out: Any = None, **options: Any) -> Any:
        if DEVICES.several and (place := elsewhere(*args)) is not None:
            with place:
                return call(*args, out=out, **options)
        if options or (*map(type, args),) not in passed:
            args, options = kinds.check(args, options)
        try:
            result = function(*args, **options)
        except AttributeError as error:
            raise wrong_operand(function, error, args, options) from None
        if out is None:
            return result
        sequences = (
            a for a in args[:1] if isinstance(a, (list, tuple))
        )  # of tensors, for `vstack`
        return write_all(out, result, name, *args, *options.values(), *chain(*sequences))

    return _shown_with_out(call, function)


def _shown_with_out(call: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """`call`, which says that it takes what `function` takes, and `out`."""
    call.__dict__.pop("__signature__", None)  # the function's own
    call.__wrapped__ = _WithOut(function)
    return call


class _WithOut:
    """A function as one that takes `out`, too, for who asks: reading all signatures would slow the import."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @property
    def __signature__(self) -> inspect.Signature:
        own = inspect.signature(self._function)
        parameters = list(own.parameters.values())
        last = len(parameters) - sum(p.kind is p.VAR_KEYWORD for p in parameters)
        parameters.insert(last, _OUT)
        return own.replace(parameters=parameters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


def write_all(out: Any, result: Any, name: str, *inputs: Any) -> Any:
    """Writes a tensor, or a tuple of them, into `out`, and returns it in the form of the result."""
    if isinstance(result, Tensor):
        if not isinstance(out, Tensor):
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
        return written(out, result, name, *inputs)
    outs: Sequence[Any] = out if isinstance(out, (list, tuple)) else (out,)
    if len(outs) != len(result) or not all(isinstance(o, Tensor) for o in outs):
        raise TypeError(
            f"{name}(): argument 'out' must be tuple of Tensors, one for each of the "
            f"{len(result)} results"
        )
    made = [written(o, r, name, *inputs) for o, r in zip(outs, result, strict=True)]
    return type(result)(*made) if hasattr(result, "_fields") else tuple(made)


#: They convert nothing for an `out`.
_OF_ONE_TYPE = frozenset({"aminmax", "gather", "complex"})
#: They read elements where others were written: an operand cannot be `out`.
_READ_BY_PLACE = frozenset({"gather", "index_select", "take"})

#: They leave an `out` of as many elements as it is.
_KEEP_SHAPE = frozenset({"arange", "range", "linspace", "logspace", "fftfreq", "rfftfreq"})


def fills_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes tensors, with `out=`, of whose type what it makes is, too."""
    name = function.__name__

    @wraps(function)
    def call(*args: Any, out: Tensor | None = None, **options: Any) -> Any:
        if DEVICES.several and (place := elsewhere(*args)) is not None:  # `normal` takes tensors
            with place:
                return call(*args, out=out, **options)
        if out is None:
            return function(*args, **options)
        asked = check_dtype(name, options.get("dtype"))
        if asked not in (None, out.dtype):
            raise RuntimeError(
                f"dtype {asked.name} does not match dtype of out parameter ({out.dtype.name})"
            )
        options["dtype"] = out.dtype
        wanted = options.pop("requires_grad", False)
        made = function(*args, **options)
        if name in _KEEP_SHAPE and made._array.size == out._array.size:
            made = made.reshape(out.shape)
        filled = write_all(out, made, name, *args, *options.values())
        return filled.wanting_grad() if wanted else filled

    return _shown_with_out(call, function)


#: numpy's word -> PyTorch's.
NUMPY = {"axis": "dim", "keepdims": "keepdim"}


def takes_axis(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with numpy's words for `dim` and `keepdim`, too."""
    function = checked(function)

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if DEVICES.several and (place := elsewhere(*args)) is not None:
            with place:
                return call(*args, **options)
        if options:
            for word in NUMPY.keys() & options.keys():
                options[NUMPY[word]] = options.pop(word)
        try:
            return function(*args, **options)
        except AttributeError as error:
            raise wrong_operand(function, error, args, options) from None

    return call


def takes_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which raises TypeError for what should be a Tensor, or an int, and is none.

    It costs the time of one more call: where that counts a function says so itself, with `not_a_tensor`.
    """
    function = checked(function)
    kinds = Kinds(function)
    passed = kinds.passed

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if DEVICES.several and (place := elsewhere(*args)) is not None:
            with place:
                return call(*args, **options)
        if options or (*map(type, args),) not in passed:
            args, options = kinds.check(args, options)
        try:
            return function(*args, **options)
        except AttributeError as error:
            raise wrong_operand(function, error, args, options) from None

    return call


# Named results: tuples whose fields have PyTorch's names.


class ValuesIndices(NamedTuple):
    """The result of reductions that choose elements: the elements and where they are."""

    values: Tensor
    indices: Tensor


class MinMax(NamedTuple):
    """Result of `aminmax`."""

    min: Tensor
    max: Tensor


# --- sizes that may be given as one number or one per dimension ---------------------------------------


_INT_ALONE = {int}


def per_dim(value: Any, dims: int, name: str) -> tuple[int, ...]:
    """`value` as a tuple of `dims` ints; RuntimeError when it has another length, TypeError for no ints."""
    if value.__class__ is tuple and len(value) == dims and {*map(type, value)} == _INT_ALONE:
        return value
    if isinstance(value, INTS) and value.__class__ is not bool:
        return (value,) * dims
    if value is None or isinstance(value, (str, float, bool)):
        raise TypeError(
            f"argument '{name}' must be int or tuple of ints, not {type(value).__name__}"
        )
    if isinstance(value, Sequence):
        sizes = tuple(map(index_of, value))
        if len(sizes) == 1:
            return sizes * dims
        if len(sizes) == dims:
            return sizes
    raise RuntimeError(
        f"expected {name} to be a single integer value or {dims} of them, got {value!r}"
    )


def whole_number(function: str, argument: str, position: int, value: Any) -> int:
    """`value` as an int; TypeError for fractions, bools and what is no number. `position` counts from 1."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        kind = "NoneType" if value is None else type(value).__name__
        raise TypeError(
            f"{function}(): argument '{argument}' (position {position}) must be int, not {kind}"
        )
    return int(value.__index__())


def product(sizes: Sequence[int]) -> str:
    """For messages: "3 x 4"."""
    return " x ".join(map(str, sizes))
