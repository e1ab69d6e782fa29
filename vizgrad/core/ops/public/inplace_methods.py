"""In-place methods that need more than their primitive: arguments to check, or several operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.layout import shaped
from vizgrad.core.function.inplace import check_history, check_placing, write
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.function.views import refuse_recorded_windows
from vizgrad.core.graph.edges import retaining, set_history, split_edge
from vizgrad.core.ops import copying, pointwise_binary, special
from vizgrad.core.ops import matrix_products as products
from vizgrad.core.ops.constants import place_of
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public import (
    arithmetic,
    conversion,
    dimensions,
    gather_scatter,
    indexing,
    matrix_products,
    slicing,
    statistics,
)
from vizgrad.core.ops.public import special as special_functions
from vizgrad.core.ops.public.arguments import check_kind, takes_tensors
from vizgrad.core.tensor.duals import active, set_tangent, tangent_of
from vizgrad.core.tensor.modes import MODES, about_to_write
from vizgrad.core.tensor.requirements import DtypeKind, RankAtLeast, not_a_tensor
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor, new_tensor, storage_of


def _copied(
    function: Callable[..., Tensor], name: str, placing: bool = False
) -> Callable[..., Tensor]:
    """The method that copies the result of `function` into its first operand.

    `placing`: it writes at places that an operand names.
    """

    def copied(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if placing:
            check_placing(self, *args, *kwargs.values())
        refuse_recorded_windows(self)
        # of a copy: what `function` saves of its operand must outlive the write
        result = function(self.clone(), *args, **kwargs)
        if result.dtype.category > self.dtype.category:
            raise RuntimeError(
                f"result type {result.dtype.name} can't be cast to the desired output type "
                f"{self.dtype.name} of the in-place operation {name}"
            )
        return conversion.copy_(self, result)

    copied.__name__ = copied.__qualname__ = name
    copied.__doc__ = f"`{name[:-1]}`, in place."
    return method(takes_tensors(copied))


@method
@takes_tensors
def addmm_(
    self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """self = beta * self + alpha * (mat1 @ mat2)."""
    matrix_products.addmm(self.detach(), mat1.detach(), mat2.detach())  # checks
    beta, alpha = matrix_products.factors(mat1, beta, alpha)
    return write(products.addmm, self, mat1, mat2, name="addmm_", beta=beta, alpha=alpha)


@public(method=True)
@takes_tensors
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """input = beta * input + alpha * (mat @ vec)."""
    matrix_products.addmv(input.detach(), mat.detach(), vec.detach())  # checks
    beta, alpha = matrix_products.factors(mat, beta, alpha)
    return write(products.addmv, input, mat, vec, name="addmv_", beta=beta, alpha=alpha)


@method
@takes_tensors
def baddbmm_(
    self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """self = beta * self + alpha * (batch1 @ batch2)."""
    check_history(self, self.requires_grad and MODES.grad)
    matrix_products.baddbmm(self.detach(), batch1.detach(), batch2.detach())  # checks
    beta, alpha = matrix_products.factors(batch1, beta, alpha)
    return write(products.baddbmm, self, batch1, batch2, name="baddbmm_", beta=beta, alpha=alpha)


@method
@takes_tensors
def addbmm_(
    self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """self = beta * self + alpha * (the sum of the products of batch1 and batch2)."""
    beta, alpha = matrix_products.factors_of_stacks(self, batch1, batch2, beta, alpha)
    return write(products.addbmm, self, batch1, batch2, name="addbmm_", beta=beta, alpha=alpha)


@method
@takes_tensors
def addr_(self: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """self = beta * self + alpha * (all products of the elements of vec1 and vec2)."""
    beta, alpha = matrix_products.factors_of_vectors(self, vec1, vec2, beta, alpha)
    return write(products.addr, self, vec1, vec2, name="addr_", beta=beta, alpha=alpha)


@public(method=True)
@takes_tensors
def logit_(input: Tensor, eps: float | None = None) -> Tensor:
    """`logit`, in place."""
    return write(special.logit, input, name="logit_", eps=eps)


@method
@takes_tensors
def polygamma_(self: Tensor, n: Annotated[int, arithmetic.POLYGAMMA_ORDER]) -> Tensor:
    """`polygamma`, in place."""
    op = special.digamma if n == 0 else special.polygamma
    return write(op, self, name="polygamma_", **({} if n == 0 else {"n": n}))


@method
def float_power_(self: Tensor, exponent: Any) -> Tensor:
    """`float_power`, in place; the tensor must be float64 (or complex128)."""
    wanted = "complex128" if self.is_complex() else "float64"
    if self.dtype.name != wanted:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self.dtype.name} but the operation's result "
            f"requires dtype {wanted}"
        )
    if isinstance(exponent, Tensor):
        return write(pointwise_binary.pow, self, exponent, name="float_power_")
    return write(pointwise_binary.pow_number, self, name="float_power_", exponent=exponent)


@method
@takes_tensors
def fill_diagonal_(
    self: Annotated[Tensor, RankAtLeast(2, "dimensions must larger than 1")],
    fill_value: float,
    wrap: bool = False,
) -> Tensor:
    """Writes a number on the main diagonal; with `wrap` it begins anew below a tall matrix's last row."""
    shape = self._array.shape
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError(f"all dimensions of input must be of equal length, got {list(shape)}")
    if self.__class__ is Wrapped:  # it does not know where it lies
        mask = shaped(xp.zeros_like, place_of(self), shape=shape, dtype=xp.bool_, order="C")
        return self.masked_fill_(fill_diagonal_(new_tensor(mask), True, wrap), fill_value)
    step, start, count = sum(self.stride()), self.storage_offset(), min(shape)
    self.as_strided((count,), (step,), start).fill_(fill_value)
    if len(shape) == 2 and wrap and shape[0] > shape[1] + 1:
        again = shape[1] + 1  # the row from which it begins anew
        rest = -(-(shape[0] - again) * shape[1] // again)
        self.as_strided((rest,), (step,), start + again * self.stride(0)).fill_(fill_value)
    return self


@method
def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Writes `callable(element)` over each element. Slow, and without history."""
    _refuse_gradient(self, "apply_")
    values = self._array.copy()
    for at in xp.ndindex(values.shape):
        values[at] = callable(values[at].item())
    return write(copying.overwrite, self, name="apply_", values=values)


@method
def map_(
    self: Tensor,
    tensor: Any = None,
    callable: Callable[[Any, Any], Any] | None = None,
    *,
    other: Any = None,
) -> Tensor:
    """Writes `callable(element, element of tensor)` over each element. Slow, and without history."""
    tensor = tensor if other is None else other
    if callable is None:
        raise TypeError('map_() missing 1 required positional argument: "callable"')
    if not isinstance(tensor, Tensor):
        raise not_a_tensor("map_", "other", 1, tensor)
    _refuse_gradient(self, "map_")
    _refuse_gradient(tensor, "map_")
    if tensor.dtype is not self.dtype:
        raise TypeError(
            f"map_: expected a tensor of type {self.dtype.name} for 'other' (got {tensor.dtype.name})"
        )
    values, others = self._array.copy(), tensor.expand(self._array.shape)._array
    for at in xp.ndindex(values.shape):
        values[at] = callable(values[at].item(), others[at].item())
    return write(copying.overwrite, self, name="map_", values=values)


def _refuse_gradient(self: Tensor, name: str) -> None:
    if self.requires_grad:
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."
        )


@public(method=True)
@takes_tensors
def ldexp_(
    input: Annotated[
        Tensor,
        DtypeKind(
            "fcV",
            "result type float can't be cast to the desired output type {dtype} of ldexp_",
            RuntimeError,
        ),
    ],
    other: Tensor,
) -> Tensor:
    """`ldexp`, in place; RuntimeError for integers."""
    if other._array.dtype.kind == "b":
        check_kind("ldexp", other)
    return write(pointwise_binary.ldexp, input, other, name="ldexp_")


mvlgamma_ = _copied(special_functions.mvlgamma, "mvlgamma_")
renorm_ = _copied(statistics.renorm, "renorm_")
put_ = _copied(indexing.put, "put_", placing=True)
index_reduce_ = _copied(gather_scatter.index_reduce, "index_reduce_", placing=True)


# Changing a tensor's shape in place: the same memory, seen otherwise (`t_`, `squeeze_`, ...).


def _in_place(view: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    """The method that makes a tensor what `view` of it is. The version counter rises, as for a write."""

    def seen_otherwise(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if self.__class__ is Wrapped:
            vars(self)["value"] = view(self, *args, **kwargs).value
            return self
        about_to_write(self)
        check_history(self, MODES.grad and self.requires_grad)
        made = view(self, *args, **kwargs)
        if made is self:  # nothing to do (squeeze)
            return self
        edge = made._edge if made.requires_grad else None
        self._array = made._array
        storage = storage_of(self)
        storage.wrote(name, caller())
        if edge is not None:
            with retaining(self):
                set_history(self, *split_edge(edge))
            if self._view is not None:
                self._view.clock = storage.last_write
        for level in active():
            tangent = tangent_of(made, level)
            if tangent is not None:
                set_tangent(self, level, tangent)
        return self

    seen_otherwise.__name__ = seen_otherwise.__qualname__ = name
    seen_otherwise.__doc__ = f"`{name[:-1]}`, in place: the tensor itself is seen otherwise."
    return method(takes_tensors(seen_otherwise))


t_ = _in_place(dimensions.t, "t_")
transpose_ = _in_place(dimensions.transpose, "transpose_")
swapaxes_ = _in_place(dimensions.swapaxes, "swapaxes_")
swapdims_ = _in_place(dimensions.transpose, "swapdims_")
squeeze_ = _in_place(dimensions.squeeze, "squeeze_")
unsqueeze_ = _in_place(dimensions.unsqueeze, "unsqueeze_")
as_strided_ = public(_in_place(slicing.as_strided, "as_strided_"))
