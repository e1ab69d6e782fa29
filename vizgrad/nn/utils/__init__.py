"""Helpers for training, as torch.nn.utils."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from vizgrad.nn.utils import rnn as rnn
from vizgrad.nn.utils.clip_grad import clip_grad_norm as clip_grad_norm
from vizgrad.nn.utils.clip_grad import clip_grad_norm_ as clip_grad_norm_
from vizgrad.nn.utils.clip_grad import clip_grad_value_ as clip_grad_value_
from vizgrad.nn.utils.clip_grad import clip_grads_with_norm_ as clip_grads_with_norm_
from vizgrad.nn.utils.clip_grad import get_total_norm as get_total_norm
from vizgrad.nn.utils.convert_parameters import parameters_to_vector as parameters_to_vector
from vizgrad.nn.utils.convert_parameters import vector_to_parameters as vector_to_parameters
from vizgrad.nn.utils.skip_init import skip_init as skip_init
from vizgrad.nn.utils.weight_norm import remove_spectral_norm as remove_spectral_norm
from vizgrad.nn.utils.weight_norm import remove_weight_norm as remove_weight_norm
from vizgrad.nn.utils.weight_norm import spectral_norm as spectral_norm
from vizgrad.nn.utils.weight_norm import weight_norm as weight_norm


def __getattr__(name: str) -> Any:
    """Rarely used modules are imported when they are first used."""
    if name in ("fusion", "parametrizations", "parametrize", "prune", "stateless"):
        return import_module(f"{__name__}.{name}")
    if name.startswith("fuse_") and hasattr(fusion := import_module(f"{__name__}.fusion"), name):
        return getattr(fusion, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
