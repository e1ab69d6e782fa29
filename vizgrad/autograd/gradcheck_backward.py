"""One function at one place: the ways in which `gradcheck` looks at its gradients."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from vizgrad.autograd import jacobians
from vizgrad.autograd.function import Function
from vizgrad.autograd.grad_mode import enable_grad
from vizgrad.autograd.gradcheck_error import GradcheckError as GradcheckError
from vizgrad.autograd.gradcheck_error import near as near
from vizgrad.autograd.gradcheck_error import random as random
from vizgrad.autograd.jacobians import as_tuple, is_differentiable, parts_of
from vizgrad.autograd.running import grad
from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import to_host
from vizgrad.core.arrays.random import Generator
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.progress import Progress
from vizgrad.core.tensor.tensor import Tensor, new_tensor

if TYPE_CHECKING:
    from vizgrad.autograd.gradcheck_report import Step

Func = Callable[..., Any]


class _Undefined(Function):
    """Passes its input on; no gradient comes back, not even zeros."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> None:
        return None


class Check:
    """One function at one place, and the ways to look at its gradients."""

    def __init__(
        self,
        func: Func,
        inputs: tuple[Any, ...],
        eps: float,
        atol: float,
        rtol: float,
        nondet: float,
        explain: bool = True,
    ) -> None:
        self.func = func
        self.inputs = inputs
        self.eps, self.atol, self.rtol, self.nondet = eps, atol, rtol, nondet
        #: Is there a reader for more than the fact of an error?
        self.explain = explain
        #: Number among the inputs -> input, of those that are differentiated.
        self.wanted = {n: i for n, i in enumerate(inputs) if is_differentiable(i)}
        _check_inputs(self.wanted)
        results = as_tuple(func(*inputs))
        if any(isinstance(o, Tensor) and is_sparse(o._array) for o in results):
            raise ValueError(
                "Sparse output is not supported at gradcheck yet. Let the function return it dense, "
                "`.to_dense()`, or its values"
            )
        #: Number among the outputs -> output, of those that require grad.
        self.places = {n: o for n, o in enumerate(results) if o.requires_grad}
        #: The form that all evaluations must have.
        self.like = [o._array for o in results]
        self.outputs = list(self.places.values())

    def _run(self) -> list[Tensor]:
        """The outputs that require grad, computed anew."""
        return [o for o in as_tuple(self.func(*self.inputs)) if o.requires_grad]

    def _numerical(self, each: Callable[[], None]) -> dict[int, list[Any]]:
        return {
            n: jacobians.numerical(self.func, self.inputs, i, self.eps, each, self.like)
            for n, i in self.wanted.items()
        }

    def values(self, fast: bool, backward: bool = True, forward: bool = False) -> None:
        """Backward, forward mode, or both, against differences."""
        if not self.outputs:
            return self._nothing()
        if fast and self._fast(backward, forward):
            return None
        calls = sum(i.numel() for i in self.wanted.values()) * (1 + forward)
        calls += sum(2 * o.numel() * len(parts_of(o)) for o in self.outputs) * backward
        with Progress(calls, "gradcheck") as progress:
            numerical = self._numerical(progress.step)
            if backward:
                self._backward(numerical, progress.step)
            if forward:
                self._forward(numerical, progress.step)
        if fast:
            raise GradcheckError(
                "a random projection of the gradients does not agree with that of the differences, though "
                "each element does within the tolerance: rtol and atol may be too wide for fast_mode=False"
            )
        return None

    def _fast(self, backward: bool, forward: bool) -> bool:
        if backward and not self._projections_agree():
            return False
        if not forward:
            return True
        from vizgrad.autograd import gradcheck_forward

        return gradcheck_forward.projections_agree(self)

    def _forward(self, numerical: Any, each: Any) -> None:
        from vizgrad.autograd import gradcheck_forward

        found = {place: gradcheck_forward.jacobian(self, place, each) for place in self.wanted}
        for part, number, place in self._parts():
            analytical, expected = found[place][number][part], numerical[place][number][part]
            if not near(analytical, expected, self.atol, self.rtol):
                raise self._mismatch(number, place, part, expected, analytical, by="forward mode")

    def _parts(self) -> Iterator[tuple[complex, int, int]]:
        """(part, output, input): of complex outputs the imaginary parts, beside real outputs; then their real
        parts (Y-22).
        """
        parts = {number: list(parts_of(output))[::-1] for number, output in self.places.items()}
        for turn in range(2):
            for number, those in parts.items():
                for part in those[turn : turn + 1]:
                    for place in self.wanted:
                        yield part, number, place

    def _backward(self, numerical: Any, each: Any) -> None:
        wanted = list(self.wanted.values())
        found: dict[int, Any] = {}
        for part, number, place in self._parts():
            if number not in found:
                both = [jacobians.analytical(self.places[number], wanted, each) for _ in range(2)]
                found[number] = [dict(zip(self.wanted, one, strict=True)) for one in both]
            analytical, again = (one[place][part] for one in found[number])
            expected = numerical[place][number][part]
            if not near(analytical, expected, self.atol, self.rtol):
                raise self._mismatch(number, place, part, expected, analytical)
            self._repeated(analytical, again)

    def _mismatch(
        self,
        number: int,
        place: int,
        part: complex,
        numerical: Any,
        analytical: Any,
        by: Literal["backward", "forward mode"] = "backward",
    ) -> GradcheckError:
        """The error, with a report; of the worst element that looks at differences of other widths."""
        from vizgrad.autograd.gradcheck_report import Mismatch

        output, input = self.places[number], self.wanted[place]
        name = ("real" if part == 1 else "imaginary") if output.is_complex() else ""
        found = Mismatch(
            number, place, name, tuple(input.shape), tuple(output.shape),
            to_host(numerical), to_host(analytical), self.eps, self.atol, self.rtol, by=by,
        )  # fmt: skip
        error = GradcheckError(found.message())
        if self.explain:
            row, column = found.worst
            exact = complex(found.analytical[row, column])
            steps = tuple(
                self._step(number, input, part, (row, column), exact, self.eps * 10.0**power)
                for power in range(4, -5, -1)
            )
            error.report = replace(found, steps=steps)
            error.add_note(str(error.report))
        return error

    def _step(
        self, number: int, input: Tensor, part: complex, at: tuple[int, int], exact: complex, eps: float
    ) -> Step:  # fmt: skip
        """One element by differences of this width."""
        from vizgrad.autograd.gradcheck_report import Step

        row, column = at
        where = xp.unravel_index(row, input._array.shape)
        try:
            found = jacobians.row(self.func, self.inputs, input, where, eps, self.like)[number]
        except Exception:  # noqa: BLE001  further away than the function can be asked
            return Step(eps, None, math.inf)
        value = found[part][column].item()
        return Step(eps, value, abs(value - exact) if value == value else math.inf)

    def _repeated(self, first: Any, second: Any) -> None:
        """Two backwards must give the same."""
        if not near(second, first, self.nondet, 0.0):
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple "
                "times gives different values, although analytical gradient matches numerical gradient. "
                f"The tolerance for nondeterminism was {self.nondet}."
            )

    def _nothing(self) -> None:
        """No output requires grad: then none may depend on the inputs."""
        for jacobian in self._numerical(lambda: None).values():
            for parts in jacobian:
                if any(bool((values != 0).any()) for values in parts.values()):
                    raise GradcheckError(
                        "Numerical gradient for function expected to be zero: no output requires grad, but "
                        "the values change with the inputs"
                    )

    def _projections_agree(self) -> bool:
        """Along one random direction of the inputs, and one of the outputs."""

        @functools.wraps(self.func)
        def differentiable(*inputs: Any) -> tuple[Tensor, ...]:
            with enable_grad():
                return tuple(o for o in as_tuple(self.func(*inputs)) if o.requires_grad)

        source = Generator()
        for number, output in enumerate(self.outputs):
            v = random(tuple(output.shape), output._array.dtype, source)
            wanted = list(self.wanted.values())
            grads, again = (
                grad(output, wanted, new_tensor(v), retain_graph=True, allow_unused=True)
                for _ in range(2)
            )
            for input, one, other in zip(wanted, grads, again, strict=True):
                u = random(tuple(input.shape), input._array.dtype, source)
                arrived = xp.zeros_like(u) if one is None else one._array
                analytical = float((u.conj() * arrived).real.sum())
                moved = jacobians.changes(
                    differentiable, self.inputs, input, u, self.eps,
                    [o._array for o in self.outputs],
                )  # fmt: skip
                numerical = float((v.conj() * moved[number]).real.sum())
                allowed = self.atol * float(abs(u).sum()) * float(abs(v).sum())
                if not abs(analytical - numerical) <= allowed + self.rtol * abs(numerical):
                    return False
                if one is not None and other is not None:
                    self._repeated(one._array, other._array)
        return True

    def _gradients_of_zeros(self, outputs: Sequence[Tensor]) -> tuple[Any, ...]:
        zeros = [new_tensor(xp.zeros_like(o._array, order="C")) for o in outputs]
        return grad(outputs, list(self.wanted.values()), zeros, allow_unused=True)

    def zeros(self) -> None:
        """Gradients of zero must give zero."""
        for one in self._gradients_of_zeros(self._run()):
            if one is not None and bool((one._array != 0).any()):
                raise GradcheckError("backward not multiplied by grad_output")

    def types(self) -> None:
        """Gradients must have the types of their inputs."""
        for input, one in zip(
            self.wanted.values(), self._gradients_of_zeros(self._run()), strict=True
        ):
            if one is not None and one.dtype is not input.dtype:
                raise GradcheckError(
                    f"Analytical gradient has incorrect dtype: {one.dtype} for an input of {input.dtype}"
                )

    def undefined(self) -> None:
        """Gradients that are not there must count as zeros: all of them, and each one alone."""
        count = len(self._run())
        chosen = [set(range(count))] + ([{n} for n in range(count)] if count > 1 else [])
        for missing in chosen:
            outputs = [
                _Undefined.apply(o) if n in missing else o for n, o in enumerate(self._run())
            ]
            try:
                found = self._gradients_of_zeros(outputs)
            except RuntimeError as error:
                raise GradcheckError(_UNDEFINED) from error
            if any(one is not None and bool((one._array != 0).any()) for one in found):
                raise GradcheckError(
                    "Expected all input grads to be undefined or zero when all output grads are "
                    "undefined or zero: a gradient that is None counts as zeros"
                )

    def batches(self) -> None:
        """A batch of gradients must give what each of them gives."""
        source = Generator()
        wanted = list(self.wanted.values())
        for output in self.outputs:
            v = random((2, *output.shape), output._array.dtype, source)
            each = [
                grad(output, wanted, new_tensor(v[n]), retain_graph=True, allow_unused=True)
                for n in range(2)
            ]
            both = grad(
                output,
                wanted,
                new_tensor(v),
                retain_graph=True,
                allow_unused=True,
                is_grads_batched=True,
            )
            for number, one in enumerate(both):
                expected = [rows[number] for rows in each]
                if one is None:
                    continue
                rows = xp.stack([e._array for e in expected if e is not None])
                if not near(one._array, rows, self.atol, self.rtol):
                    raise GradcheckError(
                        f"Got different values while computing batched gradient of input {number}"
                    )


_UNDEFINED = (
    "Expected backward function to handle undefined output grads: a gradient that is None counts as zeros, "
    "and must give zeros or None"
)


def _check_inputs(wanted: dict[int, Tensor]) -> None:
    if not wanted:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have "
            "requires_grad=True."
        )
    for number, input in wanted.items():
        if input.dtype not in (dtypes.float64, dtypes.complex128):
            warnings.warn(
                f"Input #{number} requires gradient and is not a double precision floating point or "
                f"complex, but {input.dtype}. This check will likely fail: differences need the precision",
                UserWarning,
                stacklevel=4,
            )
        if is_sparse(input._array):
            raise NotImplementedError(
                f"gradcheck is not supported for sparse inputs, and input #{number} is one: check a function "
                "of its values, e.g. lambda v: f(sparse_coo_tensor(indices, v, size))"
            )
        if any(s == 0 and n > 1 for n, s in zip(input.shape, input._array.strides, strict=True)):
            raise RuntimeError(
                f"The {number}th input has a dimension with stride 0. gradcheck only supports inputs that "
                "are non-overlapping to be able to compute the numerical gradients correctly. You should "
                "call .contiguous on the input before passing it to gradcheck."
            )
