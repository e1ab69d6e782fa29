"""What `load` refuses: nothing a file says is run, and damage is told."""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import pytest

import vizgrad as vg
from vizgrad import nn, serialization
from vizgrad.core.tensor.tensor import new_tensor, storage_of
from vizgrad.serialization.archive import FloatStorage
from vizgrad.serialization.names import rebuild_tensor_v2
from vizgrad.serialization.saving import under_their_names


def archive(data: bytes, **records: bytes) -> io.BytesIO:
    """A file as `save` writes it, around any pickle."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as out:
        out.writestr("archive/data.pkl", data)
        out.writestr("archive/version", "3")
        for name, content in records.items():
            out.writestr(f"archive/data/{name.strip('_')}", content)
    file.seek(0)
    return file


class Runs:
    """Pickles as a call of a function."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_a_file_that_would_run_something_is_refused_by_name(protocol: int, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.touch()
    data = pickle.dumps({"x": Runs(os.remove, str(victim))}, protocol)
    with pytest.raises(
        UnpicklingError, match=r"Weights only load failed: it names (posix|nt).remove"
    ):
        vg.load(archive(data))
    assert victim.exists()


@pytest.mark.parametrize(
    "function",
    [eval, getattr, __import__, print, pickle.loads, io.BytesIO],
    ids=lambda f: f.__name__,
)
def test_no_function_but_those_of_tensors(function: Any) -> None:
    with pytest.raises(UnpicklingError, match=f"Unsupported global: .*{function.__name__}"):
        vg.load(archive(pickle.dumps(Runs(function, "1"), 2)))


def raw(*parts: str) -> bytes:
    return b"\x80\x02" + "".join(parts).encode("latin-1") + b"."


@pytest.mark.parametrize(
    ("data", "why"),
    [
        # attributes of what a file may name: Python's unpickler would set them
        (raw("ctorch\nTensor\n", "N}X\4\0\0\0itemK\1s\x86b"), "sets the state of a type"),
        (raw("ctorch._utils\n_rebuild_tensor\n", "}X\1\0\0\0aK\1sb"), "state of a function"),
        (raw("ctorch\nfloat32\n", "N}X\2\0\0\0npK\1s\x86b"), "state of a DType"),
        (raw("ccollections\nOrderedDict\n", "}b"), "state of a function"),
        # names by attribute, old ways to make objects, numbers of registered classes
        (raw("ccollections\nOrderedDict.clear\n"), "Unsupported global: collections.OrderedDict.clear"),
        (raw("(ios\nsystem\n"), "INST"),
        (raw("(ctorch\nTensor\no"), "OBJ"),
        (raw("\x82\x01"), "EXT1"),
        # calls of what is no function, or is not for files to call
        (raw("K\1)R"), "calls 1"),
        (raw("ctorch\nTensor\n)R"), "not for a file to call"),
        (raw("ctorch\nTensor\n)\x81"), "not for a file to call"),
        (raw("ctorch\nfloat32\n)R"), "not for a file to call"),
        # filling what is not to be filled
        (raw("K\1K\2a"), "a int stands where a list is filled"),
        (raw("ctorch\nTensor\nK\1K\2s"), "a type stands where a dict is filled"),
        # damage
        (raw("a"), "list index out of range|pop from empty list"),
        (raw("h\7"), "7"),
        (raw("K\1K\2"), "one object at the end"),
        (raw("K\1\x86"), "stack is too short"),
        (b"\x80\x02K", "not enough data|expected"),
        (b"\xff\xff", "opcode"),
        (raw("K\1Q"), "outside that is no storage"),
        (raw("(X\7\0\0\0storageK\1K\1K\1K\1tQ"), "no type of storage"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)  # fmt: skip
def test_pickles_made_to_do_harm(data: bytes, why: str) -> None:
    with pytest.raises(UnpicklingError, match=f"Weights only load failed.*({why})"):
        vg.load(archive(data))
    assert vg.Tensor.item is not None
    assert vg.float32.np.name == "float32"


class Config:
    def __init__(self, width: int) -> None:
        self.width = width
        self.names = ["a"]


class Slotted:
    __slots__ = ("a",)

    def __init__(self) -> None:
        self.a = 5


class Stateful(Config):
    def __setstate__(self, state: dict[str, Any]) -> None:
        self.width = state["width"] + 1


def saved(obj: Any) -> io.BytesIO:
    file = io.BytesIO()
    vg.save(obj, file)
    file.seek(0)
    return file


def test_classes_that_the_caller_vouches_for() -> None:
    file = saved({"config": Config(3), "ordered": OrderedDict()})
    with pytest.raises(UnpicklingError, match=r"Config.*add_safe_globals"):
        vg.load(file)
    file.seek(0)
    with serialization.safe_globals([Config]):
        found = vg.load(file)["config"]
        assert serialization.get_safe_globals() == [Config]
    assert (type(found), found.width, found.names) == (Config, 3, ["a"])
    assert serialization.get_safe_globals() == []
    with serialization.safe_globals([Slotted, (Stateful, f"{__name__}.Stateful")]):
        assert vg.load(saved(Slotted())).a == 5
        assert vg.load(saved(Stateful(1))).width == 2
    serialization.add_safe_globals([Config])
    assert vg.load(saved(Config(4))).width == 4
    serialization.clear_safe_globals()
    with pytest.raises(UnpicklingError):
        vg.load(saved(Config(4)))


class Marked(vg.Tensor):
    """A class of tensors of one's own."""


def test_classes_of_tensors_of_ones_own() -> None:
    x = vg.arange(3.0, requires_grad=True)
    mine = new_tensor(x._array, Marked)
    mine._storage = storage_of(x)
    mine.note = "a"
    with pytest.raises(UnpicklingError, match="Marked"):
        vg.load(saved(mine))
    with serialization.safe_globals([Marked]):
        plain, back = vg.load(saved([x, mine]))
    assert (type(back), back.note, back.tolist()) == (Marked, "a", [0, 1, 2])
    with vg.no_grad():
        plain[0] = 9
    assert back.tolist() == [9, 1, 2]


def test_a_whole_module_is_not_weights() -> None:
    with pytest.raises(UnpicklingError, match=r"save its state_dict\(\) instead"):
        vg.load(saved(nn.Linear(1, 1)))


def test_asking_for_more_than_weights() -> None:
    with pytest.raises(ValueError, match="never runs code from a file"):
        vg.load(saved(1), weights_only=False)
    with pytest.raises(RuntimeError, match="explicit pickle_module is specified"):
        vg.load(saved(1), pickle_module=pickle)
    assert vg.load(saved(1), weights_only=None) == 1


def tensor_pickle(
    offset: int, size: tuple[int, ...], stride: tuple[int, ...], numel: int = 4
) -> bytes:
    """The pickle of one float tensor with any geometry over memory "0"."""

    class Memory(pickle.Pickler):
        def persistent_id(self, obj: Any) -> Any:
            return obj[1:] if isinstance(obj, tuple) and obj[:1] == ("memory",) else None

        def reducer_override(self, obj: Any) -> Any:
            return "FloatStorage" if obj is FloatStorage else NotImplemented

    memory = ("memory", "storage", FloatStorage, "0", "cpu", numel)
    file = io.BytesIO()
    call = Runs(rebuild_tensor_v2, memory, offset, size, stride, False, OrderedDict())
    Memory(file, 2).dump(call)
    return under_their_names(file.getvalue())


def test_no_tensor_reaches_outside_its_memory() -> None:
    good = archive(tensor_pickle(1, (3,), (1,)), _0=bytes(16))
    assert vg.load(good).tolist() == [0, 0, 0]
    for geometry in (
        (2, (3,), (1,)), (0, (5,), (1,)), (0, (2, 2), (3, 2)), (-1, (2,), (1,)), (3, (2,), (-1,)),
        (0, (-2,), (1,)), (2**62, (1,), (1,)), (0, (2,), (2**62,)), (4, (1,), (0,)),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match="out of bounds for storage of size 4"):
            vg.load(archive(tensor_pickle(*geometry), _0=bytes(16)))


def test_damaged_files() -> None:
    with pytest.raises(EOFError):
        vg.load(io.BytesIO())
    with pytest.raises(UnpicklingError, match="Weights only load failed"):
        vg.load(io.BytesIO(b"hello"))
    with pytest.raises(RuntimeError, match="Invalid magic number"):
        vg.load(io.BytesIO(pickle.dumps(1)))
    with pytest.raises(RuntimeError, match="has 8 bytes, not 16"):
        vg.load(archive(tensor_pickle(0, (4,), (1,)), _0=bytes(8)))
    with pytest.raises(RuntimeError, match="damaged"):
        vg.load(archive(tensor_pickle(0, (4,), (1,), -1), _0=bytes(8)))
    with pytest.raises(RuntimeError, match="failed reading zip archive"):
        vg.load(archive(tensor_pickle(0, (4,), (1,))))
    whole = saved(vg.arange(100.0)).getvalue()
    with pytest.raises(RuntimeError, match="failed reading zip archive"):
        vg.load(io.BytesIO(whole[: len(whole) // 2]))
    at = whole.index(vg.arange(100.0).numpy().tobytes()) + 5
    with pytest.raises(RuntimeError, match=r"failed reading zip archive.*CRC"):
        vg.load(io.BytesIO(whole[:at] + b"\xee" + whole[at + 1 :]))
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as out:
        out.writestr("readme.txt", "hello")
    other.seek(0)
    with pytest.raises(RuntimeError, match=r"no record data.pkl"):
        vg.load(other)


def test_a_program_is_not_tensors() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as out:
        out.writestr("m/data.pkl", b"")
        out.writestr("m/constants.pkl", b"")
    file.seek(0)
    with pytest.raises(RuntimeError, match="TorchScript"):
        vg.load(file)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(AttributeError, match="seekable"):
        vg.load(3)
    with pytest.raises(FileNotFoundError):
        vg.load(tmp_path / "none.pt")
    with pytest.raises(ValueError, match=r"a class, a function or \(it, its name\)"):
        serialization.add_safe_globals([(Config,)])
