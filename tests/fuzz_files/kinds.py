"""The kinds of file: whole ones to begin with, how each is read, and what reading may raise."""

from __future__ import annotations

import io
import pickle
import random
import struct
import tempfile
import zipfile
from collections import Counter, OrderedDict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError

import vizgrad as vg
from tests.fixtures.older_traces import version_1
from tests.fuzz_files import mutations, pages
from vizgrad import nn
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.jupyter.widget import protocol, query_answers
from vizgrad.debugger.jupyter.widget.drawing import AUTOMATIC
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.traces import TraceFileError
from vizgrad.debugger.wire import wire
from vizgrad.serialization.saving import pickled
from vizgrad.utils import npz, safetensors


class Kind(NamedTuple):
    wholes: Callable[[], list[bytes]]
    read: Callable[[bytes], Any]
    #: What reading promises to raise, and nothing else.
    raises: tuple[type[Exception], ...]
    #: Changes that know the format; the blind ones are tried on all.
    knowing: Callable[[random.Random, bytes], bytes]


def objects() -> list[Any]:
    """What people save."""
    vg.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    adam = vg.optim.Adam(net.parameters())
    net(vg.randn(4, 3)).sum().backward()
    adam.step()
    base = vg.arange(24.0, dtype=vg.float64)
    noted = nn.Parameter(vg.ones(2))
    noted.note = ["mine"]
    return [
        {"model": net.state_dict(), "optimizer": adam.state_dict(), "epoch": 3},
        [base, base[2:9:2], base.reshape(4, 6).t(), vg.ones(1).expand(5), vg.zeros(0, 2), noted],
        {
            "n": [1, -2.5, 10**30, 1j, None, True, ("a", (1, 2))], "set": {1, 2}, "bytes": b"\0\1x",
            "more": bytearray(b"y"), "ordered": OrderedDict(b=1), "counts": Counter("aab"),
            "size": vg.Size([2, 3]), "device": vg.device("cpu"), "dtype": vg.float16, (1, "k"): "ä" * 40,
            "all": [vg.ones(3).to(d) for d in (vg.bool, vg.uint8, vg.int64, vg.complex64, vg.float16)],
        },
    ]  # fmt: skip


def zips() -> list[bytes]:
    files = []
    for obj in objects():
        file = io.BytesIO()
        vg.save(obj, file)
        files.append(file.getvalue())
    deflated = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(files[0])) as old:
        with zipfile.ZipFile(deflated, "w", zipfile.ZIP_DEFLATED) as new:
            for name in old.namelist():
                new.writestr(name, old.read(name))
        first = {n: old.read(n) for n in old.namelist()}
    first["archive/data.pkl"] = first["archive/data.pkl"].replace(
        b"FloatStorage", b"BFloat16Storage"
    )
    return [*files, deflated.getvalue(), mutations.zipped(first)]


def olds() -> list[bytes]:
    """As PyTorch wrote files before 1.6."""
    files = []
    for obj in objects():
        data, memory = pickled(obj)
        system = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"int": 4}}
        parts = [pickle.dumps(0x1950A86A20F9469CFC6C, 2), pickle.dumps(1001, 2)]
        parts += [pickle.dumps(system, 2), data, pickle.dumps(list(memory), 2)]
        item = dict(_numels(data))
        for key, block in memory.items():
            parts += [struct.pack("<q", item[key]), bytes(np.asarray(block).data)]
        files.append(b"".join(parts))
    return files


def _numels(data: bytes) -> list[tuple[str, int]]:
    """Key and number of elements of each memory that a pickle of ours refers to."""

    class Sees(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            return OrderedDict if name in ("OrderedDict", "Counter") else lambda *_: None

        def persistent_load(self, pid: Any) -> Any:
            seen.append((pid[2], pid[4]))

    seen: list[tuple[str, int]] = []
    Sees(io.BytesIO(data)).load()
    return seen


def archives() -> list[bytes]:
    file = io.BytesIO()
    tensors = {
        "w": vg.arange(6.0).reshape(2, 3),
        "t": vg.arange(6).reshape(2, 3).t(),
        "e": vg.zeros(0, 2),
    }
    npz.save_npz({**tensors, "flag": vg.tensor(True), "c": vg.ones(3, dtype=vg.complex64)}, file)
    packed = io.BytesIO()
    np.savez_compressed(packed, a=np.arange(500.0), b=np.zeros((9, 9), ">i4"))
    return [file.getvalue(), packed.getvalue()]


def safes() -> list[bytes]:
    state = objects()[0]["model"]
    return [safetensors.save(state, {"format": "pt"}), safetensors.save({"x": vg.ones(2, 1, 2)})]


def traces() -> list[bytes]:
    net = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
    with vg.record() as recording:
        net(vg.ones(1, 2)).sum().backward()
    return [wire.to_json(recording.trace).encode()]


def trace_files() -> list[bytes]:
    """Of a recording and of a run, with groups, a hook and a NaN; and one of the version before."""
    net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
    with vg.record("two") as recording:
        for _ in range(2):
            net(vg.ones(1, 2)).sum().backward()
    session = open_session(net(vg.zeros(1, 2)).sqrt().sum(), names={})
    session.stop_at_nonfinite = False
    session.continue_()
    with tempfile.TemporaryDirectory() as folder:
        traces = recording.trace, session.trace
        files = [trace.save(Path(folder, "it")).read_bytes() for trace in traces]
    return [*files, version_1(files[1])]


def page_files() -> list[bytes]:
    """The same; what reads them is started before memory is limited."""
    pages.start()
    return trace_files()


def stepped(session: Session) -> None:
    """What a person does with a trace."""
    with session:
        query_answers.shown(1, session, AUTOMATIC, "")
        session.seek(session.total)
        query_answers.shown(1, session, AUTOMATIC, "")
        for node in range(min(session.nodes, 3)):
            query_answers.inspection(session, protocol.Inspect(1, session.id, node))
        query_answers.memory(session, protocol.GetMemory(1, session.id))
        session.back()
        repr(session)


def used(obj: Any) -> Any:
    """What a person does with a loaded thing: its values are read, it is shown and let go."""
    found = [obj]
    for item in found:
        if isinstance(item, dict):
            found.extend(item.values())
        elif isinstance(item, (list, tuple)) and len(found) < 10_000:
            found.extend(item[:100])
        # A tensor of no elements may have dimensions of any size, and lists of as many lists.
        elif isinstance(item, vg.Tensor) and max(item.numel(), *item.shape, 0) < 100_000:
            item.tolist()
            repr(item.clone())
    return obj


KINDS: dict[str, Kind] = {
    "zip": Kind(
        cache(zips), lambda data: used(vg.load(io.BytesIO(data))),
        (RuntimeError, pickle.UnpicklingError, EOFError), mutations.of_zip,
    ),
    "legacy": Kind(
        cache(olds), lambda data: used(vg.load(io.BytesIO(data))),
        (RuntimeError, pickle.UnpicklingError, EOFError), mutations.of_pickles,
    ),
    "safetensors": Kind(
        cache(safes), lambda data: used(safetensors.load(data)),
        (RuntimeError, TypeError, SafetensorError), mutations.of_safetensors,
    ),
    "npz": Kind(
        cache(archives), lambda data: used(npz.load_npz(io.BytesIO(data))),
        (RuntimeError, TypeError, ValueError), mutations.of_zip,
    ),
    "trace": Kind(
        cache(traces), lambda data: wire.from_json(model.Trace, data), (wire.WireError,), mutations.of_json
    ),
    "vgtrace": Kind(
        cache(trace_files), lambda data: stepped(vg.load_trace(io.BytesIO(data))),
        (TraceFileError,), mutations.of_trace,
    ),
    "page": Kind(cache(page_files), pages.read, (TraceFileError,), mutations.of_page),
}  # fmt: skip
