"""`vizgrad.cuda`, devices and pinned memory: without a device, and with strict arrays as one."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures import strict_module
from tests.gpu import test_names as on_a_device
from vizgrad.core.arrays import backend, device_memory
from vizgrad.core.ops import arithmetic


@pytest.fixture
def cuda() -> Iterator[None]:
    with strict_module.as_cuda():
        yield


@pytest.fixture
def no_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "cupy", None)


@pytest.mark.usefixtures("no_cupy")
def test_without_a_device_it_says_what_is_missing() -> None:
    assert not vg.cuda.is_available()
    assert vg.cuda.device_count() == 0
    assert not vg.ones(2).is_pinned()
    vg.cuda.manual_seed(3)
    vg.cuda.manual_seed_all(3)
    vg.cuda.empty_cache()
    assert vg.cuda.memory_allocated() == vg.cuda.memory_reserved() == 0
    assert vg.cuda.max_memory_allocated() == vg.cuda.max_memory_reserved() == 0
    vg.cuda.reset_peak_memory_stats()
    vg.cuda.seed_all()
    for ask in (
        vg.cuda.init,
        vg.cuda.Stream,
        vg.cuda.current_stream,
        vg.cuda.get_device_properties,
        vg.cuda.mem_get_info,
        lambda: vg.ones(2).cuda(),
        lambda: vg.ones(2).to("cuda"),
        lambda: vg.zeros(2, device="cuda:1"),
        lambda: vg.ones(2).pin_memory(),
        lambda: vg.set_default_device("cuda"),
        vg.cuda.synchronize,
        vg.cuda.current_device,
    ):
        with pytest.raises(RuntimeError, match=r"vizgrad\[cuda12\]"):
            ask()
    assert vg.get_default_device() == vg.device("cpu")


@pytest.mark.usefixtures("cuda")
def test_a_tensor_goes_there_and_back() -> None:
    assert vg.cuda.is_available()
    assert vg.cuda.device_count() == 1
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    there = x.cuda()
    assert there.device == vg.device("cuda", 0)
    assert there.is_cuda
    assert there.cuda() is there.to("cuda") is there.to("cuda:0") is there
    (there * 3).sum().backward()
    assert x.grad.device == vg.device("cpu")
    assert x.grad.tolist() == [3, 3]
    assert x.cpu() is x
    with pytest.raises(TypeError, match=r"Tensor\.cpu\(\)"):
        there.detach().numpy()
    vg.cuda.synchronize()
    vg.cuda.set_device(0)
    vg.cuda.empty_cache()
    assert vg.cuda.memory_allocated() <= vg.cuda.memory_reserved()
    with pytest.raises(ValueError, match="Expected a cuda device"):
        vg.cuda.synchronize("cpu")


@pytest.mark.usefixtures("cuda")
def test_a_seed_is_a_sequence() -> None:
    drawn = []
    for seed in (1, 1, 2):
        vg.cuda.manual_seed(seed)
        drawn.append(vg.rand(4, device="cuda").tolist())
    assert drawn[0] == drawn[1] != drawn[2]
    assert vg.cuda.initial_seed() == 2
    assert sorted(vg.randperm(5, device="cuda").tolist()) == [0, 1, 2, 3, 4]
    assert vg.randint(0, 3, (50,), device="cuda").device.type == "cuda"


@pytest.mark.usefixtures("cuda")
@pytest.mark.parametrize("place", ["cuda", {"cpu": "cuda"}])
def test_what_is_loaded_goes_where_it_is_mapped(place: Any) -> None:
    file = io.BytesIO()
    vg.save({"x": vg.ones(2)}, file)
    file.seek(0)
    assert vg.load(file, map_location=place)["x"].device.type == "cuda"


@pytest.mark.usefixtures("cuda")
def test_what_was_on_the_device_is_loaded_on_the_cpu() -> None:
    file = io.BytesIO()
    vg.save(vg.ones(2, device="cuda"), file)
    file.seek(0)
    found = vg.load(file, map_location="cpu")
    assert found.device.type == "cpu"
    assert found.tolist() == [1, 1]


@pytest.mark.usefixtures("cuda")
def test_pinned_memory_is_known_as_such() -> None:
    x = vg.tensor([1.0, 2.0])
    there = x.pin_memory()
    assert there.is_pinned()
    assert there[1:].is_pinned()
    assert there.pin_memory() is there
    assert not x.is_pinned()
    assert there.tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="only dense CPU tensors can be pinned"):
        vg.ones(2, device="cuda").pin_memory()


def test_a_default_device_is_for_what_names_none() -> None:
    with strict_module.as_cuda(), vg.device("cuda"):
        assert vg.get_default_device() == vg.device("cuda")
        made = [vg.zeros(2), vg.tensor(1.0), vg.arange(3), vg.rand(2), vg.eye(2), vg.full((2,), 1)]
        assert {t.device.type for t in made} == {"cuda"}
        assert vg.from_numpy(np.ones(2)).device.type == "cpu"
    assert vg.zeros(2).device.type == "cpu"
    assert backend.get_default_device() == backend.CPU


def test_of_devices_nobody_asks_where_there_is_one() -> None:
    """Whatever had been written before: each operation asks which device is current only if it must."""
    record = arithmetic.mul.record
    for count, asks in ((1, False), (2, True), (1, False)):
        with strict_module.as_cuda(count):
            _ = vg.ones(3, device="cuda") * 2
            assert ("away" in record.__code__.co_names) is asks


@pytest.mark.usefixtures("cuda")
def test_a_number_beyond_the_only_device() -> None:
    with pytest.raises(
        RuntimeError, match="invalid device ordinal: there is no cuda:1, there is 1 device"
    ):
        vg.ones(3, device="cuda:1")


@pytest.mark.usefixtures("cuda")
def test_a_seed_is_for_devices_that_are_used_later() -> None:
    vg.manual_seed(5)
    first = vg.rand(3, device="cuda").tolist()
    vg.manual_seed(6)
    assert vg.rand(3, device="cuda").tolist() != first
    vg.manual_seed(5)
    assert vg.rand(3, device="cuda").tolist() == first


@pytest.mark.usefixtures("cuda")
def test_elements_chosen_by_a_mask_are_set_and_found() -> None:
    x = vg.tensor([1.0, -1.0, 2.0], device="cuda")
    x[x > 0] = 5
    assert x.tolist() == [5, -1, 5]
    assert [place.tolist() for place in vg.where(x > 0)] == [[0, 2]]


@pytest.mark.usefixtures("cuda")
@pytest.mark.parametrize(
    "program",
    [
        on_a_device.test_a_stream_does_its_work_and_others_wait_for_it,
        on_a_device.test_events_mark_places_in_a_stream,
        on_a_device.test_a_device_is_described,
    ],
)
def test_streams_events_and_properties(program: Callable[[], None]) -> None:
    program()


def test_the_other_of_two_devices_is_entered() -> None:
    with strict_module.as_cuda(2):
        first, second = vg.ones(1, device="cuda:0"), vg.ones(1, device="cuda:1")
        with vg.cuda.device(1):
            assert vg.cuda.current_device() == 1
            with vg.cuda.device_of(first), vg.cuda.device(None):
                assert vg.cuda.current_device() == 0
        stream = vg.cuda.Stream(device="cuda:1")
        with vg.cuda.stream(stream):
            assert vg.cuda.current_device() == 1 == stream.device_index
            assert (second + 1).tolist() == [2]
        assert vg.cuda.current_device() == 0
        assert vg.cuda.can_device_access_peer(0, "cuda:1")


class _Stream:
    """One of which is noted that others wait for it."""

    def __init__(self) -> None:
        self.waited_for = 0

    def record_event(self) -> Any:
        return self

    def wait(self) -> None:
        self.waited_for += 1


def test_who_takes_memory_waits_for_the_streams_that_used_it() -> None:
    def array(begin: int, size: int, device: int = 0) -> Any:
        memory = SimpleNamespace(ptr=begin, size=size)
        return SimpleNamespace(device=SimpleNamespace(id=device), data=SimpleNamespace(mem=memory))

    used, first, second = device_memory._Used(), _Stream(), _Stream()
    for begin, device, stream in ((1024, 0, first), (2048, 0, first), (2048, 0, second)):
        used.note(array(begin, 512, device), stream)

    def taken(begin: int, size: int, device: int = 0) -> tuple[int, int]:
        first.waited_for = second.waited_for = 0
        used.given(device, begin, size)
        return first.waited_for, second.waited_for

    assert taken(0, 1024) == taken(1536, 512) == taken(1024, 2048, device=1) == (0, 0)
    assert taken(2304, 256) == (1, 1)  # the rest is still free
    assert taken(1024, 2048) == (1, 1)  # both blocks, and once for each stream
    assert taken(1024, 2048) == (0, 0)


@pytest.mark.usefixtures("cuda")
def test_what_has_no_dimensions_is_made_like_what_has() -> None:
    """cupy takes an empty shape for none."""
    nothing = vg.empty(0, 2, device="cuda")
    assert nothing.median().shape == ()
    assert nothing.median().isnan().item()
    assert vg.nn.utils.clip_grad_norm_([vg.nn.Parameter(nothing)], 1.0).shape == ()
