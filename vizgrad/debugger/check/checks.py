"""`card`: all examinations of a Function, in a thread whose modes are the usual ones."""

from __future__ import annotations

import _thread
import contextlib
import gc
import io
import math
import warnings
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from vizgrad.autograd.forward_ad import dual_level, make_dual, unpack_dual
from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.arrays import xp
from vizgrad.core.collector import collector_paused
from vizgrad.core.errors import Explanation, Place, class_place, returning_place
from vizgrad.core.function.custom.function import Function
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger.check import backwards, double_backward
from vizgrad.debugger.check.backwards import _near, given
from vizgrad.debugger.check.examination import Examination, entries, fault_of, number
from vizgrad.debugger.check.example import Call, Example, _rebuilt, node_of, same, tensors_of
from vizgrad.debugger.engines.api.abilities import Capability, CapabilityCard

# --- transforms ------------------------------------------------------------------------------------------
# jvp and vmap: tangents against differences, a batch against its examples one by one.


def jvp(examination: Examination) -> Capability:
    example, name = examination.example, "jvp"
    if example.cls.jvp is Function.jvp:
        return Capability(name, "untested", "no jvp: forward mode raises an error")
    if not examination.given or not examination.precise or not examination.repeatable:
        return Capability(name, "untested", "finite differences do not apply here")
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
    return Capability(name, "untested", "finite differences do not apply here")


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
        return Capability(name, "untested", "no vmap: vmap raises an error")
    if not cls._is_split():
        return Capability(
            name, "untested", "vmap raises an error: forward takes ctx, without setup_context"
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
    return Capability(name, "proven", "a batch of 3 gives what its examples give one by one")


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


# --- freeing ---------------------------------------------------------------------------------------------
# Freeing: is a call gone when nobody holds its result, and are saved values when backward has run?


FREEING = "freeing"


def examine_freeing(examination: Examination) -> Capability:
    if not examination.given:
        return Capability(FREEING, "untested", "it records nothing")
    alive, for_good = lives_on(lambda: _left(examination))
    if alive:
        return Capability(FREEING, "failed", "", (_kept(examination, for_good),))
    return Capability(FREEING, "proven", _on_context(examination))


def lives_on(make: Callable[[], weakref.ref[Any]]) -> tuple[bool, bool]:
    """Is what `make` made and let go of still there; is it when the collector has been there, too?"""
    with collector_paused():
        left = make()
        alive = left() is not None
        if alive:
            gc.collect()
        return alive, left() is not None


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
        "holds it, so memory is freed only when the garbage collector runs.",
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


# --- writes ----------------------------------------------------------------------------------------------
# Version safety: an input or output that is changed in place before backward must be noticed.


WRITES = "version safety"


def examine_writes(examination: Examination) -> Capability:
    if not examination.gradients:
        return Capability(WRITES, "untested", "backward gives no gradient")
    if not examination.repeatable:
        return Capability(WRITES, "untested", "what it computes is not repeatable")
    example = examination.example
    call, _ = example.run(examination.arrays)
    inputs, outputs = len(call.arguments), len(tensors_of(call.result))
    noticed = harmless = 0
    for nr in range(inputs + outputs):
        told = _after_writing(examination, nr)
        if isinstance(told, Explanation):
            return Capability(WRITES, "failed", "", (told,))
        noticed, harmless = noticed + (told is True), harmless + (told is False)
    writes = "write" if noticed == 1 else "writes"
    said = [f"{noticed} {writes} noticed"] * bool(noticed)
    said += [f"{harmless} harmless"] * bool(harmless)
    return Capability(WRITES, "proven", ", ".join(said))


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
        "changed in place after forward, and backward read the new values without an error.",
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


# --- checks ----------------------------------------------------------------------------------------------


T = TypeVar("T")

#: Which failing case is told first.
_WORST = ("forward", "backward", "double backward", "freeing", "version safety", "jvp", "vmap")


def told_of(card: CapabilityCard) -> list[Explanation]:
    """The faults of a custom Function on its card, the worst first; see `vizgrad.check`."""
    named = {c.name: c for c in card.capabilities}
    told: dict[Any, Explanation] = {}
    failures = [f for name in _WORST if not named[name].aloud for f in named[name].failures]
    for each in (*failures, *named["backward"].remarks):
        told.setdefault(each.culprit or each, each)  # a line is told of once
    return list(told.values())


def card(function: Any, *inputs: Any) -> CapabilityCard:
    """The abilities of a custom Function, each proven on example inputs, failed, or untested (see
    `check`).
    """
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
        backwards.examine_forward(examination),
        _backward(examination),
        double_backward.examine(examination),
        jvp(examination),
        vmap(examination),
        examine_writes(examination),
        examine_freeing(examination),
    )


def _backward(examination: Examination) -> Capability:
    found = backwards.examine_backward(examination)
    if found.failures or not examination.gradients:
        return found
    mentioned, remarks = backwards.examine_need(examination)
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
