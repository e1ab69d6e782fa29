"""Transformer encoder and decoder. A. Vaswani et al., Attention Is All You Need (2017)."""

from __future__ import annotations

import copy
import math
from typing import Any

from vizgrad.core.arrays.dtypes import get_default_dtype
from vizgrad.core.ops.public.creation import full
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn import functional as F
from vizgrad.nn import init
from vizgrad.nn.modules.container import ModuleList
from vizgrad.nn.modules.dropout import Dropout
from vizgrad.nn.modules.linear import Linear, empty_parameter
from vizgrad.nn.modules.module import Module
from vizgrad.nn.modules.normalization import LayerNorm
from vizgrad.nn.parameter import Parameter

# Multi-head attention.


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


def _activation(given: Any) -> Any:
    if callable(given):
        return given
    if given == "relu":
        return F.relu
    if given == "gelu":
        return F.gelu
    raise RuntimeError(f"activation should be relu/gelu, not {given}")


class TransformerEncoderLayer(Module):
    """Self-attention and a feed-forward network, each with a residual and layer norm.

    The norm comes after the residual, or, with `norm_first`, before each block.
    """

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Any = "relu", layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, device=device, dtype=dtype
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias, device, dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, device, dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _activation(activation)

    def forward(
        self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None,
        is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        if self.norm_first:
            x = src + self._attend(self.norm1(src), src_mask, src_key_padding_mask)
            return x + self._feed(self.norm2(x))
        x = self.norm1(src + self._attend(src, src_mask, src_key_padding_mask))
        return self.norm2(x + self._feed(x))

    def _attend(self, x: Any, mask: Any, padding: Any) -> Any:
        out = self.self_attn(x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=False)
        return self.dropout1(out[0])

    def _feed(self, x: Any) -> Any:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """An encoder layer with attention to `memory`, the encoder's output, in the middle."""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Any = "relu", layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        for name in ("self_attn", "multihead_attn"):
            attention = MultiheadAttention(
                d_model, nhead, dropout, bias, batch_first=batch_first, device=device, dtype=dtype
            )
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias, device, dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, device, dtype)
        self.norm_first = norm_first
        for name in ("norm1", "norm2", "norm3"):
            setattr(
                self,
                name,
                LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype),
            )
        for name in ("dropout1", "dropout2", "dropout3"):
            setattr(self, name, Dropout(dropout))
        self.activation = _activation(activation)

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None,
        tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
        tgt_is_causal: bool = False, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        own = tgt_mask, tgt_key_padding_mask
        other = memory_mask, memory_key_padding_mask
        x = tgt
        if self.norm_first:
            y = self.norm1(x)
            x = x + self._attend(self.self_attn, y, y, *own, self.dropout1)
            x = x + self._attend(self.multihead_attn, self.norm2(x), memory, *other, self.dropout2)
            return x + self._feed(self.norm3(x))
        x = self.norm1(x + self._attend(self.self_attn, x, x, *own, self.dropout1))
        x = self.norm2(x + self._attend(self.multihead_attn, x, memory, *other, self.dropout2))
        return self.norm3(x + self._feed(x))

    def _attend(
        self, attention: Any, x: Any, memory: Any, mask: Any, padding: Any, dropout: Any
    ) -> Any:
        out = attention(
            x, memory, memory, attn_mask=mask, key_padding_mask=padding, need_weights=False
        )
        return dropout(out[0])

    def _feed(self, x: Any) -> Any:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """`num_layers` copies of an encoder layer, one after the other."""

    def __init__(
        self, encoder_layer: Module, num_layers: int, norm: Module | None = None,
        enable_nested_tensor: bool = True, mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, src: Any, mask: Any = None, src_key_padding_mask: Any = None,
        is_causal: bool | None = None,
    ) -> Tensor:  # fmt: skip
        x = src
        for layer in self.layers:
            x = layer(x, src_mask=mask, src_key_padding_mask=src_key_padding_mask)
        return x if self.norm is None else self.norm(x)


class TransformerDecoder(Module):
    """`num_layers` copies of a decoder layer, one after the other."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None,
        tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
        tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        x = tgt
        for layer in self.layers:
            x = layer(
                x, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
            )  # fmt: skip
        return x if self.norm is None else self.norm(x)


class Transformer(Module):
    """Encoder and decoder together."""

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6,
        num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Any = "relu", custom_encoder: Any = None, custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False,
        bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        options: tuple[Any, ...] = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, bias, device, dtype,
        )  # fmt: skip

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)

        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*options), num_encoder_layers, norm()
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*options), num_decoder_layers, norm()
        )
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)

    def forward(
        self, src: Any, tgt: Any, src_mask: Any = None, tgt_mask: Any = None,
        memory_mask: Any = None, src_key_padding_mask: Any = None, tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None, src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """(sz, sz): 0 on and below the diagonal, -inf above, for places that must not look ahead."""
        kind = get_default_dtype() if dtype is None else dtype
        return full((sz, sz), -math.inf, dtype=kind, device=device).triu(1)
