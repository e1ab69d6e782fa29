"""jvp and vmap: tangents against differences, a batch against its examples one by one."""

from __future__ import annotations

import math
from typing import Any

from vizgrad.autograd.forward_ad import dual_level, make_dual, unpack_dual
from vizgrad.core.arrays import xp
from vizgrad.core.errors import Explanation, returning_place
from vizgrad.core.function.custom.function import Function
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger.check.backwards import _near
from vizgrad.debugger.check.differences import entries
from vizgrad.debugger.check.examination import Examination, fault_of, number
from vizgrad.debugger.check.example import _rebuilt, tensors_of
from vizgrad.debugger.engines.api.capabilities import Capability


def jvp(examination: Examination) -> Capability:
    example, name = examination.example, "jvp"
    if example.cls.jvp is Function.jvp:
        return Capability(name, "untested", "no jvp is defined: forward mode refuses it")
    if not examination.given or not examination.precise or not examination.repeatable:
        return Capability(name, "untested", "differences say nothing of it here")
    tangents = {n: example.random_like(examination.arrays[n]) for n in examination.which}
    try:
        found = _pushed(examination, tangents)
    except Exception as error:  # noqa: BLE001  a person's code
        fault = fault_of(example, error, f"{example.title}.jvp")
        return Capability(name, "failed", "", (fault,))

    def along(moved: Any) -> float | None:
        by = moved[0].item()
        return examination.value(
            [a + by * tangents[n] if n in tangents else a for n, a in enumerate(examination.arrays)]
        )

    step = xp.zeros(())
    for entry in entries(along, [step], [xp.asarray(found)], [0]):
        if not entry.wrong:
            return Capability(name, "proven", "its tangent agrees with differences")
        if examination.surrogate:
            return Capability(
                name, "untested", "another tangent than the derivative, as backward's"
            )
        fault = Explanation(
            "function-return",
            returning_place(example.cls.jvp),
            example.title,
            "Correct the tangent that jvp returns: the derivative of forward along the tangents given.",
            f"{example.title}.jvp returns a wrong tangent: along random tangents it gives "
            f"{number(entry.given)}, and differences of forward {number(entry.found)}.",
        )
        return Capability(name, "failed", "", (fault,))
    return Capability(name, "untested", "differences say nothing of it here")


def _pushed(examination: Examination, tangents: dict[int, Any]) -> float:
    """<given, tangents of the outputs>."""
    numbers = iter(range(len(examination.arrays)))

    def dual(tensor: Tensor) -> Tensor:
        nr = next(numbers)
        return make_dual(tensor, new_tensor(tangents[nr].copy())) if nr in tangents else tensor

    with dual_level():
        none = [False] * len(examination.arrays)
        call, _ = examination.example.run(examination.arrays, none, make=dual)
        found = tensors_of(call.result)
        total = 0.0
        for position, weight in zip(examination.positions, examination.given, strict=True):
            tangent = unpack_dual(found[position]).tangent
            if tangent is not None:
                total += float((weight.conj() * tangent._array).real.sum())
    return total if math.isfinite(total) else math.nan


def vmap(examination: Examination) -> Capability:
    example, name = examination.example, "vmap"
    cls = example.cls
    if cls.vmap is Function.vmap and not cls.generate_vmap_rule:
        return Capability(name, "untested", "no vmap is defined: batches refuse it")
    if not cls._is_split():
        return Capability(
            name, "untested", "batches refuse it: forward takes ctx, without setup_context"
        )
    if examination.draws or not examination.repeatable or not examination.arrays:
        return Capability(name, "untested", "examples cannot be compared: it draws random numbers")
    batches = [_batch(examination, n) for n in range(len(examination.arrays))]
    try:
        found, gradients = _batched(examination, batches)
    except Exception as error:  # noqa: BLE001  a person's code
        fault = fault_of(example, error, f"{example.title} under vmap")
        return Capability(name, "failed", "", (fault,), aloud=True)
    for nr in range(3):
        call, _ = example.run([b[nr] for b in batches])
        alone = [t._array for t in tensors_of(call.result)]
        if not _near([f[nr] for f in found], alone):
            return Capability(name, "failed", "", (_other(examination, "result"),))
        if gradients is not None:
            weights = [new_tensor(w.copy()) for w in examination.given]
            expected = examination.full(call.gradients(weights))
            if not _near([None if g is None else g[nr] for g in gradients], expected):
                return Capability(name, "failed", "", (_other(examination, "gradient"),))
    return Capability(name, "proven", "a batch of 3 is as its examples one by one")


def _batch(examination: Examination, nr: int) -> Any:
    array = examination.arrays[nr]
    if array.dtype.kind not in "fcV":
        return xp.stack([array] * 3)
    shift = xp.abs(array) * 0.1 + 0.01 if examination.example.wants[nr] else array * 0
    return xp.stack([array, array + shift, array - shift * 0.5]).astype(array.dtype)


def _batched(examination: Examination, batches: list[Any]) -> tuple[list[Any], list[Any] | None]:
    from vizgrad.func import vmap as batched

    example = examination.example

    def of_one(*tensors: Tensor) -> Any:
        args = _rebuilt(example.inputs, iter(tensors), example.nested)
        return tuple(tensors_of(example.cls.apply(*args)))

    leaves = [
        new_tensor(b.copy()).requires_grad_() if wanted else new_tensor(b.copy())
        for b, wanted in zip(batches, example.wants, strict=True)
    ]
    arguments = [leaf.clone() for leaf in leaves]
    found = batched(of_one)(*arguments)
    gradients = None
    if examination.gradients:
        from vizgrad.autograd.running import grad

        weights = [new_tensor(xp.stack([w] * 3)) for w in examination.given]
        outputs = [found[p] for p in examination.positions]
        chosen = [leaf for leaf in leaves if leaf.requires_grad]
        gradients = examination.full(grad(outputs, chosen, weights, allow_unused=True))
    return [f._array for f in found], gradients


def _other(examination: Examination, what: str) -> Explanation:
    from vizgrad.core.errors import class_place, function_place

    example = examination.example
    own = example.cls.vmap is not Function.vmap
    return Explanation(
        "function-return",
        function_place(example.cls.vmap) if own else class_place(example.cls),
        example.title,
        "Correct the vmap staticmethod, and the out_dims that it returns."
        if own
        else "Define the vmap staticmethod, and leave generate_vmap_rule away.",
        f"Under vmap {example.title} gives a batch another {what} than its examples one by one.",
    )
