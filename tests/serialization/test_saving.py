"""`save` and `load`: what comes back, what is shared, what goes where."""

from __future__ import annotations

import io
import zipfile
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any

import pytest

import vizgrad as vg
from tests.fixtures import strict_module
from vizgrad import nn


def again(obj: Any, **options: Any) -> Any:
    file = io.BytesIO()
    vg.save(obj, file)
    file.seek(0)
    return vg.load(file, **options)


DTYPES = (
    vg.bool, vg.uint8, vg.int8, vg.int16, vg.int32, vg.int64, vg.float16, vg.float32, vg.float64,
    vg.complex64, vg.complex128,
)  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_every_type_comes_back(dtype: Any) -> None:
    x = vg.tensor([[0, 1, 2], [3, 4, 5]]).to(dtype)
    for part in (x, x.t(), x[:, 1:], x[1, 2], x[:0], x[:, :1].expand(2, 4)):
        back = again(part)
        assert (back.dtype, back.shape) == (part.dtype, part.shape)
        assert back.tolist() == part.tolist()
        if part.numel():
            assert back.stride() == part.stride()


def test_plain_things_come_back() -> None:
    obj = {
        "none": None, "numbers": [1, -1, 300, 10**30, 2.5, 1j, True], "text": "äö", "bytes": b"\x00a",
        "more": bytearray(b"x"), "tuple": ((), (1,), (1, 2, 3, 4)), "set": {1, 2}, "dtype": vg.bool,
        "size": vg.Size([2, 3]), "device": vg.device("cuda:1"), "frozen": frozenset([1]),
        "ordered": OrderedDict(b=1, a=2), "counts": Counter("aab"), 3: {(1, 2): "key"},
    }  # fmt: skip
    back = again(obj)
    assert back == obj
    assert type(back["size"]) is vg.Size
    assert type(back["ordered"]) is OrderedDict
    assert back["counts"]["a"] == 2


def test_flags_parameters_and_attributes() -> None:
    weight = nn.Parameter(vg.ones(2))
    frozen = nn.Parameter(vg.ones(2), requires_grad=False)
    frozen.note = "mine"
    marked = vg.zeros(1)
    marked.tags = ["a"]
    result = weight * 2
    weight.grad = vg.ones(2)
    back = again([weight, frozen, marked, result, weight])
    assert [type(t) for t in back] == [*2 * [nn.Parameter], *2 * [vg.Tensor], nn.Parameter]
    assert [t.requires_grad for t in back] == [True, False, False, True, True]
    assert back[0] is back[4]
    assert back[0].grad is None
    assert (back[1].note, back[2].tags) == ("mine", ["a"])
    assert back[3].is_leaf


def test_what_shares_memory_shares_it_again() -> None:
    x = vg.arange(6.0)
    whole, part, same = again((x, x[2:5], x.reshape(2, 3).t()))
    part[0] = 99
    assert whole.tolist() == [0, 1, 99, 3, 4, 5]
    assert same.tolist() == [[0, 3], [1, 4], [99, 5]]
    assert (part.storage_offset(), same.stride()) == (2, (1, 3))
    assert (whole._version, part._version, x._version) == (1, 1, 0)


def test_memory_is_written_once() -> None:
    x = vg.zeros(1000)
    file = io.BytesIO()
    vg.save([x, x[10:], x.detach(), x.data, nn.Parameter(x)], file)
    records = [i for i in zipfile.ZipFile(file).infolist() if "/data/" in i.filename]
    assert [i.file_size for i in records] == [4000]


def test_a_view_brings_its_whole_memory_and_a_clone_does_not() -> None:
    x = vg.arange(1000.0)
    sizes = []
    for part in (x[5:7], x[5:7].clone()):
        file = io.BytesIO()
        vg.save(part, file)
        sizes.append(zipfile.ZipFile(file).getinfo("archive/data/0").file_size)
    assert sizes == [4000, 8]


def test_arrays_with_strides_of_their_own() -> None:
    import numpy as np

    array = np.arange(12.0).reshape(3, 4)
    for odd in (array[::-1], array[:, ::2], np.broadcast_to(array[0], (2, 4)), array.T[1:]):
        assert again(vg.from_numpy(odd)).tolist() == odd.tolist()
    packed = np.zeros(4, dtype=[("a", "u1"), ("b", "<f4")])["b"]  # strides of 5 bytes
    assert again(vg.from_numpy(packed)).tolist() == [0, 0, 0, 0]
    foreign = vg.from_numpy(np.frombuffer(bytearray(16), np.float32)[1:])
    assert again(foreign).tolist() == [0, 0, 0]


def test_one_memory_as_two_types_is_refused() -> None:
    import numpy as np

    memory = np.zeros(4, np.float32)
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        vg.save([vg.from_numpy(memory), vg.from_numpy(memory.view(np.int32))], io.BytesIO())
    again([vg.zeros(0), vg.zeros(0, dtype=vg.int64)])  # no memory, nothing to disagree on


def test_models_and_optimizers_go_on_where_they_were(tmp_path: Path) -> None:
    def make() -> tuple[Any, Any]:
        vg.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
        return model, vg.optim.Adam(model.parameters(), lr=0.1)

    def step(model: Any, optimizer: Any) -> float:
        optimizer.zero_grad()
        loss = model(vg.arange(12.0).reshape(4, 3)).square().mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    model, optimizer = make()
    step(model, optimizer)
    file = tmp_path / "checkpoint.pt"
    vg.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}, file)
    expected = [step(model, optimizer) for _ in range(3)]

    model, optimizer = make()
    found = vg.load(file)
    assert found["model"]._metadata["1"] == {"version": 2}
    model.load_state_dict(found["model"])
    optimizer.load_state_dict(found["optimizer"])
    assert [step(model, optimizer) for _ in range(3)] == expected
    assert zipfile.ZipFile(file).namelist()[0] == "checkpoint/data.pkl"


def test_random_state_comes_back() -> None:
    state = again(vg.get_rng_state())
    expected = vg.rand(3).tolist()
    vg.set_rng_state(state)
    assert vg.rand(3).tolist() == expected


def test_the_values_may_stay_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "x.pt"
    vg.save({"x": vg.arange(5.0), "empty": vg.zeros(0, 2)}, file)
    before = file.read_bytes()
    found = vg.load(file, mmap=True)
    found["x"].mul_(2)
    assert found["x"].tolist() == [0, 2, 4, 6, 8]
    assert found["empty"].shape == (0, 2)
    assert file.read_bytes() == before
    with pytest.raises(ValueError, match="must be a file path in order to use the mmap"):
        vg.load(io.BytesIO(before), mmap=True)


def test_equal_objects_give_equal_files() -> None:
    files = []
    for _ in range(2):
        file = io.BytesIO()
        vg.save({"x": vg.arange(5.0)}, file)
        files.append(file.getvalue())
    assert files[0] == files[1]


def test_records_are_aligned() -> None:
    file = io.BytesIO()
    vg.save([vg.zeros(n) for n in (1, 3, 100)], file)
    archive = zipfile.ZipFile(file)
    raw = file.getvalue()
    for info in archive.infolist():
        name, extra = raw[info.header_offset + 26 :][:2], raw[info.header_offset + 28 :][:2]
        lengths = int.from_bytes(name, "little") + int.from_bytes(extra, "little")
        assert (info.header_offset + 30 + lengths) % 64 == 0


@pytest.mark.parametrize("where", ["cpu", {"cpu": "cpu"}, vg.device("cpu"), None])
def test_map_location(where: Any) -> None:
    assert again(vg.ones(2), map_location=where).device.type == "cpu"


def test_what_was_on_a_device_names_map_location_where_there_is_none() -> None:
    file = io.BytesIO()
    with strict_module.as_cuda():
        vg.save(vg.ones(2, device="cuda"), file)
    for where in (None, lambda block, location: None):
        file.seek(0)
        with pytest.raises(RuntimeError, match="was on cuda:0: load it with map_location='cpu'"):
            vg.load(file, map_location=where)


def test_map_location_as_a_function() -> None:
    seen = []

    def where(memory: Any, location: str) -> Any:
        seen.append((memory.device.type, location))
        return memory.cpu() if len(seen) > 1 else None

    again([vg.ones(2), vg.ones(3)], map_location=where)
    assert seen == [("cpu", "cpu")] * 2
    with pytest.raises(TypeError, match="map_location is a device"):
        again(vg.ones(1), map_location=2.5)


def test_hooks_are_not_saved() -> None:
    x = vg.ones(2, requires_grad=True)
    x.register_hook(lambda grad: grad)
    with pytest.warns(UserWarning, match="will not be serialized"):
        assert again(x)._rare is None


def test_where_to_save(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"Parent directory .* does not exist"):
        vg.save(1, tmp_path / "nowhere" / "x.pt")
    with pytest.raises(AttributeError, match="file-like object with a 'write' attribute"):
        vg.save(1, 3)
    with pytest.raises(ValueError, match="pickle_module"):
        vg.save(1, io.BytesIO(), pickle_module=io)
    with pytest.raises(ValueError, match="zip files only"):
        vg.save(1, io.BytesIO(), _use_new_zipfile_serialization=False)
    path = tmp_path / "kept.pt"
    vg.save(vg.ones(1), str(path))
    with pytest.raises(Exception, match="lambda"):
        vg.save(lambda: 1, path)
    assert (
        vg.load(str(path)).item() == 1
    )  # what was there is not lost to an object that cannot be saved
