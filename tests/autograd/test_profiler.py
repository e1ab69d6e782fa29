"""The profiler: what it measures, that it ends, and that blocks with a name are groups of the graph."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import vizgrad as vg
from vizgrad import nn
from vizgrad.autograd import profiler as old
from vizgrad.autograd.profiler.averages import EventList
from vizgrad.autograd.profiler.events import FunctionEvent, Interval
from vizgrad.profiler import profile, record_function, schedule, tensorboard_trace_handler


def event(
    number: int, name: str, start: float, end: float, *within: FunctionEvent
) -> FunctionEvent:
    made = FunctionEvent(number, name, Interval(start, end), 1)
    made.cpu_children = [*within]
    for each in within:
        each.cpu_parent = made
    return made


def test_the_table_in_full() -> None:
    inner = event(1, "aten::mm", 10.0, 40.0)
    outer = event(2, "model", 0.0, 1500.0, inner)
    alone = event(3, "aten::mm", 1500.0, 1600.0)
    averages = EventList([outer, inner, alone]).key_averages()
    assert averages.table(sort_by="count") == TABLE
    assert averages.total_average().self_cpu_time_total == 1600.0


TABLE = """\
------------  ------------  ------------  ------------  ------------  ------------  ------------  \n\
        Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg    # of Calls  \n\
------------  ------------  ------------  ------------  ------------  ------------  ------------  \n\
    aten::mm         8.12%     130.000us         8.12%     130.000us      65.000us             2  \n\
       model        91.88%       1.470ms        93.75%       1.500ms       1.500ms             1  \n\
------------  ------------  ------------  ------------  ------------  ------------  ------------  \n\
Self CPU time total: 1.600ms
"""


def test_a_call_within_one_of_its_name_counts_once_in_the_total() -> None:
    inner = event(1, "again", 10.0, 30.0)
    (average,) = EventList([event(2, "again", 0.0, 100.0, inner), inner]).key_averages()
    assert (average.count, average.cpu_time_total, average.self_cpu_time_total) == (2, 100.0, 100.0)


def test_a_training_is_measured_by_operation_node_and_step() -> None:
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = vg.optim.SGD(net.parameters(), lr=0.1)
    x = vg.ones(3, 4)

    def step() -> None:
        optimizer.zero_grad()
        net(x).square().sum().backward()
        optimizer.step()

    step()
    with profile(record_shapes=True) as prof:
        step()
    count = {each.key: each.count for each in prof.key_averages()}
    wanted = {
        "aten::linear": 2, "aten::addmm": 2, "aten::relu": 1, "AddmmBackward0": 2, "ReluBackward0": 1,
        "torch::autograd::AccumulateGrad": 4, "Optimizer.step#SGD.step": 1,
        "Optimizer.zero_grad#SGD.zero_grad": 1,
    }  # fmt: skip
    assert {name: count.get(name) for name in wanted} == wanted
    relu = next(each for each in prof.events() if each.name == "aten::relu")
    assert relu.input_shapes[0] == (3, 8)
    assert sys.getprofile() is None


class Doubled(vg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: vg.Tensor) -> vg.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: vg.Tensor) -> vg.Tensor:
        return grad * 2


def test_a_custom_function_and_its_node_have_their_names() -> None:
    x = vg.ones(2, requires_grad=True)
    with profile() as prof:
        Doubled.apply(x).sum().backward()
    names = {each.name: each for each in prof.events()}
    assert [each.name for each in names["Doubled"].cpu_children] == ["aten::mul"]
    assert "aten::mul" in [each.name for each in names["DoubledBackward"].cpu_children]


def test_time_is_that_of_the_call_and_its_own_part() -> None:
    with profile() as prof, record_function("outer"), record_function("inner"):
        time.sleep(0.02)
    averages = {each.key: each for each in prof.key_averages()}
    outer, inner = averages["outer"], averages["inner"]
    assert inner.self_cpu_time_total >= 20_000
    assert outer.cpu_time_total >= inner.cpu_time_total
    assert outer.self_cpu_time_total == pytest.approx(outer.cpu_time_total - inner.cpu_time_total)


def test_a_block_of_another_thread_is_not_measured() -> None:
    def work() -> None:
        with record_function("elsewhere"):
            vg.ones(2).exp()

    with profile() as prof, record_function("here"):
        other = Thread(target=work)
        other.start()
        other.join()
        vg.ones(2)
    assert [each.name for each in prof.events()] == ["here", "aten::ones"]


def test_an_error_ends_calls_and_the_profiler() -> None:
    with pytest.raises(RuntimeError), profile() as prof:
        vg.ones(2) @ vg.ones(3)
    assert sys.getprofile() is None
    assert "aten::dot" in [each.name for each in prof.events()]
    assert all(each.time_range.end >= each.time_range.start for each in prof.events())


def test_a_named_block_is_a_group_of_the_graph() -> None:
    x = vg.ones(2, requires_grad=True)
    with record_function("loss"):
        loss = (x * 2).sum()

    @record_function("called")
    def called() -> vg.Tensor:
        return loss.exp()

    with vg.debug(called(), display=False) as session:
        assert [node.scope for node in session.graph.nodes[:3]] == [
            ("called",),
            ("loss",),
            ("loss",),
        ]
    with vg.debug(x.exp().sum(), display=False) as session:
        assert [node.scope for node in session.graph.nodes] == [(), (), ()]


@pytest.mark.parametrize(("use_gzip", "ending"), [(False, ".json"), (True, ".json.gz")])
def test_a_trace_is_written_for_each_round(tmp_path: Path, use_gzip: bool, ending: str) -> None:
    written = tensorboard_trace_handler(str(tmp_path / "log"), "worker", use_gzip)
    when = schedule(wait=0, warmup=1, active=1, repeat=2)
    with profile(schedule=when, on_trace_ready=written) as prof:
        for _ in range(5):
            vg.ones(2).exp()
            prof.step()
    files = sorted((tmp_path / "log").iterdir())
    assert [each.name.endswith(f".pt.trace{ending}") for each in files] == [True, True]
    content = gzip.decompress(files[0].read_bytes()) if use_gzip else files[0].read_bytes()
    told = json.loads(content)["traceEvents"]
    assert [each["name"] for each in told][:2] == ["ProfilerStep*", "aten::ones"]
    assert all(each["ph"] == "X" and each["dur"] >= 0 for each in told)


def test_what_is_not_measured_is_said() -> None:
    with pytest.warns(UserWarning, match="profile_memory, with_stack changes nothing"):
        profile(profile_memory=True, with_stack=True)


def test_events_of_earlier_rounds_stay_if_asked_for() -> None:
    when = schedule(wait=0, warmup=1, active=1, repeat=2)
    for acc_events, count in ((False, 1), (True, 2)):
        with profile(schedule=when, acc_events=acc_events) as prof:
            for _ in range(5):
                vg.ones(2).exp()
                prof.step()
        assert sum(each.name == "aten::exp" for each in prof.events()) == count


def test_its_names_are_there_without_an_import() -> None:
    names = (
        "vg.autograd.profiler.record_function, vg.profiler.profile, vg.autograd.profiler.profile"
    )
    subprocess.run([sys.executable, "-c", f"import vizgrad as vg; {names}"], check=True)


def test_the_old_profiler_is_off_unless_enabled() -> None:
    with old.profile(enabled=False) as prof:
        vg.ones(2)
    assert list(prof.function_events) == []
    with pytest.raises(RuntimeError, match="didn't finish"):
        old.profile().table()
    assert repr(old.profile()) == "<unfinished vizgrad.autograd.profile>"
