"""The names that code for CUDA uses, on a device: memory, streams, events. `make gpu-test`."""

from __future__ import annotations

import gc

import pytest

import vizgrad as vg

pytestmark = pytest.mark.gpu

_MIB = 1 << 20


def test_the_most_memory_is_told_and_forgotten() -> None:
    gc.collect()
    vg.cuda.reset_peak_memory_stats()
    before = vg.cuda.memory_allocated()
    assert vg.cuda.max_memory_allocated() == before
    big = vg.zeros(_MIB, device="cuda")
    assert vg.cuda.memory_allocated() == before + 4 * _MIB
    del big
    assert vg.cuda.memory_allocated() == before
    assert vg.cuda.max_memory_allocated() == before + 4 * _MIB
    assert vg.cuda.max_memory_reserved() >= vg.cuda.max_memory_allocated()
    assert vg.cuda.memory_stats()["allocated_bytes.all.peak"] == before + 4 * _MIB
    vg.cuda.reset_peak_memory_stats()
    assert vg.cuda.max_memory_allocated() == before
    free, whole = vg.cuda.mem_get_info()
    assert 0 < free <= whole == vg.cuda.get_device_properties().total_memory
    assert "allocated" in vg.cuda.memory_summary()


def test_too_much_memory_says_who_holds_what() -> None:
    weights = vg.nn.Parameter(vg.zeros(300, 1000, device="cuda"))
    kept = (weights * 2).exp()
    far = vg.cuda.get_device_properties().total_memory
    with pytest.raises(vg.OutOfMemoryError, match="CUDA out of memory") as caught:
        vg.empty(far, device="cuda")
    said = str(caught.value)
    assert isinstance(caught.value, RuntimeError)
    assert isinstance(caught.value, MemoryError)  # cupy's own class, which others catch
    assert f"Tried to allocate {far * 4 / 2**30:.2f} GiB. GPU 0 has a total capacity of" in said
    assert "\n  held: " in said
    assert "parameters 1.2 MB" in said
    assert "`weights`" in said or "weights" in said.partition("largest: ")[2]
    assert "vizgrad.memory()" in said
    assert kept.sum().item() == 300_000
    with pytest.raises(RuntimeError, match="out of memory"):  # within an operation, and a backward
        vg.zeros(1, device="cuda").expand(far).exp()


def test_a_stream_does_its_work_and_others_wait_for_it() -> None:
    stream, other = vg.cuda.Stream(), vg.cuda.Stream(priority=-1)
    assert stream != other
    assert stream.device == vg.device("cuda:0")
    before = vg.cuda.current_stream()
    assert before == vg.cuda.default_stream()
    with vg.cuda.stream(stream):
        assert vg.cuda.current_stream() == stream
        x = vg.ones(3, device="cuda", requires_grad=True)
        with vg.cuda.stream(None), other:
            assert vg.cuda.current_stream() == other
        y = (x * 2).exp()
    assert vg.cuda.current_stream() == before
    other.wait_stream(stream)
    vg.cuda.current_stream().wait_stream(other)
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == pytest.approx([2 * 7.38905609893] * 3)
    stream.synchronize()
    assert stream.query()
    vg.cuda.set_stream(stream)
    assert vg.cuda.current_stream() == stream
    vg.cuda.set_stream(before)
    assert not vg.cuda.is_current_stream_capturing()


def test_events_mark_places_in_a_stream() -> None:
    start, end = vg.cuda.Event(enable_timing=True), vg.cuda.Event(enable_timing=True)
    assert start.query()
    with pytest.raises(RuntimeError, match="must be recorded"):
        start.elapsed_time(end)
    start.record()
    vg.ones(100, device="cuda").exp()
    end.record()
    end.synchronize()
    assert end.query()
    assert start.elapsed_time(end) > 0
    plain = vg.cuda.current_stream().record_event()
    plain.wait(vg.cuda.Stream())
    with pytest.raises(RuntimeError, match="enable_timing=True"):
        start.elapsed_time(plain)


def test_memory_that_another_stream_uses_is_given_again_behind_its_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    behind: list[vg.cuda.Event] = []
    wait = vg.cuda.Event.wait

    def noted(event: vg.cuda.Event) -> None:
        behind.append(event)
        wait(event)

    monkeypatch.setattr(vg.cuda.Event, "wait", noted)
    side, kept = vg.cuda.Stream(), vg.zeros(_MIB, device="cuda")
    kept.record_stream(side)  # and is never free
    x = vg.ones(_MIB, device="cuda")
    at = x.data_ptr()
    with vg.cuda.stream(side):
        y = x * 2
    x.record_stream(side)
    x[1:].record_stream(side)
    del x
    vg.zeros(3, device="cuda").exp()
    assert behind == []
    again = vg.zeros(_MIB, device="cuda")
    assert again.data_ptr() == at
    assert len(behind) == 1
    side.synchronize()
    assert y.sum().item() == 2 * _MIB
    del again
    assert vg.zeros(_MIB, device="cuda").data_ptr() == at
    assert len(behind) == 1
    with pytest.raises(RuntimeError, match="unknown parameter type int"):
        y.record_stream(0)  # pyright: ignore[reportArgumentType]  refused, as asked for
    with pytest.raises(NotImplementedError, match="CPU"):
        vg.ones(3).record_stream(side)


def test_a_device_is_described() -> None:
    found = vg.cuda.get_device_properties("cuda:0")
    assert vg.cuda.get_device_name() == found.name
    assert vg.cuda.get_device_capability() == (found.major, found.minor) >= (5, 0)
    assert f"multi_processor_count={found.multi_processor_count}" in repr(found)
    assert vg.cuda.is_bf16_supported()
    with vg.cuda.device(0), vg.cuda.device_of(vg.ones(1)):
        assert vg.cuda.current_device() == 0
    assert (vg.ones(1, device="cuda").get_device(), vg.ones(1).get_device()) == (0, -1)
