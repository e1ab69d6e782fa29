"""The threads in which PyTorch runs the nodes of devices, while a session is stopped in one of them.

A process has one such thread for each device. A session that is stopped before a node of a device holds its
thread, so that any other backward would wait for the session when it comes to that device: without end, and
in C++, where no interrupt reaches it. Such a backward is refused instead.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from vizgrad.debugger.engines.pytorch.torch_nodes import edge_of
from vizgrad.debugger.engines.pytorch.torch_tensors import graph_below
from vizgrad.debugger.engines.pytorch.versions import devices_of_outputs

#: PyTorch runs nodes of these in the thread that has called it.
_OF_CALLERS = {"cpu", "meta", "lazy"}
_NAME = "_engine_run_backward"

Devices = frozenset[torch.device]
#: By session the devices whose threads it holds now, and the name of the node that it is stopped before.
_stopped: dict[object, tuple[Devices, str]] = {}


def in_device_thread() -> bool:
    """Is this a thread that PyTorch has made? Those are no threads of Python's `threading`."""
    return isinstance(threading.current_thread(), threading._DummyThread)


def devices_of(nodes: Iterable[Any]) -> Devices:
    """The devices with a thread of their own that these nodes run on."""
    if not _has_device():
        return frozenset()
    found = {device for node in nodes for device in devices_of_outputs(node)}
    return frozenset(device for device in found if device.type not in _OF_CALLERS)


def _has_device() -> bool:
    # PyTorch 2.6 and newer know of others than CUDA.
    accelerator = getattr(torch, "accelerator", torch.cuda)
    return bool(accelerator.is_available())


def stop(session: object, devices: Devices, node: str) -> None:
    """The session is stopped before this node, in the thread of a device."""
    _stopped[session] = devices, node


def go_on(session: object) -> None:
    _stopped.pop(session, None)


def refuse(devices: Devices, session: object = None) -> None:
    """RuntimeError where another session than this one is stopped in the thread of one of these devices."""
    for other, (held, node) in tuple(_stopped.items()):
        common = sorted(map(str, held & devices))
        if other is not session and common:
            raise RuntimeError(
                f"a session of the debugger is stopped before {node}, in the thread in which PyTorch runs "
                f"all nodes of {common[0]}: this backward would wait for it without end. Run that session to "
                "its end (session.continue_()) or close it (session.close(), or Stop in its view), then run "
                "this again"
            )


def guard() -> None:
    """PyTorch's `backward` and `grad` call the engine by this name. The function stays there: while no
    session is stopped in the thread of a device, it passes its call on.
    """
    run: Callable[..., Any] = getattr(torch.autograd, _NAME)
    if getattr(run, "guards_devices", False):
        return

    def guarded(tensors: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        if _stopped:
            refuse(devices_of(graph_below([_root(each) for each in tensors])))
        return run(tensors, *args, **kwargs)

    guarded.guards_devices = True  # pyright: ignore[reportFunctionMemberAccess]  found above
    setattr(torch.autograd, _NAME, guarded)


def _root(of: Any) -> Any:
    """The node of a tensor, or of a `GradientEdge`."""
    return edge_of(of)[0] if isinstance(of, torch.Tensor) else of.node
