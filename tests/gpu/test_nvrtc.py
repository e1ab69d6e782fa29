"""vizgrad's own kernels are compiled by CUDA's compiler, for each generation of devices: no GPU is needed.

Skipped where NVRTC is not installed, or the device is not the emulated one, which shows the texts.
"""

from __future__ import annotations

import ctypes
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import vizgrad as vg
from tests.gpu.emulated import FOLDER
from tests.gpu.emulated.building import digest, own_name
from vizgrad.core.arrays.philox_kernels import KINDS, name_of

pytestmark = pytest.mark.gpu

#: Not drawn within a graph: by chances, which are read to be checked, and for elements of two bytes.
ALONE = ("kept8", "chose")
ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100")


@pytest.fixture(scope="module")
def nvrtc() -> Any:
    found = pytest.importorskip("nvidia.cuda_nvrtc", exc_type=ImportError)
    (path,) = (p for p in (Path(found.__path__[0]) / "lib").glob("libnvrtc.so.*"))
    return ctypes.CDLL(str(path))


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """The names of kernels by their texts, as they are handed to cupy, which is done once a process."""
    import cupy

    from vizgrad.core.arrays import philox, philox_kernels
    from vizgrad.core.arrays.fusion import launch, look, many

    for kept in (
        launch._of_rows,
        many._compiled,
        look._compiled,
        philox_kernels.compiled,
        philox._placing,
    ):
        kept.cache_clear()

    found: dict[str, str] = {}
    real = cupy.RawKernel

    def noted(code: str, name: str, *args: Any, **options: Any) -> Any:
        found[code] = name
        return real(code, name, *args, **options)

    cupy.RawKernel = noted
    try:
        for dtype in (vg.float32, vg.float64):
            _trained(dtype)
            _drawn(dtype)
    finally:
        cupy.RawKernel = real
    return found


def _trained(dtype: Any) -> None:
    from vizgrad.core.arrays.fusion import inspection
    from vizgrad.core.arrays.statistics import quick

    layers = [vg.nn.Linear(8, 5), vg.nn.LayerNorm(5), vg.nn.Linear(5, 3)]
    network = vg.nn.Sequential(*layers).to("cuda", dtype)
    target = vg.zeros(4, dtype=vg.int64, device="cuda")
    for make in (vg.optim.Adam, vg.optim.SGD, partial(vg.optim.AdamW, capturable=True)):
        optimizer, scaler = make(network.parameters(), lr=0.1), vg.amp.GradScaler("cuda")
        out = network(vg.ones(4, 8, dtype=dtype, device="cuda"))
        loss = vg.nn.functional.cross_entropy(out, target) + out.softmax(1).sum()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        vg.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        scaler.step(optimizer)
    quick(vg.ones(100, dtype=dtype, device="cuda")._array)
    inspection._compiled.cache_clear()
    inspection.inspect(vg.ones(100, dtype=dtype, device="cuda")._array)


def _drawn(dtype: Any) -> None:
    """Random numbers of each kind, by themselves and in a graph of launches."""

    def draw() -> None:
        vg.rand(3, dtype=dtype, device="cuda")
        vg.randn(3, dtype=dtype, device="cuda")
        made = vg.empty(3, dtype=dtype, device="cuda")
        made.exponential_().cauchy_().log_normal_().geometric_(0.5).bernoulli_(0.5)
        for n in (1, 2, 4):
            vg.nn.functional.dropout(vg.ones(n, dtype=dtype, device="cuda"))
        vg.randint(0, 9, (3,), device="cuda")
        vg.randint(0, 2**40, (3,), device="cuda")
        vg.empty(3, dtype=vg.int64, device="cuda").random_(-(2**63), None)

    draw()
    vg.bernoulli(vg.ones(3, dtype=dtype, device="cuda"))
    vg.randperm(3, device="cuda")
    vg.multinomial(vg.ones(2, dtype=dtype, device="cuda"), 3, replacement=True)
    vg.nn.functional.dropout(vg.ones(8, dtype=vg.float16, device="cuda"))
    graph = vg.cuda.CUDAGraph()
    with vg.cuda.graph(graph):
        draw()
    graph.replay()


def log_of(nvrtc: Any, text: str, architecture: str) -> str:
    """What the compiler says; nothing if it is content. Kept, as what g++ makes of a kernel is."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    compiler = f"{major.value}.{minor.value} {Path(nvrtc._name).stat().st_size}"
    kept = FOLDER / "nvrtc" / digest(compiler.encode(), architecture.encode(), text.encode())
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        made = own_name(kept)
        made.write_text(_log_of(nvrtc, text, architecture))
        made.rename(kept)
    return kept.read_text()


def _log_of(nvrtc: Any, text: str, architecture: str) -> str:
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None)
    options = [b"--std=c++17", b"-ftz=true", f"--gpu-architecture={architecture}".encode()]
    status = nvrtc.nvrtcCompileProgram(program, 3, (ctypes.c_char_p * 3)(*options))
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return log.value.decode() or ("failed" if status else "")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_each_kernel_compiles(architecture: str, nvrtc: Any, texts: dict[str, str]) -> None:
    said = [(name, log_of(nvrtc, text, architecture)) for text, name in texts.items()]
    assert [(name, log) for name, log in said if log] == []
    kernels = {*texts.values()}
    assert kernels >= {
        "vizgrad_adam_step_of_many", "vizgrad_adam_step_by_count_of_many", "vizgrad_philox_wide",
        "vizgrad_philox_normal_d_of_graph", "vizgrad_philox_place", "vizgrad_philox_equal",
        "vizgrad_philox_rows_f", "vizgrad_philox_rows_d",
        *map(name_of, KINDS), *(name_of(kind, True) for kind in KINDS if kind[:5] not in ALONE),
    }  # fmt: skip
