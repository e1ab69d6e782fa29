"""Embedding layers: tables whose rows are learned."""

from __future__ import annotations

from typing import Annotated, Any, Self

from vizgrad.core.tensor.modes import set_grad_mode
from vizgrad.core.tensor.requirements import Rank, checked
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn import functional as F
from vizgrad.nn import init
from vizgrad.nn.modules.linear import empty_parameter
from vizgrad.nn.modules.module import Module
from vizgrad.nn.parameter import Parameter

_ROWS = Rank(2, "Embeddings parameter is expected to be 2-dimensional", AssertionError)


class _Table(Module):
    weight: Parameter

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None,
        max_norm: float | None, norm_type: float, scale_grad_by_freq: bool, sparse: bool,
        given: Tensor | None, freeze: bool, device: Any, dtype: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if given is None:
            self.weight = empty_parameter((num_embeddings, embedding_dim), device, dtype)
            self.reset_parameters()
        else:
            if tuple(given.shape) != (num_embeddings, embedding_dim):
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim"
                )
            self.weight = Parameter(given, requires_grad=not freeze)

    def reset_parameters(self) -> None:
        """N(0, 1), and zeros at `padding_idx`."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            before = set_grad_mode(False)
            try:
                self.weight[self.padding_idx].fill_(0)
            finally:
                set_grad_mode(before)

    def extra_repr(self) -> str:
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx}")
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type}")
        if self.scale_grad_by_freq:
            parts.append(f"scale_grad_by_freq={self.scale_grad_by_freq}")
        if self.sparse:
            parts.append("sparse=True")
        return ", ".join(parts)


class Embedding(_Table):
    """Rows of a table by index: (*) of int64 -> (*, embedding_dim). See `F.embedding`."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
        max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
        sparse: bool = False, _weight: Tensor | None = None, _freeze: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq,
            sparse, _weight, _freeze, device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
            self.scale_grad_by_freq, self.sparse,
        )  # fmt: skip

    @classmethod
    @checked
    def from_pretrained(
        cls, embeddings: Annotated[Tensor, _ROWS], freeze: bool = True,
        padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, sparse: bool = False,
    ) -> Self:  # fmt: skip
        """A layer over the rows of a given matrix, not learned if `freeze`."""
        rows, width = embeddings._array.shape
        return cls(
            rows, width, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse,
            _weight=embeddings, _freeze=freeze,
        )  # fmt: skip


class EmbeddingBag(_Table):
    """Sums, means or maxima of bags of rows. See `F.embedding_bag`."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean",
        sparse: bool = False, _weight: Tensor | None = None, include_last_offset: bool = False,
        padding_idx: int | None = None, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq,
            sparse, _weight, False, device, dtype,
        )  # fmt: skip
        self.mode = mode
        self.include_last_offset = include_last_offset

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq,
            self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        base = super().extra_repr().replace(", sparse=True", "")  # as PyTorch's
        padding = f", padding_idx={self.padding_idx}"
        if self.padding_idx is None:
            return f"{base}, mode={self.mode!r}"
        return f"{base.replace(padding, '')}, mode={self.mode!r}{padding}"
