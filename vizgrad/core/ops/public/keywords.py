"""Keywords that many functions take in the same way: `out=`, and numpy's `axis=` and `keepdims=`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import chain
from typing import Any

from vizgrad.core.arrays.current_device import DEVICES, elsewhere
from vizgrad.core.ops.public.arguments import check_dtype, written
from vizgrad.core.tensor.kinds import Kinds
from vizgrad.core.tensor.operands import wrong_operand
from vizgrad.core.tensor.tensor import Tensor

_OUT = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)


def takes_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with `out=`: a tensor that the result is written into, or one for each result (V-8).

    For functions whose time does not count beside one more call; the others have the parameter themselves.
    """
    name, kinds = function.__name__, Kinds(function)

    @wraps(function)
    def call(*args: Any, out: Any = None, **options: Any) -> Any:
        if DEVICES.several and (place := elsewhere(*args)) is not None:
            with place:
                return call(*args, out=out, **options)
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
