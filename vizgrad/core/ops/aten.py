"""`vizgrad.ops.aten.mm.default`: operations under the names that PyTorch's programs call them by.

The value of a name is the operation itself (`vizgrad.core.function.primitive.Primitive`), for code
that compares operations: the policy of a selective checkpoint.
"""

from __future__ import annotations

from importlib import import_module

from vizgrad.core.function.primitive import REGISTRY, Primitive

#: PyTorch's name, with its overload where several are operations of their own here -> the name here.
_CALLED = {
    "_log_softmax": "log_softmax", "_softmax": "softmax", "_to_copy": "to_copy",
    "_unsafe_view": "unsafe_view", "native_layer_norm": "layer_norm",
    "native_batch_norm": "batch_norm", "native_group_norm": "group_norm",
    "linalg_vector_norm": "vector_norm", "slice": "slice_dim", "cat": "join",
    "sum.default": "sum_all", "sum.dim_IntList": "sum_dims", "mean.default": "mean_all",
    "mean.dim": "mean_dims", "prod.default": "prod_all", "prod.dim_int": "prod_dim",
    "max.default": "max_all", "max.dim": "max_dim", "min.default": "min_all", "min.dim": "min_dim",
    "pow.Tensor_Scalar": "pow_number", "pow.Scalar": "number_pow", "pow.Tensor_Tensor": "pow",
}  # fmt: skip


#: Operations of one node where PyTorch has two.
_JOINED = {"addmm_t": "addmm", "nll_loss": "nll_loss_forward"}


def names_there() -> dict[str, str]:
    """PyTorch's name of each operation that has another one here, as its profiler tells it."""
    return {here: there.partition(".")[0] for there, here in _CALLED.items()} | _JOINED


class Packet:
    """The operations of one name: `aten.sum` has `default` and `dim_IntList`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, overload: str) -> Primitive:
        found = REGISTRY.get(
            _CALLED.get(f"{self._name}.{overload}") or _CALLED.get(self._name, self._name)
        )
        if found is None or overload.startswith("__"):
            raise AttributeError(
                f"aten.{self._name} has no operation {overload!r}: vizgrad computes it of others"
            )
        return found

    def __repr__(self) -> str:
        return f"<aten.{self._name}>"


def __getattr__(name: str) -> Packet:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    known = {key.partition(".")[0] for key in _CALLED}
    if name not in known and name not in REGISTRY:
        import_module("vizgrad.nn")  # convolutions, norms, pooling
        if name not in REGISTRY:
            raise AttributeError(
                f"vizgrad has no operation aten.{name}: those that there are, "
                "`sorted(vizgrad.core.function.primitive.REGISTRY)`"
            )
    return Packet(name)
