"""What a transformed call does on one module, and where two differ."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from tests.fuzz import compare, observe
from tests.fuzz.compare import Difference, agree
from tests.fuzz.observe import NAMESPACE, _shape_of, array, weight
from tests.fuzz.transforms import Transformed


def batch(module: Any, tensor: Any, size: int, dim: int) -> Any:
    """`tensor`, and others like it, along dimension `dim`: smaller, or, of integers, with elements elsewhere."""
    if tensor.is_floating_point() or tensor.is_complex():
        return module.stack([tensor * (1 - k / 8) for k in range(size)], dim)
    turned = [tensor.flatten().roll(k).reshape(tensor.shape) for k in range(size)]
    return module.stack(turned, dim)


def weighted(module: Any, results: Any) -> Any:
    """One real number of all results that can be differentiated."""
    tensors: list[Any] = []
    _shape_of(module, results, tensors)
    total = None
    for tensor in tensors:
        if tensor.is_floating_point() or tensor.is_complex():
            part = (tensor * weight(module, tensor)).sum()
            part = part.real if part.is_complex() else part
            total = part if total is None else total + part
    return total


SCOPE = {**NAMESPACE, "weight": weight, "batch": batch, "weighted": weighted}


#: What PyTorch says where a transform of it has gaps: vizgrad may take the call, or refuse it otherwise.
LACKING = (
    "Trying to use forward AD with", "more than one element of the written-to tensor", "Batching rule not implemented",
    "Cannot access data pointer", "derivative for", "not implemented for",
)  # fmt: skip


def names_of(module: Any, lines: list[str]) -> dict[str, Any]:
    names = {"torch": module, **SCOPE}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in lines:
            exec(compile(line, "<call>", "exec"), names)
    return names


def observed(module: Any, call: Any) -> dict[str, Any]:
    """What the transformed call raises, or its results, by name."""
    lines = call.source()
    try:
        names = names_of(module, lines[:-1])
    except Exception as error:  # noqa: BLE001  whatever it is, it is compared
        return {"operands": error}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(lines[-1], "<call>", "exec"), names)
    except Exception as error:  # noqa: BLE001
        return {f"{call.way} raises": error}
    return seen_of(module, call.way, names["result"])


def seen_of(module: Any, way: str, result: Any) -> dict[str, Any]:
    results: list[Any] = []
    _shape_of(module, result, results)
    half = len(results) // 2
    words = ["value"] * half + ["tangent"] * half if way == "jvp" else ["value"] * len(results)
    seen: dict[str, Any] = {}
    for k, (word, tensor) in enumerate(zip(words, results, strict=False)):
        seen[f"{way} {word}{k % half if way == 'jvp' else k}"] = array(tensor)
    return seen


def differences(torch: Any, vizgrad: Any, call: Transformed) -> list[Difference]:
    """What differs under the transform though the call alone does not, and is no matter of PyTorch's.

    Where values of a batch differ, a loop over the examples decides: PyTorch's rule may be the wrong one. So it
    does where PyTorch refuses what vizgrad takes, unless that is a write. Where tangents differ, PyTorch's is
    wrong if it is not the transpose of its gradient, and vizgrad's is.
    """
    theirs, ours = observed(torch, call), observed(vizgrad, call)
    found = _unequal(call, theirs, ours)
    if not found:
        return []
    alone = replace(call.bare(), plain=False)
    seen = observe.observed(vizgrad, alone)
    if not any(what.startswith("value") for what in seen) or any("raises" in what for what in seen):
        return []  # it is refused without the transform, or gives no tensor
    if compare.differences(torch, vizgrad, alone):
        return []
    if call.way.startswith("vmap"):
        found = _judged_by_a_loop(vizgrad, call, theirs, ours, found)
    else:
        found = [each for each in found if not _noise(torch, vizgrad, call, each, ours)]
        if found and not transposed(torch, alone, theirs) and transposed(vizgrad, alone, ours):
            return []
    return found


def _unequal(call: Transformed, theirs: dict[str, Any], ours: dict[str, Any]) -> list[Difference]:
    if any("raises" in what or what == "operands" for what in (*theirs, *ours)):
        refusals = [what for what in (*theirs, *ours) if "raises" in what or what == "operands"]
        what = refusals[0]
        there, here = theirs.get(what), ours.get(what)
        if any(phrase in str(there) for phrase in LACKING):
            return []
        return [] if agree(there, here) else [Difference(what, there, here)]
    unit = compare.precision(call)
    lost = 1 if call.way == "vmap" else 10
    return [
        Difference(what, theirs.get(what), ours.get(what))
        for what in {**theirs, **ours}
        if not agree(theirs.get(what), ours.get(what), lost * unit, 1e-5 if lost == 1 else 1.0)
    ]


def _judged_by_a_loop(
    vizgrad: Any, call: Transformed, theirs: dict[str, Any], ours: dict[str, Any],
    found: list[Difference],
) -> list[Difference]:  # fmt: skip
    if any(isinstance(each.ours, Exception) for each in found):
        return found  # PyTorch takes it, or refuses it otherwise
    refused = next((each.theirs for each in found if isinstance(each.theirs, Exception)), None)
    # an argument of `grad` is a batch whatever is written into it
    writes = call.writes or call.path.endswith("_")  # PyTorch may also write to what is its own
    if refused is not None and call.way == "vmap" and writes and "inplace" in str(refused):
        return found
    try:
        looped = of_loop(vizgrad, call)
    except Exception as error:  # noqa: BLE001  each example alone is refused, the batch is not
        return [Difference(f"{call.way} loop raises", error, None)]
    return [
        Difference(f"{call.way} is no loop{what.removeprefix(call.way)}", value, ours.get(what))
        for what, value in looped.items()
        if not agree(value, ours.get(what), 100 * compare.precision(call), 1.0)
    ]


def of_loop(module: Any, call: Transformed) -> dict[str, Any]:
    """The same as a loop over the examples."""
    names = names_of(module, call.source()[:-1])
    values, dims = call.mapped()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        operands = [eval(value, names) for value in values]
        return seen_of(module, call.way, _loop(module, names[call.called], operands, dims[::-1]))


def _loop(module: Any, function: Any, operands: Any, dims: list[Any]) -> list[Any]:
    """Results of each example, stacked; `dims` of the outermost vmap first."""
    if not dims:
        results: list[Any] = []
        _shape_of(module, function(*operands), results)
        return results
    size = next(o.shape[d] for o, d in zip(operands, dims[0], strict=True) if d is not None)
    each = [
        _loop(
            module,
            function,
            [o if d is None else o.select(d, nr) for o, d in zip(operands, dims[0], strict=True)],
            dims[1:],
        )
        for nr in range(size)
    ]
    return [module.stack(list(parts), 0) for parts in zip(*each, strict=True)]


def transposed(module: Any, alone: Any, seen: dict[str, Any]) -> bool:
    """Is the tangent found the transpose of the gradient, weighted sum by weighted sum?"""
    back = size = 0.0
    plain = observe.observed(module, alone)
    given = [operand for operand in alone.operands() if operand.grad]
    for k, operand in enumerate(given):
        gradient = plain.get(f"gradient {k}")
        if isinstance(gradient, np.ndarray):
            tensor = names_of(module, [f"a = {operand.source()}"])["a"].detach()
            if gradient.shape != tuple(tensor.shape):
                return True  # what was written to has a gradient, too: nobody knows which is whose
            terms = (gradient.conj() * array(weight(module, tensor, 1.0))).real
            back, size = back + float(terms.sum()), size + float(abs(terms).sum())
    there = 0.0
    for what, tangent in seen.items():
        if "tangent" in what and tangent.dtype.kind in "fc":
            like = module.from_numpy(np.zeros(tangent.shape, tangent.dtype))
            terms = (tangent.conj() * array(weight(module, like))).real
            there, size = there + float(terms.sum()), size + float(abs(terms).sum())
    return abs(back - there) <= 1e-4 * max(size, 1.0)


def _noise(
    torch: Any, vizgrad: Any, call: Transformed, each: Difference, ours: dict[str, Any]
) -> bool:
    """A tangent that is as near to the one in double precision as PyTorch's, or that trembles as much.

    Where the value is infinite or NaN, a tangent says nothing. PyTorch's may be of a wider type than its value.
    """
    there, here = each.theirs, each.ours
    if not (isinstance(there, np.ndarray) and isinstance(here, np.ndarray)):
        zeros = here if there is None else there
        return isinstance(zeros, np.ndarray) and not zeros.any()
    if there.shape != here.shape:
        return False
    value = ours.get(each.what.replace("tangent", "value"))
    if isinstance(value, np.ndarray) and value.shape == here.shape and value.dtype == here.dtype:
        there = np.where(np.isfinite(value), there, here).astype(here.dtype)
        if compare.near(there, here, 10 * compare.precision(call), 1.0):
            return True
    if there.dtype != here.dtype:
        return False
    wide: Any = compare.widened(call)
    truth = observed(torch, wide).get(each.what)
    scale = max(float(np.abs(there[np.isfinite(there)]).max(initial=0)), 1.0)
    if isinstance(truth, np.ndarray) and truth.shape == there.shape and truth.dtype != there.dtype:
        near = 10 * compare.off(there, truth) + 64 * np.finfo(there.dtype).eps * scale
        if compare.off(here, truth) <= near:
            return True
    moved = 0.0
    for seed in range(3):
        shaken: Any = compare.shaken_by(call, seed)
        for module, before in ((torch, there), (vizgrad, here)):
            after = observed(module, shaken).get(each.what)
            if isinstance(after, np.ndarray) and after.shape == before.shape:
                off = compare.off(before, after)
                moved = max(moved, off if np.isfinite(off) else 0.0)
    return compare.off(there, here) <= 100 * moved
