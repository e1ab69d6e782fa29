"""Parameters and buffers: tensors that a Module takes as its own when they are assigned as attributes; with
those of lazy modules, whose sizes are not known yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import Array, Device, device_of, on, on_device_of
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.tensor.copying import leaf_over
from vizgrad.core.tensor.in_memory import strided
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.tensor import Tensor, new_tensor


class Parameter(Tensor):
    """A leaf that is learned: it requires grad, and `Module.parameters()` finds it.

    Shares memory and version counter with `data`. Raises RuntimeError when a gradient is wanted for a
    tensor that is neither floating point nor complex.
    """

    # T-51

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        if data is None:
            data = new_tensor(xp.empty(0, dtypes.get_default_dtype().np))
        elif not isinstance(data, Tensor):
            raise TypeError(
                f"a Parameter is made from a Tensor, not from {type(data).__name__}; "
                "wrap the values first: Parameter(vizgrad.tensor(values))"
            )
        return leaf_over(data, requires_grad, cls)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        """Values and flag alone: a copy of a model starts without gradients."""
        known = memo.get(id(self))
        if known is None:
            with on_device_of(self):
                known = type(self)(new_tensor(self._array.copy(order="K")), self.requires_grad)
            memo[id(self)] = known
        return known

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild, (type(self), self._array, self.requires_grad, dict(self.__dict__))

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


def _rebuild(
    cls: type[Parameter], array: Any, requires_grad: bool, attributes: dict[str, Any]
) -> Parameter:
    out = cls(new_tensor(dtypes.canonical(array)), requires_grad)
    out.__dict__.update(attributes)
    return out


class Buffer(Tensor):
    """A tensor that a Module keeps as state without learning it, when assigned as an attribute."""

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Self:
        if data is None:
            data = new_tensor(xp.empty(0, dtypes.get_default_dtype().np))
        out = leaf_over(data, False, cls)
        out.persistent = persistent
        return out


# Parameters and buffers of lazy modules, before their first call.

#: The attribute of a tensor that holds its elements. An uninitialized one hides it behind a refusal.
_ARRAY: Any = vars(Tensor)["_array"]


class UninitializedTensorMixin(Tensor):
    """A tensor with an element type and a device, but no sizes: `materialize` gives it those.

    Until then each operation on it raises ValueError, and its shape RuntimeError.
    """

    __slots__ = ()

    #: The class of the tensor once it has sizes.
    cls_to_become: ClassVar[type[Tensor]] = Tensor

    if not TYPE_CHECKING:

        @property
        def _array(self) -> NoReturn:
            raise _unusable()

        @property
        def shape(self) -> NoReturn:
            raise RuntimeError(
                "Can't access the shape of an uninitialized parameter or buffer. Call the module with a "
                "batch first: then its sizes are known, and its state can be loaded elsewhere"
            )

    @property
    def dtype(self) -> DType:
        return dtypes.BY_NUMPY[_elements(self).dtype]

    @property
    def device(self) -> Device:
        return device_of(_elements(self))

    def is_floating_point(self) -> bool:
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        return self.dtype.is_complex

    @property
    def data(self) -> Any:
        """The tensor itself: it has no elements to share."""
        return self

    @data.setter
    def data(self, value: Tensor) -> None:
        """Takes type and device; a tensor with sizes gives these, too."""
        if isinstance(value, UninitializedTensorMixin):
            _ARRAY.__set__(self, _elements(value))
        else:
            self.materialize(value.shape, value.device, value.dtype)
            self.data = value

    @data.deleter
    def data(self) -> None:
        Tensor.data.fdel(self)  # pyright: ignore[reportOptionalCall]  it refuses, as for each tensor

    @property
    def is_sparse(self) -> bool:
        return False

    @property
    def layout(self) -> Any:
        return strided

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """An uninitialized tensor of another type or on another device, as `Tensor.to`."""
        wanted = new_tensor(_elements(self)).to(*args, **kwargs)
        return type(self)(
            requires_grad=self.requires_grad, device=wanted.device, dtype=wanted.dtype
        )

    def detach(self) -> Any:
        """The tensor itself: it has no history. So the state of a lazy module can be taken."""
        return self

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Gives it sizes: from now on it is a usual tensor of zeros, the same object as before.

        `device` and `dtype` default to those that it was made for.
        """
        before = _elements(self)
        kind = before.dtype if dtype is None else dtype.np
        with on(device_of(before) if device is None else device) as namespace:
            made = namespace.zeros(tuple(shape), kind)
        self.__class__ = self.cls_to_become  # pyright: ignore[reportAttributeAccessIssue]  of one layout
        self._array = made
        self._storage = None

    def __copy__(self) -> Any:
        return type(self)(requires_grad=self.requires_grad, device=self.device, dtype=self.dtype)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = self.__copy__()
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return rebuild_uninitialized, (
            type(self),
            self.requires_grad,
            str(self.device),
            self.dtype.name,
        )

    def __repr__(self, **_: Any) -> str:
        return f"<{type(self).__name__}>"


def _as_to(*args: Any) -> Any:
    """The method of a cast, or of a move, which `to(*args)` is."""

    def moved(self: UninitializedTensorMixin, *device: Any) -> Any:
        return self.to(*(device or args))

    return moved


for _name, _where in (
    ("float", dtypes.float32), ("double", dtypes.float64), ("half", dtypes.float16),
    ("bfloat16", dtypes.bfloat16), ("cpu", "cpu"), ("cuda", "cuda"),
):  # fmt: skip
    setattr(UninitializedTensorMixin, _name, _as_to(_where))


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter of a lazy module before its first call."""

    __slots__ = ()
    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Self:
        made = Parameter(_without_elements(device, dtype), requires_grad)
        made.__class__ = cls
        return made  # pyright: ignore[reportReturnType]  it is one now


class UninitializedBuffer(UninitializedTensorMixin, Buffer):
    """A buffer of a lazy module before its first call; a usual tensor afterwards."""

    __slots__ = ()

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Self:  # fmt: skip
        made = _without_elements(device, dtype)
        if requires_grad:
            made.requires_grad_()
        made.__dict__["persistent"] = persistent
        made.__class__ = cls
        return made  # pyright: ignore[reportReturnType]  it is one now


def is_lazy(param: Any) -> bool:
    """Has it no sizes yet?"""
    return isinstance(param, UninitializedTensorMixin)


def _elements(tensor: Tensor) -> Array:
    """An array without elements, of the type and on the device of the tensor."""
    return _ARRAY.__get__(tensor)


def _without_elements(device: Any, dtype: DType | None) -> Tensor:
    with on(device) as namespace:
        return new_tensor(namespace.empty(0, (dtype or dtypes.get_default_dtype()).np))


def rebuild_uninitialized(cls: Any, requires_grad: bool, device: str, dtype: str) -> Any:
    return cls(requires_grad=requires_grad, device=device, dtype=getattr(dtypes, dtype))


def _unusable() -> ValueError:
    scope = MODES.scope
    where = "" if scope is None else f" in {'.'.join(scope.path())}"
    return ValueError(
        f"Attempted to use an uninitialized parameter{where}. It has no sizes before the lazy module that "
        "owns it is called. Call the model with a batch first, then initialise, count or copy its parameters"
    )
