"""Where two runs of a random program differ, and the smallest program that still does."""

from __future__ import annotations

import math
import re
import warnings
import zlib
from typing import Any

import numpy as np

from tests.fuzz.compare import WIDER, Difference, off
from tests.fuzz.known_programs import known_program
from tests.fuzz.observe import array
from tests.fuzz.program_lines import AROUND
from tests.fuzz.programs import Program, Side
from tests.oracle.compare import same_error


def differences(
    torch: Any, vizgrad: Any, program: Program, each_line: bool = True, judged: bool = True
) -> list[Difference]:
    """The first line that does not do the same on both, or what differs after it, unless that is known, or
    rounding (if it is `judged`).

    Who looks at `grad_fn` or `is_leaf` of a view brings its history up to date. Unless `each_line`, that is
    left for the end: until then only values and versions are looked at.
    """
    theirs, ours = Side(torch), Side(vizgrad)
    for number, line in enumerate(program):
        theirs.run(line)
        ours.run(line)
        there, here = theirs.outcomes[-1], ours.outcomes[-1]
        if isinstance(there, NotImplementedError):
            return []  # vizgrad has more types and derivatives: what follows is not comparable
        if (there is None) != (here is None) or (
            there is not None and not same_error(type(there), type(here))
        ):
            found = [Difference(f"raises, line {number}", there, here)]
        else:
            found = _states(theirs, ours, each_line or number == len(program) - 1)
        if found and not judged:
            return found
        if found:
            if known_program(line, theirs, ours, found[0]):
                return []
            ran = program[: number + 1]
            return (
                []
                if _rounding(torch, theirs, ran, found[0]) or _unstable(torch, ran, found[0])
                else found
            )
    return []


def _states(theirs: Side, ours: Side, whole: bool) -> list[Difference]:
    there, here = state(theirs, whole), state(ours, whole)
    for what, value in there.items():
        if not _same(value, here.get(what)):
            return [Difference(what, value, here.get(what))]
    return [Difference(what, None, value) for what, value in here.items() if what not in there][:1]


def state(side: Side, whole: bool = True) -> dict[str, Any]:
    """All that a person can see after a line, by name of what is seen."""
    seen: dict[str, Any] = {}
    for name, tensor in side.tensors().items():
        seen[f"version of {name}"] = side.written(name)
        for what, value in visible(tensor, whole).items():
            seen[f"{what} of {name}"] = value
    for name, module in side.modules().items():
        for what, value in module.state_dict().items():
            seen[f"weight {name}.{what}"] = array(value)
        for what, value in module.named_parameters():
            grad = value.grad
            seen[f"gradient of weight {name}.{what}"] = None if grad is None else array(grad)
    seen["what hooks saw"] = side.names["seen"]
    return seen


def visible(tensor: Any, whole: bool) -> dict[str, Any]:
    """What there is to see of a tensor; unless `whole`, without what changes it."""
    seen: dict[str, Any] = {
        "dtype": str(tensor.dtype).split(".")[-1],
        "value": array(tensor),
        "requires_grad": tensor.requires_grad,
    }
    if not whole:
        return seen
    try:
        seen["is_leaf"] = tensor.is_leaf
    except RuntimeError as error:  # after a write that the history does not know how to follow
        seen["is_leaf"] = error
        return seen
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grad = tensor.grad
    seen["gradient"] = None if grad is None else array(grad)
    seen["gradient requires_grad"] = grad is not None and grad.requires_grad
    return seen


def _same(there: Any, here: Any) -> bool:
    if isinstance(there, Exception):
        return isinstance(here, type(there))
    if isinstance(there, np.ndarray) and isinstance(here, np.ndarray):
        if there.shape != here.shape or there.dtype != here.dtype:
            return False
        if there.dtype.kind not in "fc":
            return bool(np.array_equal(there, here))
        relative = 1e-4 if there.dtype.char in "fF" else 1e-7
        with np.errstate(all="ignore"):
            return bool(np.allclose(here, there, rtol=relative, atol=relative, equal_nan=True))
    if isinstance(there, complex) and isinstance(here, complex):
        return _same(there.real, here.real) and _same(there.imag, here.imag)
    if isinstance(there, float) and isinstance(here, float):
        return math.isclose(there, here, rel_tol=1e-4, abs_tol=1e-6) or (
            there != there and here != here
        )
    if isinstance(there, (list, tuple)) and isinstance(here, (list, tuple)):
        return len(there) == len(here) and all(map(_same, there, here))
    return type(there) is type(here) and bool(there == here)


# --- rounding -----------------------------------------------------------------------------------------


def _rounding(torch: Any, side: Side, program: Program, found: Difference) -> bool:
    """Is vizgrad about as near as PyTorch is to what the program does in double precision?"""
    theirs, ours = _numbers(found.theirs), _numbers(found.ours)
    if theirs is None or ours is None or theirs.shape != ours.shape:
        return False
    if any(t.dtype in (torch.float32, torch.complex64) for t in side.tensors().values()):
        with np.errstate(all="ignore"):
            if np.allclose(theirs, ours, rtol=1e-5, equal_nan=True):
                return True
    narrow = re.compile(r"\b(float32|complex64)\b")
    if not any(narrow.search(line) for line in program):
        return False
    wide = Side(torch)
    for line in program:
        wide.run(narrow.sub(lambda m: WIDER[m.group()], line))
        for name in wide.tensors():
            wide.written(name)
    true = _numbers(state(wide).get(found.what))
    if true is None or theirs.shape != true.shape:
        return False
    with np.errstate(all="ignore"):
        scale = max(np.abs(true[np.isfinite(true)]).max(initial=0), 1.0)
        return off(ours, true) <= 10 * off(theirs, true) + 2e-6 * scale


def _unstable(torch: Any, program: Program, found: Difference) -> bool:
    """Does PyTorch's own result change as much when the numbers it begins with become a little larger?

    Equal ones stay equal, and 0 stays 0, so that ties remain.
    """
    return any(_moves(torch, program, found, seed) for seed in range(4))


def _moves(torch: Any, program: Program, found: Difference, seed: int) -> bool:
    def larger(data: Any, dtype: Any) -> Any:
        unit = 1e-12 if dtype in (torch.float64, torch.complex128) else 1e-6
        return torch.tensor(_shaken(data, unit, seed), dtype=dtype)

    side = Side(torch)
    side.names["larger"] = larger
    for line in program:
        side.run(re.sub(r"torch\.tensor\((?=.*dtype=torch\.(float|complex))", "larger(", line))
        for name in side.tensors():
            side.written(name)
    raises = found.what.startswith("raises")
    after = side.outcomes[-1] if raises else state(side).get(found.what)
    theirs, ours, moved = (_numbers(v) for v in (found.theirs, found.ours, after))
    if theirs is None or ours is None or moved is None:
        return type(after) is not type(found.theirs) if raises else not _same(found.theirs, after)
    if not theirs.shape == ours.shape == moved.shape:
        return moved.shape != theirs.shape
    with np.errstate(all="ignore"):
        return off(ours, theirs) <= 10 * off(moved, theirs)


def _shaken(data: Any, unit: float, seed: int) -> Any:
    """A little more or less of each number, the same wherever it stands."""
    if isinstance(data, list):
        return [_shaken(each, unit, seed) for each in data]
    if isinstance(data, complex):
        return complex(_shaken(data.real, unit, seed), _shaken(data.imag, unit, seed))
    return data * (1 + unit * (1 + zlib.crc32(f"{seed} {data}".encode()) % 3))


def _numbers(value: Any) -> np.ndarray | None:
    """All numbers of what was seen, in one array; None if it is not numbers."""
    if isinstance(value, np.ndarray):
        return value.astype(np.complex128) if value.dtype.kind in "fc" else None
    if isinstance(value, (list, tuple)):
        flat = list(_flat(value))
        if all(isinstance(v, (float, complex)) for v in flat):
            return np.array(flat, np.complex128)
    return None


def _flat(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _flat(each)
    elif value is not None:
        yield value


# --- smaller programs ---------------------------------------------------------------------------------


def kind_of(found: Difference) -> str:
    """What differs, without names and numbers."""
    word = found.what.split(" of ")[0].split(",")[0].split(" m")[0]
    if word == "raises":
        return f"raises: {_class(found.theirs)}, {_class(found.ours)}"
    return word


def _class(value: Any) -> str:
    return type(value).__name__ if value is not None else "nothing"


def smallest(
    torch: Any, vizgrad: Any, program: Program, kind: str, each_line: bool = True
) -> Program:
    """Without the lines that are not needed for a difference of this kind."""

    def fails(lines: Program) -> bool:
        found = differences(torch, vizgrad, lines, each_line)
        return bool(found) and kind_of(found[0]) == kind

    going = True
    while going:
        going = False
        for k in reversed(range(len(program))):
            shorter = program[:k] + program[k + 1 :]
            if fails(shorter):
                program, going = shorter, True
        for k in range(len(program)):
            for plain in _plainer(program[k]):
                simpler = [*program[:k], plain, *program[k + 1 :]]
                if fails(simpler):
                    program, going = simpler, True
                    break
    return program


def _plainer(line: str) -> list[str]:
    """The line without what stands around it, and without one of its statements."""
    around = next((a for a in AROUND if line.startswith(a)), "")
    bare = line.removeprefix(around)
    plainer = [bare] if around else []
    parts = bare.split("; ")
    if len(parts) > 1:
        plainer += [around + "; ".join(parts[:k] + parts[k + 1 :]) for k in range(len(parts))]
    return plainer
