"""Recurrent cells: one step at a time."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.core.arrays import xp
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.nn import functional as F
from vizgrad.nn import init
from vizgrad.nn.modules import recurrent_steps as step
from vizgrad.nn.modules.making import empty_parameter
from vizgrad.nn.modules.module import Module
from vizgrad.nn.parameter import Parameter


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
        """What the input contributes, with both biases unless they must stay apart."""
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
        function = step.tanh_step if self.nonlinearity == "tanh" else step.relu_step
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
        out = step.gru_step(self._projected(x, both=False), h, w, self.bias_hh)
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
        h, c = step.lstm_step(self._projected(x), h, c, self.weight_hh.t())
        return (h.squeeze(0), c.squeeze(0)) if single else (h, c)
