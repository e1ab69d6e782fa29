"""When a failure is one that is known: conditions on a call and on what differs, for `known.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from tests.fuzz.calls import Call
from tests.fuzz.compare import Difference, agree, precision
from tests.fuzz.observe import observed
from tests.fuzz.operations import operations
from tests.fuzz.values import Given

When = Callable[[Call, Difference], bool]


def says(*phrases: str) -> When:
    """PyTorch's message has one of the phrases."""
    return lambda call, found: any(p in str(found.theirs) for p in phrases)


def not_finite(call: Call, found: Difference) -> bool:
    """They agree where both are finite."""
    there, here = found.theirs, found.ours
    if not (isinstance(there, np.ndarray) and isinstance(here, np.ndarray)):
        return False
    if there.shape != here.shape or there.dtype.kind not in "fc":
        return False
    both = np.isfinite(there) & np.isfinite(here)
    if both.all():
        return False
    scale = np.abs(there[both]).max(initial=0.0)
    near = max(precision(call), 1e-4 if single(call, found) else 1e-7)
    return bool(np.allclose(there[both], here[both], rtol=max(near, 1e-4), atol=near * scale))


def promised_strides(call: Call, found: Difference) -> bool:
    """Not a view, nor an elementwise function of one tensor that lies densely: no strides are promised."""
    operands = call.operands()
    dense = len(operands) == 1 and operands[0].memory in ("plain", "turned", "swapped", "shifted")
    return not (operations()[call.operation].family == "elementwise" and dense)


def ties(call: Call, found: Difference) -> bool:
    """Two elements are equal, or not a number."""
    values = [v for g in call.operands() for v in g.values[: 2 * g.count + 2]]
    return len(set(values)) < len(values) or any(g.memory == "expanded" for g in call.operands())


def singular(call: Call, found: Difference) -> bool:
    """Less than full rank, as rounding goes, or two eigenvalues that are one."""
    import torch

    from tests.fuzz.observe import array, run

    matrix = array(run(torch, [f"a = {call.operands()[0].source()}"])["a"]).astype("D")
    if matrix.ndim < 2 or not matrix.size or not np.isfinite(matrix).all():
        return True
    kept = np.linalg.svd(matrix, compute_uv=False)
    close = np.sort(kept, -1)
    apart = np.min(np.diff(close, axis=-1), initial=np.inf)
    if matrix.shape[-1] == matrix.shape[-2]:
        values = np.linalg.eigvals(matrix)
        differences = np.abs(values[..., :, None] - values[..., None, :])
        apart = min(apart, np.min(differences + 9 * np.eye(matrix.shape[-1])))
    return bool(kept.min() <= 1e-3 * kept.max() or apart < 1e-3)


def circular_and_cut(call: Call, found: Difference) -> bool:
    words = dict(call.words)
    amounts = words.get("pad", call.args[1] if len(call.args) > 1 else ())
    return "circular" in (*call.args[2:], words.get("mode")) and any(n < 0 for n in amounts)


def as_it_lies(place: int) -> When:
    """PyTorch has vizgrad's numbers, or nearly, when this operand lies densely in C order."""

    def condition(call: Call, found: Difference) -> bool:
        import torch

        from tests.fuzz.observe import array, run

        given = call.operands()[place]
        values = array(run(torch, [f"a = {given.source()}"])["a"]).ravel().tolist()
        dense = call.with_operand(place, replace(given, values=tuple(values), memory="plain"))
        there = observed(torch, dense).get(found.what)
        return given.memory != "plain" and agree(there, found.ours, precision(call), 1.0)

    return condition


def at_any_nan(call: Call, found: Difference) -> bool:
    return any(v != v for g in call.operands() for v in g.values)


def flat_singular(call: Call, found: Difference) -> bool:
    """As `singular`, of the matrix that `tensorinv` makes of its operand."""
    import torch

    from tests.fuzz.observe import array, run

    whole = array(run(torch, [f"a = {call.operands()[0].source()}"])["a"]).astype("D")
    ind = next((a for a in (*call.args[1:], *(v for _, v in call.words)) if isinstance(a, int)), 2)
    matrix = whole.reshape(int(np.prod(whole.shape[:ind])), -1)
    if not matrix.size or not np.isfinite(matrix).all():
        return True
    kept = np.linalg.svd(matrix, compute_uv=False)
    return bool(kept.min() <= 1e-3 * kept.max())


def of_fractions(call: Call, found: Difference) -> bool:
    """Numbers between -1 and 1, which are 0 as whole numbers."""
    return any(0 < abs(v) < 1 for g in call.operands() for v in g.values)


def special(call: Call, found: Difference) -> bool:
    values = (v for g in call.operands() for v in g.values)
    return not all(np.isfinite(v) and (not v or 1e-30 < abs(v) < 1e30) for v in values)


def out_wants_grad(call: Call, found: Difference) -> bool:
    return any(out.grad for out in call.outs)


def no_dims(call: Call, found: Difference) -> bool:
    return any(v in ((), []) for v in (*call.args, *(v for _, v in call.words)))


def two_faults(call: Call, found: Difference) -> bool:
    """Both refuse it, and both still do, and alike, without one of its arguments."""
    if not (isinstance(found.theirs, Exception) and isinstance(found.ours, Exception)):
        return False
    import torch

    import vizgrad

    for less in _with_less(call):
        there, here = (observed(m, less, derivatives=False).get("raises") for m in (torch, vizgrad))
        if there is not None and agree(there, here):
            return True
    return False


def _with_less(call: Call) -> Iterator[Call]:
    """Without one of its keywords; with 1 or nothing in the place of what is no tensor."""
    for k in range(len(call.words)):
        yield replace(call, words=call.words[:k] + call.words[k + 1 :])
    for k, arg in enumerate(call.args):
        if not isinstance(arg, (Given, tuple, list)):
            for value in (1, None):
                yield replace(call, args=(*call.args[:k], value, *call.args[k + 1 :]))


def roughly(call: Call, found: Difference) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.allclose(found.theirs, found.ours, rtol=1e-5, equal_nan=True))


def gives(*words: str) -> When:
    """One of these words is given, and not as None."""
    return lambda call, found: any(w in words and v is not None for w, v in call.words)


def writes_out(call: Call, found: Difference) -> bool:
    return call.form == "out"


def on_hinge(call: Call, found: Difference) -> bool:
    """Some of the terms are there on one side only, the others are equal."""
    there, here = found.theirs, found.ours
    return there.shape == here.shape and bool(
        (np.isclose(there, here) | (there == 0) | (here == 0)).all()
    )


def both_refuse(call: Call, found: Difference) -> bool:
    import torch

    import vizgrad

    return all(observed(m, call, derivatives=False).get("raises") for m in (torch, vizgrad))


def not_positive(call: Call, found: Difference) -> bool:
    """A matrix that has no Cholesky factor."""
    import torch

    from tests.fuzz.observe import run

    matrix = run(torch, [f"a = {call.operands()[0].source()}"])["a"].detach()
    return bool((torch.linalg.cholesky_ex(matrix)[1] != 0).any())


def but_for_signs(call: Call, found: Difference) -> bool:
    """Columns, or rows, are apart by a factor of length 1 alone."""
    there, here = np.asarray(found.theirs), np.asarray(found.ours)
    if there.shape != here.shape or there.ndim < 2:
        return False
    return any(_turned(there, here, axis) for axis in (-2, -1))


def _turned(there: np.ndarray, here: np.ndarray, axis: int) -> bool:
    with np.errstate(all="ignore"):
        inner = (there.conj() * here).sum(axis, keepdims=True)
        return bool(np.allclose(there * (inner / np.abs(inner)), here, atol=1e-4))


def other_signs(call: Call, found: Difference) -> bool:
    """The vectors, of which it is a derivative, have other signs, or belong to one value."""
    import torch

    import vizgrad

    there, here = (observed(m, call, derivatives=False) for m in (torch, vizgrad))
    parts = [w for w in there if w.startswith("value") and w in here]
    alike = all(agree(there[w], here[w], 1e-4) for w in parts)
    return not alike or singular(call, found)


def single(call: Call, found: Difference) -> bool:
    return any(g.dtype == "float32" for g in call.operands())


def whole_target(call: Call, found: Difference) -> bool:
    return call.operands()[0].dtype.startswith(("int", "uint", "bool"))


def empty(call: Call, found: Difference) -> bool:
    """An operand has no elements."""
    return any(not g.count for g in call.operands())


def formal(call: Call, found: Difference) -> bool:
    """In PyTorch the gradient requires grad, in vizgrad not: nothing but the flag differs."""
    return found.theirs is True and found.ours is False


def none_for_zeros(call: Call, found: Difference) -> bool:
    """PyTorch has no derivative, vizgrad one that is 0 everywhere."""
    return found.theirs is None and isinstance(found.ours, np.ndarray) and not found.ours.any()


def none_is_absence(call: Call, found: Difference) -> bool:
    """PyTorch takes the call without the None that it refuses."""
    import torch

    words = tuple((w, v) for w, v in call.words if v is not None)
    args = call.args
    while args and args[-1] is None:
        args = args[:-1]
    if (args, words) == (call.args, call.words) or not args:
        return False
    less = replace(call, args=args, words=words)
    return "raises" not in observed(torch, less, derivatives=False)


def one_by_one(call: Call, found: Difference) -> bool:
    """The matrix has one element; vizgrad has no derivative that is not 0."""
    zeros = isinstance(found.ours, bool) or none_for_zeros(call, found)
    return call.operands()[0].shape[-2:] == (1, 1) and zeros


def steep(call: Call, found: Difference) -> bool:
    """Elements so large that a softmax of their products turns over by rounding."""
    return any(abs(v) > 30 for g in call.operands() for v in g.values[: 2 * g.count + 2])


def at_zero(call: Call, found: Difference) -> bool:
    return any(v == 0 for v in call.operands()[0].values)


def within_rounding(call: Call, found: Difference) -> bool:
    """As far apart as rounding of the summands, which cancel."""
    parts = [abs(v) for g in call.operands() for v in g.values if np.isfinite(v)]
    unit = {"float16": 1e-3, "bfloat16": 8e-3}.get(call.operands()[0].dtype, 1.2e-7)
    apart = np.abs(np.subtract(found.theirs, found.ours))
    return bool((apart <= 4 * unit * sum(parts)).all())


def not_plain(place: int) -> When:
    """The operand at this place is a view that skips or repeats elements."""

    def condition(call: Call, found: Difference) -> bool:
        operands = call.operands()
        return len(operands) > place and operands[place].memory in ("stepped", "expanded")

    return condition


def either(*conditions: When) -> When:
    return lambda call, found: any(c(call, found) for c in conditions)


def whole_numbers(call: Call, found: Difference) -> bool:
    return any(g.dtype.startswith(("int", "uint", "bool")) for g in call.operands())


def half(call: Call, found: Difference) -> bool:
    return any(g.dtype == "float16" for g in call.operands())


def no_nonsense(call: Call, found: Difference) -> bool:
    """No argument has a name that was made up."""
    return all(name != "nonsense" and not name.startswith("_") for name, _ in call.words)


def halves(call: Call, found: Difference) -> bool:
    """An element type of half precision is named in the call."""
    return "float16" in " ".join(call.source())  # bfloat16, too


def expanded_target(call: Call, found: Difference) -> bool:
    """It is written into memory of which several elements share a place."""
    target = next(iter(call.operands()), None)
    shared = target is not None and target.memory == "expanded" and target.shape[:1] > (1,)
    return (
        shared
        and (call.writes or call.path.endswith("_"))
        and "refers to a single memory location" in str(found.ours)
    )


def by_result(call: Call, found: Difference) -> bool:
    return call.path.endswith("_") and found.ours is None


def left_out(call: Call, found: Difference) -> bool:
    """An extreme, without what was there before."""
    extreme = any(v in ("amin", "amax") for v in (*call.args, *(v for _, v in call.words)))
    return extreme and ("include_self", False) in call.words


def huge(call: Call, found: Difference) -> bool:
    """A number is beyond 2 ** 31."""
    return any(abs(v) >= 2**31 - 1 for g in call.operands() for v in g.values)


def ours_says(*phrases: str) -> When:
    return lambda call, found: any(p in str(found.ours) for p in phrases)


def written_view(call: Call, found: Difference) -> bool:
    target = call.operands()[0]
    return call.writes and not target.grad and target.memory != "plain" and found.ours is None


def one_reflection(call: Call, found: Difference) -> bool:
    """A matrix of one column, of one row, or of none."""
    given = call.operands()
    return min(given[0].shape[-2:]) <= 1 or not all(g.count for g in given)


def turns(call: Call, found: Difference) -> bool:
    """Logarithms whose powers of e are one, as exactly as large angles, and sums of terms of about 1, allow."""
    there, here = np.asarray(found.theirs), np.asarray(found.ours)
    if there.shape != here.shape or there.dtype.kind != "c":
        return False
    finite = np.isfinite(there)
    there, here = there[finite].astype("D"), here[finite].astype("D")
    unit = max(1e-4, 2e-6 * np.abs([there.imag, here.imag]).max(initial=0))
    shift = np.maximum(np.maximum(there.real, here.real), 0)
    return bool(np.allclose(np.exp(there - shift), np.exp(here - shift), atol=unit))


def one_observation(call: Call, found: Difference) -> bool:
    """Each variable is seen once."""
    shape = call.operands()[0].shape
    return not shape or shape[-1] == 1


def all_of(*conditions: When) -> When:
    return lambda call, found: all(c(call, found) for c in conditions)


def within(part: float) -> When:
    """They are apart by no more than this part of the largest element."""

    def condition(call: Call, found: Difference) -> bool:
        there, here = np.asarray(found.theirs), np.asarray(found.ours)
        if there.shape != here.shape or there.dtype.kind not in "fc":
            return False
        with np.errstate(all="ignore"):
            alike = (there == here) | ((there != there) & (here != here))
            off = np.abs(np.where(alike, 0, there - here))
            largest = np.abs(there[np.isfinite(there)]).max(initial=1e-30)
            return bool((off <= part * largest).all())

    return condition


def other_gradient(call: Call, found: Difference) -> bool:
    """The first derivatives differ already: a second one is that of another function."""
    import torch

    import vizgrad

    there, here = (observed(m, call) for m in (torch, vizgrad))
    firsts = [w for w in there if w.startswith("gradient ") and w in here]
    return not all(agree(there[w], here[w], 1e-5, 1.0) for w in firsts)


def read_triangle_agrees(call: Call, found: Difference) -> bool:
    """They are equal in one of the two triangles."""
    there, here = np.asarray(found.theirs), np.asarray(found.ours)
    if there.shape != here.shape or there.ndim < 2:
        return False
    return any(
        np.allclose(part(there), part(here), rtol=1e-4, atol=1e-5) for part in (np.triu, np.tril)
    )


def not_everywhere(call: Call, found: Difference) -> bool:
    """Where they differ one of them is 0."""
    there, here = np.asarray(found.theirs), np.asarray(found.ours)
    return there.shape == here.shape and bool(
        (np.isclose(there, here, rtol=1e-3, equal_nan=True) | (there == 0) | (here == 0)).all()
    )


def apart(found: Difference) -> float:
    """The largest distance of two arrays of one shape; infinite if they have others."""
    if np.shape(found.theirs) != np.shape(found.ours):
        return np.inf
    return float(np.max(np.abs(np.subtract(found.theirs, found.ours)), initial=0))


def but_where(strange: Callable[[np.ndarray], np.ndarray]) -> When:
    """They agree wherever the first operand is not of this kind."""

    def condition(call: Call, found: Difference) -> bool:
        import torch

        from tests.fuzz.observe import array, run

        values = array(run(torch, [f"a = {call.operands()[0].source()}"])["a"])
        there, here = np.asarray(found.theirs), np.asarray(found.ours)
        if not strange(values).any() or not values.shape == there.shape == here.shape:
            return False
        usual = ~strange(values)
        return bool(np.allclose(there[usual], here[usual], rtol=1e-3, equal_nan=True))

    return condition


at_nan = but_where(np.isnan)


def hermitian_parts_agree(call: Call, found: Difference) -> bool:
    there, here = found.theirs, found.ours
    if np.shape(there) != np.shape(here) or there.dtype.kind != "c":
        return False
    parts = [(g + np.conj(np.swapaxes(g, -1, -2))) / 2 for g in (there, here)]
    return bool(np.allclose(*parts, rtol=1e-3, atol=1e-4))


def complex_diagonal(call: Call, found: Difference) -> bool:
    import torch

    from tests.fuzz.observe import array, run

    matrix = array(run(torch, [f"a = {call.operands()[0].source()}"])["a"])
    return bool(np.diagonal(matrix, axis1=-2, axis2=-1).imag.any())


def single_and_close(call: Call, found: Difference) -> bool:
    return single(call, found) and bool(
        np.allclose(found.theirs, found.ours, atol=1e-3, equal_nan=True)
    )


def complex_numbers(call: Call, found: Difference) -> bool:
    return any(g.dtype.startswith("complex") for g in call.operands())


def converted(call: Call, found: Difference) -> bool:
    return any(name == "dtype" for name, _ in call.words)


def symmetric(call: Call) -> bool:
    import torch

    from tests.fuzz.observe import run

    matrix = run(torch, [f"a = {call.operands()[0].source()}"])["a"].detach()
    return (
        matrix.dim() > 1
        and matrix.shape[-1] == matrix.shape[-2]
        and bool((matrix == matrix.mT).all())
    )
