"""The abilities of a custom Function of PyTorch, by running it on an example: `vizgrad.card` and `check`."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.autograd import forward_ad

from vizgrad.core.errors import Explanation, class_place, function_place, returning_place
from vizgrad.debugger.check.checks import apart, lives_on, stays
from vizgrad.debugger.engines.api.abilities import Capability, CapabilityCard
from vizgrad.debugger.engines.pytorch.function_runs import (
    SEED,
    Call,
    Examined,
    argument,
    arguments_of,
)
from vizgrad.debugger.engines.pytorch.torch_nodes import dtype_of
from vizgrad.debugger.watch.functions import LEAKS, LIKE, MAKE, kept_at

_STEP, _TOLERANCE = 1e-6, 1e-4
#: Batches are of so many examples.
_BATCH = 3
_UNRELIABLE = "backward gives no gradient that can be trusted"


def all_of(examined: Examined) -> tuple[Capability, ...]:
    """In the order of a card."""
    return jvp(examined), vmap(examined), version_safety(examined), freeing(examined)


# --- modes -------------------------------------------------------------------------------------------


def jvp(examined: Examined) -> Capability:
    """Tangents against differences."""
    name, cls = "jvp", examined.cls
    if cls.jvp is torch.autograd.Function.jvp:
        return Capability(name, "untested", "no jvp: forward mode raises an error")
    if not examined.call.outputs or not examined.precise:
        return Capability(name, "untested", "finite differences do not apply here")
    tangents = [torch.randn_like(v) if w else None for v, w in _inputs(examined)]
    try:
        given = _pushed(examined, tangents)
    except Exception as error:  # noqa: BLE001  a person's code
        return _raised(examined, name, cls.jvp, error)
    sides = []
    for step in (_STEP, -_STEP):
        moved = [
            v.clone() if t is None else v + step * t
            for (v, _), t in zip(_inputs(examined), tangents, strict=True)
        ]
        sides.append(examined.value(moved))
    found = (sides[0] - sides[1]) / (2 * _STEP)
    if abs(given - found) <= _TOLERANCE * max(1.0, abs(given), abs(found)):
        return Capability(name, "proven", "its tangent agrees with differences")
    if examined.surrogate:
        return Capability(name, "untested", "another tangent than the derivative, as backward's")
    fault = Explanation(
        "function-return", returning_place(cls.jvp), cls.__name__,
        "Correct the tangent that jvp returns: the derivative of forward along the tangents given.",
        f"{cls.__name__}.jvp returns a wrong tangent: along random tangents it gives {given:.4g}, and "
        f"differences of forward {found:.4g}.",
    )  # fmt: skip
    return Capability(name, "failed", "", (fault,))


def _pushed(examined: Examined, tangents: list[Any]) -> float:
    """The tangents of the outputs as one number, weighted."""
    with forward_ad.dual_level():
        given = [
            v.clone() if t is None else forward_ad.make_dual(v.clone(), t)
            for (v, _), t in zip(_inputs(examined), tangents, strict=True)
        ]
        outputs = _applied(examined, given)
        total = 0.0
        for output, weight in zip(_recorded(examined, outputs), examined.weights, strict=True):
            tangent = forward_ad.unpack_dual(output).tangent
            if tangent is not None:
                total += (weight * tangent).real.sum().item()
    return total


def vmap(examined: Examined) -> Capability:
    """A batch against its examples one by one."""
    name, cls = "vmap", examined.cls
    own = cls.vmap is not torch.autograd.Function.vmap
    if not own and not cls.generate_vmap_rule:
        return Capability(name, "untested", "no vmap: vmap raises an error")
    if cls.setup_context is torch.autograd.Function.setup_context:
        refused = "vmap raises an error: forward takes ctx, without setup_context"
        return Capability(name, "untested", refused)
    if not examined.values or not _repeats(examined):
        return Capability(name, "untested", "examples cannot be compared: it draws random numbers")
    batches = [_batch(value, wanted) for value, wanted in _inputs(examined)]
    try:
        found = torch.func.vmap(lambda *tensors: tuple(_applied(examined, list(tensors))))(*batches)
        gradients = None
        if examined.gradients is not None:
            weights = [torch.stack([weight] * _BATCH) for weight in examined.weights]
            wanted = [b for b, (_, w) in zip(batches, _inputs(examined), strict=True) if w]
            outputs = _recorded(examined, found)
            gradients = torch.autograd.grad(outputs, wanted, weights, allow_unused=True)
    except Exception as error:  # noqa: BLE001  a person's code
        return _raised(examined, name, cls.vmap if own else cls.forward, error, aloud=True)
    for nr in range(_BATCH):
        call = examined.run([batch.detach()[nr] for batch in batches])
        if not _near([each[nr] for each in found], call.results):
            return Capability(name, "failed", "", (_other(examined, "result", own=own),))
        if gradients is not None:
            alone, _ = call.gradients(examined.weights)
            if not _near([None if g is None else g[nr] for g in gradients], alone):
                return Capability(name, "failed", "", (_other(examined, "gradient", own=own),))
    return Capability(
        name, "proven", f"a batch of {_BATCH} gives what its examples give one by one"
    )


def _batch(value: torch.Tensor, wanted: bool) -> torch.Tensor:
    shift = value.abs() * 0.1 + 0.01 if wanted else value * 0
    made = torch.stack([value, value + shift, value - shift * 0.5]).to(value.dtype)
    return made.requires_grad_(wanted)


def _other(examined: Examined, what: str, *, own: bool) -> Explanation:
    cls = examined.cls
    return Explanation(
        "function-return", function_place(cls.vmap) if own else class_place(cls), cls.__name__,
        "Correct the vmap staticmethod, and the out_dims that it returns." if own
        else "Define the vmap staticmethod, and leave generate_vmap_rule away.",
        f"Under vmap {cls.__name__} gives a batch another {what} than its examples one by one.",
    )  # fmt: skip


# --- memory ------------------------------------------------------------------------------------------


def version_safety(examined: Examined) -> Capability:
    """An input or output that is changed in place before backward must be noticed."""
    name = "version safety"
    if examined.gradients is None or not _repeats(examined):
        return Capability(name, "untested", _UNRELIABLE)
    noticed = harmless = 0
    for nr in range(len(examined.call.arguments) + len(examined.call.results)):
        told = _after_writing(examined, nr)
        if isinstance(told, Explanation):
            return Capability(name, "failed", "", (told,))
        noticed, harmless = noticed + (told is True), harmless + (told is False)
    said = [f"{noticed} {'write' if noticed == 1 else 'writes'} noticed"] * bool(noticed)
    said += [f"{harmless} harmless"] * bool(harmless)
    return Capability(name, "proven", ", ".join(said))


def _after_writing(examined: Examined, nr: int) -> Explanation | bool | None:
    """True if backward refuses, False if it is as right as before, None if it cannot be written to."""
    call = examined.run(examined.values)
    target = [*call.arguments, *call.results][nr]
    if not (target.is_floating_point() or target.is_complex()) or not target.numel():
        return None
    before = dict(_copies(call))
    try:
        with torch.no_grad():
            target.mul_(1.5).add_(0.25)
    except RuntimeError:  # expanded, or a view that is not to be written
        return None
    try:
        found, _ = call.gradients(examined.weights)
    except Exception:  # noqa: BLE001  it is refused
        return True
    assert examined.gradients is not None
    if _near(examined.gradients, found):
        return False
    changed = (a for a, now in _copies(call) if not _near([before[a]], [now]))
    attribute = next(changed, "")
    place, name = kept_at(examined.cls, attribute) if attribute else (None, "")
    own = (
        argument(examined.cls, nr, examined.inputs)
        if nr < len(call.arguments)
        else name or "the output"
    )
    return Explanation(
        "hidden-write", place, own,
        f"Keep it with ctx.save_for_backward({name or own}): a later write is then an error, not a wrong "
        "gradient.",
        f"{examined.cls.__name__} keeps `{own}`{f' as ctx.{attribute}' if attribute else ''} past the "
        "version counter: it was changed in place after forward, and backward read the new values without "
        "an error.",
    )  # fmt: skip


def _copies(call: Call) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors that are attributes of the context, as they are now."""
    for attribute, value in vars(call.node).items():
        if isinstance(value, torch.Tensor):
            yield attribute, value.detach().clone()


def freeing(examined: Examined) -> Capability:
    """Is a call gone when nobody holds its result?"""
    name = "freeing"
    if not examined.call.outputs:
        return Capability(name, "untested", "it records nothing")
    alive, for_good = lives_on(lambda: _left(examined))
    if alive:
        return Capability(name, "failed", "", (_kept(examined, for_good=for_good),))
    held = {attribute: tensor.nbytes for attribute, tensor in _copies(examined.call)}
    return Capability(name, "proven", stays(held))


class _Mark:
    """Goes with a context."""


def _left(examined: Examined) -> weakref.ref[_Mark]:
    """The mark of a call whose result is gone."""
    call = examined.run(examined.values)
    if examined.gradients is not None:
        call.gradients(examined.weights)
    mark = call.node.vizgrad_mark = _Mark()
    return weakref.ref(mark)


def _kept(examined: Examined, *, for_good: bool) -> Explanation:
    title, call = examined.cls.__name__, examined.call
    own = [a for a, v in vars(call.node).items() if any(v is each for each in call.results)]
    place, name = kept_at(examined.cls, own[0]) if own else (None, "")
    if for_good and not own:
        return Explanation(
            "history-kept", place, title,
            "Do not keep tensors of a call on the class or in a global: hand them to backward with "
            "ctx.save_for_backward.",
            f"A call of {title} stays in memory, with its graph, after its result is gone: something outside "
            "of the graph is kept for good.",
        )  # fmt: skip
    said = name or (own[0] if own else "")
    return Explanation(
        "reference-cycle", place, said or f"{title}Backward",
        f"Keep the output with ctx.save_for_backward({said}), which makes no cycle.",
        f"{title} keeps its output {f'as ctx.{own[0]}' if own else 'on its context'}: it holds its node, and "
        "the node holds it, so memory is freed only when the garbage collector runs.",
    )  # fmt: skip


# --- common ------------------------------------------------------------------------------------------


def _inputs(examined: Examined) -> list[tuple[torch.Tensor, bool]]:
    """Values of the tensors, and which of them are differentiated."""
    return list(zip(examined.values, examined.wants, strict=True))


def _applied(examined: Examined, tensors: list[Any]) -> list[torch.Tensor]:
    """The tensors that come of them."""
    torch.manual_seed(SEED)
    made = examined.cls.apply(*arguments_of(examined.inputs, tensors))
    several = made if isinstance(made, tuple) else (made,)
    return [each for each in several if isinstance(each, torch.Tensor)]


def _recorded(examined: Examined, outputs: Any) -> list[torch.Tensor]:
    """Those of which gradients are asked."""
    pairs = zip(outputs, examined.call.results, strict=True)
    return [output for output, before in pairs if before.requires_grad]


def _repeats(examined: Examined) -> bool:
    """Does forward give the same again, without drawing random numbers?"""
    call = examined.run(examined.values)
    state = torch.get_rng_state()
    torch.manual_seed(SEED)
    return torch.equal(state, torch.get_rng_state()) and _near(call.results, examined.call.results)


def _raised(
    examined: Examined, name: str, function: Callable[..., Any], error: Exception, *, aloud: bool = False
) -> Capability:  # fmt: skip
    title = examined.cls.__name__
    fault = Explanation(
        "function-return", returning_place(function), f"{title}Backward",
        "Make it work for the example that was given.",
        f"{title} under {name} raised {type(error).__name__}: {str(error).partition(chr(10))[0]}",
    )  # fmt: skip
    return Capability(name, "failed", "", (fault,), aloud=aloud)


def _near(one: Any, other: Any) -> bool:
    for a, b in zip(one, other, strict=True):
        if (a is None) != (b is None):
            return False
        if a is not None and (
            a.shape != b.shape
            or not torch.allclose(
                a.detach().to(b.dtype), b.detach(), rtol=1e-6, atol=1e-9, equal_nan=True
            )
        ):
            return False
    return True


def card(function: Any, *inputs: Any) -> CapabilityCard:
    """See `vizgrad.card`. Raises what forward raises on the example."""

    def work() -> tuple[Capability, ...]:
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings(), torch.enable_grad():
            warnings.simplefilter("ignore")
            examined = Examined(function, inputs)
            first = (examined.forward(), examined.backward(), examined.double_backward())
            return (*first, *all_of(examined))

    said = ", ".join(map(_said, inputs))
    return CapabilityCard(function.__name__, said, apart(work), class_place(function))


def _said(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{dtype_of(value)}{list(value.shape)}"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


# How a function of PyTorch's is noted: by its name, as `TorchFunctionMode` tells of it.

#: Getters whose result is a tensor of the values of another.
_VIEWS = frozenset({"T", "mT", "H", "mH", "real", "imag"})
#: They neither make tensors nor write to any, or what they make tells nothing.
_PASSED = frozenset(
    {
        "size", "dim", "ndimension", "numel", "nelement", "stride", "is_complex", "is_floating_point",
        "is_contiguous", "element_size", "storage_offset", "data_ptr", "untyped_storage", "__len__",
        "is_inference", "is_signed", "is_same_size", "is_set_to", "get_device", "__hash__",
        "__bool__", "__repr__", "__format__", "__str__", "__dir__", "retain_grad",
        "_set_grad_enabled", "is_tensor", "register_post_accumulate_grad_hook", "result_type", "can_cast",
        "is_grad_enabled", "zeros", "ones", "empty", "arange", "_backward_hooks",
        "__deepcopy__", "__reduce_ex__", "__setstate__", "_is_view", "is_nonzero", "empty_like",
    }
)  # fmt: skip
_KINDS = {
    "register_hook": "hook", "requires_grad_": "freeze", "backward": "run", "grad": "run",
}  # fmt: skip


def heard_as(func: Any) -> tuple[str, str]:
    """(kind, name). Kinds are those of `vizgrad.debugger.watch.hooked_functions`; "pass": nothing is
    noted of it, "run": it runs a backward, of which the engine tells, "ask": it gives the gradient of a leaf.
    """
    try:
        known = _known.get(func)
    except TypeError:
        return _heard_as(func)
    if known is None:
        known = _heard_as(func)
        if len(_known) < _MOST_KNOWN:
            _known[func] = known
    return known


_known: dict[Any, tuple[str, str]] = {}
_MOST_KNOWN = 10_000


def _heard_as(func: Any) -> tuple[str, str]:
    name = str(getattr(func, "__name__", ""))
    if name in ("__get__", "__set__", "__delete__"):
        return _of_attribute(name, str(getattr(func.__self__, "__name__", "")))
    name = name.partition(".")[0]  # of an overload: add.Tensor
    if name in _PASSED or name.startswith("_record_function"):
        return "pass", name
    if name in _KINDS:
        return _KINDS[name], name
    if name in LEAKS:
        return "leak", name
    if name in LIKE:
        return "like", name
    return ("make" if name in MAKE else "op"), name


def _of_attribute(access: str, name: str) -> tuple[str, str]:
    if name == "data":
        return ("data" if access == "__get__" else "assign"), name
    if name == "requires_grad" and access == "__set__":
        return "freeze", name
    if name == "grad" and access == "__get__":
        return "ask", name
    return ("op" if access == "__get__" and name in _VIEWS else "pass"), name
