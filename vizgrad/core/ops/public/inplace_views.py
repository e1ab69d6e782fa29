"""Changing a tensor's shape in place: the same memory, seen otherwise (`t_`, `squeeze_`, ...)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.core.function.inplace import check_history
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.graph.edges import retaining, set_history, split_edge
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public import dimensions, slicing
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.tensor.duals import active, set_tangent, tangent_of
from vizgrad.core.tensor.modes import MODES, about_to_write
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor, storage_of


def _in_place(view: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    """The method that makes a tensor what `view` of it is. The version counter rises, as for a write."""

    def seen_otherwise(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if self.__class__ is Wrapped:
            vars(self)["value"] = view(self, *args, **kwargs).value
            return self
        about_to_write(self)
        check_history(self, MODES.grad and self.requires_grad)
        made = view(self, *args, **kwargs)
        if made is self:  # nothing to do (squeeze)
            return self
        edge = made._edge if made.requires_grad else None
        self._array = made._array
        storage = storage_of(self)
        storage.wrote(name, caller())
        if edge is not None:
            with retaining(self):
                set_history(self, *split_edge(edge))
            if self._view is not None:
                self._view.clock = storage.last_write
        for level in active():
            tangent = tangent_of(made, level)
            if tangent is not None:
                set_tangent(self, level, tangent)
        return self

    seen_otherwise.__name__ = seen_otherwise.__qualname__ = name
    seen_otherwise.__doc__ = f"`{name[:-1]}`, in place: the tensor itself is seen otherwise."
    return method(takes_tensors(seen_otherwise))


t_ = _in_place(dimensions.t, "t_")
transpose_ = _in_place(dimensions.transpose, "transpose_")
swapaxes_ = _in_place(dimensions.swapaxes, "swapaxes_")
swapdims_ = _in_place(dimensions.transpose, "swapdims_")
squeeze_ = _in_place(dimensions.squeeze, "squeeze_")
unsqueeze_ = _in_place(dimensions.unsqueeze, "unsqueeze_")
as_strided_ = public(_in_place(slicing.as_strided, "as_strided_"))
