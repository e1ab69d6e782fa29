"""Distribution: shapes, parameters that are checked, samples that are checked (spec T-43)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Number
from typing import TYPE_CHECKING, Any, ClassVar, Self

from vizgrad.autograd.grad_mode import enable_grad, no_grad
from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.dtypes import finfo
from vizgrad.core.ops.public.broadcasting import broadcast_tensors
from vizgrad.core.ops.public.from_values import tensor
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.constraints import Constraint, is_dependent

#: The Euler-Mascheroni constant, minus the mean of log x over standard exponential x.
EULER = 0.5772156649015329

# Parameters: numbers or tensors, brought to one shape; probabilities and their logits.


def broadcast_all(*values: Any) -> list[Tensor]:
    """Tensors of one shape; numbers take the type and device of the first tensor among them.

    Raises ValueError for what is neither, RuntimeError for shapes that do not fit.
    """
    if not all(isinstance(v, (Tensor, Number)) for v in values):
        raise ValueError("Input arguments must all be instances of Number or Tensor")
    model = next((v for v in values if isinstance(v, Tensor)), None)
    dtype = dtypes.get_default_dtype() if model is None else model.dtype
    device = None if model is None else model.device
    return list(
        broadcast_tensors(
            *(v if isinstance(v, Tensor) else tensor(v, dtype=dtype, device=device) for v in values)
        )
    )


def only_one(probs: Any, logits: Any) -> None:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


def batch_of(*values: Any) -> Size:
    """The batch shape of parameters that came as `values`: empty when all are numbers."""
    tensors = [v for v in values if isinstance(v, Tensor)]
    return broadcast_tensors(*tensors)[0].shape if tensors else Size()


def smallest(x: Tensor) -> float:
    """The smallest positive normal number of a tensor's type."""
    return finfo(x.dtype).tiny


def lowest(x: Tensor) -> float:
    return finfo(x.dtype).min


def precision(x: Tensor) -> float:
    """The distance from 1 to the next number of a tensor's type."""
    return finfo(x.dtype).eps


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities kept away from 0 and 1 by the precision of their type."""
    eps = precision(probs)
    return probs.clamp(min=eps, max=1 - eps)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """sigmoid, or softmax over the last dimension."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """The inverse: log-odds, or logarithms."""
    kept: Any = clamp_probs(probs)
    return kept.log() - (-kept).log1p() if is_binary else kept.log()


class lazy_property:
    """An attribute computed when it is first asked for, with recording on."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    if TYPE_CHECKING:  # none in truth: the attribute, once set, hides this

        def __set__(self, instance: Any, value: Any) -> None: ...

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with enable_grad():
            found = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, found)
        return found


class Distribution:
    """Base class. Samples have the shape `sample_shape + batch_shape + event_shape`.

    A subclass declares `arg_constraints` (parameter name -> constraint), sets the parameters as
    attributes and calls `super().__init__` with its shapes. `has_rsample`: samples carry gradients to
    the parameters.
    Parameters and values are checked unless `validate_args=False`: ValueError names what is wrong.
    """

    arg_constraints: ClassVar[dict[str, Constraint]]
    support: Any
    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions check their arguments when they are not told."""
        if value not in (True, False):
            raise ValueError(f"validation is on (True) or off (False), not {value!r}")
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: Size = Size(),  # noqa: B008  a shape does not change
        event_shape: Size = Size(),  # noqa: B008
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()

    def _constraints(self) -> dict[str, Constraint]:
        try:
            return self.arg_constraints
        except AttributeError:
            warnings.warn(
                f"{type(self).__name__} does not define `arg_constraints`. Set `arg_constraints = {{}}`, or "
                "pass validate_args=False",
                UserWarning,
                stacklevel=4,
            )
            return {}

    def _check_parameters(self) -> None:
        for name, constraint in self._constraints().items():
            if is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(
                getattr(type(self), name, None), lazy_property
            ):
                continue  # made from another parameter
            value = getattr(self, name)
            valid = constraint.check(value)
            if not valid.all():
                raise ValueError(
                    f"Expected parameter {name} ({described(value)}) of distribution {self!r} to satisfy the "
                    f"constraint {constraint!r}, but found invalid values:\n{value}"
                )

    # --- shapes --------------------------------------------------------------------------------

    @property
    def batch_shape(self) -> Size:
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        return self._event_shape

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """For an `expand` of one's own: an empty one of this class, or the instance that is given.

        Raises NotImplementedError for a subclass with an `__init__` of its own that does not define `expand`.
        """
        if _instance is None and type(self).__init__ is not cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method "
                "must also define a custom .expand() method."
            )
        return type(self).__new__(type(self)) if _instance is None else _instance

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        """The same distribution with its parameters expanded to a larger batch, without copies."""
        batch_shape = Size(batch_shape)
        new = type(self).__new__(type(self)) if _instance is None else _instance
        new.__dict__.update(self.__dict__)
        own = self._constraints()
        for name, value in self.__dict__.items():
            if isinstance(value, Tensor) and name in own:
                event = value.shape[value.dim() - own[name].event_dim :]
                new.__dict__[name] = value.expand((*batch_shape, *event))
        new._batch_shape = batch_shape
        return new

    # --- what a distribution may know ------------------------------------------------------------

    @property
    def mean(self) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} does not know its mean")

    @property
    def mode(self) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} does not know its mode")

    @property
    def variance(self) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} does not know its variance")

    @property
    def stddev(self) -> Tensor:
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws, without gradient."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws through which gradients reach the parameters."""
        raise NotImplementedError(f"{type(self).__name__} has no samples with a gradient")

    def sample_n(self, n: int) -> Tensor:
        """PyTorch's older way to say `sample((n,))`."""
        warnings.warn(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.",
            FutureWarning,
            stacklevel=2,
        )
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or of the probability, at `value`."""
        raise NotImplementedError(f"{type(self).__name__} has no log_prob")

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of a sample not above `value`."""
        raise NotImplementedError(f"{type(self).__name__} has no cdf")

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of `cdf`."""
        raise NotImplementedError(f"{type(self).__name__} has no icdf")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values there are, along a new first dimension."""
        raise NotImplementedError(f"the values of {type(self).__name__} cannot be counted")

    def entropy(self) -> Tensor:
        """In nats."""
        raise NotImplementedError(f"{type(self).__name__} has no entropy")

    def perplexity(self) -> Tensor:
        return self.entropy().exp()

    # --- checks --------------------------------------------------------------------------------

    def _validate_sample(self, value: Any) -> None:
        if self._validate_args:
            self._check_sample(value)

    def _check_sample(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        ours, events = self._extended_shape(), len(self._event_shape)
        if value.shape[value.dim() - events :] != self._event_shape:
            raise ValueError(
                "The right-most size of value must match event_shape: "
                f"{value.shape} vs {self._event_shape}."
            )
        for i, j in zip(reversed(value.shape), reversed(ours), strict=False):
            if 1 not in (i, j) and i != j:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {ours}."
                )
        try:
            support = self.support
        except NotImplementedError:
            return
        if isinstance(support, constraints.Constraint) and not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({described(value)}) to be within the support ({support!r}) of the "
                f"distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        names = [n for n in getattr(self, "arg_constraints", ()) if n in self.__dict__]
        parts = ", ".join(f"{name}: {_shown(self.__dict__[name])}" for name in names)
        return f"{type(self).__name__}({parts})"


def _shown(value: Any) -> str:
    return f"{value}" if value.numel() == 1 else f"{value.size()}"


def described(value: Any) -> str:
    """Class and shape, for messages."""
    return f"{type(value).__name__} of shape {tuple(value.shape)}"
