"""Long short-term memory: a layer in one direction as one node, as PyTorch has it on a CPU in float32.

The node has three outputs with a gradient (all h, the last h and the last c), and saves a fourth: what was
computed in between, in one stretch of memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import float32
from vizgrad.core.arrays.kernels import recurrent as kernel
from vizgrad.core.function.compile_node import save_result
from vizgrad.core.graph.node import Meta
from vizgrad.core.graph.saved import unpack_array, unpack_tensor
from vizgrad.core.ops.joining import cat_any, record_unbind, stack_any
from vizgrad.core.ops.recording import ManyOutputs, edges_of, produced_by, start
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.tensor import Tensor, new_tensor


class _Settings:
    """Whether such a layer may be one node (`vizgrad.backends.mkldnn.enabled`)."""

    one_node = True


SETTINGS = _Settings()

_INPUTS = ("input", "weight0", "weight1", "weight2", "weight3", "hx_", "cx_")
_RESULTS = ("result0", "result1", "result2", "result3")
_PLAIN = ("reverse", "mode", "hidden_size", "num_layers", "has_biases", "bidirectional",
          "batch_first", "batch_sizes", "train")  # fmt: skip


class MkldnnRnnLayerBackward0(ManyOutputs):
    """Saves all operands, all results and what was computed in between."""

    __slots__ = tuple("_" + name for name in (*_INPUTS, *_RESULTS, *_PLAIN))
    input_names = _INPUTS
    saved_names = (*sorted(_INPUTS), *_RESULTS)
    plain_names = _PLAIN

    def run_all(self, grads: list[Any]) -> tuple[Any, ...]:
        saved: dict[str, Any] = {
            name: None if getattr(self, "_" + name) is None else unpack_array(self, name)
            for name in self.saved_names
        }
        by_x, by_w_x, by_w_h, by_bias, by_h, by_c = kernel.lstm_gradient(
            (grads[0], grads[1], grads[2]), saved["input"], saved["weight0"], saved["weight1"],
            saved["result3"], biases=self._has_biases, reverse=self._reverse,
            wanted=(
                self.edges[0] is not None,
                any(edge is not None for edge in self.edges[1:3]),
                any(edge is not None for edge in self.edges[3:5]),
            ),
        )  # fmt: skip
        other = None if by_bias is None else by_bias.copy()
        found = by_x, by_w_x, by_w_h, by_bias, other, by_h, by_c
        return tuple(
            None if edge is None else slope for edge, slope in zip(self.edges, found, strict=True)
        )

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        saved = [unpack_tensor(self, name) for name in self.saved_names]
        by_name = dict(zip(self.saved_names, saved, strict=True))
        operands = [by_name[name] for name in _INPUTS]
        found = _slopes(grads, *operands, reverse=self._reverse)
        return tuple(
            None if edge is None else slope for edge, slope in zip(self.edges, found, strict=True)
        )

    def release(self, token: object) -> None:
        for name in self.saved_names:
            setattr(self, "_" + name, token)


for _name in (*_INPUTS, *_RESULTS):
    setattr(
        MkldnnRnnLayerBackward0,
        "_saved_" + _name,
        property(lambda node, name=_name: unpack_tensor(node, name)),
    )
for _name in _PLAIN:
    setattr(
        MkldnnRnnLayerBackward0,
        "_saved_" + _name,
        property(lambda node, name=_name: getattr(node, "_" + name)),
    )


def _slopes(
    grads: Sequence[Any], x: Any, w_x: Any, w_h: Any, b_x: Any, b_h: Any, h: Any, c: Any,
    *, reverse: bool,
) -> tuple[Any, ...]:  # fmt: skip
    """The gradients by all operands in recorded operations: the steps are computed again, then undone."""
    times = range(x.shape[0])
    order = list(reversed(times)) if reverse else list(times)
    projected = x @ w_x.t()
    if b_x is not None:
        projected = projected + b_x + b_h
    rows = record_unbind(projected, 0)
    steps: dict[int, tuple[Any, ...]] = {}
    turned = w_h.t()
    for t in order:
        i, f, g, o = (rows[t] + h @ turned).chunk(4, 1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        after = f * c + i * g
        tangent = after.tanh()
        steps[t] = h, c, i, f, g, o, tangent
        h, c = o * tangent, after
    by_output, dh, dc = grads[:3]
    dh = h.new_zeros(h.shape) if dh is None else dh
    dc = c.new_zeros(c.shape) if dc is None else dc
    arriving = [None] * len(times) if by_output is None else record_unbind(by_output, 0)
    by_gates: list[Any] = [None] * len(times)
    for t in reversed(order):
        _, cell, i, f, g, o, tangent = steps[t]
        if arriving[t] is not None:
            dh = dh + arriving[t]
        dc = dc + dh * o * (1 - tangent * tangent)
        parts = [dc * g * i * (1 - i), dc * cell * f * (1 - f), dc * i * (1 - g * g),
                 dh * tangent * o * (1 - o)]  # fmt: skip
        by_gates[t] = cat_any(parts, 1)
        dh, dc = by_gates[t] @ w_h, dc * f
    slopes = stack_any(by_gates, 0)
    flat = slopes.reshape(-1, slopes.shape[-1])
    hs = stack_any([steps[t][0] for t in times], 0)
    by_bias = flat.sum(0)
    return (
        slopes @ w_x, flat.t() @ x.reshape(-1, x.shape[-1]),
        flat.t() @ hs.reshape(-1, hs.shape[-1]), by_bias, by_bias.clone(), dh, dc,
    )  # fmt: skip


def is_one_node(operands: Sequence[Tensor | None]) -> bool:
    """Are these operands of layers (None where one has none) such that PyTorch makes one node of each?"""
    if not SETTINGS.one_node or DUALS.on:
        return False
    for operand in operands:
        if operand is not None:
            array: Any = getattr(operand, "_array", None)
            if array.__class__ is not xp.ndarray or array.dtype is not float32.np or not array.size:
                return False
    return True


def lstm_layer(
    x: Tensor, w_x: Tensor, w_h: Tensor, b_x: Tensor | None, b_h: Tensor | None, h: Tensor,
    c: Tensor, *, reverse: bool, bidirectional: bool, num_layers: int, train: bool,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """(outputs (T, N, hidden), last h, last c) of one layer in one direction; `is_one_node` says whether."""
    operands = x, w_x, w_h, b_x, b_h, h, c
    arrays = [None if operand is None else operand._array for operand in operands]
    *computed, memory = kernel.lstm(*arrays, reverse=reverse)
    outputs = tuple([new_tensor(array) for array in computed])
    edges = edges_of(tuple([t for t in operands if t is not None]))
    if edges is not None:
        node: Any = object.__new__(MkldnnRnnLayerBackward0)
        node.outputs = 3
        node.metas = tuple([Meta(array.shape, array.dtype) for array in computed])
        for name, operand in zip(_INPUTS, operands, strict=True):
            setattr(node, "_" + name, operand)
        for nr, out in enumerate((*outputs, new_tensor(memory))):
            saved = save_result(out)
            saved.output_nr = nr
            setattr(node, "_" + _RESULTS[nr], saved)
        node._reverse, node._bidirectional, node._num_layers = reverse, bidirectional, num_layers
        node._has_biases, node._hidden_size, node._train = b_x is not None, h.shape[1], train
        node._mode, node._batch_first, node._batch_sizes = 2, False, ()
        if b_x is None or b_h is None:
            edges = (*edges[:3], None, None, *edges[3:])
        start(node, edges, computed[0])
        produced_by(node, outputs)
    return outputs
