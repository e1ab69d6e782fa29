"""What is not explained yet: a test fails when this list is longer or shorter than the truth."""

from __future__ import annotations

#: engine -> (program, question)
NOT_EXPLAINED: dict[str, frozenset[tuple[str, str]]] = {
    "torch": frozenset(
        {
            ("grad_of_a_detached_energy", "why(force)"),
            ("grad_of_a_vector", "error"),
            ("slope_of_a_length_at_zero", "why(g)"),
            ("a_jacobian_with_a_row_of_nan", "why(J)"),
            ("gradients_of_each_sample_one_is_nan", "why(each)"),
            ("vmap_writes_into_a_plain_tensor", "error"),
            ("hessian_of_a_hinge", "why(H)"),
            ("features_without_grad_inside_grad", "why(g)"),
            ("gan_whose_judge_trains_the_generator_too", "findings"),
            ("dqn_that_trains_through_its_target", "findings"),
            ("tagger_whose_padding_is_a_word", "findings"),
        }
    ),
    "vizgrad": frozenset(
        {
            ("grad_of_a_detached_energy", "why(force)"),
            ("slope_of_a_length_at_zero", "why(g)"),
            ("a_jacobian_with_a_row_of_nan", "why(J)"),
            ("gradients_of_each_sample_one_is_nan", "why(each)"),
            ("hessian_of_a_hinge", "why(H)"),
            ("features_without_grad_inside_grad", "why(g)"),
            ("gan_whose_judge_trains_the_generator_too", "findings"),
            ("dqn_that_trains_through_its_target", "findings"),
            ("tagger_whose_padding_is_a_word", "findings"),
        }
    ),
}
