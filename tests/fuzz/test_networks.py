"""Networks of random layers: fixed seeds; what was found stays mended; what is wrong is found and made small."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fuzz.found_networks import FOUND
from tests.fuzz.fuzzing import Fuzzer
from tests.fuzz.known_networks import known_network
from tests.fuzz.network_compare import differences, kind_of, smallest, told
from tests.fuzz.network_run import observed
from tests.fuzz.networks import Network, drawn
from tests.fuzz.open import OPEN

torch = pytest.importorskip("torch")
import vizgrad as vg  # noqa: E402

pytestmark = [
    pytest.mark.rule("T-95"),
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.timeout(600),
]

NETWORKS, CHUNK = 150, 15


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: Any) -> Fuzzer:
    torch.set_num_threads(1)
    return Fuzzer(torch, vg, tmp_path_factory.mktemp("fuzz") / "journal")


@pytest.mark.parametrize("start", range(0, NETWORKS, CHUNK))
def test_networks_agree(fuzzer: Fuzzer, start: int) -> None:
    failures = [fuzzer.network(f"fixed.{k}", OPEN) for k in range(start, start + CHUNK)]
    wrong = [f.text for f in failures if f is not None]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("network", FOUND)
def test_what_once_differed_agrees(network: Network) -> None:
    seen = observed(torch, network)
    assert "raises" not in seen
    assert len(seen) > 3
    assert differences(torch, vg, network) == []


LAYERS = (
    ("Linear(3, 4)", "x = {m}(x)"),
    ("Tanh()", "x = {m}(x)"),
    ("Linear(4, 4)", "x = x + {m}(x)"),
)
NETWORK = Network((2, 3), LAYERS, optimizer="Adam(parts, lr=0.01)", penalty=True, clip=True)


def test_a_wrong_layer_is_found_and_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert differences(torch, vg, NETWORK) == []
    right = vg.nn.Tanh.forward
    monkeypatch.setattr(vg.nn.Tanh, "forward", lambda self, x: right(self, x) + 1e-4 * x.detach())
    found = differences(torch, vg, NETWORK)
    assert kind_of(found[0]) == "output"
    small = smallest(torch, vg, NETWORK, "output")
    assert [made for made, _ in small.layers if made] == ["Tanh()"]
    assert (small.steps, small.penalty, small.clip, small.shape) == (1, False, False, (1, 1))


def test_a_wrong_gradient_and_a_wrong_step_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = vg.nn.Linear.forward

    def steeper(self: Any, x: Any) -> Any:
        x = right(self, x)
        return x + (x - x.detach()) * 1e-5

    with monkeypatch.context() as patch:
        patch.setattr(vg.nn.Linear, "forward", steeper)
        plain = replace(NETWORK, penalty=False)
        assert kind_of(differences(torch, vg, plain)[0]) == "gradient"
    with monkeypatch.context() as patch:
        patch.setattr(vg.optim, "Adam", lambda parts, lr: vg.optim.AdamW(parts, lr=lr))
        assert kind_of(differences(torch, vg, NETWORK)[0]) == "state"


def test_a_network_is_told_as_a_program() -> None:
    found = differences(torch, torch, NETWORK)
    assert found == []
    text = told(NETWORK, type("Found", (), {"what": "loss", "kind": "loss"})(), 1)  # pyright: ignore[reportArgumentType]
    program = text.split("\n", 1)[1].rpartition("  differs in")[0]
    for module in (torch, vg):
        said: list[Any] = []
        scope: dict[str, Any] = {"print": lambda *a, said=said: said.append(a)}
        exec(program.replace("import torch  #", "#"), scope | {"torch": module})
        assert said


def test_what_is_drawn_is_taken_and_has_everything() -> None:
    networks = [drawn(torch, k) for k in range(300)]
    text = "\n".join(line for network in networks for line in network.source())
    for part in ("Conv1d", "Conv2d", "Conv3d", "BatchNorm", "LSTM(", "GRU(", "MultiheadAttention", "TransformerEncoderLayer", "Embedding", "inplace=True",
                 "use_reentrant=True", "use_reentrant=False", "register_full_backward_hook", "create_graph=True", "autocast", "channels_last", "deepcopy",
                 "load_state_dict", "clip_grad_norm_", ".eval()", ".weight = self.m", "Upsample", "Pad2d", "MaxPool", "torch.cat([x, self.m"):  # fmt: skip
        assert part in text, part
    refused = [network for network in networks[:60] if "raises" in observed(torch, network)]
    assert len(refused) < 20
    assert all(
        not known_network(network, found)
        for network in networks[:5]
        for found in differences(torch, torch, network)
    )
