"""When a failure is one that is known: conditions on a call and on what differs, for `known.py`."""

from __future__ import annotations

import math
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
    """Without one of its keywords or its last arguments; with 1 or nothing in the place of what is no tensor."""
    for k in range(len(call.words)):
        yield replace(call, words=call.words[:k] + call.words[k + 1 :])
    if "{" not in call.path:  # an operator has no fewer operands
        for k in range(1, len(call.args)):
            yield replace(call, args=call.args[:k])
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


def single(call: Call, found: Difference) -> bool:
    return any(g.dtype == "float32" for g in call.operands())


def whole_target(call: Call, found: Difference) -> bool:
    return call.operands()[0].dtype.startswith(("int", "uint", "bool"))


def outside_unit_interval(call: Call, found: Difference) -> bool:
    return any(not 0 < v < 1 for v in call.operands()[0].values)


def negative_setting(call: Call, found: Difference) -> bool:
    given = (*call.args, *(value for _, value in call.words))
    return any(isinstance(each, int | float) and each < 0 for each in given)


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

    words = tuple((w, v) for w, v in call.words if v is not None and (w, v) != ("keepdim", False))
    args = call.args
    while args and (args[-1] is None or (args[-1] is False and None in args)):
        args = args[:-1]
    if (args, words) == (call.args, call.words) or not args:
        return False
    less = replace(call, args=args, words=words)
    return "raises" not in observed(torch, less, derivatives=False)


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


def near(most: float) -> When:
    """They are apart by no more than this, of whatever size they are."""

    def condition(call: Call, found: Difference) -> bool:
        there, here = np.asarray(found.theirs), np.asarray(found.ours)
        return there.shape == here.shape and bool((np.abs(there - here) <= most).all())

    return condition


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


def single_and_close(call: Call, found: Difference) -> bool:
    return single(call, found) and bool(
        np.allclose(found.theirs, found.ours, atol=1e-3, equal_nan=True)
    )


def complex_numbers(call: Call, found: Difference) -> bool:
    return any(g.dtype.startswith("complex") for g in call.operands())


def converted(call: Call, found: Difference) -> bool:
    return any(name == "dtype" for name, _ in call.words)


def one_row_for_all(call: Call, found: Difference) -> bool:
    """An image that is resized with antialiasing, or of bytes, and has one pixel in each row, all of them the first one's."""
    there = found.theirs
    return (
        (("antialias", True) in call.words or call.operands()[0].dtype == "uint8")
        and isinstance(there, np.ndarray)
        and there.shape[-1] == 1
        and bool((there == there[..., :1, :]).all())
    )


def empty_result(call: Call, found: Difference) -> bool:
    """PyTorch's result has no elements."""
    import torch

    return 0 in observed(torch, call, derivatives=False).get("shape", ())


def one_size_stays(call: Call, found: Difference) -> bool:
    """An image of which a dimension keeps its size, by bicubic interpolation or with antialiasing; or that is no flat
    one, by nearest interpolation, and keeps or doubles a size.
    """
    import vizgrad

    words = dict(call.words)
    given = (*call.args, *words.values())
    result = observed(vizgrad, call, derivatives=False).get("shape", ())
    sizes = list(zip(call.operands()[0].shape[2:], result[2:], strict=False))
    if any(n == m for n, m in sizes) and (words.get("antialias") is True or "bicubic" in given):
        return True
    nearest = not any(isinstance(v, str) and v != "nearest" for v in given)
    return nearest and len(sizes) != 2 and any(m in (n, 2 * n) for n, m in sizes)


def infinity_stays(call: Call, found: Difference) -> bool:
    """Where they differ vizgrad has an infinity, PyTorch NaN."""
    there, here = np.asarray(found.theirs), np.asarray(found.ours)
    apart = np.isnan(there) & np.isinf(here)
    return apart.any() and not_finite(call, replace(found, theirs=np.where(apart, here, there)))


def but_for_signs_of_the_smallest(call: Call, found: Difference) -> bool:
    """Whole numbers, one of which is the smallest of its type, that are apart by their signs."""
    there, here = np.asarray(found.theirs), np.asarray(found.ours)
    smallest = any(
        v == -(2 ** (int(g.dtype.removeprefix("int")) - 1))
        for g in call.operands()
        if g.dtype.startswith("int")
        for v in g.values
    )
    return smallest and there.shape == here.shape and bool((np.abs(there) == np.abs(here)).all())


def two_values(call: Call) -> bool:
    """A normalization of two values in each channel, or each channel of each sample."""
    shape = call.operands()[0].shape
    kept = shape[:2] if "instance" in call.operation else shape[1:2]
    return math.prod(shape) == 2 * math.prod(kept)


def at_the_tolerance(call: Call, found: Difference) -> bool:
    """Half precision, and where they differ two numbers are as far apart as is just tolerated, but for a 64th."""
    import torch

    from tests.fuzz.observe import array, run

    given = call.operands()
    lines = [f"a, b = {given[0].source()}, {given[1].source()}"]
    a, b = (array(run(torch, lines)[name].detach().double()) for name in "ab")
    words = dict(call.words)
    rtol, atol = (
        float(words.get(name, call.args[place] if len(call.args) > place else usual))
        for place, name, usual in ((2, "rtol", 1e-5), (3, "atol", 1e-8))
    )
    bound = atol + rtol * np.abs(b)
    border = np.abs(np.abs(a - b) - bound) <= (np.abs(a) + np.abs(b) + bound) / 64
    return halves(call, found) and bool((border | (found.theirs == found.ours)).all())
