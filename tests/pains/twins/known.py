"""What is not explained yet: a test fails when this list is longer or shorter than the truth."""

from __future__ import annotations

#: engine -> (program, question)
NOT_EXPLAINED: dict[str, frozenset[tuple[str, str]]] = {
    "torch": frozenset(
        {
            ("layers_in_a_plain_list", "findings"),
            ("tied_through_data", "findings"),
            ("grad_of_a_detached_energy", "why(force)"),
            ("grad_of_a_vector", "error"),
            ("slope_of_a_length_at_zero", "why(g)"),
            ("a_jacobian_with_a_row_of_nan", "why(J)"),
            ("gradients_of_each_sample_one_is_nan", "why(each)"),
            ("vmap_writes_into_a_plain_tensor", "error"),
            ("hessian_of_a_hinge", "why(H)"),
            ("features_without_grad_inside_grad", "why(g)"),
        }
    ),
    "vizgrad": frozenset(
        {
            ("layers_in_a_plain_list", "findings"),
            ("tied_through_data", "findings"),
            ("grad_of_a_detached_energy", "why(force)"),
            ("slope_of_a_length_at_zero", "why(g)"),
            ("a_jacobian_with_a_row_of_nan", "why(J)"),
            ("gradients_of_each_sample_one_is_nan", "why(each)"),
            ("hessian_of_a_hinge", "why(H)"),
            ("features_without_grad_inside_grad", "why(g)"),
        }
    ),
}
