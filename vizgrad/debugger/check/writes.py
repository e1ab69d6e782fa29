"""Version safety: an input or output that is changed in place before backward must be noticed."""

from __future__ import annotations

from typing import Any

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.errors import Explanation, Place
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.check.backwards import _near, given
from vizgrad.debugger.check.examination import Examination
from vizgrad.debugger.check.example import Call, tensors_of
from vizgrad.debugger.check.line_trace import same
from vizgrad.debugger.engines.api.capabilities import Capability

NAME = "version safety"


def examine(examination: Examination) -> Capability:
    if not examination.gradients:
        return Capability(NAME, "untested", "backward gives no gradient")
    if not examination.repeatable:
        return Capability(NAME, "untested", "what it computes is not repeatable")
    example = examination.example
    call, _ = example.run(examination.arrays)
    inputs, outputs = len(call.arguments), len(tensors_of(call.result))
    noticed = harmless = 0
    for nr in range(inputs + outputs):
        told = _after_writing(examination, nr)
        if isinstance(told, Explanation):
            return Capability(NAME, "failed", "", (told,))
        noticed, harmless = noticed + (told is True), harmless + (told is False)
    writes = "write" if noticed == 1 else "writes"
    said = [f"{noticed} {writes} noticed"] * bool(noticed)
    said += [f"{harmless} without harm"] * bool(harmless)
    return Capability(NAME, "proven", ", ".join(said))


def _after_writing(examination: Examination, nr: int) -> Explanation | bool | None:
    """True if backward refuses, False if it is as right as before, None if it cannot be written to."""
    example = examination.example
    call, trail = example.run(examination.arrays, trace=True)
    assert trail is not None
    inputs = len(call.arguments)
    target = call.arguments[nr] if nr < inputs else tensors_of(call.result)[nr - inputs]
    if target._array.dtype.kind not in "fcV" or not target._array.size:
        return None
    before = {name: _copy(call.ctx.__dict__.get(name)) for name in trail.kept}
    try:
        with no_grad():
            target.mul_(1.5).add_(0.25)
    except RuntimeError:  # expanded, or of inference
        return None
    try:
        found = examination.full(call.gradients(given(examination)))
    except Exception:  # noqa: BLE001  it is refused
        return True
    if _near(examination.gradients, found):
        return False
    place, name, kept = _keeping(call, trail.kept, before)
    own = example.name(nr) if nr < inputs else name or "the output"
    save = name or own
    return Explanation(
        "hidden-write",
        place,
        own,
        f"Keep it with ctx.save_for_backward({save}): a later write is then an error, not a wrong gradient.",
        f"{example.title} keeps `{own}`{f' as ctx.{kept}' if kept else ''} past the version counter: it was "
        "changed in place after forward, backward read the new values, and nothing was said.",
    )


def _copy(value: Any) -> Any:
    array = getattr(value, "_array", value)
    return array.copy() if hasattr(array, "dtype") else [_copy(v) for v in value] if isinstance(
        value, (list, tuple)
    ) else None  # fmt: skip


def _keeping(
    call: Call, kept: dict[str, tuple[Place, str]], before: dict[str, Any]
) -> tuple[Place | None, str, str]:
    """The attribute of the context that the write has changed."""
    for attribute, (place, name) in kept.items():
        value = call.ctx.__dict__.get(attribute)
        if isinstance(value, Tensor) or hasattr(value, "dtype"):
            if not same(before[attribute], _copy(value)):
                return place, name, attribute
        elif isinstance(value, (list, tuple)):
            now = _copy(value)
            if any(not same(a, b) for a, b in zip(before[attribute], now, strict=False)):
                return place, "", attribute
    return None, "", ""
