"""Work for nobody: gradients that backward computes of inputs that need none.

Backward is run with one input alone that requires grad, and recorded. Of what it returns for another: which
nodes stand behind that, and behind nothing that is needed? None, where it is what came in, or a view of it.
Gradients are right all the same, so this is no failure. A pass over elements is mentioned on the card; a
product, which costs more than all passes together, is worth a finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from vizgrad.core.errors import Explanation, Place, place_of
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.check.backwards import given
from vizgrad.debugger.check.examination import Examination
from vizgrad.debugger.check.example import Example, tensors_of

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
    """Of what backward returned for each tensor, where that of `chosen` alone is needed.

    `since`: the number that a node would have had which was recorded before backward began.
    """
    needed = recorded(returned[chosen], since)
    for number, value in enumerate(returned):
        if number != chosen:
            own = [node for nr, node in recorded(value, since).items() if nr not in needed]
            if not all(node.name().startswith(_VIEWS) for node in own):
                yield Needless(number, own)


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
        f"{title}.backward computes the gradient of `{name}` also where nobody needs it. Its gradients are "
        "right: this is work for nothing.",
    )  # fmt: skip


# --- of vizgrad's Functions ------------------------------------------------------------------------------


def examine(examination: Examination) -> tuple[str, tuple[Explanation, ...]]:
    """What the card mentions, and what is worth a finding."""
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
        "is computed also where nobody needs it"
        if one
        else "are computed also where nobody needs them"
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
