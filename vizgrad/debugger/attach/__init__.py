"""Looks at a program that runs under `python -m vizgrad`, from another process of the same user."""

from __future__ import annotations

from vizgrad.debugger.attach.program import Attached as Attached
from vizgrad.debugger.attach.program import attach as attach
