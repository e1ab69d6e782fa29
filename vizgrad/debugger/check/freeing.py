"""Freeing: is a call gone when nobody holds its result, and are saved values when backward has run?"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from vizgrad.core.errors import Explanation, Place
from vizgrad.debugger.check.backwards import given
from vizgrad.debugger.check.examination import Examination
from vizgrad.debugger.check.example import node_of, tensors_of
from vizgrad.debugger.engines.api.capabilities import Capability

NAME = "freeing"


def examine(examination: Examination) -> Capability:
    if not examination.given:
        return Capability(NAME, "untested", "it records nothing")
    alive, for_good = lives_on(lambda: _left(examination))
    if alive:
        return Capability(NAME, "failed", "", (_kept(examination, for_good),))
    return Capability(NAME, "proven", _on_context(examination))


def lives_on(make: Callable[[], weakref.ref[Any]]) -> tuple[bool, bool]:
    """Is what `make` made and let go of still there; is it when the collector has been there, too?"""
    collects = gc.isenabled()
    gc.disable()
    try:
        left = make()
        alive = left() is not None
        if alive:
            gc.collect()
        return alive, left() is not None
    finally:
        if collects:
            gc.enable()


def stays(held: Mapping[str, int]) -> str:
    """`held`: attribute of the context -> bytes."""
    if not held:
        return ""
    names = ", ".join(f"ctx.{name}" for name in held)
    return f"{names} ({sum(held.values())} B) stays until the result is gone, also after backward"


def _left(examination: Examination) -> weakref.ref[Any]:
    """The node of a call whose result is gone."""
    call, _ = examination.example.run(examination.arrays)
    if examination.gradients:
        call.gradients(given(examination))
    return weakref.ref(call.ctx.engine_node())


def _on_context(examination: Examination) -> str:
    call, _ = examination.example.run(examination.arrays)
    held = {
        name: sum(t._array.nbytes for t in tensors_of(value))
        for name, value in call.ctx.__dict__.items()
        if not name.startswith("_fn_")
    }
    return stays({name: size for name, size in held.items() if size})


def _kept(examination: Examination, for_good: bool) -> Explanation:
    example = examination.example
    place, name, attribute = _output_on_context(examination)
    if for_good:
        place, name = (place, name) if attribute else _elsewhere(examination)
        return Explanation(
            "history-kept",
            place,
            name or example.title,
            "Do not keep tensors of a call on the class or in a global: hand them to backward with "
            "ctx.save_for_backward.",
            f"A call of {example.title} stays in memory, with its graph, after its result is gone: "
            f"{f'`{name}`' if name else 'something outside of the graph'} is kept for good.",
        )
    said = name or "y"
    return Explanation(
        "reference-cycle",
        place,
        name or f"{example.title}Backward",
        f"Keep the output with ctx.save_for_backward({said}), which makes no cycle.",
        f"{example.title} keeps its output {f'`{name}` ' if name else ''}"
        f"{f'as ctx.{attribute}' if attribute else 'on its context'}: it holds its node, and the node "
        "holds it, so memory is freed only when the garbage collector comes by.",
    )


def _output_on_context(examination: Examination) -> tuple[Place | None, str, str]:
    call, trail = examination.example.run(examination.arrays, trace=True)
    assert trail is not None
    node = call.ctx.engine_node()
    for attribute, (place, name) in trail.kept.items():
        for tensor in tensors_of(call.ctx.__dict__.get(attribute)):
            if node_of(tensor) is node:
                return place, name, attribute
    return None, "", ""


def _elsewhere(examination: Examination) -> tuple[Place | None, str]:
    """The line of a method that leaves a tensor of the call in its class, or in a global."""
    call, trail = examination.example.run(examination.arrays, trace=True)
    assert trail is not None
    node = call.ctx.engine_node()
    places = [examination.example.cls.__dict__]
    places += [getattr(examination.example.forward, "__globals__", {})]
    for names in places:
        for name, value in list(names.items()):
            if any(node_of(t) is node for t in tensors_of(value)):
                for line in trail.lines:
                    if name in line.place.text:
                        return line.place, name
                return None, name
    return None, ""
