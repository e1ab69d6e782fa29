"""Softmax over many classes, the rare ones in clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from vizgrad.core.ops.joining import cat_any
from vizgrad.core.ops.public.creation import zeros
from vizgrad.core.tensor.requirements import RankAtMost, checked
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn import functional as F
from vizgrad.nn.modules.container import ModuleList, Sequential
from vizgrad.nn.modules.linear import Linear
from vizgrad.nn.modules.module import Module


class _ASMoutput(NamedTuple):
    output: Any
    loss: Any


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of targets when classes are sorted by how often they occur.

    The head knows the classes below `cutoffs[0]` and one entry for each cluster of the others; cluster i
    projects to `in_features / div_value ** (i + 1)` before its own softmax. Gives (output, loss): the
    log-probability of each target, and minus their mean. Shapes: input (N, in_features) or
    (in_features,), target (N,) or (). E. Grave et al., Efficient softmax approximation for GPUs (2017).
    """

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0,
        head_bias: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            cutoffs != sorted(set(cutoffs))
            or any(int(c) != c for c in cutoffs)
            or not 0 < cutoffs[0] <= cutoffs[-1] < n_classes
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
                f"order, where each value is between 1 and n_classes-1 = {n_classes - 1}, got {cutoffs}"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        made = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = ModuleList()
        for i, (low, high) in enumerate(zip(self.cutoffs, self.cutoffs[1:], strict=False)):
            width = int(in_features // div_value ** (i + 1))
            self.tail.append(
                Sequential(
                    Linear(in_features, width, bias=False, **made),
                    Linear(width, high - low, bias=False, **made),
                )
            )

    def reset_parameters(self) -> None:
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    @checked
    def forward(
        self,
        input_: Any,
        target_: Annotated[
            Any,
            RankAtMost(
                1,
                "0D or 1D target tensor expected, multi-target not supported: got a target of shape {shape}",
            ),
        ],
    ) -> _ASMoutput:
        input, target = input_, target_
        single = target.ndim == 0
        if input.ndim != target.ndim + 1 or (not single and input.shape[0] != target.shape[0]):
            raise RuntimeError(
                "Input and target should have the same size in the batch dimension, got "
                f"{list(input.shape)} and {list(target.shape)}"
            )
        if single:
            input, target = input.unsqueeze(0), target.unsqueeze(0)
        self._check(target)
        output: Any = zeros(len(target), dtype=input.dtype, device=input.device)
        column = target
        for i, (low, high) in enumerate(zip(self.cutoffs, self.cutoffs[1:], strict=False)):
            rows = ((target >= low) & (target < high)).nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            column = column.index_fill(0, rows, self.shortlist_size + i)
            scores = F.log_softmax(self.tail[i](input.index_select(0, rows)), dim=1)
            wanted = (target.index_select(0, rows) - low).unsqueeze(1)
            output = output.index_copy(0, rows, scores.gather(1, wanted).squeeze(1))
        head = F.log_softmax(self.head(input), dim=1)
        output = output + head.gather(1, column.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output.squeeze(0) if single else output, loss)

    def _check(self, target: Any) -> None:
        if (
            len(target)
            and not 0
            <= (low := target.min().item())
            <= (high := target.max().item())
            < self.n_classes
        ):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{low}, {high}] were found."
            )

    def log_prob(self, input: Any) -> Any:
        """The log-probabilities of all classes: (N, n_classes)."""
        head = F.log_softmax(self.head(input), dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            share = head[:, self.shortlist_size + i].unsqueeze(1)
            parts.append(F.log_softmax(cluster(input), dim=1) + share)
        return cat_any(parts, 1)

    def predict(self, input: Tensor) -> Any:
        """The likeliest class of each row."""
        return self.log_prob(input).argmax(dim=1)
