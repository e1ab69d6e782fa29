"""The Tensor: an array, and what autograd knows about it.

Operations are not written here: `vizgrad.ops` declares them and attaches them as methods. This file
holds only the state of a tensor and the rules for reading and setting it.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self

from vizgrad.core import errors
from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import Array, as_array
from vizgrad.core.arrays.layout import address as address
from vizgrad.core.tensor.in_memory import InMemory
from vizgrad.core.tensor.in_memory import Size as Size
from vizgrad.core.tensor.modes import GUARD, MODES, in_a_transform
from vizgrad.core.tensor.state import LEAF as LEAF
from vizgrad.core.tensor.state import RESULT as RESULT
from vizgrad.core.tensor.state import UNTRACKED as UNTRACKED
from vizgrad.core.tensor.state import VIEW as VIEW
from vizgrad.core.tensor.state import Rare as Rare
from vizgrad.core.tensor.state import (
    ViewInfo,
    check_assigned,
    not_deletable,
    requires_grad_error,
    set_view_leaf,
)
from vizgrad.core.tensor.state import forget_accumulator as forget_accumulator
from vizgrad.core.tensor.state import rare_of as rare_of
from vizgrad.core.tensor.state import view_requires_grad as view_requires_grad
from vizgrad.core.tensor.storage import (
    InferenceStorage,
    LooseInferenceStorage,
    Storage,
    show_memory,
)
from vizgrad.core.tensor.storage import storage_of as storage_of

if TYPE_CHECKING:
    from collections.abc import Iterator


class Tensor(InMemory):
    """A multi-dimensional array with one element type, as torch.Tensor.

    Make one with `vizgrad.tensor`, `vizgrad.zeros`, ...; called itself it takes what it took in the early
    days: sizes, numbers or a tensor.
    """

    __slots__ = (
        "__dict__", "__weakref__", "_array", "_edge", "_grad", "_rare", "_storage", "_tracked",
        "_view",
    )  # fmt: skip

    #: True for what stands for a Python number among operands (`vizgrad.core.function.typing`), or for none:
    #: saved-tensors hooks do not see it.
    _is_stand_in = False
    #: True for what stands for no operand.
    _is_absent = False

    _array: Array
    _storage: Storage | None
    _tracked: int
    _edge: Any
    _view: ViewInfo | None
    _grad: Tensor | None
    _rare: Rare | None

    if TYPE_CHECKING:  # attached by the layers above: operations, `grad_fn`, `backward`, hooks

        def __new__(cls, *args: Any, device: Any = None, **keywords: Any) -> Self: ...
        def __getattr__(self, name: str) -> Any: ...

        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __iter__(self) -> Iterator[Tensor]: ...

    # --- autograd ----------------------------------------------------------------------------

    @property
    def _version(self) -> int:
        """How often this memory was written in place."""
        # V-2
        return 0 if self._storage is None else self._storage.version

    def _is_view(self) -> bool:
        return self._view is not None

    def is_inference(self) -> bool:
        """Was it made in `inference_mode`? Such a tensor cannot be saved for backward."""
        # M-21
        return isinstance(self._storage, InferenceStorage)

    @property
    def _base(self) -> Tensor | None:
        return None if self._view is None else self._view.base

    @property
    def is_leaf(self) -> bool:
        """True when no recorded operation made it: backward puts gradients only into leaves."""
        return self.grad_fn is None

    def _has_producer(self) -> bool:
        """Was it made by a recorded operation, as far as is known without looking at its base?

        That is what may be asked of a view whose history cannot be brought up to date, too.
        """
        return self._edge is not None if self._tracked == VIEW else self._tracked == RESULT

    @property
    def output_nr(self) -> int:
        return getattr(self._edge, "input_nr", 0)

    @property
    def requires_grad(self) -> bool:
        if self._tracked == VIEW:
            return view_requires_grad(self)
        return self._tracked != UNTRACKED

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise RuntimeError(f"requires_grad must be a bool, not {type(value).__name__}")
        if self._has_producer():
            raise self._not_a_leaf()
        self.requires_grad_(value)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise not_deletable("requires_grad", "call requires_grad_(False), or use x.detach()")

    def _not_a_leaf(self) -> RuntimeError:
        return errors.explained(
            RuntimeError(
                "you can only change requires_grad flags of leaf variables; this tensor is the "
                f"result of {self._edge_name()}. Use detach() for one without history."
            ),
            kind="not-a-leaf",
            fix="use `x.detach()` for a tensor without history",
        )

    def _edge_name(self) -> str:
        """Name of the node that made it, of a view before its base was written."""
        return getattr(self._edge, "node", self._edge).name()

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Says whether gradients for this leaf are wanted; returns self.

        Raises RuntimeError for integer and bool tensors, and when False is asked of a non-leaf;
        TypeError unless the flag is a bool.
        """
        if not isinstance(requires_grad, bool):
            raise TypeError(
                "requires_grad_(): argument 'requires_grad' must be bool, not "
                f"{type(requires_grad).__name__}"
            )
        if GUARD.transforms and in_a_transform():
            raise requires_grad_error()
        return self.wanting_grad(requires_grad)

    def wanting_grad(self, requires_grad: bool = True) -> Tensor:
        """`requires_grad_` for what makes tensors, which may do so inside of a transform."""
        if requires_grad and self.is_inference() and MODES.inference is None:
            raise errors.explained(
                RuntimeError(
                    "Setting requires_grad=True on inference tensor outside InferenceMode is not "
                    "allowed."
                ),
                kind="grad-mode",
                fix="clone it outside inference_mode: the clone is a normal tensor",
            )
        if requires_grad and self._array.dtype.kind not in "fcV":
            raise errors.explained(
                RuntimeError(
                    "only Tensors of floating point dtype can require gradients, "
                    f"this one is {self.dtype.name}"
                ),
                kind="cut-dtype",
                fix="convert it first, e.g. `x.float().requires_grad_()`",
            )
        if self._has_producer():
            if not requires_grad:
                raise self._not_a_leaf()
            return self
        if self._tracked == VIEW or self._view is not None:
            set_view_leaf(self, requires_grad)
        elif requires_grad:
            if self._tracked == UNTRACKED:
                self._tracked = LEAF
                self._edge = None
        else:
            self._tracked = UNTRACKED
            self._edge = None
        return self

    @property
    def grad(self) -> Tensor | None:
        grad = self._grad
        if (
            grad is None
            and self._tracked != UNTRACKED
            and self._edge is not None
            and self._has_producer()
            and not self.retains_grad
        ):
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. "
                f"It is the result of {self._edge_name()}, and backward fills .grad only "
                "of leaves. Call .retain_grad() on it before backward, or read the leaf's.",
                UserWarning,
                stacklevel=2,
            )
        return grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is None:
            self._grad = None
            return
        check_assigned(self, value)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def retains_grad(self) -> bool:
        return self._rare is not None and self._rare.retains_grad

    # --- data --------------------------------------------------------------------------------

    @property
    def data(self) -> Tensor:
        """The same memory without history *and with a version counter of its own*.

        Writes through it are not noticed: a saved value changed this way gives wrong gradients.
        Prefer `detach()`.
        """
        # V-1
        out = new_tensor(self._array)
        if self.is_inference():
            inside = MODES.inference is not None
            out._storage = self._storage if inside else LooseInferenceStorage(self._storage)
        elif self._storage is not None:
            out._storage = Storage(self._storage.origin, self._storage.nbytes)
        return out

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if self.requires_grad and value._array.dtype.kind not in "fcV":
            raise RuntimeError(
                "data set to a tensor that requires gradients must be floating point or complex "
                f"dtype, not {value.dtype.name}"
            )
        if self._array.dtype != value._array.dtype or self.device != value.device:
            forget_accumulator(self)
        block = value._storage
        if self.is_inference() and not value.is_inference():
            self._storage = None  # it is one no longer, as what it shows is none
        if self._storage is None and block is None:
            self._array = value._array
        elif block is None or value.is_inference():
            show_memory(self, value._array, value._array, value._array.nbytes)
        else:
            show_memory(self, value._array, block.origin, block.nbytes)

    @data.deleter
    def data(self) -> None:
        raise not_deletable("data", "delete the tensor itself, or assign other data")

    # --- Python protocols --------------------------------------------------------------------

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    def __bool__(self) -> bool:
        if self._array.size != 1:
            raise RuntimeError(
                f"Boolean value of Tensor with {_how_many(self._array.size)} is ambiguous; "
                "use .any() or .all()"
            )
        return bool(self._array.reshape(()).item())

    def __float__(self) -> float:
        return float(self._real_only("double"))

    def __int__(self) -> int:
        return int(self._real_only("int64_t"))

    def __complex__(self) -> complex:
        return complex(self._only())

    def _real_only(self, kind: str) -> Any:
        """The only element; of a complex number without imaginary part, its real part."""
        found = self._only()
        if not isinstance(found, complex):
            return found
        if found.imag:
            raise RuntimeError(
                f"value cannot be converted to type {kind} without overflow: {found} is complex; take .real"
            )
        return found.real

    def _only(self) -> Any:
        if self._array.size != 1:
            raise ValueError(
                "only one element tensors can be converted to Python scalars; this one has "
                f"{self._array.size}"
            )
        return self._array.item()

    def __index__(self) -> int:
        if self._array.size != 1 or self._array.dtype.kind not in "iub":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def item(self) -> Any:
        """The only element as a Python number; RuntimeError when there is not exactly one."""
        if self._array.size != 1:
            raise RuntimeError(
                f"a Tensor with {self._array.size} elements cannot be converted to Scalar"
            )
        return self._array.item()

    def tolist(self) -> Any:
        return self._array.tolist()

    def __hash__(self) -> int:
        return id(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = self.numpy()
        if dtype is not None:
            array = array.astype(dtype, copy=False)
        return array.copy() if copy else array

    #: numpy must not take over `array * tensor`: it would make an array of objects.
    __array_priority__ = 1000
    __array_ufunc__ = None


_new = object.__new__
_ndarray = xp.ndarray


def new_tensor(array: Array, cls: type[Tensor] = Tensor) -> Tensor:
    """A tensor without history over `array` (not copied; numpy scalars become 0-dim arrays)."""
    if array.__class__ is not _ndarray:
        if hasattr(
            array, "as_tensor"
        ):  # of a tensor that stands for another one (`core/function/transform_tensor.py`)
            return array.as_tensor()
        array = as_array(array)
    out = _new(cls)
    out._array = array
    out._storage = MODES.inference if GUARD.inference else None
    out._tracked = UNTRACKED
    out._edge = out._view = out._grad = out._rare = None
    return out


def _how_many(size: int) -> str:
    return "no values" if size == 0 else "more than one value"
