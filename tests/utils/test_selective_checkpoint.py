"""Selective checkpoints: what is computed again, and what is not."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.core.arrays import xp
from vizgrad.core.function import kernel_dispatch
from vizgrad.core.function.primitive import REGISTRY, primitive
from vizgrad.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
)

_RUNS: list[str] = []


@pytest.fixture(autouse=True)
def _everything_is_put_back():
    _RUNS.clear()
    yield
    assert kernel_dispatch._users == 0
    for op in REGISTRY.values():
        assert op.record.__globals__["kernel"] in (op.forward, op.kernel)


@pytest.fixture
def dear():
    @primitive(pointwise=True)
    class dear_sine:
        def forward(self):
            _RUNS.append("run")
            return xp.sin(self)

        def grad_self(grad, self):
            return grad * vg.cos(self) if isinstance(self, vg.Tensor) else grad * xp.cos(self)

    yield dear_sine
    del REGISTRY["dear_sine"]


def run(dear: Any, policy: Any) -> tuple[int, Any]:
    """(how often the kernel ran, the gradient)."""
    x = vg.tensor([0.5, 1.0], dtype=vg.float64, requires_grad=True)
    y = checkpoint(
        lambda t: dear(t).exp().sum(), x, use_reentrant=False,
        context_fn=partial(create_selective_checkpoint_contexts, policy),
    )  # fmt: skip
    y.backward()
    return len(_RUNS), x.grad.tolist()


@pytest.mark.rule("H-9")
@pytest.mark.parametrize("policy", list(CheckpointPolicy))
def test_what_is_kept_is_not_computed_again(dear: Any, policy: CheckpointPolicy) -> None:
    runs, gradient = run(dear, lambda ctx, op, *args, **kwargs: policy)
    assert runs == (2 if "RECOMPUTE" in policy.name else 1)
    x = vg.tensor([0.5, 1.0], dtype=vg.float64, requires_grad=True)
    assert gradient == vg.autograd.grad(x.sin().exp().sum(), x)[0].tolist()


@pytest.mark.rule("H-9")
def test_a_list_names_what_is_kept(dear: Any) -> None:
    assert run(dear, [dear])[0] == 1
    _RUNS.clear()
    assert run(dear, [vg.ops.aten.exp.default])[0] == 2


@pytest.mark.rule("H-9")
def test_a_second_backward_computes_again(dear: Any) -> None:
    x = vg.tensor([0.5, 1.0], dtype=vg.float64, requires_grad=True)
    y = checkpoint(
        lambda t: dear(t).exp().sum(), x, use_reentrant=False,
        context_fn=partial(create_selective_checkpoint_contexts, [dear]),
    )  # fmt: skip
    y.backward(retain_graph=True)
    assert len(_RUNS) == 1
    y.backward()
    assert len(_RUNS) == 2


@pytest.mark.rule("H-9")
def test_the_policy_itself_may_compute(dear: Any) -> None:
    seen: list[float] = []

    def policy(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> bool:
        seen.append(float((ctx.op_output * 2).sum()))
        return op is dear

    assert run(dear, policy)[0] == 1
    assert len(seen) == 3


def test_other_threads_are_not_asked(dear: Any) -> None:
    asked: list[Any] = []
    before, _ = create_selective_checkpoint_contexts(lambda *a, **k: asked.append(a))
    with before:
        other = threading.Thread(target=lambda: dear(vg.ones(2)))
        other.start()
        other.join()
        assert (len(_RUNS), asked) == (1, [])
        dear(vg.ones(2))
        assert len(asked) == 1


def test_an_error_in_the_block_puts_everything_back(dear: Any) -> None:
    def fail(*args: Any, **kwargs: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError):
        run(dear, fail)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("mm.default", "mm"), ("_softmax.default", "softmax"), ("sum.dim_IntList", "sum_dims"),
        ("add.Tensor", "add"), ("convolution.default", "convolution"),
        ("native_layer_norm.default", "layer_norm"), ("pow.Tensor_Scalar", "pow_number"),
    ],
)  # fmt: skip
def test_operations_have_pytorchs_names(name: str, found: str) -> None:
    packet, _, overload = name.partition(".")
    assert getattr(getattr(vg.ops.aten, packet), overload) is REGISTRY[found]


def test_every_name_of_the_table_is_an_operation() -> None:
    import vizgrad.nn  # noqa: F401  declares the others
    from vizgrad.core.ops.aten import _CALLED

    assert [name for name in _CALLED.values() if name not in REGISTRY] == []


def test_names_that_there_are_not() -> None:
    with pytest.raises(AttributeError, match="no operation aten"):
        _ = vg.ops.aten.nothing
    assert not hasattr(vg.ops.aten.sum, "unknown")
