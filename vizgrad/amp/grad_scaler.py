"""GradScaler: the loss times a large number, so that gradients of float16 do not become 0."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from enum import Enum
from typing import Any

from vizgrad.amp.mode import has_cuda
from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import is_on_device
from vizgrad.core.arrays.fusion.many import together
from vizgrad.core.arrays.kernels import optimizers as rule
from vizgrad.core.ops.public.creation import full
from vizgrad.core.tensor.modes import about_to_write, set_grad_mode
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor, storage_of


class _Stage(Enum):
    READY = 0
    UNSCALED = 1
    STEPPED = 2


class _Seen:
    """The stages that an optimizer has passed since the last `update`."""

    def __init__(self) -> None:
        self.stage = _Stage.READY
        #: Device -> 1 if a gradient on it was infinite or NaN, else 0.
        self.found_inf: dict[Any, Tensor] = {}
        self._overflowed: bool | None = None

    def overflowed(self) -> bool:
        """Was there one? The device is waited for once."""
        if self._overflowed is None:
            self._overflowed = any(found.item() for found in self.found_inf.values())
        return self._overflowed


#: The largest float32.
_LARGEST = float(xp.finfo("float32").max)


def _refuse_halves(grad: Tensor) -> None:
    if grad.dtype is dtypes.float16:
        raise wrong_call(
            ValueError("Attempting to unscale FP16 gradients."),
            "keep the parameters in float32: autocast converts them where it pays",
        )


def _not_finite(grads: list[Tensor]) -> Tensor:
    """1 if an element of the gradients, which are on one device, is infinite or NaN, else 0."""
    dense: list[Any] = [g.coalesce()._values() if g.is_sparse else g for g in grads]
    all_of_them = rule.spoiled([each._array for each in dense])
    if all_of_them is not None:
        bad: Any = new_tensor(all_of_them).isnan()
    else:
        bad = dense[0].isfinite().all().logical_not()
        for each in dense[1:]:
            bad = bad.logical_or(each.isfinite().all().logical_not())
    return bad.to(dtypes.float32)


def _multiply(grads: list[Tensor], factor: float) -> None:
    """In place; on a device in one launch, as far as they are dense."""
    site = caller()
    with together():
        for grad in grads:
            if is_on_device(grad._array):
                about_to_write(grad)
                rule.scale(grad._array, factor)
            else:
                grad.mul_(factor)
    for grad in grads:
        if is_on_device(grad._array):
            storage_of(grad).wrote("mul_", site)


class GradScaler:
    """Multiplies losses by a scale, gradients by its inverse, and leaves out steps that are not finite.

    After `growth_interval` steps without infinity the scale grows by `growth_factor`; after one with, it
    becomes `backoff_factor` times itself. Warns, and does nothing, where `device` is CUDA and there is none.

        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)      # only to clip gradients, for instance
        scaler.step(optimizer)
        scaler.update()
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if enabled and device == "cuda" and not has_cuda():
            warnings.warn(
                "vizgrad.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
                UserWarning,
                stacklevel=2,
            )
            self._enabled = False
        if self._enabled:
            if growth_factor <= 1:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1:
                raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale: Tensor | None = None
        #: The number in `_scale`: a device is not asked for it.
        self._value = init_scale
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        self._optimizers: dict[int, _Seen] = {}

    def scale(self, outputs: Any) -> Any:
        """A tensor, or nested tuples and lists of them, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._scale_on(outputs).to(outputs.device)
        if isinstance(outputs, Iterable):
            made = [self.scale(each) for each in outputs]
            return type(outputs)(made) if isinstance(outputs, (list, tuple)) else iter(made)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _scale_on(self, like: Tensor) -> Tensor:
        scale = self._scale
        if scale is None:
            scale = full((), self._init_scale, dtype=dtypes.float32, device=like.device)
            self._scale = scale
            self._become(self._init_scale)
        return scale

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of an optimizer's parameters by the scale, in place.

        RuntimeError a second time before `update`, or after `step`; ValueError for float16 gradients.
        """
        if not self._enabled:
            return
        seen = self._of(optimizer)
        if seen.stage is _Stage.UNSCALED:
            raise wrong_call(
                RuntimeError(
                    "unscale_() has already been called on this optimizer since the last update()."
                ),
                "call update() once at the end of each iteration",
            )
        if seen.stage is _Stage.STEPPED:
            raise wrong_call(
                RuntimeError("unscale_() is being called after step()."),
                "call unscale_() before step(), and update() after it",
            )
        self._unscale(optimizer, seen)
        seen.stage = _Stage.UNSCALED

    def _unscale(self, optimizer: Any, seen: _Seen) -> None:
        self._known_scale("unscale_")
        before = set_grad_mode(False)
        try:
            by_device: dict[Any, list[Tensor]] = {}
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if (grad := parameter.grad) is not None:
                        _refuse_halves(grad)
                        by_device.setdefault(grad.device, []).append(grad)
            for device, grads in by_device.items():
                seen.found_inf[device] = _not_finite(grads)
                _multiply(grads, 1 / self._value)
        finally:
            set_grad_mode(before)

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """`optimizer.step(...)` with unscaled gradients; nothing if one of them is infinite or NaN."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise wrong_call(
                RuntimeError("Closure use is not currently supported if GradScaler is enabled."),
                "compute the loss and its gradients before step()",
            )
        seen = self._of(optimizer)
        if seen.stage is _Stage.STEPPED:
            raise wrong_call(
                RuntimeError("step() has already been called since the last update()."),
                "call update() once at the end of each iteration",
            )
        if seen.stage is _Stage.READY:
            self.unscale_(optimizer)
        if not seen.found_inf:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None
        if not seen.overflowed():
            result = optimizer.step(*args, **kwargs)
        seen.stage = _Stage.STEPPED
        return result

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Ends an iteration: the scale grows, shrinks, or becomes `new_scale`."""
        if not self._enabled:
            return
        self._known_scale("update")
        if new_scale is not None:
            self._become(float(new_scale))
        else:
            seen = [each for each in self._optimizers.values() if each.found_inf]
            if not seen:
                raise AssertionError("No inf checks were recorded prior to update.")
            self._adapt(any(each.overflowed() for each in seen))
        self._optimizers.clear()

    def _adapt(self, overflowed: bool) -> None:
        if overflowed:
            self._become(self._value * self._backoff_factor)
            self._growth_tracker = 0
            return
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            larger = self._value * self._growth_factor
            if larger <= _LARGEST:
                self._become(larger)
            self._growth_tracker = 0

    def _become(self, value: float) -> None:
        self._value = float(xp.float32(value))
        if self._scale is not None:
            self._scale.fill_(self._value)

    def _of(self, optimizer: Any) -> _Seen:
        return self._optimizers.setdefault(id(optimizer), _Seen())

    def _known_scale(self, name: str) -> Tensor:
        if self._scale is None:
            raise wrong_call(
                AssertionError(
                    f"Attempted {name} but _scale is None.  This may indicate your script did not use "
                    "scaler.scale(loss or outputs) earlier in the iteration."
                ),
                "call scaler.scale(loss).backward() first",
            )
        return self._scale

    def get_scale(self) -> float:
        """The scale; 1 if the scaler does nothing."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._value

    def get_growth_factor(self) -> float:
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The state for `load_state_dict`; empty if the scaler does nothing."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on where `state_dict` was taken. RuntimeError for that of a scaler that does nothing."""
        if not self._enabled:
            return
        if not state_dict:
            raise wrong_call(
                RuntimeError(
                    "The source state dict is empty, possibly because it was saved from a disabled "
                    "instance of GradScaler."
                ),
                "leave load_state_dict out, or make the scaler with enabled=False",
            )
        self._init_scale = state_dict["scale"]
        self._become(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
