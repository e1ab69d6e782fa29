"""Forward and backward of a custom Function against differences of values; gradients that nobody needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from vizgrad.core.arrays import xp
from vizgrad.core.errors import Explanation, Place, place_of
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger.check.examination import (
    Entry,
    Examination,
    agreeing,
    at,
    entries,
    fault_of,
    number,
)
from vizgrad.debugger.check.example import Call, Example, Trail, first_difference, same, tensors_of
from vizgrad.debugger.engines.api.abilities import Capability

# --- forwards --------------------------------------------------------------------------------------------
# Forward: does it run, what does it write to, is it the same again?


def examine_forward(examination: Examination) -> Capability:
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
                f"{example.title}.forward changes its input `{name}` in place without calling "
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


# --- backwards -------------------------------------------------------------------------------------------
# Backward: what it returns, whether that is the derivative, and whether it is the same again.


NAME = "backward"


def examine_backward(examination: Examination) -> Capability:
    example = examination.example
    if example.backward is None:
        return Capability(NAME, "untested", "no backward is defined")
    if not examination.given:
        return Capability(NAME, "untested", "no output of it requires grad")
    call, _ = example.run(examination.arrays)
    weights = given(examination)
    try:
        found = call.gradients(weights, retain_graph=True)
    except Exception as error:  # noqa: BLE001  whatever a person's code raises is the finding
        fault = fault_of(example, error, f"{example.title}.backward")
        return Capability(NAME, "failed", "", (fault,))
    examination.gradients = examination.full(found)
    failures = _written(examination, weights)
    failures += _again(examination)
    if not failures:
        failures += _for_some(examination)
        failures += _of_some(examination)
        failures += _at_other_values(examination)
    detail = ""
    if not failures:
        failures, detail = _values(examination)
    state = "failed" if failures else "untested" if detail.startswith("differ") else "proven"
    return Capability(NAME, state, detail, tuple(failures))


def given(examination: Examination) -> list[Tensor]:
    return [new_tensor(w.copy()) for w in examination.given]


# --- for other values ------------------------------------------------------------------------------------


def _at_other_values(examination: Examination) -> list[Explanation]:
    """The saved values may depend on the inputs: backward must work with the values that forward saved
    for others.
    """
    example = examination.example
    for factor in (-1.0, 0.0, 3.0):
        arrays = [
            (a * factor).astype(a.dtype) if n in examination.which else a
            for n, a in enumerate(examination.arrays)
        ]
        try:
            call, _ = example.run(arrays)
            weights = [new_tensor(example.random_like(output)) for output in call.outputs]
        except Exception:  # noqa: BLE001, S112  forward does not take such values
            continue
        try:
            call.gradients(weights)
        except _UNFORESEEN as error:
            values = "zeros" if not factor else f"{number(factor)} times the example"
            fault = fault_of(
                example, error, f"For {values} {example.title}.backward",
                "save the same tensors whatever the values are, and let backward ask which branch was taken",
            )  # fmt: skip
            return [fault]
        except Exception:  # noqa: BLE001, S112  refused aloud, as it may be
            continue
    return []


#: The errors of a backward that expected other saved values; no function refuses values with these.
_UNFORESEEN = (IndexError, AttributeError, TypeError, UnboundLocalError)


# --- the same again --------------------------------------------------------------------------------------


def _written(examination: Examination, weights: list[Tensor]) -> list[Explanation]:
    """The gradient that came in is not backward's to change."""
    changed = [not same(w._array, kept) for w, kept in zip(weights, examination.given, strict=True)]
    if not any(changed):
        return []
    example = examination.example
    call, _ = example.run(examination.arrays)
    weights = given(examination)
    trail = Trail(example.codes.values(), None, weights)
    with trail:
        call.gradients(weights)
    place = trail.changed.get(changed.index(True), example.returning())
    return [
        Explanation(
            "hook-effect",
            place,
            f"{example.title}Backward",
            "Write out of place there: the gradient that comes in belongs to others, too.",
            f"{example.title}.backward changes the gradient that it is given in place. Others are given the "
            "same memory, and get a wrong gradient.",
        )
    ]


def _again(examination: Examination) -> list[Explanation]:
    """The same call again; and again after another call, which must not matter."""
    example = examination.example
    if example.cls.clear_saved_tensors_on_access:
        return []
    call, _ = example.run(examination.arrays)
    trails: list[Trail] = []
    results: list[Any] = []
    for turn in range(3):
        if turn == 2:
            example.run(
                [_elsewhere(a, examination.example) for a in examination.arrays], restart=False
            )
        trail = Trail(example.codes.values())
        before = example.randomness.position()
        with trail:
            found = call.gradients(given(examination), retain_graph=True)
        drawn = example.randomness.position() != before
        trails.append(trail)
        results.append(examination.full(found))
        if turn and not _near(results[0], results[turn]):
            examination.repeatable = False
            return [_differs(examination, trails[0], trails[turn], drawn, turn == 2)]
    return []


def _elsewhere(array: Any, example: Any) -> Any:
    return array + example.random_like(array) if array.dtype.kind in "fcV" else array


def _near(one: Sequence[Any], other: Sequence[Any]) -> bool:
    for a, b in zip(one, other, strict=True):
        if (a is None) != (b is None):
            return False
        if a is not None and not same(a, b):
            scale = xp.abs(a).max(initial=0.0) + 1e-30
            gap = xp.abs(a.astype("complex128") - b.astype("complex128"))
            if not bool((gap <= 1e-6 * scale).all()):
                return False
    return True


def _differs(
    examination: Examination, one: Trail, two: Trail, drawn: bool, after_another: bool
) -> Explanation:
    example = examination.example
    parted = first_difference(one.lines, two.lines)
    line, name = parted if parted is not None else (None, "")
    if name.startswith("("):
        name = ""
    place = example.returning() if line is None else line.place
    what = f"`{name}`" if name else "what this line computes"
    if drawn:
        fix = (
            f"Save what forward drew with ctx.save_for_backward({name or 'mask'}) and use it in backward, "
            "or draw it with the same seed."
        )
        why = (
            "backward draws random numbers of its own, so it is the derivative of another function"
        )
    elif after_another:
        fix = "Keep it on ctx, or with ctx.save_for_backward, and not where all calls share it."
        why = "forward was called with other arguments in between, and backward reads what that call left"
    else:
        fix = "Let backward depend on ctx and on the gradient that comes in alone."
        why = "something else that it reads has changed in between"
    return Explanation(
        "not-repeatable",
        place,
        name or f"{example.title}Backward",
        fix,
        f"{example.title}.backward ran twice for one call and gave two results, which differ in {what}: "
        f"{why}.",
    )


# --- gradients for some inputs, of some outputs ----------------------------------------------------------


def _for_some(examination: Examination) -> list[Explanation]:
    """With one input alone that requires grad, its gradient is what it is with all."""
    example = examination.example
    which = examination.which
    if len(which) < 2:
        return []
    for chosen in which:
        wants = [n == chosen for n in range(len(example.wants))]
        name = example.name(chosen)
        try:
            call, _ = example.run(examination.arrays, wants)
            positions = [n for n, o in enumerate(tensors_of(call.result)) if o.requires_grad]
            if positions != examination.positions:
                continue
            (found,) = call.gradients(given(examination))
        except Exception as error:  # noqa: BLE001  a person's code
            fault = fault_of(
                example, error, f"Where `{name}` alone requires grad, {example.title}.backward",
                "return a gradient (or None) in the place of each argument, whichever of "
                "ctx.needs_input_grad are True",
            )  # fmt: skip
            return [fault]
        if not _near([examination.gradients[chosen]], [None if found is None else found._array]):
            return [
                Explanation(
                    "function-return",
                    example.returning(),
                    name,
                    f"Put the gradient of `{name}` in its place, whichever others require grad.",
                    f"{example.title}.backward gives `{name}` another gradient where no other input "
                    "requires grad.",
                )
            ]
    return []


def _of_some(examination: Examination) -> list[Explanation]:
    """With one output alone that is used, the others' gradients are undefined."""
    example = examination.example
    if len(examination.given) < 2:
        return []
    for nr in range(len(examination.given)):
        call, _ = example.run(examination.arrays)
        try:
            call.gradients([given(examination)[nr]], [call.outputs[nr]])
        except Exception as error:  # noqa: BLE001  a person's code
            doing = f"Where output {nr} alone is used, {example.title}.backward"
            fix = (
                "test for None there: with set_materialize_grads(False) the gradient of an unused output "
                "is None"
            )
            return [fault_of(example, error, doing, fix)]
    return []


# --- values ----------------------------------------------------------------------------------------------


def _values(examination: Examination) -> tuple[list[Explanation], str]:
    if not examination.repeatable:
        return [], "no finite differences: forward is not repeatable"
    if not examination.precise:
        return [], "no finite differences: it computes in less than double precision"
    call, _ = examination.example.run(examination.arrays)
    which = [
        n
        for n in examination.which
        if examination.example.told or examination.gradients[n] is not None
    ]
    found = list(entries(examination.value, examination.arrays, examination.gradients, which))
    wrong = [e for e in found if e.wrong]
    if not wrong:
        return [], agreeing(len(found))
    flat = any(e.found == 0 for e in wrong) or _is_flat(examination, call)
    if flat or _is_identity(examination, call):
        examination.surrogate = True
        return (
            [],
            "differs from the derivative on purpose: the output is a copy of the input, or flat",
        )
    by_input: dict[int, list[Entry]] = {}
    for entry in wrong:
        by_input.setdefault(entry.array, []).append(entry)
    return [_wrong(examination, found, wrong) for wrong in by_input.values()], ""


def _is_flat(examination: Examination, call: Call) -> bool:
    """An output does not move where all inputs do a little: it has steps, and a derivative of choice."""
    example = examination.example
    moved = [
        a + 1e-6 * example.random_like(a) if n in examination.which else a
        for n, a in enumerate(examination.arrays)
    ]
    try:
        other, _ = example.run(moved)
    except Exception:  # noqa: BLE001  a place where it has no value
        return False
    pairs = zip(tensors_of(call.result), tensors_of(other.result), strict=False)
    return any(a.requires_grad and a.numel() > 0 and same(a._array, b._array) for a, b in pairs)


def _is_identity(examination: Examination, call: Call) -> bool:
    """Values pass unchanged: then backward is there to change gradients."""
    return any(
        same(out._array, array)
        for out in tensors_of(call.result)
        for array, wanted in zip(examination.arrays, examination.example.wants, strict=True)
        if wanted
    )


def _wrong(examination: Examination, found: list[Entry], wrong: list[Entry]) -> Explanation:
    example = examination.example
    worst = max(wrong, key=lambda e: abs(e.given - e.found))
    name = example.name(worst.array)
    if examination.gradients[worst.array] is None:
        return Explanation(
            "function-return",
            example.returning(),
            name,
            f"Return the gradient of `{name}` in its place, not None.",
            f"{example.title}.backward returns None for `{name}`, but the result depends on it: the "
            f"derivative at {at(name, worst.at)} is {number(worst.found)}.",
        )
    of_input = [e for e in found if e.array == worst.array]
    other = _belongs(examination, found, worst.array)
    fix = (
        f"Return gradients in the order of forward's arguments: what comes for `{name}` is that of `{other}`."
        if other
        else f"Correct what backward returns for `{name}`{_factor(wrong, of_input)}."
    )
    return Explanation(
        "function-return",
        example.returning(),
        name,
        fix,
        f"{example.title}.backward returns a wrong gradient for `{name}`: at {at(name, worst.at)} it gives "
        f"{number(worst.given)} for a random gradient, and differences of forward give {number(worst.found)} "
        f"({len(wrong)} of {len(of_input)} elements differ).",
    )


def _factor(wrong: list[Entry], found: list[Entry]) -> str:
    """The factor by which all of them are off, if it is one number."""
    ratios = [e.given / e.found for e in found if abs(e.found) > 1e-3]
    if len(ratios) < 2 or len(wrong) < len(ratios):
        return ""
    first = ratios[0]
    if any(abs(r - first) > 1e-3 * abs(first) for r in ratios):
        return ""
    if abs(first + 1) < 1e-3:
        return ": its sign is wrong"
    return ": it is zero" if first == 0 else f": it is {number(first)} times the derivative"


def _belongs(examination: Examination, found: list[Entry], mine: int) -> str:
    """The input whose derivative is what backward gives for another one, if there is one."""
    given = {e.at: e for e in found if e.array == mine}
    for other in examination.which:
        theirs = {e.at: e for e in found if e.array == other}
        if other == mine or len(given) < 2 or given.keys() != theirs.keys():
            continue
        pairs = [Entry(other, at, given[at].given, theirs[at].found) for at in given]
        if not any(pair.wrong for pair in pairs):
            return examination.example.name(other)
    return ""


# --- unneeded gradients ----------------------------------------------------------------------------------
# Work for nobody: gradients that backward computes of inputs that need none.
#
# Backward is run with one input alone that requires grad, and recorded. For each gradient of
# another input: which nodes stand behind it, and behind nothing that is needed? None, where it is what
# came in, or a view of it. Gradients are right all the same, so this is no failure. A pass over
# elements is mentioned on the card; a product, which costs more than all passes together, is worth a finding.


#: How the names of nodes begin that compute nothing, and of those that cost more than a pass over elements.
_VIEWS = (
    "Alias", "AsStrided", "Clone", "Detach", "Diagonal", "Expand", "Narrow", "Permute", "Reshape", "Select",
    "Slice", "Split", "Squeeze", "TBackward", "ToCopy", "Transpose", "Unbind", "UnsafeView", "Unsqueeze",
    "View",
)  # fmt: skip
_PRODUCTS = (
    "Addbmm", "Addmm", "Addmv", "Baddbmm", "Bilinear", "Bmm", "Cdist", "Cholesky", "Convolution", "Fft",
    "LinalgCholesky", "LinalgDet", "LinalgEig", "LinalgInv", "LinalgLstsq", "LinalgLu", "LinalgMatrixExp",
    "LinalgPinv", "LinalgQr", "LinalgSolve", "LinalgSvd", "Linear", "MatrixExp", "Mm", "Mv",
    "ScaledDotProduct", "TriangularSolve", "Trilinear",
)  # fmt: skip


class Needless(NamedTuple):
    """The number of an input among the tensors, and the nodes behind its gradient and no other."""

    input: int
    nodes: list[Any]

    @property
    def product(self) -> Any:
        """The last of them that costs more than a pass over elements; None if there is none."""
        return next((node for node in self.nodes if node.name().startswith(_PRODUCTS)), None)


def needless(returned: Sequence[Any], chosen: int, since: int) -> Iterator[Needless]:
    """The needless gradients that backward returned, where that of `chosen` alone is needed.

    `since`: the number that a node would have had which was recorded before backward began.
    """
    needed = recorded(returned[chosen], since)
    for which, value in enumerate(returned):
        if which != chosen:
            own = [node for nr, node in recorded(value, since).items() if nr not in needed]
            if not all(node.name().startswith(_VIEWS) for node in own):
                yield Needless(which, own)


def recorded(value: Any, since: int) -> dict[int, Any]:
    """By number, the nodes behind a value that backward recorded, the last first."""
    node = getattr(value, "grad_fn", None)
    todo, found = [node], {}
    for node in todo:
        if node is None or node.name().endswith("AccumulateGrad"):
            continue
        number = node._sequence_nr()
        if number > since and number not in found:
            found[number] = node
            todo += [following for following, _ in node.next_functions]
    return found


def told(title: str, name: str, position: int | None, place: Place | None) -> Explanation:
    """The words. `position`: of the input among the arguments of forward, if that is how it is asked for."""
    asked = "ctx.needs_input_grad" + ("" if position is None else f"[{position}]")
    return Explanation(
        "needless-gradient", place, name,
        f"Compute it only where {asked} is True, and return None in its place otherwise.",
        f"{title}.backward computes the gradient of `{name}` even where it is not needed. The gradients are "
        "right, but that work is wasted.",
    )  # fmt: skip


# --- of vizgrad's Functions ------------------------------------------------------------------------------


def examine_need(examination: Examination) -> tuple[str, tuple[Explanation, ...]]:
    """The thresholds for a mention on the card, and for a finding."""
    example = examination.example
    found: dict[int, Needless] = {}
    for chosen in examination.which if len(example.tensors) > 1 else ():
        for each in _where_it_is_needed_alone(examination, chosen):
            if each.product is not None or each.input not in found:
                found[each.input] = each
    inputs = sorted(found)
    remarks = [_told(example, found[each]) for each in inputs if found[each].product is not None]
    return mentioned([example.name(each) for each in inputs]), tuple(remarks)


def mentioned(names: list[str]) -> str:
    if not names:
        return ""
    one = len(names) == 1
    said = "the gradient of" if one else "gradients of"
    ends = (
        "is computed even where it is not needed"
        if one
        else "are computed even where they are not needed"
    )
    return f"{said} {', '.join(f'`{name}`' for name in names)} {ends}"


def _where_it_is_needed_alone(examination: Examination, chosen: int) -> list[Needless]:
    example = examination.example
    returned: list[Any] = []
    try:
        call, _ = example.run(
            examination.arrays, [number == chosen for number in range(len(example.wants))]
        )
        outputs = tensors_of(call.result)
        if [n for n, output in enumerate(outputs) if output.requires_grad] != examination.positions:
            return []
        _keep_what_is_returned(example, call.ctx, returned)
        since = tick()
        call.gradients(
            [weight.requires_grad_() for weight in given(examination)], create_graph=True
        )
    except Exception:  # noqa: BLE001  a person's code, which may not be differentiable itself
        return []
    takes, made = call.ctx._fn_takes, returned[0] if returned else None
    made = made if isinstance(made, tuple) else (made,)
    of_tensors = [value for value, is_tensor in zip(made, takes, strict=False) if is_tensor]
    if len(of_tensors) != len(
        example.tensors
    ):  # sparse ones, which no example counts, are among them
        return []
    return list(needless(of_tensors, chosen, since))


def _keep_what_is_returned(example: Example, ctx: Any, returned: list[Any]) -> None:
    """Also of a backward that is not to be differentiated: the decorator is left out."""
    plain = not example.nested and not example.cls.boxed_grads_call
    backward = partial(example.backward, ctx) if plain else ctx.apply

    def keeping(*grads: Tensor | None) -> Any:
        made = backward(*grads)
        returned.append(made)
        return made

    ctx.apply = keeping


def _told(example: Example, found: Needless) -> Explanation:
    site = found.product.site
    inside = site is not None and site.code in example.codes.values()
    return told(
        example.title,
        example.name(found.input),
        None if example.nested else example.position(found.input),
        place_of(site) if inside else example.returning(),
    )
