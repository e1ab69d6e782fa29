"""Files made to do harm: none takes much memory or time, ends the process, or leaves something behind."""

from __future__ import annotations

import io
import pickle
import struct
import tracemalloc
import zipfile
from pickle import UnpicklingError
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from vizgrad import nn, serialization
from vizgrad.core.arrays.files import FREE, TIMES
from vizgrad.utils import npz, safetensors


def archive(data: bytes, method: int = zipfile.ZIP_STORED, **records: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as out:
        out.writestr("archive/data.pkl", data)
        for name, content in records.items():
            out.writestr(f"archive/data/{name.strip('_')}", content)
    return file.getvalue()


def legacy(data: bytes, *rest: bytes, system: Any = None) -> bytes:
    """A file as PyTorch wrote it before 1.6, around any pickle."""
    head = (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True} if system is None else system)
    return b"".join([*(pickle.dumps(part, 2) for part in head), data, *rest])


def both(data: bytes) -> list[bytes]:
    return [archive(data), legacy(data, pickle.dumps([], 2))]


def text(content: str) -> bytes:
    return b"X" + struct.pack("<I", len(content)) + content.encode()


def storage(numel: int, key: str = "0", kind: bytes = b"Float") -> bytes:
    """A reference to a memory."""
    number = b"\x8a\x08" + struct.pack("<q", numel)
    parts = text("storage"), b"ctorch\n" + kind + b"Storage\n", text(key), text("cpu"), number
    return b"(" + b"".join(parts) + b"tQ"


def tensor(memory: bytes, size: bytes = b")", stride: bytes = b")", flag: bytes = b"\x89") -> bytes:
    made = b"ctorch._utils\n_rebuild_tensor_v2\n("
    return made + memory + b"K\0" + size + stride + flag + b"NtR"


FLOAT = b"ctorch\nFloatStorage\n"
FROM_TYPE = b"ctorch._tensor\n_rebuild_from_type_v2\n("
ONE = pickle.dumps(["0"], 2)
DOUBLED = b")" + b"2\x86" * 60
DEEP = b")" + b"\x85" * 100_000

HARM = {
    "a key that is deep": b"}" + DEEP + b"K\1s.",
    "a key that doubles": b"}" + DOUBLED + b"K\1s.",
    "an item of a set": b"\x8f(" + DOUBLED + b"\x90.",
    "an item of a frozenset": b"(" + DOUBLED + b"\x91.",
    "an item of a set that is called for": b"cbuiltins\nset\n](" + DOUBLED + b"e\x85R.",
    "keys of pairs": b"ccollections\nOrderedDict\n](" + DOUBLED + b"K\1\x86e\x85R.",
    "a dict made at once": b"(" + DOUBLED + b"K\1d.",
    "what is called": DOUBLED + b")R.",
    "arguments": b"ctorch\nSize\n" + DOUBLED + b"\x85R.",
    "a name": DOUBLED + text("a") + b"\x93.",
    "a reference": DOUBLED + b"Q.",
    "the key of a memory": b"(" + text("storage") + FLOAT + DOUBLED + text("cpu") + b"K\1tQ.",
    "the type of a memory": b"(" + text("storage") + DOUBLED + text("0") + text("cpu") + b"K\1tQ.",
    "what makes a tensor": FROM_TYPE + DOUBLED + b"N)}tR.",
    "its class": FROM_TYPE + b"ctorch._utils\n_rebuild_tensor_v2\n" + DOUBLED + b")}tR.",
    "what holds another that is deep": DEEP + b".",
    "lists that are deep": b"]" * 5000 + b"a" * 4999 + b".",
    "lists in lists from the inside": b"]q\0" + b"0]h\0aq\0" * 5000 + b".",
    "a length": b"cbuiltins\nbytearray\nJ\0\0\0\x7f\x85R.",
    "bytes that pack others": b"c_codecs\nencode\n" + text("ab") + text("zip") + b"\x86R.",
    "a number of the memo": b"Nr\xff\xff\xff\x7f.",
    "counts": b"ccollections\nCounter\nJ\xff\xff\xff\x7f\x85R.",
    "many lists": b"(" + b"]" * 100_000 + b"l.",
    "many marks": b"(" * 200_000 + b".",
    "sets of one list": b"](" + b"N" * 1000 + b"eq\0(" + b"cbuiltins\nset\nh\0\x85R" * 10_000 + b"l.",
    "bytes of one text": text("a" * 100_000) + b"q\0("
    + b"c_codecs\nencode\nh\0X\6\0\0\0latin1\x86R" * 500 + b"l.",
    "keys of one tuple": b"(" + b"N" * 10_000 + b"tq\0}" + b"h\0Ns" * 30_000 + b".",
    "numbers that share a place": b"}(" + b"".join(
        b"\x8a\x0a" + (k * (2**61 - 1)).to_bytes(10, "little") + b"N" for k in range(1, 20_000)
    ) + b"u.",
    "a huge number as text": b"I" + b"9" * 500_000 + b"\n.",
    "text beyond the end": b"\x8d" + struct.pack("<q", 2**40) + b"a.",
    "a memory that is not there": tensor(storage(2**40)) + b".",
    "a memory of less than nothing": tensor(storage(-(2**40))) + b".",
    "a stride that multiplies text": tensor(
        storage(0), b"\x8a\x05\0\0\0\0\1\x85", text("a" * 100) + b"\x85"
    ) + b".",
}  # fmt: skip


@pytest.mark.parametrize("what", HARM)
def test_harm_is_refused_as_promised_and_takes_no_more_than_its_budget(what: str) -> None:
    for file in both(HARM[what]):
        tracemalloc.start()
        try:
            with pytest.raises((UnpicklingError, RuntimeError)) as caught:
                vg.load(io.BytesIO(file))
            taken = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert taken < FREE + TIMES * len(file)
        assert len(str(caught.value)) < 2000
        assert not isinstance(caught.value, RecursionError)


def taken_by(read: Any) -> int:
    tracemalloc.start()
    try:
        with pytest.raises(RuntimeError, match=r"would take more than|damaged"):
            read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_records_that_expand_are_weighed_before_they_are_read() -> None:
    count = 64 << 20
    whole = archive(tensor(storage(count // 4)) + b".", zipfile.ZIP_DEFLATED, _0=bytes(count))
    assert len(whole) < count // 100
    assert taken_by(lambda: vg.load(io.BytesIO(whole))) < FREE
    with serialization.memory_limit(2 * count):
        assert vg.load(io.BytesIO(whole)).shape == ()
    packed = io.BytesIO()
    np.savez_compressed(packed, a=np.zeros(count // 8))
    assert taken_by(lambda: npz.load_npz(io.BytesIO(packed.getvalue()))) < FREE
    with serialization.memory_limit(2 * count):
        assert npz.load_npz(io.BytesIO(packed.getvalue()))["a"].shape == (count // 8,)
    with (
        pytest.raises(RuntimeError, match="more than 500 bytes"),
        serialization.memory_limit(500),
    ):
        vg.load(io.BytesIO(archive(b"N.")))


def test_one_record_under_many_names_is_paid_for_each_time() -> None:
    """Entries of the directory that lie in one another: a file that is many times itself."""
    size, names = 1 << 20, 30
    data = b"(" + b"".join(tensor(storage(size // 4, str(n))) for n in range(names)) + b"l."
    whole = bytearray(
        archive(data, **{f"_{n}": bytes(size if n == 0 else 1) for n in range(names)})
    )
    places = [n for n in range(len(whole)) if whole[n : n + 4] == b"PK\1\2"]
    first = places[1]
    for place in places[2:]:
        whole[place + 16 : place + 28] = whole[first + 16 : first + 28]  # checksum and sizes
        whole[place + 42 : place + 46] = whole[first + 42 : first + 46]  # where it is
    assert taken_by(lambda: vg.load(io.BytesIO(bytes(whole)))) < FREE + TIMES * len(whole)


def test_lengths_in_npz_and_safetensors_are_not_believed() -> None:
    file = io.BytesIO()
    np.savez(file, a=np.zeros(3))
    changed = file.getvalue().replace(b"(3,)", b"(9**9,)"[:4])
    with pytest.raises(RuntimeError, match=r"no array of numpy|CRC"):
        npz.load_npz(io.BytesIO(changed))
    header = b"\x93NUMPY\1\0" + struct.pack("<H", 118)
    said = b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999,), }".ljust(117) + b"\n"
    claims = io.BytesIO()
    with zipfile.ZipFile(claims, "w") as out:
        out.writestr("a.npy", header + said + bytes(24))
    assert taken_by(lambda: npz.load_npz(claims)) < FREE
    empty = b",".join(
        b'"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}' % n for n in range(60_000)
    )
    many = struct.pack("<Q", len(empty) + 2) + b"{" + empty + b"}"
    with serialization.memory_limit(5 * len(many)):
        assert taken_by(lambda: safetensors.load(many)) < 5 * len(many)


def test_memory_of_old_files_is_taken_once() -> None:
    count = 100_000
    data = b"(" + b"".join(tensor(storage(count, str(n))) for n in range(5)) + b"l."
    memory = b"".join(
        struct.pack("<q", count) + np.full(count, n, "<f4").tobytes() for n in range(5)
    )
    whole = legacy(data, pickle.dumps([str(n) for n in range(5)], 2), memory)
    tracemalloc.start()
    back = vg.load(io.BytesIO(whole))
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [t.item() for t in back] == [0, 1, 2, 3, 4]
    assert taken < 1.5 * len(whole)
    claims = legacy(
        b"(" + b"".join(tensor(storage(count, str(n))) for n in range(9)) + b"l.", memory
    )
    assert taken_by(lambda: vg.load(io.BytesIO(claims))) < 1.5 * len(claims)


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (legacy(b"N.", system=[]), "is no dict"),
        (legacy(b"N."), "Ran out|exhausted|expected|damaged"),
        (legacy(b"N.", b"N."), "does not list"),
        (legacy(b"N.", b"K\5."), "does not list"),
        (legacy(b"N.", b"]" + DOUBLED + b"a."), "does not use"),
        (legacy(b"N.", pickle.dumps(["7"], 2)), "does not use"),
        (legacy(tensor(storage(1)) + b".", pickle.dumps(["7"], 2)), "does not list|elements has"),
        (legacy(tensor(storage(1)) + b".", ONE, b"\1"), "elements"),
        (legacy(tensor(storage(1)) + b".", ONE, struct.pack("<q", -1) + bytes(9)), "of -1"),
        (legacy(tensor(storage(1)) + b".", ONE, struct.pack("<q", 2**62) + bytes(9)), "elements"),
        (pickle.dumps(0x1950A86A20F9469CFC6C, 2) + DOUBLED + b".", "Invalid protocol version"),
        (archive(tensor(storage(1, "../byteorder")) + b"."), "zip archive"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)  # fmt: skip
def test_headers_that_are_not_what_they_should_be(file: bytes, why: str) -> None:
    with pytest.raises((UnpicklingError, RuntimeError), match=why) as caught:
        vg.load(io.BytesIO(file))
    assert len(str(caught.value)) < 2000


def parameter(state: bytes, made: bytes = b"_rebuild_parameter_with_state") -> io.BytesIO:
    data = b"ctorch._utils\n" + made + b"\n(" + tensor(storage(1)) + b"\x88N" + state + b"tR."
    return io.BytesIO(archive(data, _0=bytes(4)))


@pytest.mark.parametrize(
    "name", ["size", "backward", "grad", "__array_interface__", "__class__", "_array"]
)
def test_attributes_in_a_file_hide_nothing(name: str) -> None:
    state = b"}" + text(name) + b"c_codecs\nencode\ns"
    with pytest.raises(UnpicklingError, match=f"hide its own '{name}'"):
        vg.load(parameter(state))
    typed = (
        b"ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_tensor_v2\nctorch\nTensor\n("
        + storage(1) + b"K\0))\x89Nt" + state + b"tR."
    )  # fmt: skip
    with pytest.raises(UnpicklingError, match=f"hide its own '{name}'"):
        vg.load(io.BytesIO(archive(typed, _0=bytes(4))))
    assert vg.load(parameter(b"}" + text("note") + text("mine") + b"s")).note == "mine"


@pytest.mark.parametrize("name", ["items", "keys", "get", "__array_interface__"])
def test_nor_do_those_of_a_state_dict(name: str) -> None:
    data = b"ccollections\nOrderedDict\n)R}" + text(name) + b"Nsb."
    with pytest.raises(UnpicklingError, match=f"hide its own '{name}'"):
        vg.load(io.BytesIO(archive(data)))


def test_whole_numbers_have_no_gradient_in_a_file_either() -> None:
    data = tensor(storage(1, kind=b"Long"), flag=b"\x88") + b"."
    with pytest.raises(RuntimeError, match="can require gradients"):
        vg.load(io.BytesIO(archive(data, _0=bytes(8))))


def test_files_of_much_are_still_read() -> None:
    """What is large for what it holds: many small things, long lists, deep ones."""
    deep: list[Any] = []
    for _ in range(200):
        deep = [deep]
    obj = {
        "words": {f"word{n}": n for n in range(30_000)}, "numbers": list(range(0, 60_000, 7)),
        "lists": [[n, [n]] for n in range(5_000)], "deep": deep, "floats": [n / 7 for n in range(20_000)],
        "tensors": [vg.full((2,), float(n)) for n in range(300)], "text": "ä" * 100_000,
    }  # fmt: skip
    file = io.BytesIO()
    vg.save(obj, file)
    file.seek(0)
    back = vg.load(file)
    tensors = back.pop("tensors")
    assert [t.tolist() for t in tensors] == [t.tolist() for t in obj.pop("tensors")]
    assert back == obj
    model = nn.Linear(3, 3)
    circle: list[Any] = [model.weight]
    circle.append(circle)
    file = io.BytesIO()
    vg.save(circle, file)
    file.seek(0)
    again = vg.load(file)
    assert again[1] is again


def as_saved(indices: list[list[int]], values: Any, size: Any, coalesced: Any) -> io.BytesIO:
    """A file of a COO tensor of these parts, whether they make one or not."""
    made = vg.sparse_coo_tensor((1,))
    array = made._array
    array.indices, array.values = np.array(indices), np.asarray(values, np.float32)
    array.shape, array.coalesced = size, coalesced
    file = io.BytesIO()
    vg.save(made, file)
    file.seek(0)
    return file


def test_a_sparse_tensor_is_loaded_from_its_parts() -> None:
    back = vg.load(as_saved([[0, 1], [1, 0]], [1, 2], (2, 2), True))
    assert back.to_dense().tolist() == [[0, 1], [2, 0]]


@pytest.mark.parametrize(
    ("indices", "values", "size", "coalesced"),
    [
        ([[0, 2]], [1, 2], (2,), False),  # outside
        ([[0, -1]], [1, 2], (2,), False),
        ([[1, 0]], [1, 2], (2,), True),  # not in order
        ([[1, 1]], [1, 2], (2,), True),  # not different
        ([[0, 1]], [1, 2, 3], (2,), False),  # more values than places
        ([[0, 1]], [1, 2], (2, 2), False),  # more sizes than dimensions
        ([[0, 0], [0, 0]], [1, 2], (2**40, 2**40), False),  # too large to be numbered
        ([[0, 0]], np.broadcast_to(np.float32(1), (2, 3)), (2, 2**62), False),
    ],
)
def test_parts_of_a_sparse_tensor_are_not_believed(
    indices: list[list[int]], values: Any, size: tuple[int, ...], coalesced: bool
) -> None:
    with pytest.raises((UnpicklingError, RuntimeError)):
        vg.load(as_saved(indices, values, size, coalesced))


def test_places_that_take_no_memory_are_weighed() -> None:
    one = vg.zeros(1, 1).long().expand(1, 1 << 26)
    made = vg.sparse_coo_tensor((1,))
    made._array.indices = one._array
    made._array.values = vg.zeros(1).expand(1 << 26)._array
    file = io.BytesIO()
    vg.save(made, file)
    assert len(file.getvalue()) < 10_000
    assert taken_by(lambda: vg.load(io.BytesIO(file.getvalue()))) < FREE
