"""`card`: all examinations of a Function, in a thread whose modes are the usual ones."""

from __future__ import annotations

import _thread
import contextlib
import io
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from vizgrad.core.errors import Explanation, class_place
from vizgrad.debugger.check import (
    backwards,
    double_backward,
    forwards,
    freeing,
    transforms,
    unneeded_gradients,
    writes,
)
from vizgrad.debugger.check.examination import Examination, fault_of
from vizgrad.debugger.check.example import Example, tensors_of
from vizgrad.debugger.engines.api.capabilities import Capability, CapabilityCard

T = TypeVar("T")

#: Which failing case is told first.
_WORST = ("forward", "backward", "double backward", "freeing", "version safety", "jvp", "vmap")


def told_of(card: CapabilityCard) -> list[Explanation]:
    """What a card says is wrong with a custom Function, the worst first; see `vizgrad.check`."""
    named = {c.name: c for c in card.capabilities}
    told: dict[Any, Explanation] = {}
    failures = [f for name in _WORST if not named[name].aloud for f in named[name].failures]
    for each in (*failures, *named["backward"].remarks):
        told.setdefault(each.culprit or each, each)  # a line is told of once
    return list(told.values())


def card(function: Any, *inputs: Any) -> CapabilityCard:
    """What a custom Function can do, each proven on example inputs, failed, or untested (see `check`)."""
    example = Example(function, inputs)
    return apart(lambda: _card(example))


def _card(example: Example) -> CapabilityCard:
    kept = example.randomness.states()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            capabilities = _capabilities(example)
    finally:
        example.randomness.restore(kept)
    return CapabilityCard(
        example.title, ", ".join(map(_said, example.inputs)), capabilities, class_place(example.cls)
    )


def _capabilities(example: Example) -> tuple[Capability, ...]:
    examination = _begun(example)
    if isinstance(examination, Explanation):
        rest = ("backward", "double backward", "jvp", "vmap", "version safety", "freeing")
        failed = Capability("forward", "failed", "", (examination,))
        return (failed, *(Capability(name, "untested", "forward fails") for name in rest))
    return (
        forwards.examine(examination),
        _backward(examination),
        double_backward.examine(examination),
        transforms.jvp(examination),
        transforms.vmap(examination),
        writes.examine(examination),
        freeing.examine(examination),
    )


def _backward(examination: Examination) -> Capability:
    found = backwards.examine(examination)
    if found.failures or not examination.gradients:
        return found
    mentioned, remarks = unneeded_gradients.examine(examination)
    detail = "; ".join(filter(None, (found.detail, mentioned)))
    return replace(found, detail=detail, remarks=remarks)


def _begun(example: Example) -> Examination | Explanation:
    """A first run; what is refused there is explained, the error of an example that does not fit raised."""
    arrays, precise = example.wide(), True
    try:
        call, _ = example.run(arrays)
    except Exception:  # noqa: BLE001  it may take its own type alone
        arrays, precise = [a.copy() for a in example.given()], False
        try:
            call, _ = example.run(arrays)
        except Exception as error:
            if getattr(error, "explanation", None) is None:
                raise
            return fault_of(example, error, f"{example.title}.forward")
    results = tensors_of(call.result)
    positions = [n for n, o in enumerate(results) if o.requires_grad]
    weights = [example.random_like(results[p]) for p in positions]
    precise = precise and all(w.dtype.name in ("float64", "complex128") for w in weights)
    return Examination(example, arrays, weights, positions, precise)


def _said(value: Any) -> str:
    if hasattr(value, "_array"):
        return f"{value._array.dtype.name}[{', '.join(map(str, value.shape))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{n!r}: {_said(v)}' for n, v in value.items())}}}"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(_said, value))}]"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def apart(work: Callable[[], T]) -> T:
    """In a thread of its own: whatever this one records, traces or has switched off stays out of it."""
    done: list[T] = []
    failed: list[BaseException] = []
    over = _thread.allocate_lock()
    over.acquire()

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001  raised again where it was asked for
            failed.append(error)
        finally:
            over.release()

    _thread.start_new_thread(run, ())  # no frame outside vizgrad is below it
    with over:
        if failed:
            raise failed[0]
        return done[0]
