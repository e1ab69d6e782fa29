"""Where in a person's program a node of PyTorch's was recorded.

PyTorch does not note it. What noted it (`torch_watch.py`) put an `Origin` into the node's own metadata, which
live as long as the node does, however often its Python object is made anew.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core import errors
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.engines.api.node_origin import NOWHERE, Origin
from vizgrad.debugger.model import Place

_KEY = "vizgrad"


def note(node: Any, origin: Origin) -> bool:
    """Keeps where a node was recorded; False if that is known already: who notes it first was nearest."""
    metadata = node.metadata
    if _KEY in metadata:
        return False
    metadata[_KEY] = origin
    return True


def recorded_at(node: Any) -> Origin:
    """What is known of it."""
    return node.metadata.get(_KEY, NOWHERE)


def scope_of(origin: Origin) -> tuple[str, ...]:
    """The names of the calls that a node was recorded in."""
    return tuple(call.name for call in origin.calls)


def site_of(origin: Origin) -> Site | None:
    """The instruction that recorded it: where a module of PyTorch's did, the one that called it."""
    spots = (origin.spot, *(call.spot for call in reversed(origin.calls)))
    spot = next((spot for spot in spots if spot is not None), None)
    return None if spot is None else Site(spot.code, spot.offset)


def place_of(origin: Origin) -> Place | None:
    """The line that recorded it: where a module of PyTorch's did, the line that called it."""
    return errors.place_of(site_of(origin))
