"""vizgrad: PyTorch's autograd in a notebook, with a debugger for its backward pass.

`import vizgrad as torch` runs ordinary PyTorch code; `vizgrad.debug(loss)` opens the backward pass
of `loss` in a notebook and steps it node by node, forwards and backwards.

Operations say themselves under which names they are here (`vizgrad.core.ops.forms`). Typing tools read
`__init__.pyi`, which is written by `python -m vizgrad.core.ops.stub`.
"""

import sys as _sys
from math import e, inf, nan, pi

from vizgrad.core.collector import long_lived as _long_lived

with _long_lived():  # of 100,000 objects nothing could be freed
    from vizgrad import autograd
from vizgrad import former_names as _former_names
from vizgrad.autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
from vizgrad.autograd.anomaly_mode import set_detect_anomaly as set_anomaly_enabled
from vizgrad.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    reset_modes,
    set_grad_enabled,
)
from vizgrad.core import ops
from vizgrad.core.arrays.backend import Device as device
from vizgrad.core.arrays.backend import get_default_device, set_default_device
from vizgrad.core.arrays.device_memory import OutOfMemoryError
from vizgrad.core.arrays.dtypes import DType as dtype
from vizgrad.core.arrays.dtypes import (
    bfloat16,
    complex64,
    complex128,
    finfo,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_default_dtype,
    uint8,
)
from vizgrad.core.arrays.dtypes import bool_ as bool
from vizgrad.core.errors import is_warn_always_enabled, set_warn_always
from vizgrad.core.ops.public import fft, linalg, special
from vizgrad.core.tensor.in_memory import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    layout,
    memory_format,
    preserve_format,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
)
from vizgrad.core.tensor.modes import is_grad_enabled, is_inference_mode_enabled
from vizgrad.core.tensor.printing import set_printoptions
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.debugger.api import (
    card,
    check,
    compare,
    debug,
    graph,
    memory,
    record,
    scope,
    versions,
    watch,
    why,
)
from vizgrad.debugger.api import on_import as _on_import
from vizgrad.debugger.jupyter.magics import load_ipython_extension, unload_ipython_extension
from vizgrad.version import __version__

half, float, double = float16, float32, float64
short, int, long = int16, int32, int64
cfloat, cdouble = complex64, complex128
newaxis = None

globals().update(ops.forms.functions())  # add, exp, zeros, ...

# They lie below what is built on them; here they are modules, too: `from vizgrad.linalg import solve`
_sys.modules |= {"vizgrad.fft": fft, "vizgrad.linalg": linalg, "vizgrad.special": special}
_former_names.install()

#: Packages, and by package the functions of it, that are loaded when first asked for: `import vizgrad`
#: alone stays quick.
_LATER = {
    "accelerator": "",
    "amp": "GradScaler autocast",
    "amp.mode": "clear_autocast_cache get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype "
    "is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled set_autocast_cache_enabled "
    "set_autocast_dtype set_autocast_enabled",
    "backends": "",
    "compiler": "compile",
    "cpu": "",
    "cuda": "",
    "debugger.attach": "attach",
    "debugger.demo": "demo",
    "debugger.report": "report",
    "debugger.ranks": "compare_ranks load_traces ranks",
    "debugger.traces": "load_trace",
    "distributed": "",
    "distributions": "",
    "func": "vmap",
    "futures": "",
    "integrations": "",
    "multiprocessing": "",
    "nn": "",
    "optim": "",
    "random": "default_generator",
    "profiler": "",
    "quasirandom": "",
    "serialization": "save load",
    "signal": "",
    "sparse": "",
    "testing": "",
    "utils": "",
    "nn.functional": "adaptive_avg_pool1d avg_pool1d bilinear celu celu_ channel_shuffle "
    "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity "
    "hardshrink layer_norm max_pool1d max_pool2d max_pool3d pairwise_distance pdist pixel_shuffle "
    "pixel_unshuffle prelu rms_norm rrelu rrelu_ selu selu_ threshold threshold_",
    "nn.functional.top_level": "adaptive_max_pool1d alpha_dropout dropout group_norm",
}


def __getattr__(name: str) -> object:
    """The names that are loaded when first asked for, and operations declared since."""
    from importlib import import_module

    if name in _LATER or f"vizgrad.{name}" in _former_names.MOVED:
        return import_module(f"vizgrad.{name}")
    for package, names in _LATER.items():
        if name in names.split():
            return getattr(import_module(f"vizgrad.{package}"), name)
    declared = ops.forms.FORMS.get(name)
    if declared is None or declared.function is None:
        raise AttributeError(f"module 'vizgrad' has no attribute {name!r}")
    return declared.function


def __dir__() -> list[str]:
    packages = (name for name in _LATER if "." not in name)
    return sorted({*globals(), *packages, *" ".join(_LATER.values()).split()})


_on_import()
