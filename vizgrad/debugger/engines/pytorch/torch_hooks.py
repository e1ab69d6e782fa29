"""Events that no function mode of PyTorch reports: runs of its engine, custom Functions, steps, other
threads.

Functions of Python's are tapped (`vizgrad.debugger.watch.function_hooks`), those of C that make tensors
of foreign memory are exchanged in PyTorch's module; for as long as a watch is active.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from time import sleep
from types import FunctionType
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import torch
import torch.utils.checkpoint
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.overrides import (
    TorchFunctionMode,
    _get_current_function_mode_stack,
    _pop_mode,
    _push_mode,
)

from vizgrad.debugger.engines.pytorch.device_threads import in_device_thread
from vizgrad.debugger.watch.functions import Tap
from vizgrad.debugger.watch.scaling import CLIPPING, SCALING, listed

Go = Callable[[], Any]


class Hearing(Protocol):
    """A watch of a thread. `go` makes the original call."""

    def ran_engine(self, args: tuple[Any, ...], kwargs: dict[str, Any], go: Go) -> Any: ...

    def refused(self, error: Exception) -> None: ...

    def refused_parameters(self, error: Exception, parameters: list[Any]) -> None: ...

    def applied(self, cls: Any, args: tuple[Any, ...], go: Go) -> Any: ...

    def ran_step(self, args: Any, kwargs: dict[str, Any], go: Go) -> Any: ...

    def steps(self, optimizer: Any) -> None: ...

    def stepped(self, optimizer: Any) -> None: ...

    def cleared(self, optimizer: Any) -> None: ...

    def switched(self, module: Any) -> None: ...

    def ran_layer(self, whole: Any, spot: Any, layer: Any, args: Any, made: Any) -> None: ...

    def taken(self, name: str, array: Any, made: Any) -> None: ...

    def switched_grad(self, on: bool) -> None: ...

    def wrapped(self, data: Any, made: Any) -> None: ...

    def replicates(self, module: Any, spot: Any) -> None: ...

    def tended(self, name: str, args: tuple[Any, ...], go: Go) -> Any: ...

    def stray(self, made: Any) -> None: ...

    def repeat_begins(self) -> None: ...

    def repeat_ends(self, call: Repeating, *, again: bool) -> None: ...


class Repeating:
    """The function of a checkpoint: run once, and again by a backward."""

    def __init__(self, function: Any, heard: tuple[Hearing, ...]) -> None:
        self.run_function = function
        self._heard = heard
        self._ran = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        again, self._ran = self._ran, True
        heard = [one for one in self._heard if one in _LOCAL.heard]
        for one in heard:
            one.repeat_begins()
        try:
            return self.run_function(*args, **kwargs)
        finally:
            for one in heard:
                one.repeat_ends(self, again=again)


class _Local(threading.local):
    #: Who has begun to watch on this thread, the innermost last.
    own: tuple[Hearing, ...] = ()
    #: Is a module switching between training and evaluation?
    switching = False

    @property
    def heard(self) -> tuple[Hearing, ...]:
        """Who watches this thread, the innermost last. For PyTorch's thread of a device: who watches the
        backward that runs there, if all that run are watched alike.
        """
        if self.own or not _runs or not in_device_thread():
            return self.own
        return _runs[-1] if _runs.count(_runs[-1]) == len(_runs) else ()


#: For each backward that is watched and running, who watches it.
_runs: list[tuple[Hearing, ...]] = []
_LOCAL = _Local()
_lock = threading.RLock()
_open: list[Hearing] = []
_undo: list[Callable[[], None]] = []
#: Steps of classes of optimizers that are heard as a whole.
_tapped: set[FunctionType] = set()
#: Seconds in which threads of a process group release what they keep.
_RELEASE = 0.2
#: Threads that were started where no history was wanted -> who watched there.
_unwanted: WeakKeyDictionary[threading.Thread, tuple[Hearing, ...]] = WeakKeyDictionary()


def watched() -> tuple[Hearing, ...]:
    """Who watches this thread, the innermost last."""
    return _LOCAL.heard


def listen(hearing: Hearing) -> None:
    _LOCAL.own = (*_LOCAL.own, hearing)
    with _lock:
        _open.append(hearing)
        if len(_open) == 1:
            _begin()


def end(hearing: Hearing) -> None:
    _LOCAL.own = tuple(each for each in _LOCAL.own if each is not hearing)
    with _lock:
        _open.remove(hearing)
        if not _open:
            while _undo:
                _undo.pop()()


def _begin() -> None:
    for function, name, heard in (
        (torch.autograd.graph._engine_run_backward, "engine", _engine),
        (torch.autograd._make_grads, "roots", _roots),
        (torch.autograd.Function.__dict__["apply"].__func__, "apply", _apply),
        (torch.utils.checkpoint.checkpoint, "checkpoint", _checkpoint),
        (torch.nn.Parameter.__new__, "Parameter", _wrapped),
        (torch.autograd.grad_mode.set_grad_enabled.__init__, "set_grad_enabled", _switched),
        (torch.optim.Optimizer.zero_grad, "zero_grad", _cleared),
        (torch.optim.Optimizer.add_param_group, "add_param_group", _added),
        (torch.nn.Module.train, "train", _mode),
        (torch.nn.Module.eval, "eval", _mode),
        (threading.Thread.start, "start", _started),
        (threading.Thread.run, "run", _thread),
        *[(vars(torch.amp.GradScaler)[name], name, _tended) for name in SCALING],
        *[(getattr(torch.nn.utils, name), name, _tended) for name in CLIPPING],
        *_of_groups(),
    ):
        _undo.append(Tap(function, name, "", heard).end)
    _undo.append(register_optimizer_step_pre_hook(_steps).remove)
    _undo.append(register_optimizer_step_post_hook(_stepped).remove)
    for module, name in (
        (torch, "from_numpy"), (torch, "frombuffer"), (torch, "from_dlpack"),
        (torch.utils.dlpack, "from_dlpack"),
    ):  # fmt: skip
        _exchange(module, name)


def _engine(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if heard := _LOCAL.heard:
        _runs.append(heard)
    try:
        return _each(
            lambda one, go: one.ran_engine(args, kwargs, go), lambda: tap.original(*args, **kwargs)
        )
    finally:
        if heard:
            _runs.remove(heard)


def _roots(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The gradients at which a backward starts: a loss that is no scalar is refused here."""
    try:
        return tap.original(*args, **kwargs)
    except RuntimeError as error:
        for one in reversed(_LOCAL.heard):
            one.refused(error)
        raise


def _added(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A group of parameters of an optimizer: a tensor that is no leaf is refused here."""
    try:
        return tap.original(*args, **kwargs)
    except ValueError as error:
        group = args[1] if len(args) > 1 else kwargs.get("param_group")
        given = group.get("params") if isinstance(group, dict) else None
        if isinstance(given, list):  # the original has made one of what it was given
            pairs = [each[1] if isinstance(each, tuple) else each for each in given]
            for one in reversed(_LOCAL.heard):
                one.refused_parameters(error, pairs)
        raise


def _apply(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    cls, *rest = args
    return _each(
        lambda one, go: one.applied(cls, tuple(rest), go), lambda: tap.original(*args, **kwargs)
    )


def _each(tell: Callable[[Hearing, Go], Any], go: Go) -> Any:
    """The call, within all who watch this thread."""
    for one in reversed(_LOCAL.heard):
        go = _within(tell, one, go)
    return go()


def _within(tell: Callable[[Hearing, Go], Any], one: Hearing, go: Go) -> Go:
    return lambda: tell(one, go)


def _checkpoint(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if _LOCAL.heard and args:
        args = (Repeating(args[0], _LOCAL.heard), *args[1:])
    return tap.original(*args, **kwargs)


def _steps(optimizer: Any, args: Any, kwargs: Any) -> None:
    if _LOCAL.heard:
        _tap_step(type(optimizer).step)
    for one in _LOCAL.heard:
        one.steps(optimizer)


def _cleared(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if torch.compiler.is_compiling() or not _LOCAL.heard:
        return tap.original(*args, **kwargs)
    to_none = kwargs.get("set_to_none", args[1] if len(args) > 1 else True)
    modes = _get_current_function_mode_stack()
    if to_none is True and modes and modes[-1] is _LOCAL.heard[-1]:
        # it asks for each gradient, twice, and nothing is noted of that
        mode = _pop_mode()
        try:
            made = tap.original(*args, **kwargs)
        finally:
            _push_mode(mode)
    else:
        made = tap.original(*args, **kwargs)
    for one in _LOCAL.heard:
        one.cleared(args[0])
    return made


def _tap_step(step: Any) -> None:
    """From the next step on all steps of a class are heard as a whole."""
    with _lock:
        if isinstance(step, FunctionType) and step not in _tapped and _open:
            tap = Tap(step, "step", "", _step)
            _tapped.add(step)
            _undo.extend([tap.end, lambda: _tapped.discard(step)])


def _step(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if torch.compiler.is_compiling() or not _LOCAL.heard or not args:
        return tap.original(*args, **kwargs)
    return _each(
        lambda one, go: one.ran_step(args, kwargs, go), lambda: tap.original(*args, **kwargs)
    )


def _mode(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A change of a module and all its parts is reported once."""
    if _LOCAL.switching or not _LOCAL.heard:
        return tap.original(*args, **kwargs)
    _LOCAL.switching = True
    try:
        made = tap.original(*args, **kwargs)
    finally:
        _LOCAL.switching = False
    for one in _LOCAL.heard:
        one.switched(args[0])
    return made


def _switched(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    made = tap.original(*args, **kwargs)
    for one in _LOCAL.heard:
        one.switched_grad(bool(args[0].mode))
    return made


def _wrapped(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    made = tap.original(*args, **kwargs)
    data = args[1] if len(args) > 1 else kwargs.get("data")
    for one in _LOCAL.heard:
        one.wrapped(data, made)
    return made


def _tended(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A GradScaler, or clipping."""
    if not _LOCAL.heard:
        return tap.original(*args, **kwargs)
    args, kwargs = listed(tap.name, args, kwargs)
    return _each(
        lambda one, go: one.tended(tap.name, args, go), lambda: tap.original(*args, **kwargs)
    )


def _of_groups() -> list[tuple[Any, str, Any]]:
    if not torch.distributed.is_available():
        return []
    name = "destroy_process_group"
    return [(getattr(torch.distributed, name), name, _group_ends)]


def _group_ends(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Gloo's threads need the GIL to release the work of a collective, which keeps the mode of the watch;
    PyTorch 2.13 holds the GIL while it waits for these threads.
    """
    if _LOCAL.heard:
        sleep(_RELEASE)
    return tap.original(*args, **kwargs)


def _stepped(optimizer: Any, args: Any, kwargs: Any) -> None:
    for one in _LOCAL.heard:
        one.stepped(optimizer)


def _exchange(module: Any, name: str) -> None:
    original = getattr(module, name)

    @wraps(original)
    def taking(*args: Any, **kwargs: Any) -> Any:
        made = original(*args, **kwargs)
        for one in _LOCAL.heard:
            one.taken(name, args[0] if args else None, made)
        return made

    def back() -> None:
        if getattr(module, name) is taking:
            setattr(module, name, original)

    setattr(module, name, taking)
    _undo.append(back)


def _started(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if _LOCAL.heard and not torch.is_grad_enabled():
        _unwanted[args[0]] = _LOCAL.heard
    return tap.original(*args, **kwargs)


def _thread(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    watching = _unwanted.get(args[0])
    if watching is None:
        return tap.original(*args, **kwargs)
    with _Straying(watching):
        return tap.original(*args, **kwargs)


class _Straying(TorchFunctionMode):
    """On a thread that nobody watches: does it record, although who started it wants no history?"""

    def __init__(self, watching: tuple[Hearing, ...]) -> None:
        super().__init__()
        self._watching = watching

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        made = func(*args, **(kwargs or {}))
        if _open and isinstance(made, torch.Tensor):
            with torch._C.DisableTorchFunction():
                if made.requires_grad and not made.is_leaf:
                    for one in self._watching:
                        if one in _open:
                            one.stray(made)
        return made
