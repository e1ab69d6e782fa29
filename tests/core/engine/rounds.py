"""One round of each mechanism, to be run thousands of times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import vizgrad as torch
from vizgrad.autograd import Function
from vizgrad.autograd.function import InplaceFunction, NestedIOFunction, once_differentiable
from vizgrad.autograd.graph import (
    allow_mutation_on_saved_tensors,
    register_multi_grad_hook,
    save_on_cpu,
    saved_tensors_hooks,
)
from vizgrad.debugger.engines.vizgrad.recorder import recording


def leaf(*shape: int) -> torch.Tensor:
    return torch.ones(*(shape or (3,)), requires_grad=True)


EXAMPLES: dict[str, Callable[[], Callable[[], object]]] = {}


def example(make: Callable[[], Callable[[], object]]) -> Callable[[], Callable[[], object]]:
    """`make()` sets up; what it returns is one round."""
    EXAMPLES[make.__name__] = make
    return make


@example
def a_training_step() -> Callable[[], object]:
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    step = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    x, target = torch.ones(2, 3), torch.zeros(2, 1)

    def one() -> None:
        step.zero_grad()
        torch.nn.functional.mse_loss(net(x), target).backward()
        step.step()

    return one


@example
def a_graph_that_is_never_run() -> Callable[[], object]:
    x = leaf()
    return lambda: (x * 2).exp().sum().detach_()


@example
def writes_in_place() -> Callable[[], object]:
    x = leaf()

    def one() -> None:
        y = x * 1
        y.mul_(2).add_(x)
        y.sum().backward()
        x.grad = None

    return one


@example
def writes_through_views() -> Callable[[], object]:
    x = leaf(4)

    def one() -> None:
        y = x * 1
        part, sibling = y[:2], y[1:]
        part.mul_(x[2:])
        y[3] = part.sum()
        (sibling * y[1:]).sum().backward()
        x.grad = None

    return one


@example
def hooks_on_tensors() -> Callable[[], object]:
    def one() -> None:
        x = leaf()
        y = x * 2
        y.retain_grad()
        x.register_hook(lambda grad: grad * 2)
        y.register_hook(lambda grad: None)
        handle = y.register_hook(lambda grad: grad)
        x.register_post_accumulate_grad_hook(lambda x: None)
        y.sum().backward()
        handle.remove()

    return one


@example
def hooks_on_nodes() -> Callable[[], object]:
    x = leaf()

    def one() -> None:
        y = x * 2
        y.grad_fn.register_prehook(lambda outputs: None)
        y.grad_fn.register_hook(lambda inputs, outputs: inputs)
        y.grad_fn.metadata["note"] = 1
        torch.autograd.grad(y.sum(), x)

    return one


@example
def hooks_on_several_tensors() -> Callable[[], object]:
    def one() -> None:
        x = leaf()
        y, z = x * 2, x * 3
        register_multi_grad_hook([y, z], lambda grads: None)
        register_multi_grad_hook([y, z], lambda grad: None, mode="any")
        (y + z).sum().backward()

    return one


class Square(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x * x
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, _ = ctx.saved_tensors
        return 2 * x * grad


class Once(Square):
    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Any) -> Any:
        x, _ = ctx.saved_tensors
        return 2 * x * grad


@example
def a_custom_function() -> Callable[[], object]:
    x = leaf()

    def one() -> None:
        y = Square.apply(x)
        y.grad_fn.register_hook(lambda inputs, outputs: None)
        y.sum().backward()
        x.grad = None
        Square.apply(x)  # never run

    return one


@example
def a_custom_function_differentiated_twice() -> Callable[[], object]:
    x = leaf()

    def one() -> None:
        (g,) = torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
        torch.autograd.grad(g.sum(), x)
        (g,) = torch.autograd.grad((Once.apply(x) * x).sum(), x, create_graph=True)

    return one


@example
def a_function_of_structures() -> Callable[[], object]:
    class Scale(NestedIOFunction):
        def forward_extended(self, parts: Any, factor: Any) -> Any:
            self.save_for_backward(parts, factor)
            return {name: part * factor for name, part in parts.items()}

        def backward_extended(self, grads: Any) -> Any:
            parts, factor = self.saved_tensors
            return {n: g * factor for n, g in grads.items()}, sum(
                (grads[n] * parts[n]).sum() for n in grads
            )

    x, factor = leaf(), torch.tensor(2.0, requires_grad=True)

    def one() -> None:
        out = Scale()({"a": x, "b": x * 2}, factor)
        (out["a"] + out["b"]).sum().backward()
        x.grad = factor.grad = None

    return one


@example
def a_function_in_place() -> Callable[[], object]:
    class Double(InplaceFunction):
        def forward(self, x: Any) -> Any:
            return x.mul_(2) if self.inplace else x * 2

        def backward(self, grad: Any) -> Any:
            return grad * 2

    x = leaf()

    def one() -> None:
        y = x * 1
        Double(inplace=True)(y[:2])
        Double.apply(y).sum().backward()
        x.grad = None

    return one


@example
def a_second_derivative() -> Callable[[], object]:
    x = leaf()

    def one() -> None:
        (g,) = torch.autograd.grad((x.tanh() * x).sum(), x, create_graph=True)
        (g * g).sum().backward()
        x.grad = None

    return one


@example
def a_batch_of_gradients() -> Callable[[], object]:
    x, eye = leaf(), torch.eye(3)
    return lambda: torch.autograd.grad(x * x, x, eye, is_grads_batched=True)


@example
def hooks_on_saved_tensors() -> Callable[[], object]:
    x = leaf()

    def one() -> None:
        with saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
            y = (x * x).exp()
        with save_on_cpu():
            z = Square.apply(y)
        y.grad_fn._raw_saved_result  # noqa: B018  it is read, no more
        z.sum().backward()
        x.grad = None

    return one


@example
def writes_to_saved_tensors() -> Callable[[], object]:
    x = leaf()

    def one() -> None:
        with allow_mutation_on_saved_tensors():
            y = x * 1
            z = y * y
            y.zero_()
            z.sum().backward()
        x.grad = None

    return one


@example
def a_backward_within_a_backward() -> Callable[[], object]:
    x = leaf()

    def inner(grad: torch.Tensor) -> torch.Tensor:
        with torch.enable_grad():
            z = leaf()
            (z * z).sum().backward()
            assert z.grad is not None
            return grad * z.grad

    def one() -> None:
        y = x * 2
        y.register_hook(inner)
        y.sum().backward()
        x.grad = None

    return one


@example
def an_error_in_the_middle() -> Callable[[], object]:
    x = leaf()

    def fail(grad: torch.Tensor) -> None:
        raise KeyError

    def one() -> None:
        y = (x * 2).exp()
        y.register_hook(fail)
        try:
            (y * y).sum().backward()
        except KeyError:
            return
        raise AssertionError

    return one


@example
def an_explained_error() -> Callable[[], object]:
    x = leaf()

    def one() -> None:
        y = x.exp()
        y.add_(1)
        try:
            y.sum().backward()
        except RuntimeError:
            pass
        else:
            raise AssertionError
        z = x.exp().sum()
        z.backward()
        try:
            z.backward()
        except RuntimeError:
            return
        raise AssertionError

    return one


@example
def a_recording() -> Callable[[], object]:
    x = leaf()

    def one() -> None:
        with recording("one"):
            (x * 2).exp().sum().backward()
        x.grad = None

    return one


@example
def modes_and_edges() -> Callable[[], object]:
    x = leaf()

    def one() -> None:
        with torch.inference_mode():
            torch.ones(3) * x.detach()
        with torch.no_grad(), torch.enable_grad():
            y = x * 2
        edge = torch.autograd.graph.get_gradient_edge(y)
        del y
        torch.autograd.grad(edge, x, torch.ones(3))

    return one
