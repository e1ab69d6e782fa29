"""Forward: does it run, what does it write to, is it the same again?"""

from __future__ import annotations

from vizgrad.core.errors import Explanation
from vizgrad.debugger.check.examination import Examination
from vizgrad.debugger.check.example import Call, tensors_of
from vizgrad.debugger.check.line_trace import Trail, first_difference, same
from vizgrad.debugger.engines.api.capabilities import Capability


def examine(examination: Examination) -> Capability:
    example = examination.example
    start = example.randomness.position()
    call, trail = example.run(examination.arrays, trace=True)
    assert trail is not None
    examination.draws = example.randomness.position() != start
    again, other = example.run(examination.arrays, trace=True)
    assert other is not None
    failures = _dirty(examination, trail, call)
    first, second = ([t._array for t in tensors_of(c.result)] for c in (call, again))
    if len(first) != len(second) or not all(map(same, first, second)):
        examination.repeatable = False
        failures.append(_other(examination, trail, other))
    detail = "its random numbers were the same each time" if examination.draws else ""
    return Capability("forward", "failed" if failures else "proven", detail, tuple(failures))


def _dirty(examination: Examination, trail: Trail, call: Call) -> list[Explanation]:
    """Inputs that were written to and not marked; not one that is a constant, a place to write to."""
    example = examination.example
    if getattr(call.ctx, "inplace", None) is True:
        return []
    returned = {id(o) for o in tensors_of(call.result)}
    found: list[Explanation] = []
    for nr, place in trail.changed.items():
        argument = call.arguments[nr]
        if nr in trail.dirty or not (example.wants[nr] or id(argument) in returned):
            continue
        name = example.name(nr)
        found.append(
            Explanation(
                "function-dirty",
                place,
                name,
                f"Call ctx.mark_dirty({name}) and return {name}, or change a clone: `{name}.clone()`.",
                f"{example.title}.forward changes its input `{name}` in place and does not say so with "
                f"ctx.mark_dirty: the graph does not know of the write, and gradients may be wrong.",
            )
        )
    return found


def _other(examination: Examination, one: Trail, two: Trail) -> Explanation:
    example = examination.example
    parted = first_difference(one.lines, two.lines)
    line, name = parted if parted is not None else (None, "")
    what = f"`{name}`" if name and not name.startswith("(") else "the result"
    return Explanation(
        "not-repeatable",
        example.forward_place() if line is None else line.place,
        name if name and not name.startswith("(") else example.title,
        "Let forward depend on its arguments alone, or hand what changes in as an argument.",
        f"{example.title}.forward was called twice with the same arguments and the same random numbers, and "
        f"{what} was another the second time: a checkpoint, which runs it again, would go wrong.",
    )
