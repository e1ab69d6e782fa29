"""Programs of this corpus whose bug is not found, or is told at another line than the one to edit."""

from __future__ import annotations

NOT_FOUND = frozenset(
    {
        # nothing is said: no sign of these is noted
        "labels_beyond_the_vocabulary",
        "llama_activations_overflow_in_half",
        "logits_given_to_binary_cross_entropy",
        "noise_is_predicted_from_itself",
        "textual_inversion_of_a_result",
        "the_teacher_is_the_student",
        # the cause is right, and the line is the model's own, or that of who built it
        "adapters_are_off_while_training",
        "attack_asks_for_the_gradient_late",
        "bert_encoder_runs_without_grad",
        "features_in_inference_mode",
        # another cause is told
        "gpt2_rate_is_far_too_high",
    }
)
