"""CUDA devices, through cupy (`pip install 'vizgrad[cuda12]'` or `'vizgrad[cuda13]'`).

`is_available`, `device_count`, the seeds, and how much memory is in use may be asked for anywhere; the rest
raises RuntimeError, which says what is missing, where there is no device. Names and signatures are
torch.cuda's.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from vizgrad.core.arrays.backend import Device
from vizgrad.core.arrays.device_memory import OutOfMemoryError as OutOfMemoryError
from vizgrad.core.arrays.dtypes import CONSTRUCTORS
from vizgrad.core.ops.public.typed_tensors import typed
from vizgrad.cuda.devices import can_device_access_peer as can_device_access_peer
from vizgrad.cuda.devices import current_device as current_device
from vizgrad.cuda.devices import device as device
from vizgrad.cuda.devices import device_count as device_count
from vizgrad.cuda.devices import device_of as device_of
from vizgrad.cuda.devices import get_device_capability as get_device_capability
from vizgrad.cuda.devices import get_device_name as get_device_name
from vizgrad.cuda.devices import get_device_properties as get_device_properties
from vizgrad.cuda.devices import init as init
from vizgrad.cuda.devices import is_available as is_available
from vizgrad.cuda.devices import is_bf16_supported as is_bf16_supported
from vizgrad.cuda.devices import is_initialized as is_initialized
from vizgrad.cuda.devices import set_device as set_device
from vizgrad.cuda.devices import synchronize as synchronize
from vizgrad.cuda.graphed_callables import make_graphed_callables as make_graphed_callables
from vizgrad.cuda.graphs import CUDAGraph as CUDAGraph
from vizgrad.cuda.graphs import graph as graph
from vizgrad.cuda.graphs import graph_pool_handle as graph_pool_handle
from vizgrad.cuda.memory import empty_cache as empty_cache
from vizgrad.cuda.memory import max_memory_allocated as max_memory_allocated
from vizgrad.cuda.memory import max_memory_reserved as max_memory_reserved
from vizgrad.cuda.memory import mem_get_info as mem_get_info
from vizgrad.cuda.memory import memory_allocated as memory_allocated
from vizgrad.cuda.memory import memory_reserved as memory_reserved
from vizgrad.cuda.memory import memory_stats as memory_stats
from vizgrad.cuda.memory import memory_summary as memory_summary
from vizgrad.cuda.memory import reset_peak_memory_stats as reset_peak_memory_stats
from vizgrad.cuda.memory import set_per_process_memory_fraction as set_per_process_memory_fraction
from vizgrad.cuda.random import get_rng_state as get_rng_state
from vizgrad.cuda.random import get_rng_state_all as get_rng_state_all
from vizgrad.cuda.random import initial_seed as initial_seed
from vizgrad.cuda.random import manual_seed as manual_seed
from vizgrad.cuda.random import manual_seed_all as manual_seed_all
from vizgrad.cuda.random import seed as seed
from vizgrad.cuda.random import seed_all as seed_all
from vizgrad.cuda.random import set_rng_state as set_rng_state
from vizgrad.cuda.random import set_rng_state_all as set_rng_state_all
from vizgrad.cuda.streams import Event as Event
from vizgrad.cuda.streams import Stream as Stream
from vizgrad.cuda.streams import StreamContext as StreamContext
from vizgrad.cuda.streams import current_stream as current_stream
from vizgrad.cuda.streams import default_stream as default_stream
from vizgrad.cuda.streams import is_current_stream_capturing as is_current_stream_capturing
from vizgrad.cuda.streams import set_stream as set_stream
from vizgrad.cuda.streams import stream as stream

globals().update({name: typed(name, dtype, Device("cuda")) for name, dtype in CONSTRUCTORS.items()})


def __getattr__(name: str) -> Any:
    if name == "amp":  # loaded when it is asked for
        return import_module("vizgrad.cuda.amp")
    raise AttributeError(f"module 'vizgrad.cuda' has no attribute {name!r}")
