"""AccumulateGrad: the end of every path, where a leaf's `.grad` is filled (spec 02 F)."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from vizgrad.core.graph.node import LAST, Node
from vizgrad.core.upcalls import UPCALLS

if TYPE_CHECKING:
    from vizgrad.core.tensor.tensor import Tensor

#: Two threads may reach one leaf at once (E-93).
accumulation_lock = threading.Lock()


class AccumulateGrad(Node):
    """Stores what arrives in `variable.grad`. The engine decides how, see `vizgrad.core.engine.leaf`."""

    __slots__ = ("mark", "variable")

    #: Which of all leaves this is, for recorders: their ticks are all the same. Unset until one meets it.
    mark: int

    input_names = ()
    runs_first = True

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.sequence_nr = LAST
        self.edges = ()
        self.hooks = None
        self.shape = variable._array.shape
        self.dtype = variable._array.dtype
        self.code = None
        self.lasti = 0
        self.scope = None

    def __repr__(self) -> str:
        return f"<AccumulateGrad of {list(self.shape)} at {id(self):#x}>"

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        UPCALLS.accumulate_tensor(self.variable, grads[0])
        return ()
