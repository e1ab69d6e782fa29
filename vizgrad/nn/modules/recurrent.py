"""Recurrent layers over whole sequences.

The loop of a recurrent layer over time, in either direction.

Fewer of the packed sequences go on at later times: going forwards the state loses the rows that have ended,
going backwards it gains those that begin.

One step of each kind of recurrent cell, shared by the layers and the single cells.

`x` is what the input contributes, already projected (and with both biases, where they may be added);
`w` is the transposed hidden weight. One `addmm` then makes all gates of a step.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, ClassVar

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import near
from vizgrad.core.ops import matrix_products
from vizgrad.core.ops import recurrent as whole_layers
from vizgrad.core.ops.joining import cat_any, record_gates, stack_any
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.nn import functional as F
from vizgrad.nn import init
from vizgrad.nn.modules.linear import empty_parameter
from vizgrad.nn.modules.module import Module
from vizgrad.nn.parameter import Parameter
from vizgrad.nn.utils.rnn import PackedSequence

# The loop of a recurrent layer over time, in either direction.

State = tuple[Any, ...]
Step = Callable[[Any, State], State]
#: Runs a layer in one direction: of (input, first state, suffix of its weights, reverse) it makes
#: (outputs, last state).
OneDirection = Callable[[Any, State, str, bool], tuple[Any, State]]


def _unbound(xs: Any) -> Any:
    return xs.unbind(0)


def _stacked(ys: list[Any]) -> Any:
    return stack_any(ys, 0)


def forwards(times: Any, state: State, step: Step) -> tuple[list[Any], State]:
    """(output of each time, the last state of each row)."""
    outputs: list[Any] = []
    ended: list[State] = []
    rows = state[0].shape[0]
    for x in times:
        if x.shape[0] < rows:
            ended.append(tuple(s[x.shape[0] :] for s in state))
            rows = x.shape[0]
            state = tuple(s[:rows] for s in state)
        state = step(x, state)
        outputs.append(state[0])
    if not ended:
        return outputs, state
    parts = [state, *reversed(ended)]
    return outputs, tuple(cat_any(list(pieces), 0) for pieces in zip(*parts, strict=True))


def backwards(times: Any, start: State, step: Step) -> tuple[list[Any], State]:
    """The same from the last time to the first; outputs are in the order of `times`."""
    outputs: list[Any] = []
    rows = times[-1].shape[0]
    state = start if rows == start[0].shape[0] else tuple(s[:rows] for s in start)
    for x in reversed(times):
        if x.shape[0] > rows:
            begun = [s[rows : x.shape[0]] for s in start]
            rows = x.shape[0]
            state = tuple(cat_any([s, b], 0) for s, b in zip(state, begun, strict=True))
        state = step(x, state)
        outputs.append(state[0])
    return outputs[::-1], state


# One step of each kind of recurrent cell, shared by the layers and the single cells.

_addmm = matrix_products.addmm.record
_mm = matrix_products.mm.record


def tanh_step(x: Any, h: Any, w: Any) -> Any:
    """h' = tanh(x + h W)."""
    return _addmm(x, h, w, beta=1, alpha=1).tanh()


def relu_step(x: Any, h: Any, w: Any) -> Any:
    """h' = relu(x + h W)."""
    return _addmm(x, h, w, beta=1, alpha=1).relu()


def lstm_step(x: Any, h: Any, c: Any, w: Any) -> tuple[Any, Any]:
    """Gates i, f, g, o: c' = f c + i g, h' = o tanh(c').

    S. Hochreiter, J. Schmidhuber, Long Short-Term Memory (1997), with the forget gate of F. Gers et al.
    """
    gates: Any = _addmm(x, h, w, beta=1, alpha=1)
    i, f, g, o = record_gates(gates, 1, 4)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    c = f * c + i * g
    return o * c.tanh(), c


def gru_step(x: Any, h: Any, w: Any, b: Any) -> Any:
    """Gates r, z, n: n = tanh(x_n + (h W_n + b_n) r), h' = (h - n) z + n. K. Cho et al. (2014).

    The nodes are PyTorch's, in its order.
    """
    x_r, x_z, x_n = record_gates(x, 1, 3)
    own: Any = _mm(h, w) if b is None else _addmm(b, h, w, beta=1, alpha=1)
    h_r, h_z, h_n = record_gates(own, 1, 3)
    r = (h_r + x_r).sigmoid()
    z = (h_z + x_z).sigmoid()
    n = (x_n + h_n * r).tanh()
    return (h - n) * z + n


class RNNBase(Module):
    """Shared code of RNN, LSTM and GRU: weights of layers and directions, and the loop over time.

    Input (L, N, input_size), with `batch_first` (N, L, input_size), (L, input_size), or a PackedSequence.
    Weights are named
    weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, and so on, with "_reverse" for the second
    direction; all start from U(-1 / sqrt(hidden_size), 1 / sqrt(hidden_size)).
    """

    gates: ClassVar[int] = 1
    mode: str

    def __init__(
        self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        proj_size: int = 0, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if input_size <= 0:
            raise ValueError("input_size must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an "
                f"element being zeroed, got {dropout}"
            )
        if proj_size < 0 or (proj_size and proj_size >= hidden_size):
            raise ValueError(
                "proj_size has to be a positive integer, smaller than hidden_size, or zero"
            )
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout "
                f"expects num_layers greater than 1, but got dropout={dropout} and num_layers=1",
                UserWarning,
                stacklevel=3,
            )
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        wide = self.gates * hidden_size
        out = proj_size or hidden_size
        for layer in range(num_layers):
            for suffix in self._suffixes(layer):
                size = input_size if layer == 0 else out * self.directions
                self._add(f"weight_ih{suffix}", (wide, size), device, dtype)
                self._add(f"weight_hh{suffix}", (wide, out), device, dtype)
                if bias:
                    self._add(f"bias_ih{suffix}", (wide,), device, dtype)
                    self._add(f"bias_hh{suffix}", (wide,), device, dtype)
                if proj_size:
                    self._add(f"weight_hr{suffix}", (proj_size, hidden_size), device, dtype)
        self.reset_parameters()

    @property
    def directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}{end}" for end in ("", "_reverse")[: self.directions]]

    def _add(self, name: str, shape: tuple[int, ...], device: Any, dtype: Any) -> None:
        self.register_parameter(name, empty_parameter(shape, device, dtype))

    def reset_parameters(self) -> None:
        bound = 1.0 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def flatten_parameters(self) -> None:
        """Does nothing: weights need no common memory here."""

    @property
    def all_weights(self) -> list[list[Any]]:
        """The weights of each layer and direction."""
        suffixes = [s for layer in range(self.num_layers) for s in self._suffixes(layer)]
        return [[p for n, p in self._parameters.items() if n.endswith(s)] for s in suffixes]

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.proj_size:
            parts.append(f"proj_size={self.proj_size}")
        if self.num_layers != 1:
            parts.append(f"num_layers={self.num_layers}")
        if not self.bias:
            parts.append("bias=False")
        if self.batch_first:
            parts.append("batch_first=True")
        if self.dropout:
            parts.append(f"dropout={self.dropout}")
        if self.bidirectional:
            parts.append("bidirectional=True")
        return ", ".join(parts)

    # --- running -------------------------------------------------------------------------------

    @near
    def _start(self, like: Any, batch: int, given: Any, width: int, whole: bool) -> list[Any]:
        """The first state of each layer and direction: (N, width) each."""
        count = self.num_layers * self.directions
        if given is None:
            zeros = new_tensor(xp.zeros_like(like._array, shape=(batch, width), order="C"))
            return [zeros] * count
        if tuple(given.shape) != (count, batch, width):
            raise RuntimeError(
                f"Expected hidden size {(count, batch, width)}, got {list(given.shape)}"
            )
        return [given[which] for which in range(count)] if whole else list(given.unbind(0))

    def _has_whole_layers(self, x: Any, states: list[Any]) -> bool:
        """Is each layer in each direction one node?"""
        return False

    def _run(self, input: Any, states: list[Any], widths: list[int]) -> tuple[Any, list[Any]]:
        """(output, last states); `states` are given ones, (layers, N, width) or None."""
        if isinstance(input, PackedSequence):
            return self._run_packed(input, states, widths)
        if input.ndim not in (2, 3):
            raise ValueError(
                f"{self.mode}: Expected input to be 2D or 3D, got {input.ndim}D instead"
            )
        self._check_width(input)
        single = input.ndim == 2
        if single:
            x = input.unsqueeze(1)
            states = [None if s is None else s.unsqueeze(1) for s in states]
        else:
            x = input.transpose(0, 1) if self.batch_first else input
        whole = self._has_whole_layers(x, states)
        if whole:
            x = x.contiguous()  # the clone is a node in PyTorch, too
        starts = [
            self._start(x, x.shape[1], s, w, whole) for s, w in zip(states, widths, strict=True)
        ]
        run = self._whole if whole else self._by_steps(_unbound, _stacked)
        x, ends = self._layers(x, starts, run)
        if single:
            return x.squeeze(1), [e.squeeze(1) for e in ends]
        return (x.transpose(0, 1) if self.batch_first else x), ends

    def _run_packed(
        self, input: PackedSequence, states: list[Any], widths: list[int]
    ) -> tuple[PackedSequence, list[Any]]:
        """The same of sequences without padding; states are in the order they had before packing."""
        data, sizes, order, back = input
        self._check_width(data)
        if order is not None:
            states = [None if s is None else s.index_select(1, order) for s in states]
        counts = sizes.tolist()
        starts = [
            self._start(data, counts[0], s, w, False) for s, w in zip(states, widths, strict=True)
        ]
        run = self._by_steps(lambda xs: xs.split(counts), lambda ys: cat_any(ys, 0))
        x, ends = self._layers(data, starts, run)
        if back is not None:
            ends = [e.index_select(1, back) for e in ends]
        return PackedSequence(x, sizes, order, back), ends

    def _check_width(self, x: Any) -> None:
        weight = self._parameters["weight_ih_l0"]
        if weight is not None and x.dtype is not weight.dtype:
            raise ValueError(
                f"RNN input dtype ({x.dtype}) does not match weight dtype ({weight.dtype}). Convert "
                f"input: input.to({weight.dtype}), or convert model: model.to({x.dtype})"
            )
        if x.shape[-1] != self.input_size:
            raise RuntimeError(
                "input.size(-1) must be equal to input_size. Expected "
                f"{self.input_size}, got {x.shape[-1]}"
            )

    def _layers(self, x: Any, starts: list[list[Any]], run: OneDirection) -> tuple[Any, list[Any]]:
        """(outputs, last states) of all layers; `run` runs one of them in one direction."""
        last: list[list[Any]] = [[] for _ in starts]
        for layer in range(self.num_layers):
            outputs = []
            for direction, suffix in enumerate(self._suffixes(layer)):
                which = layer * self.directions + direction
                before = tuple(s[which] for s in starts)
                ys, after = run(x, before, suffix, direction == 1)
                outputs.append(ys)
                for kept, state in zip(last, after, strict=True):
                    kept.append(state)
            x = outputs[0] if len(outputs) == 1 else cat_any(outputs, x.ndim - 1)
            if self.dropout and self.training and layer + 1 < self.num_layers:
                x = F.dropout(x, self.dropout)
        return x, [stack_any(s, 0) for s in last]

    def _by_steps(self, part: Callable[[Any], Any], join: Callable[[Any], Any]) -> OneDirection:
        """Runs step after step; `part` gives the times of a tensor, `join` the reverse."""

        def run(x: Any, state: State, suffix: str, reverse: bool) -> tuple[Any, State]:
            table = self._parameters
            weight: Any = table[f"weight_hh{suffix}"]
            w = weight.t()
            b_hh: Any = table.get(f"bias_hh{suffix}")
            xs: Any = F.linear(x, table[f"weight_ih{suffix}"], table.get(f"bias_ih{suffix}"))
            if b_hh is not None and self.mode != "GRU":
                xs = xs + b_hh
            project: Any = table.get(f"weight_hr{suffix}")
            walk = backwards if reverse else forwards
            step: Step = lambda x_t, s: self._step(x_t, s, w, b_hh, project)  # noqa: E731  of one type with the others
            ys, after = walk(part(xs), state, step)
            return join(ys), after

        return run

    def _whole(self, x: Any, state: State, suffix: str, reverse: bool) -> tuple[Any, State]:
        """Runs all steps as one operation."""
        raise NotImplementedError

    def _step(
        self, x: Any, state: tuple[Any, ...], w: Any, b: Any, project: Any
    ) -> tuple[Any, ...]:
        raise NotImplementedError


class RNN(RNNBase):
    """h' = tanh(x W_ih + b_ih + h W_hh + b_hh), or relu: returns (outputs, last hidden state)."""

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
        bias: bool = True, batch_first: bool = False, dropout: float = 0.0,
        bidirectional: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        super().__init__(
            f"RNN_{nonlinearity.upper()}", input_size, hidden_size, num_layers, bias, batch_first,
            dropout, bidirectional, 0, device, dtype,
        )  # fmt: skip
        self.nonlinearity = nonlinearity

    def _step(
        self, x: Any, state: tuple[Any, ...], w: Any, b: Any, project: Any
    ) -> tuple[Any, ...]:
        function = tanh_step if self.mode == "RNN_TANH" else relu_step
        return (function(x, state[0], w),)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        output, (h,) = self._run(input, [hx], [self.hidden_size])
        return output, h


class GRU(RNNBase):
    """Gated recurrent units: returns (outputs, last hidden state); see `recurrent_steps.gru_step`."""

    gates = 3

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            "GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            0, device, dtype,
        )  # fmt: skip

    def _step(
        self, x: Any, state: tuple[Any, ...], w: Any, b: Any, project: Any
    ) -> tuple[Any, ...]:
        return (gru_step(x, state[0], w, b),)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        output, (h,) = self._run(input, [hx], [self.hidden_size])
        return output, h


class LSTM(RNNBase):
    """Long short-term memory: returns (outputs, (last h, last c)); see `recurrent_steps.lstm_step`.

    With `proj_size` the hidden state is projected to that size.
    """

    gates = 4

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        proj_size: int = 0, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            "LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            proj_size, device, dtype,
        )  # fmt: skip

    def _step(
        self, x: Any, state: tuple[Any, ...], w: Any, b: Any, project: Any
    ) -> tuple[Any, ...]:
        h, c = lstm_step(x, state[0], state[1], w)
        return (h if project is None else F.linear(h, project), c)

    def _has_whole_layers(self, x: Any, states: list[Any]) -> bool:
        """As in PyTorch: in float32 on a CPU, without projections."""
        operands: list[Any] = [x, *states, *self._parameters.values()]
        return not self.proj_size and whole_layers.is_one_node(operands)

    def _whole(self, x: Any, state: State, suffix: str, reverse: bool) -> tuple[Any, State]:
        table: Any = self._parameters
        output, h, c = whole_layers.lstm_layer(
            x, table[f"weight_ih{suffix}"], table[f"weight_hh{suffix}"],
            table.get(f"bias_ih{suffix}"), table.get(f"bias_hh{suffix}"), *state, reverse=reverse,
            bidirectional=self.bidirectional, num_layers=self.num_layers, train=self.training,
        )  # fmt: skip
        return output, (h, c)

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        given = [None, None] if hx is None else list(hx)
        widths = [self.proj_size or self.hidden_size, self.hidden_size]
        output, (h, c) = self._run(input, given, widths)
        return output, (h, c)


# Recurrent cells: one step at a time.


class RNNCellBase(Module):
    """Weights of one cell; inputs (N, input_size) or (input_size)."""

    gates: ClassVar[int] = 1
    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        wide = self.gates * hidden_size
        self.weight_ih = empty_parameter((wide, input_size), device, dtype)
        self.weight_hh = empty_parameter((wide, hidden_size), device, dtype)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, empty_parameter((wide,), device, dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def _batched(self, input: Any, state: Any) -> tuple[Any, Any, bool]:
        """(input, state) with a batch dimension, and whether it had to be added."""
        if input.ndim not in (1, 2):
            raise ValueError(
                f"{type(self).__name__}: Expected input to be 1D or 2D, got {input.ndim}D instead"
            )
        single = input.ndim == 1
        x = input.unsqueeze(0) if single else input
        if state is None:
            shape = (x.shape[0], self.hidden_size)
            state = new_tensor(xp.zeros_like(x._array, shape=shape, order="C"))
        elif single:
            state = state.unsqueeze(0)
        return x, state, single

    def _projected(self, x: Any, both: bool = True) -> Any:
        """The contribution of the input, with both biases unless they must stay apart."""
        out: Any = F.linear(x, self.weight_ih, self.bias_ih)
        return out + self.bias_hh if both and self.bias_hh is not None else out

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(RNNCellBase):
    """h' = tanh(x W_ih + b_ih + h W_hh + b_hh), or relu."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        x, h, single = self._batched(input, hx)
        function = tanh_step if self.nonlinearity == "tanh" else relu_step
        out = function(self._projected(x), h, self.weight_hh.t())
        return out.squeeze(0) if single else out

    def extra_repr(self) -> str:
        kind = "" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}"
        return super().extra_repr() + kind


class GRUCell(RNNCellBase):
    """One step of a gated recurrent unit; see `recurrent_steps.gru_step`."""

    gates = 3

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        x, h, single = self._batched(input, hx)
        w = self.weight_hh.t()
        out = gru_step(self._projected(x, both=False), h, w, self.bias_hh)
        return out.squeeze(0) if single else out


class LSTMCell(RNNCellBase):
    """One step of long short-term memory: returns (h, c); see `recurrent_steps.lstm_step`."""

    gates = 4

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        before = (None, None) if hx is None else hx
        x, h, single = self._batched(input, before[0])
        _, c, _ = self._batched(input, before[1])
        h, c = lstm_step(self._projected(x), h, c, self.weight_hh.t())
        return (h.squeeze(0), c.squeeze(0)) if single else (h, c)
