"""Are the gradients of a function those that differences of its values give (spec G-1 ... G-7)?"""

from __future__ import annotations

import functools
from typing import Any

from vizgrad.autograd import jacobians
from vizgrad.autograd.grad_mode import enable_grad
from vizgrad.autograd.gradcheck_backward import Check, Func, near, random
from vizgrad.autograd.gradcheck_backward import GradcheckError as GradcheckError
from vizgrad.autograd.jacobians import as_tuple, is_differentiable
from vizgrad.autograd.running import grad
from vizgrad.core.arrays.backend import on_device_of
from vizgrad.core.arrays.random import Generator
from vizgrad.core.tensor.tensor import Tensor, new_tensor


def gradcheck(
    func: Func,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compares backward with central differences, for every floating input that requires grad.

    `inputs` are what `func` takes, tensors or not. True, or GradcheckError (False with
    `raise_exception=False`) where |a - n| > atol + rtol |n|; where two backwards differ by more than
    `nondet_tol`; or where gradients of zero, or undefined ones, do not give zero. `fast_mode` compares one
    random projection instead of every element. Errors of `func` pass through. ValueError if no input
    requires grad or an output is sparse, RuntimeError for inputs that overlap themselves. Long checks show a
    progress bar.

    `error.report` of a mismatch (`gradcheck_report.Mismatch`, printed with the error) has both Jacobians as
    heat maps, the worst element, and how its differences move with `eps`.

    With `check_forward_ad` tangents are compared with the same differences, `check_batched_forward_grad`
    also a batch of them with each; `check_backward_ad=False` looks at these alone.

    A kink proves nothing: differences take the mean of both sides there. `masked` is about sparse
    tensors, and changes nothing.
    """
    # G-6
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError(
            "Expected at least one of check_forward_ad or check_backward_ad to be True"
        )
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError(
            "Setting check_batched_forward_grad=True requires check_forward_ad to be True"
        )
    if check_batched_grad and not check_backward_ad:
        raise AssertionError(
            "Setting check_batched_grad=True requires check_backward_ad to be True"
        )
    inputs = as_tuple(inputs)
    check = Check(func, inputs, eps, atol, rtol, nondet_tol, explain=raise_exception)
    try:
        with on_device_of(*check.wanted.values()):
            check.values(fast_mode, check_backward_ad, check_forward_ad)
            if check.outputs and check_backward_ad:
                _more_of_backward(
                    check, check_grad_dtypes, check_undefined_grad, check_batched_grad
                )
            if check.outputs and check_forward_ad:
                _more_of_forward(check, check_undefined_grad, check_batched_forward_grad)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _more_of_backward(check: Check, types: bool, undefined: bool, batched: bool) -> None:
    check.zeros()
    if types:
        check.types()
    if undefined:
        check.undefined()
    if batched:
        check.batches()


def _more_of_forward(check: Check, undefined: bool, batched: bool) -> None:
    from vizgrad.autograd import gradcheck_forward

    if undefined:
        gradcheck_forward.zeros(check)
    if batched:
        gradcheck_forward.batches(check)


def gradgradcheck(
    func: Func,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """`gradcheck` of the gradients of `func`: second derivatives, in the inputs and the `grad_outputs`.

    Those are random from -1 to 1 unless given. A backward that is not differentiable itself shows as a
    mismatch with zeros.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError(
            "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"
        )
    for name, on in (("undefined", check_undefined_grad), ("batched", check_batched_grad)):
        if on and not check_rev_over_rev:
            raise AssertionError(
                f"Setting check_{name}_grad=True requires check_rev_over_rev to be True"
            )
    inputs = as_tuple(inputs)
    count = len(inputs)
    if grad_outputs is None:
        source = Generator()
        given = tuple(
            _random_gradient(output, source, gen_non_contig_grad_outputs)
            for output in as_tuple(func(*inputs))
            if output.requires_grad
        )
    else:
        given = as_tuple(grad_outputs)

    @functools.wraps(func)
    def gradients(*arguments: Any) -> tuple[Tensor, ...]:
        with enable_grad():
            for argument, original in zip(arguments, (*inputs, *given), strict=True):
                if is_differentiable(original):  # in a dual level it arrives detached
                    argument.requires_grad_()
            outputs = [o for o in as_tuple(func(*arguments[:count])) if o.requires_grad]
            wanted = [a for a in arguments[:count] if is_differentiable(a)]
            found = grad(
                outputs, wanted, list(arguments[count:]), create_graph=True, allow_unused=True
            )
        return tuple(one for one in found if one is not None)

    return gradcheck(
        gradients, (*inputs, *given), eps=eps, atol=atol, rtol=rtol,
        raise_exception=raise_exception, nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad, check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev, fast_mode=fast_mode, masked=masked,
    )  # fmt: skip


def _random_gradient(output: Tensor, source: Generator, gaps: bool) -> Tensor:
    shape = tuple(output.shape)
    array = random((*shape, 2) if gaps else shape, output._array.dtype, source)
    return new_tensor(array[..., 0] if gaps else array).requires_grad_()


# --- PyTorch's older functions ------------------------------------------------------------------------


def get_numerical_jacobian(
    fn: Func, inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> tuple[Tensor, ...]:
    """By differences, of the first output of `fn(inputs)`, for each tensor of `target` that requires grad.

    `target` is all inputs unless given.
    """
    _only_one(grad_out, "get_numerical_jacobian")
    wanted = inputs if target is None else target

    @functools.wraps(fn)
    def apart(*given: Any) -> Any:
        return fn(given)

    found = []
    for input in as_tuple(wanted):
        if is_differentiable(input):
            parts = jacobians.numerical(apart, as_tuple(inputs), input, eps)
            found.append(_whole(parts[0]))
    return tuple(found)


def get_numerical_jacobian_wrt_specific_input(
    fn: Func,
    input_idx: int,
    inputs: Any,
    outputs: Any,
    eps: float,
    input: Tensor | None = None,
    is_forward_ad: bool = False,
) -> tuple[Tensor, ...]:
    """By differences, of each output of `fn(*inputs)` for one input."""
    inputs = as_tuple(inputs)
    chosen = inputs[input_idx] if input is None else input
    return tuple(_whole(parts) for parts in jacobians.numerical(fn, inputs, chosen, eps))


def get_analytical_jacobian(
    inputs: Any, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """By backward, for each input; whether twice gives the same, with the right sizes, and types."""
    _only_one(grad_out, "get_analytical_jacobian")
    wanted = [i for i in as_tuple(inputs) if is_differentiable(i)]
    first, second = (jacobians.analytical(output, wanted) for _ in range(2))
    same = all(
        near(a[p], b[p], nondet_tol, 0.0) for a, b in zip(first, second, strict=True) for p in a
    )
    typed = all(a[1].dtype == i._array.dtype for a, i in zip(first, wanted, strict=True))
    return tuple(_whole(parts) for parts in first), same, True, typed


def _whole(parts: dict[complex, Any]) -> Tensor:
    if len(parts) > 1:
        raise AssertionError("Expected ds_dx to be real-valued, not complex: ask of its parts")
    return new_tensor(parts[1])


def _only_one(grad_out: float, name: str) -> None:
    if grad_out != 1.0:
        raise ValueError(f"Expected grad_out to be 1.0. {name} no longer supports other values")
