"""Parameters that are unused in DistributedDataParallel are told of by name; others are left in peace."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad as vg  # noqa: E402
from vizgrad.debugger.engines.pytorch import torch_hooks  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def one_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A group of one process, over a file."""
    if not torch.distributed.is_available():
        pytest.skip("this PyTorch has no torch.distributed")
    store: Path = tmp_path_factory.mktemp("group") / "store"
    torch.distributed.init_process_group("gloo", f"file://{store}", rank=0, world_size=1)
    yield
    torch.distributed.destroy_process_group()


def test_threads_of_a_group_run_before_it_ends_in_a_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """They need the GIL to release what collectives kept of the watch; PyTorch holds it while it waits."""
    slept: list[float] = []
    monkeypatch.setattr(torch_hooks, "sleep", slept.append)
    group = torch.distributed.new_group()
    with vg.watch():
        torch.distributed.all_reduce(torch.ones(2), group=group)
        torch.distributed.destroy_process_group(group)
    assert slept == [torch_hooks._RELEASE]
    torch.distributed.destroy_process_group(torch.distributed.new_group())
    assert len(slept) == 1  # nobody watches


def test_the_group_of_a_comparison_is_gone_although_its_error_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Gloo's threads end with it. One that lets go of a tensor while Python ends aborts the process."""
    made: list[weakref.ref[Any]] = []
    new_group = torch.distributed.new_group

    def remembered(*args: Any, **settings: Any) -> Any:
        group = new_group(*args, **settings)
        made.append(weakref.ref(group))
        return group

    monkeypatch.setattr(torch.distributed, "new_group", remembered)
    with pytest.raises(TypeError, match="expected a tensor") as error:
        vg.compare_ranks("no loss")
    assert [group() for group in made] == [None]
    assert error.tb  # whose frames were those of the comparison


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.aux = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)

    def forward(self, x: Any, *, both: bool = False) -> Any:
        hidden = self.body(x)
        return self.aux(hidden) if both else hidden


def findings(net: Any, *, both: bool = False, **how: Any) -> list[Any]:
    replicas = torch.nn.parallel.DistributedDataParallel(net, **how)
    with vg.watch() as watch:
        replicas(torch.ones(1, 2), both=both).sum().backward()  # here
    return list(watch.findings)


def test_what_is_unused_is_named() -> None:
    (found,) = findings(Net())
    assert found.kind == "unused"
    assert found.culprit.text.endswith("# here")
    assert found.tensor == "net.aux.weight"
    assert "(and 1 more)" in found.story
    assert "find_unused_parameters=True" in found.fix


@pytest.mark.parametrize("how", ["find_unused_parameters", "static_graph"])
def test_it_is_allowed(how: str) -> None:
    assert findings(Net(), **{how: True}) == []


def test_what_is_used_or_frozen_is_no_finding() -> None:
    assert findings(Net(), both=True) == []
    net = Net()
    net.aux.requires_grad_(False)
    assert findings(net) == []
