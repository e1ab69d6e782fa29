"""Multi-head attention."""

from __future__ import annotations

from typing import Any

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn import functional as F
from vizgrad.nn import init
from vizgrad.nn.modules.linear import Linear
from vizgrad.nn.modules.making import empty_parameter
from vizgrad.nn.modules.module import Module
from vizgrad.nn.parameter import Parameter


class MultiheadAttention(Module):
    """Attention in `num_heads` subspaces at once. A. Vaswani et al., Attention Is All You Need (2017).

    query (L, N, E), key (S, N, kdim), value (S, N, vdim), with `batch_first` N comes first; without a
    batch (L, E) and so on. Masks: True, or -inf, where it may not look. Returns (output, weights).
    """

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
        add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
        vdim: int | None = None, batch_first: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, got "
                f"embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        self.add_zero_attn = add_zero_attn
        self._same_widths = self.kdim == embed_dim and self.vdim == embed_dim
        sizes = {
            "in_proj_weight": (3 * embed_dim, embed_dim) if self._same_widths else None,
            "q_proj_weight": None if self._same_widths else (embed_dim, embed_dim),
            "k_proj_weight": None if self._same_widths else (embed_dim, self.kdim),
            "v_proj_weight": None if self._same_widths else (embed_dim, self.vdim),
            "in_proj_bias": (3 * embed_dim,) if bias else None,
        }
        for name, shape in sizes.items():
            made = None if shape is None else empty_parameter(shape, device, dtype)
            self.register_parameter(name, made)
        self.out_proj = Linear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        for name in ("bias_k", "bias_v"):
            made = empty_parameter((1, 1, embed_dim), device, dtype) if add_bias_kv else None
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            weight = self._parameters[name]
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            # there whenever in_proj_bias is
            init.zeros_(self.out_proj.bias)  # pyright: ignore[reportArgumentType]
        if self.bias_k is not None and self.bias_v is not None:
            init.xavier_normal_(self.bias_k)
            init.xavier_normal_(self.bias_v)

    def forward(
        self, query: Any, key: Any, value: Any, key_padding_mask: Any = None,
        need_weights: bool = True, attn_mask: Any = None, average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:  # fmt: skip
        if is_causal and attn_mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
        batched = query.ndim == 3
        if self.batch_first and batched:
            # one object stays one object: a single projection then serves all three
            turned = query.transpose(0, 1)
            key_turned = turned if key is query else key.transpose(0, 1)
            value = (
                turned if value is query else key_turned if value is key else value.transpose(0, 1)
            )
            query, key = turned, key_turned
        table = self._parameters
        out, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight,
            self.in_proj_bias, self.bias_k, self.bias_v, self.add_zero_attn, self.dropout,
            self.out_proj.weight, self.out_proj.bias, training=self.training,
            key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            use_separate_proj_weight=not self._same_widths, q_proj_weight=table["q_proj_weight"],
            k_proj_weight=table["k_proj_weight"], v_proj_weight=table["v_proj_weight"],
            average_attn_weights=average_attn_weights, is_causal=is_causal,
        )  # fmt: skip
        if self.batch_first and batched:
            out = out.transpose(0, 1)
        return out, weights
