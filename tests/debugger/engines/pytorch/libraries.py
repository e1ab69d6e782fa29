"""Models of other libraries, built from configurations: no weights are fetched.

`make pytorch-models` installs what they need; where it is not installed they are left out.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import torch

from tests.debugger.engines.pytorch.models import Made
from tests.integrations.torchvision_beside import make_importable

make_importable()  # before the first library that looks whether it is there


def _language_model(kind: str, configuration: str, **settings: Any) -> Made:
    import transformers

    transformers.logging.set_verbosity_error()
    config = getattr(transformers, configuration)(vocab_size=50, **settings)
    model = getattr(transformers, kind)(config)
    ids = torch.randint(50, (2, 8))
    return dict(model.named_parameters()), model(input_ids=ids, labels=ids).loss, {}


def gpt2_of_12_layers() -> Made:
    return _language_model(
        "GPT2LMHeadModel", "GPT2Config", n_layer=12, n_embd=24, n_head=2, n_positions=16,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip


def bert_of_12_layers() -> Made:
    return _language_model(
        "BertForMaskedLM", "BertConfig", num_hidden_layers=12, hidden_size=24, num_attention_heads=2,
        intermediate_size=48, max_position_embeddings=16,
    )  # fmt: skip


class Field(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)
        )

    def forward(self, t: Any, y: Any) -> Any:
        return self.net(y)


def _solved(solve: str, method: str) -> Made:
    import torchdiffeq

    field = Field()
    y = torch.randn(3, 2, requires_grad=True)
    out = getattr(torchdiffeq, solve)(field, y, torch.linspace(0, 1, 4), method=method)
    return {"y": y, **dict(field.named_parameters())}, out[-1].pow(2).sum(), {}


def an_ode() -> Made:
    return _solved("odeint", "rk4")


def an_ode_of_adaptive_steps() -> Made:
    return _solved("odeint", "dopri5")


def an_ode_by_its_adjoint() -> Made:
    return _solved("odeint_adjoint", "rk4")


_NEEDS = {
    "transformers": [gpt2_of_12_layers, bert_of_12_layers],
    "torchdiffeq": [an_ode, an_ode_of_adaptive_steps, an_ode_by_its_adjoint],
}


def _takes_this_pytorch(name: str) -> bool:
    """Is it there? transformers wants a newer PyTorch than the oldest that is stepped here."""
    if name == "transformers" and find_spec(name):
        import transformers

        return bool(transformers.is_torch_available())
    return find_spec(name) is not None


LIBRARIES = [make for name, made in _NEEDS.items() if _takes_this_pytorch(name) for make in made]
