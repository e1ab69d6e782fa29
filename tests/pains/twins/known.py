"""What is not explained yet: a test fails when this list is longer or shorter than the truth."""

from __future__ import annotations

#: engine -> (program, question)
NOT_EXPLAINED: dict[str, frozenset[tuple[str, str]]] = {
    "torch": frozenset(
        {
            ("optimizer_over_the_old_model", "findings"),
            ("layers_in_a_plain_list", "findings"),
            ("backward_changes_the_gradient_it_was_given", "check(Negate, x)"),
            ("a_hook_that_sums", "error"),
            ("cleared_between_backward_and_step", "findings"),
            ("backward_is_never_called", "findings"),
            ("likelihood_of_plain_probabilities", "findings"),
            ("a_history_of_losses", "findings"),
            ("tied_through_data", "findings"),
            ("grad_of_a_detached_energy", "why(force)"),
            ("item_inside_vmap", "error"),
            ("a_branch_on_data_inside_vmap", "error"),
            ("grad_of_a_vector", "error"),
            ("slope_of_a_length_at_zero", "why(g)"),
            ("a_jacobian_with_a_row_of_nan", "why(J)"),
            ("gradients_of_each_sample_one_is_nan", "why(each)"),
            ("vmap_writes_into_a_plain_tensor", "error"),
            ("hessian_of_a_hinge", "why(H)"),
            ("features_without_grad_inside_grad", "why(g)"),
            ("backward_twice_over_an_old_value", "error"),
        }
    ),
    "vizgrad": frozenset(
        {
            ("optimizer_over_the_old_model", "findings"),
            ("layers_in_a_plain_list", "findings"),
            ("cleared_between_backward_and_step", "findings"),
            ("backward_is_never_called", "findings"),
            ("likelihood_of_plain_probabilities", "findings"),
            ("a_history_of_losses", "findings"),
            ("tied_through_data", "findings"),
            ("grad_of_a_detached_energy", "why(force)"),
            ("slope_of_a_length_at_zero", "why(g)"),
            ("a_jacobian_with_a_row_of_nan", "why(J)"),
            ("gradients_of_each_sample_one_is_nan", "why(each)"),
            ("hessian_of_a_hinge", "why(H)"),
            ("features_without_grad_inside_grad", "why(g)"),
            ("backward_twice_over_an_old_value", "error"),
        }
    ),
}
