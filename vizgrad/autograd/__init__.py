"""The public names of torch.autograd."""

from importlib import import_module
from typing import Any

from vizgrad.autograd import anomaly_mode as anomaly_mode
from vizgrad.autograd import function as function
from vizgrad.autograd import grad_mode as grad_mode
from vizgrad.autograd import graph as graph
from vizgrad.autograd import tensor_methods as tensor_methods
from vizgrad.autograd import variable as variable
from vizgrad.autograd.anomaly_mode import detect_anomaly as detect_anomaly
from vizgrad.autograd.anomaly_mode import set_detect_anomaly as set_detect_anomaly
from vizgrad.autograd.function import Function as Function
from vizgrad.autograd.grad_mode import enable_grad as enable_grad
from vizgrad.autograd.grad_mode import inference_mode as inference_mode
from vizgrad.autograd.grad_mode import is_multithreading_enabled as is_multithreading_enabled
from vizgrad.autograd.grad_mode import is_view_replay_enabled as is_view_replay_enabled
from vizgrad.autograd.grad_mode import no_grad as no_grad
from vizgrad.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from vizgrad.autograd.grad_mode import set_multithreading_enabled as set_multithreading_enabled
from vizgrad.autograd.gradcheck import gradcheck as gradcheck
from vizgrad.autograd.gradcheck import gradgradcheck as gradgradcheck
from vizgrad.autograd.running import backward as backward
from vizgrad.autograd.running import grad as grad
from vizgrad.autograd.variable import Variable as Variable


def __getattr__(name: str) -> Any:
    """Rarely used modules are imported when they are first used."""
    if name in ("forward_ad", "functional", "profiler"):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
