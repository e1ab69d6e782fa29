"""Embedding: rows of a table by index; gradients of rows used several times add up (T-85)."""

from __future__ import annotations

from vizgrad.core.arrays.kernels import embedding as kernel
from vizgrad.core.function.primitive import primitive


@primitive
class embedding:
    """weight[indices]. The row `padding_idx` (-1: none) gets no gradient (T-82)."""

    def forward(weight, indices, *, padding_idx, scale_grad_by_freq):
        return kernel.lookup(weight, indices)

    def grad_weight(grad, indices, padding_idx, scale_grad_by_freq, weight_meta):
        return embedding_backward(
            grad, indices, rows=weight_meta.shape[0],
            padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq,
        )  # fmt: skip


@primitive(linear=True, node="EmbeddingDenseBackwardBackward0")
class embedding_backward:
    """The table whose rows are the sums of the gradients at their places."""

    def forward(grad_output, indices, *, rows, padding_idx, scale_grad_by_freq):
        return kernel.add_rows(grad_output, indices, rows, padding_idx, scale_grad_by_freq)

    def grad_grad_output(grad, indices, padding_idx, scale_grad_by_freq):
        return embedding_take(
            grad, indices, padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq
        )


@primitive(linear=True, node="EmbeddingBackward0")
class embedding_take:
    """The transpose of `embedding_backward`."""

    def forward(weight, indices, *, padding_idx, scale_grad_by_freq):
        return kernel.scaled_rows(weight, indices, padding_idx, scale_grad_by_freq)

    def grad_weight(grad, indices, padding_idx, scale_grad_by_freq, weight_meta):
        return embedding_backward(
            grad, indices, rows=weight_meta.shape[0],
            padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq,
        )  # fmt: skip
