"""In-place methods that need more than their primitive: arguments to check, or several operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.arrays import xp
from vizgrad.function.inplace import write
from vizgrad.function.primitive import Primitive
from vizgrad.ops import copying, powers, special
from vizgrad.ops import matrix_products as products
from vizgrad.ops.public import (
    arithmetic,
    conversion,
    covariance,
    gather_scatter,
    matrix_products,
    put,
)
from vizgrad.ops.public import special as special_functions
from vizgrad.ops.public.keywords import takes_tensors
from vizgrad.tensor.tensor import Tensor


def constant(op: Primitive, name: str) -> Callable[..., Tensor]:
    """The method that writes what `op` gives, of which no derivative exists: history ends with it."""

    def alone(input: Tensor) -> Tensor:
        return over(input, op.record(input.detach())._array)

    def with_other(input: Tensor, other: Any) -> Tensor:
        return over(input, op.record(input.detach(), other)._array)

    def over(input: Tensor, values: Any) -> Tensor:
        if values.shape != input._array.shape:
            raise RuntimeError(
                f"output with shape {list(input._array.shape)} doesn't match the broadcast shape "
                f"{list(values.shape)}"
            )
        values = values.astype(input._array.dtype, copy=False)
        return write(copying.overwrite, input, name=name, values=values)

    method: Any = alone if len(op.inputs) == 1 else with_other
    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"In-place version of `{op.name}`: {op.__doc__}"
    return takes_tensors(method)


def _copied(function: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    """The method that copies the result of `function` into its first operand."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        # of a copy: what `function` saves of its operand must outlive the write
        return conversion.copy_(self, function(self.clone(), *args, **kwargs))

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"`{name[:-1]}`, in place."
    return takes_tensors(method)


def addmm_(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """self = beta * self + alpha * (mat1 @ mat2)."""
    matrix_products.addmm(self.detach(), mat1.detach(), mat2.detach())  # checks
    return write(products.addmm, self, mat1, mat2, name="addmm_", beta=beta, alpha=alpha)


@takes_tensors
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """input = beta * input + alpha * (mat @ vec)."""
    matrix_products.addmv(input.detach(), mat.detach(), vec.detach())  # checks
    return write(products.addmv, input, mat, vec, name="addmv_", beta=beta, alpha=alpha)


def baddbmm_(
    self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """self = beta * self + alpha * (batch1 @ batch2)."""
    matrix_products.baddbmm(self.detach(), batch1.detach(), batch2.detach())  # checks
    return write(products.baddbmm, self, batch1, batch2, name="baddbmm_", beta=beta, alpha=alpha)


def logit_(input: Tensor, eps: float | None = None) -> Tensor:
    """`logit`, in place."""
    return write(special.logit, input, name="logit_", eps=eps)


def polygamma_(self: Tensor, n: int) -> Tensor:
    """`polygamma`, in place."""
    op = special.digamma if n == 0 else special.polygamma
    return write(op, self, name="polygamma_", **({} if n == 0 else {"n": n}))


def float_power_(self: Tensor, exponent: Any) -> Tensor:
    """`float_power`, in place; the tensor must be float64 (or complex128)."""
    wanted = "complex128" if self.is_complex() else "float64"
    if self.dtype.name != wanted:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self.dtype.name} but the operation's result "
            f"requires dtype {wanted}"
        )
    if isinstance(exponent, Tensor):
        return write(powers.pow, self, exponent, name="float_power_")
    return write(powers.pow_number, self, name="float_power_", exponent=exponent)


def fill_diagonal_(self: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """Writes a number on the main diagonal; with `wrap` it begins anew below a tall matrix's last row."""
    shape = self._array.shape
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError(f"all dimensions of input must be of equal length, got {list(shape)}")
    step = sum(self.stride())
    if len(shape) == 2 and wrap and shape[0] > shape[1]:
        rows = -(-shape[0] * shape[1] // (shape[1] + 1))
        count = min(rows, -(-(shape[0] * shape[1]) // (shape[1] + 1)))
        self.as_strided((count,), (shape[1] + 1,), self.storage_offset()).fill_(fill_value)
        return self
    self.as_strided((min(shape),), (step,), self.storage_offset()).fill_(fill_value)
    return self


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Writes `callable(element)` over each element. Slow, and without history."""
    _refuse_gradient(self, "apply_")
    values = self._array.copy()
    for at in xp.ndindex(values.shape):
        values[at] = callable(values[at].item())
    return write(copying.overwrite, self, name="apply_", values=values)


def map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Writes `callable(element, element of tensor)` over each element. Slow, and without history."""
    _refuse_gradient(self, "map_")
    values, others = self._array.copy(), xp.broadcast_to(tensor._array, self._array.shape)
    for at in xp.ndindex(values.shape):
        values[at] = callable(values[at].item(), others[at].item())
    return write(copying.overwrite, self, name="map_", values=values)


def _refuse_gradient(self: Tensor, name: str) -> None:
    if self.requires_grad:
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."
        )


addr_ = _copied(matrix_products.addr, "addr_")
addbmm_ = _copied(matrix_products.addbmm, "addbmm_")
ldexp_ = _copied(arithmetic.ldexp, "ldexp_")
mvlgamma_ = _copied(special_functions.multigammaln, "mvlgamma_")
renorm_ = _copied(covariance.renorm, "renorm_")
put_ = _copied(put.put, "put_")
index_reduce_ = _copied(gather_scatter.index_reduce, "index_reduce_")
