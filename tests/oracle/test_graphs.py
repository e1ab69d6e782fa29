"""A program that differs is reported with the node at which its gradients begin to."""

from __future__ import annotations

from typing import Any

from tests.oracle.graphs import parted
from tests.oracle.registry import Program


def test_the_node_at_which_gradients_begin_to_differ_is_named(oracle: Any, vizgrad: Any) -> None:
    def run(torch: Any, see: Any) -> None:
        x = torch.tensor([0.5, 1.0], requires_grad=True)
        loss = (x.tanh() * (1 if torch.__name__ == "torch" else 1.01)).exp().sum()
        loss.backward()
        see("gradient", x.grad)

    told = parted(Program("graphs", "wrong", (), "", run), oracle, vizgrad)
    assert told.startswith("backward 1, PyTorch here and vizgrad there: first difference at")
    assert "`other`, saved by MulBackward0" not in told  # forward passes are not compared here
    assert "made by SumBackward0" in told or "made by ExpBackward0" in told


def test_backwards_that_agree_say_nothing(oracle: Any, vizgrad: Any) -> None:
    def run(torch: Any, see: Any) -> None:
        x = torch.tensor([0.5, 1.0], requires_grad=True)
        (grad,) = torch.autograd.grad(x.tanh().sum(), x, create_graph=True)
        torch.autograd.backward([grad, x * 2], [torch.ones(2), torch.ones(2)])
        (x * x).backward(gradient=torch.tensor([1.0, 2.0]))

    assert parted(Program("graphs", "right", (), "", run), oracle, vizgrad) == ""
    x = oracle.tensor([1.0], requires_grad=True)
    (x * 2).backward()  # what was put in the way is gone
    assert "told" not in oracle.Tensor.backward.__qualname__
