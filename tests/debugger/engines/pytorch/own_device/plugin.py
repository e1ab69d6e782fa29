"""Runs tests on this device: ``pytest -p tests.debugger.engines.pytorch.own_device.plugin``."""

from __future__ import annotations

import torch

from tests.debugger.engines.pytorch.own_device.building import NAME, register

register()
torch.set_default_device(NAME)
