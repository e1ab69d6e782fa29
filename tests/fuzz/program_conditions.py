"""When a program is one that PyTorch promises nothing of: conditions for `known_programs.py`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from tests.fuzz.compare import Difference
from tests.fuzz.program_memory import When, _names, _of_one_form, _written

if TYPE_CHECKING:
    from tests.fuzz.programs import Side

#: What vizgrad asks before it looks at the operands, or PyTorch does.
_ASKED_EARLY = re.compile(
    r"Inplace update to inference|is a view and its base or another view|A view was created in"
)


def refused_before(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    told = f"{found.theirs} {found.ours}"
    return None not in (theirs.outcomes[-1], ours.outcomes[-1]) and bool(_ASKED_EARLY.search(told))


def stale_without_elements(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    told = str(found.ours)
    return (
        "modified by an inplace" in told and re.search(r"\[(\d+, )*0(, \d+)*\]", told) is not None
    )


def infinite_complex_numbers(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    if not _of_one_form(found, "c"):
        return False
    a, b = found.theirs, found.ours
    lost = ~np.isfinite(a) & ~np.isfinite(b)
    return bool(np.all(lost | np.isclose(a, b, equal_nan=True)))


def statistics_of_a_layer(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    buffers = [b for m in theirs.modules().values() for b in m.buffers()]
    stale = re.search(r"modified by an inplace operation: \[[\w.]+ \[([\d, ]*)\]", str(found.ours))
    if (
        stale and found.theirs is None
    ):  # its gradient is of statistics that are not those of the forward
        return [int(n) for n in stale[1].split(",")] in [list(b.shape) for b in buffers if b.dim()]
    what, _, name = found.what.partition(" of ")
    if what != "version" or found.theirs is not False or name not in theirs.names:
        return False
    return any(b.data_ptr() == theirs.names[name].data_ptr() for b in buffers)


def singular(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """Is the matrix that one of the two inverts as good as singular, or differ the inverses by what its condition
    makes of the last digit?
    """
    inverted = re.search(r"linalg\.inv\((x\d+b?) \+ 4 ", line)
    if inverted is None:
        return False
    matrix = theirs.names[inverted.group(1)].detach().numpy()
    worst = float(np.max(np.linalg.cond(matrix + 4 * np.eye(matrix.shape[-1])), initial=0))
    if "Singular" in f"{found.theirs} {found.ours}":
        return worst > 1e6
    if not _of_one_form(found):
        return False
    moved = np.abs(found.theirs - found.ours).max()
    return bool(moved <= 10 * worst * np.finfo(matrix.dtype).eps * np.abs(found.theirs).max())


def sign_of_zero(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """Where the reciprocals of 0 and -0 are, or what follows from them."""
    if not _of_one_form(found):
        return False
    a, b = found.theirs, found.ours
    return bool(np.all((np.isinf(a) & (a == -b)) | np.isclose(a, b, equal_nan=True)))


def type_of_nothing(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    operands = [t for n, t in theirs.tensors().items() if n in _names(line)]
    return isinstance(found.ours, NotImplementedError) and not all(t.numel() for t in operands)


def places_of_no_elements(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """Does the written part have no elements, whose places PyTorch asks about, or not?"""
    written = theirs.names.get(_written(line) or "")
    told = "out of bounds for dimension" in f"{found.theirs} {found.ours}"
    return told and written is not None and not written.numel()


def places_of_equal_elements(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """What is sorted is compared before where it was."""
    sorted_ = ".sort(" in line and isinstance(found.theirs, np.ndarray)
    return sorted_ and found.theirs.dtype == np.int64 and found.what.startswith("value")


#: What a layer begins with is written past the counter, too, before anything was kept.
_FIRST_WEIGHTS = "p.data.copy_(torch.linspace("
_PAST_THE_COUNTER = re.compile(r"\.data( = |\.\w+_\()|vector_to_parameters")


def changed_past_its_counter(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """Which of several equivalent values a node has kept decides what its backward then reads."""
    derived = found.what.startswith(("gradient", "what hooks saw")) or (
        found.what.startswith("value") and "autograd" in line
    )
    lines = [each for each in theirs.lines if _FIRST_WEIGHTS not in each]
    if not derived or not any(_PAST_THE_COUNTER.search(each) for each in lines):
        return False
    from tests.fuzz.program_compare import differences  # which asks this file

    # what differs without those writes, too, is another matter
    lines = [each if _FIRST_WEIGHTS in each else _counted(each) for each in theirs.lines]
    return not differences(theirs.module, ours.module, lines, judged=False)


def _counted(line: str) -> str:
    """The line without what it writes past the counter."""
    line = re.sub(r"(x\d+b?)\.data = [^;]*", r"\1", line)
    line = re.sub(r"\.data\.(\w+_)\(", r".data.clone().\1(", line)
    return re.sub(r"torch\.nn\.utils\.vector_to_parameters", "str", line)


def shown_though_not_needed(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    def hidden(there: object, here: object) -> bool:
        if isinstance(there, list) and isinstance(here, list):
            return len(there) == len(here) and all(map(hidden, there, here))
        return here is None or there == here or bool(np.isclose(there, here, rtol=1e-4))  # type: ignore[call-overload]  numbers of any kind

    # what is joined, and what was made in inference mode, wants no gradient of its own
    given = any(re.search(r"torch\.(cat|stack)\(|inference_mode\(", each) for each in theirs.lines)
    return found.what == "what hooks saw" and given and hidden(found.theirs, found.ours)


def _stale_there_alone(found: Difference) -> list[int] | None:
    """The shape of the saved value that PyTorch alone finds changed; vizgrad goes on with the line."""
    told = re.search(r"modified by an inplace operation: \[[\w.]+ \[([\d, ]*)\]", str(found.theirs))
    went_on = found.ours is None or isinstance(found.ours, AttributeError)
    return [int(n) for n in told[1].split(",") if n.strip()] if told and went_on else None


def saved_by_normalisation(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """PyTorch keeps weight and running statistics also where no gradient needs them."""
    layers = [layer for m in theirs.modules().values() for layer in m.modules()]
    norms = [layer for layer in layers if "Norm" in type(layer).__name__]
    kept = [t for layer in norms for t in (*layer.parameters(), *layer.buffers())]
    return _stale_there_alone(found) in [list(t.shape) for t in kept]


def determinant_of_no_sign(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """Of matrices with NaN or infinity, and singular ones."""
    operand = re.search(r"slogdet\((x\d+b?)\)", line)
    if operand is None or operand.group(1) not in theirs.tensors():
        return False
    matrix = theirs.names[operand.group(1)].detach().numpy()
    if matrix.ndim < 2:
        return False
    whole = np.isfinite(matrix).all()
    return not whole or bool(np.any(np.linalg.cond(matrix) > 1e6))


def gradient_of_another_shape(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """`retain_grad`, and then a change of shape in place."""
    tensor = theirs.names.get(found.what.split(" of ")[-1])
    grad = found.theirs
    wrong = found.what.startswith("gradient") and isinstance(grad, np.ndarray)
    return wrong and tensor is not None and grad.shape != tuple(tensor.shape)


def mean_of_infinities(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    a, b = found.theirs, found.ours
    told = _of_one_form(found) and "var_mean" in line
    return told and bool(np.all(np.isclose(a, b, equal_nan=True) | (np.isnan(a) & np.isinf(b))))


def products_of_nothing(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    operands = [t for n, t in theirs.tensors().items() if n in _names(line)]
    return (
        "einsum" in line
        and "same dtype" in str(found.ours)
        and not all(t.numel() for t in operands)
    )


def layer_of_nothing(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    operands = [t for n, t in theirs.tensors().items() if n in _names(line)]
    called = re.search(r"= m\d+\(", line)
    return (
        called is not None
        and found.what.startswith("raises")
        and not all(t.numel() for t in operands)
    )


def zero_to_the_power_zero(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    a, b = found.theirs, found.ours
    if not _of_one_form(found, "c") or not re.search(r"\*\*|pow", line):
        return False
    return bool(np.all((b == 1) | np.isclose(a, b, equal_nan=True)))


def zero_to_a_complex_power(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """Its slope by the exponent: PyTorch multiplies 0 by the logarithm of 0 unless the exponent is real."""
    powers = any(re.search(r"\*\*|pow", each) for each in theirs.lines)
    if not powers or not found.what.startswith("gradient") or not _of_one_form(found, "c"):
        return False
    zeros = any(bool((t == 0).any()) for t in theirs.tensors().values())
    a, b = found.theirs, found.ours
    return bool(np.all((np.isnan(a) & ((b == 0) | zeros)) | np.isclose(a, b, equal_nan=True)))


def hook_on_what_backward_starts_from(
    line: str, theirs: Side, ours: Side, found: Difference
) -> bool:
    root = re.match(r"(?:.* = )?(?:torch\.autograd\.\w+\()?\[?(x\d+b?)[.,]", line)
    if found.what != "what hooks saw" or root is None:
        return False
    hooked = [each for each in theirs.lines if "multi_grad_hook" in each and "'any'" not in each]
    tensors = [theirs.names.get(name) for each in hooked for name in _names(each)]
    start = theirs.names.get(root.group(1))
    return any(
        t is start or (t is not None and t.grad_fn is not None and t.grad_fn is start.grad_fn)
        for t in tensors
    )


def leaf_until_it_is_looked_at(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    return "a leaf Variable that requires grad is being" in str(found.theirs) and any(
        theirs.names[n]._is_view() for n in _names(line) if n in theirs.tensors()
    )


def whole_number_that_requires_grad(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    return (
        found.what.startswith("requires_grad")
        and found.theirs is True
        and any(
            t.requires_grad and not (t.is_floating_point() or t.is_complex())
            for t in theirs.tensors().values()
        )
    )


def saved_for_its_shape(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """PyTorch's index_add keeps what it adds, gather and cummax what they take from, of which their derivatives
    read nothing but the shape.
    """
    lines = [each for each in theirs.lines if re.search(r"index_add|gather\(|cummax", each)]
    kept = [theirs.names.get(name) for each in lines for name in _names(each)]
    shapes = [list(t.shape) for t in kept if isinstance(t, theirs.module.Tensor)]
    stale = _stale_there_alone(found)
    parts = any(
        re.search(r"index_add_?\(.*\[", each) for each in lines
    )  # of a tensor, without a name
    return stale is not None and (parts or stale in shapes)


def power_of_a_plain_exponent(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """PyTorch's powers keep their result, which the derivative by the base does not read."""
    return _stale_there_alone(found) is not None and bool(
        re.search(r"which is output 0 of Pow(Backward)?[01]\b", str(found.theirs))
    )


def another_type_unpacked(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    return "the unpack hook returned" in str(found.ours)


def nothing_to_derive(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """A flag of a gradient that is 0, where one of the tensors has no elements."""
    flag = "requires_grad of" in found.what and found.theirs is False
    return flag and any(
        isinstance(t, theirs.module.Tensor) and not t.numel() for t in theirs.names.values()
    )


def mask_in_inference(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    return "inference_mode" in line and "source and destination dtypes match" in str(found.ours)


def written_before_refusal(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    refused = theirs.outcomes[-1] is not None and ours.outcomes[-1] is not None
    inference = "Inplace update to inference tensor" in str(
        theirs.outcomes[-1]
    )  # whose `.grad` it may be
    kinds = ("value of", "version of", *(["gradient of"] if inference else []))
    return refused and found.what.startswith(kinds)


def reached_before_refusal(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """Which leaf was reached before a hook refused: einsum has no nodes for what changes nothing, a cell of a
    recurrence one for all its gates.
    """
    refused = theirs.outcomes[-1] is not None and ours.outcomes[-1] is not None
    hooked = "has changed the size" in str(theirs.outcomes[-1]) or "is not defined" in str(
        theirs.outcomes[-1]
    )
    composed = any("einsum(" in each or "Cell(" in each for each in theirs.lines)
    lost = found.theirs is None or found.ours is None
    return refused and hooked and composed and lost and found.what.startswith("gradient of")


def says(*phrases: str) -> When:
    """PyTorch refuses, with one of the phrases."""
    return lambda line, theirs, ours, found: (
        isinstance(found.theirs, RuntimeError) and any(p in str(found.theirs) for p in phrases)
    )


def leaf_that_is_a_view(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    what, _, name = found.what.partition(" of ")
    asked = re.search(r"autograd\.grad\(.*?, (x\d+b?)[,)]", line)
    if what == "value" and asked and _of_one_form(found) and not found.theirs.any():
        leaf = theirs.names.get(asked.group(1))  # nothing arrives there
        return leaf is not None and leaf.is_leaf and leaf._is_view() and leaf._version > 0
    tensor = theirs.names.get(name)
    if tensor is None:
        return False
    if what == "value":  # written by a hook, which is not called there
        unreached = tensor._is_view() and tensor.is_leaf and tensor.grad is None
        return unreached and ours.names[name].grad is not None
    if not what.startswith("gradient"):
        return False
    lost = found.theirs is None or found.theirs is False
    return tensor._is_view() and tensor.is_leaf and (lost or tensor._version > 0)


def inference_leaf(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """Made in inference mode, or after `p.data = inference tensor`: PyTorch records less, or refuses."""
    told = f"{found.theirs} {found.ours}"
    less = {"requires_grad": (False, True), "is_leaf": (True, False)}
    what = found.what.partition(" of ")[0]
    allowed = (
        (what == "requires_grad" and "detach_()" in line)
        or less.get(what) == (found.theirs, found.ours)
        or (what == "version" and "nference" in told)
        or (
            what.startswith("raises")
            and re.search("nference|does not require grad|a leaf Variable|next_functions", told)
            is not None
        )
        or what.startswith("gradient")
    )
    moved = any(".data = " in each for each in theirs.lines)
    return allowed and any(
        t.is_inference() and (t.requires_grad or moved) for t in theirs.tensors().values()
    )


def inference_tensor_of_normal_memory(
    line: str, theirs: Side, ours: Side, found: Difference
) -> bool:
    given = {each.split(".data = ")[0].split()[-1] for each in theirs.lines if ".data = " in each}
    told = "Inference tensors do not track version counter" in str(found.theirs)
    return told and bool(given & {*_names(line)})


def captured_before_its_hooks(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    asked = re.search(r"autograd\.grad\(.*\[(x\d+b?(?:, x\d+b?)+)\]", line)
    if asked is None or not found.what.startswith(("value", "what hooks saw")):
        return False
    tensors = [theirs.names.get(n) for n in asked.group(1).split(", ")]
    lines = [each for each in theirs.lines if ".register_hook(" in each]
    hooked = [
        theirs.names.get(n) for each in lines for n in _names(each.split(".register_hook(")[0])
    ]
    return any(t is not None and t is h for t in tensors for h in hooked)


def prelu_at_zero(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    told = found.what.startswith(("gradient", "value", "what hooks saw"))
    used = any("PReLU" in each or "prelu" in each for each in theirs.lines)
    return told and used and any(bool((t == 0).any()) for t in theirs.tensors().values())


def product_of_several_zeros(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    """Where what is not finite arrives at the product of a whole tensor, and is lost there."""
    if not found.what.startswith(("gradient", "value", "what hooks saw")) or not _of_one_form(
        found
    ):
        return False
    used = any(re.search(r"\.prod\(\)|torch\.prod\(x\d+b?\)", each) for each in theirs.lines)
    a, b = found.theirs, found.ours
    lost = ~np.isfinite(b)
    return used and bool(lost.any() and np.all(lost | np.isclose(a, b, equal_nan=True)))


def order_of_one_complex_number(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    operand = theirs.names.get(_names(line)[-1]) if _names(line) else None
    return (
        isinstance(found.ours, NotImplementedError)
        and ".cummax(" in line
        and operand is not None
        and operand.dim() == 0
        and operand.is_complex()
    )


def kept_by_a_function_and_detached(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    told = "has been detached in-place" in str(found.ours) and found.theirs is None
    return told and any("Cube.apply" in each or "Product.apply" in each for each in theirs.lines)
