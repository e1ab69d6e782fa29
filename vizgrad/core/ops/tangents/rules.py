"""Which rule each operation has, where its declaration does not say it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.core.function.declared import Declared
from vizgrad.core.ops.tangents.structure import (
    Call,
    chosen,
    constant,
    linear,
    loss,
    pointwise,
    product,
    reduction,
    total,
    transposed,
)
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor

Rule = Callable[[Call], Tensor | None]

#: Operation -> rule, for those whose declaration does not say it.
RULES: dict[str, Rule] = {}


def _declare(rule: Rule, names: str) -> None:
    RULES.update(dict.fromkeys(names.split(), rule))


def tangent(*names: str) -> Callable[[type], type]:
    """The rule of the operations `names`, as a class of one function per input, each linear in its `t`:

        @tangent("softmax")
        class _:
            def self(t, result, dim):
                return softmax_backward(t, result, dim=dim)

    The tangent of the result is their sum.
    """

    def declare(cls: type) -> type:
        parts = {n: f for n, f in vars(cls).items() if callable(f) and not n.startswith("__")}

        def rule(call: Call) -> Tensor | None:
            return total(
                [call.applied(parts[name], t) for name, t in call.tangents.items() if name in parts]
            )

        rule.inputs = tuple(parts)  # pyright: ignore[reportFunctionMemberAccess]  for checks
        RULES.update(dict.fromkeys(names, rule))
        return cls

    return declare


def rule_of(op: Declared) -> Rule:
    """How `op` carries tangents on."""
    found = RULES.get(op.name)
    if found is not None:
        return found
    if "pointwise" in op.structure and (op.holomorphic or "linear" not in op.structure):
        return pointwise
    return linear if "linear" in op.structure else transposed


def without_number(**numbers: Any) -> Rule:
    """Linear but for a number that is written somewhere: whose tangent is zero."""

    def rule(call: Call) -> Tensor | None:
        names = call.op.differentiable
        return call.again({n: call.tangent_or_zeros(n) for n in names}, **numbers)

    rule.__name__ = "linear"
    return rule


def refused(call: Call) -> Tensor | None:
    """For what has no derivative in either direction."""
    raise wrong_call(
        NotImplementedError(
            f"Trying to use forward AD with aten::{call.op.name.removesuffix('_number')} that does not "
            "support it"
        ),
        "detach the operand, or use div(a, b, rounding_mode='floor'), whose derivative is 0",
    )


_declare(refused, "floor_divide floor_divide_number")
_declare(constant, "fill_number zero overwrite overwrite_compared")
_declare(constant, "bernoulli poisson normal normal_of_means normal_of_deviations identity_like")
_declare(without_number(value=0), "scatter_number index_fill constant_pad_nd")
_declare(linear, "masked_fill_tensor join embedding")
_declare(linear, "nll_loss nll_loss2d weighted_nll_loss weighted_nll_loss2d")
_declare(
    loss,
    "mse_loss smooth_l1_loss huber_loss soft_margin_loss binary_cross_entropy "
    "weighted_binary_cross_entropy binary_cross_entropy_with_logits "
    "weighted_binary_cross_entropy_with_logits",
)
_declare(product("self", "mat2"), "mm bmm mm_t matmul")
_declare(product("self", "vec"), "mv")
_declare(product("self", "tensor"), "dot")
_declare(product("self", "other"), "cross")
_declare(product("self", "weight"), "bmm_t")
_declare(product("mat1", "mat2"), "addmm addmm_t")
_declare(product("mat", "vec"), "addmv")
_declare(product("batch1", "batch2"), "baddbmm addbmm")
_declare(product("vec1", "vec2"), "addr")
_declare(product("input", "weight"), "convolution convolution_transpose")
_declare(product("input", "grad_output"), "convolution_weight")
_declare(
    reduction,
    "prod_all prod_dim logsumexp max_all min_all amax amin median_all nanmedian_all nansum_dims "
    "var std vector_norm dist",
)
_declare(chosen, "max_dim min_dim sort topk kthvalue median_dim nanmedian_dim mode cummax cummin")
