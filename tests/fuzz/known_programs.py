"""Programs that PyTorch promises nothing of: where the comparison ends without a failure, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.fuzz.compare import Difference
from tests.fuzz.program_conditions import (
    another_type_unpacked,
    captured_before_its_hooks,
    changed_past_its_counter,
    determinant_of_no_sign,
    gradient_of_another_shape,
    hook_on_what_backward_starts_from,
    inference_leaf,
    inference_tensor_of_normal_memory,
    infinite_complex_numbers,
    kept_by_a_function_and_detached,
    layer_of_nothing,
    leaf_that_is_a_view,
    leaf_until_it_is_looked_at,
    mask_in_inference,
    mean_of_infinities,
    nothing_to_derive,
    order_of_one_complex_number,
    places_of_equal_elements,
    places_of_no_elements,
    power_of_a_plain_exponent,
    prelu_at_zero,
    product_of_several_zeros,
    products_of_nothing,
    reached_before_refusal,
    refused_before,
    saved_by_normalisation,
    saved_for_its_shape,
    says,
    shown_though_not_needed,
    sign_of_zero,
    singular,
    stale_without_elements,
    statistics_of_a_layer,
    type_of_nothing,
    whole_number_that_requires_grad,
    written_before_refusal,
    zero_to_a_complex_power,
    zero_to_the_power_zero,
)
from tests.fuzz.program_memory import (
    When,
    beyond_its_elements,
    gradient_that_is_a_view,
    one_element_of_its_own,
    other_order_in_memory,
    reads_what_it_writes,
    writes_shared_elements,
)

if TYPE_CHECKING:
    from tests.fuzz.programs import Side


@dataclass(frozen=True)
class KnownProgram:
    why: str
    when: When


KNOWN_PROGRAMS = (
    KnownProgram("elements that share a place are written in no order (expanded tensors, and PyTorch's "
                 "gradients of sums, which are expanded, too): vizgrad refuses", writes_shared_elements),
    KnownProgram("elements that are read where they are written: PyTorch notices only dense operands, and reads "
                 "what it has just written (masked_scatter_ and products of all)", reads_what_it_writes),
    KnownProgram("how the elements of a result lie in memory where operands lie in several ways, which decides "
                 "whether reshape copies", other_order_in_memory),
    KnownProgram("a view without history whose base was written is a leaf there until the program reads grad_fn",
                 leaf_until_it_is_looked_at),
    KnownProgram("a tensor of whole numbers requires grad after a write", whole_number_that_requires_grad),
    KnownProgram("a limit of multi-tensor hooks on leaves", says("A leaf node was passed to _will_engine_execute")),
    KnownProgram("refused for one of two reasons", refused_before),
    KnownProgram("0 ** 0 of complex numbers is NaN or 1 there, by where it lies", zero_to_the_power_zero),
    KnownProgram("the slope of 0 ** z by a complex z with a positive real part is 0; PyTorch's is NaN",
                 zero_to_a_complex_power),
    KnownProgram("multi-tensor hooks do not count the one tensor that backward starts from",
                 hook_on_what_backward_starts_from),
    KnownProgram("a layer for operands without elements asks less of them, or more", layer_of_nothing),
    KnownProgram("what is saved of an operand without elements", stale_without_elements),
    KnownProgram("batch_norm does not count its writes to running statistics there", statistics_of_a_layer),
    KnownProgram("a singular matrix, by rounding", singular),
    KnownProgram("the sign of a zero", sign_of_zero),
    KnownProgram("types that are not computed, of operands without elements", type_of_nothing),
    KnownProgram("sort without stable=True: which of equal elements comes first", places_of_equal_elements),
    KnownProgram("memory that was changed past its version counter", changed_past_its_counter),
    KnownProgram("hooks of cat and stack see gradients of operands that need none", shown_though_not_needed),
    KnownProgram("layers of normalisation keep more than their gradients need", saved_by_normalisation),
    KnownProgram("the sign of a determinant that has none", determinant_of_no_sign),
    KnownProgram("retain_grad and a change of shape: a gradient of the shape before", gradient_of_another_shape),
    KnownProgram("indices into what has no elements", places_of_no_elements),
    KnownProgram("what is assigned itself, by the strides of dimensions of size 1", one_element_of_its_own),
    KnownProgram("products of infinite complex numbers are infinite or NaN, by the order of their parts",
                 infinite_complex_numbers),
    KnownProgram("var_mean: the mean of what is infinite is NaN", mean_of_infinities),
    KnownProgram("gradients of complex and real operands together",
                 says("isFloatingType(grad.scalar_type()) || (input_is_complex")),
    KnownProgram("sums of products of no elements: their types are not looked at", products_of_nothing),
    KnownProgram("no gradients to clip", says("!nested_tensorlist[0].empty()")),
    KnownProgram("an unpack hook that gives another type: PyTorch's gradient is wrong without a word", another_type_unpacked),
    KnownProgram("a view without elements that was made anew after a write", nothing_to_derive),
    KnownProgram("values of another type where a mask holds: refused everywhere, by PyTorch not in inference mode",
                 mask_in_inference),
    KnownProgram("vizgrad saves no operand for its shape", saved_for_its_shape),
    KnownProgram("[D] the result of a power whose exponent needs no gradient may be written to: PyTorch keeps it, though "
                 "the derivative by the base reads base and exponent alone", power_of_a_plain_exponent),
    KnownProgram("what was written before a refusal", written_before_refusal),
    KnownProgram("the leaves that were reached before a refusal, of an operation that has fewer nodes",
                 reached_before_refusal),
    KnownProgram("set_ of a view: PyTorch keeps its base's history, of memory nobody shows any more",
                 says("derivative for set_")),
    KnownProgram("strides of what has no elements are numpy's", says("must have a stride divisible by 2")),
    KnownProgram("an internal error of PyTorch", says("INTERNAL ASSERT")),
    KnownProgram("vizgrad saves fewer operands", says("Inference tensors cannot be saved")),
    KnownProgram("a leaf that is itself a view loses its gradient there when another view is written",
                 leaf_that_is_a_view),
    KnownProgram("of an inference tensor that requires grad some operations are recorded, some are not, some are "
                 "refused", inference_leaf),
    KnownProgram("an inference tensor that was given normal memory calls itself a normal one, and has no version",
                 inference_tensor_of_normal_memory),
    KnownProgram("[D] E-51: what is captured of a tensor with hooks is what they give, also where another target lies "
                 "behind it", captured_before_its_hooks),
    KnownProgram("the second derivative of prelu at 0, where PyTorch's first is the weight and does not depend on it",
                 prelu_at_zero),
    KnownProgram("of one complex number PyTorch says which is the largest", order_of_one_complex_number),
    KnownProgram("of a whole tensor with several zeros PyTorch's product has derivative 0, also where NaN arrives",
                 product_of_several_zeros),
    KnownProgram("[D] what a Function of a person's has kept and was detached in place: PyTorch takes it for a constant",
                 kept_by_a_function_and_detached),
    KnownProgram("PyTorch's gradients of sums are views", gradient_that_is_a_view),
    KnownProgram("how large the memory of a result is, and where no elements begin", beyond_its_elements),
)  # fmt: skip


def known_program(line: str, theirs: Side, ours: Side, found: Difference) -> bool:
    return any(each.when(line, theirs, ours, found) for each in KNOWN_PROGRAMS)
