"""The device of a node's output, found when it is asked for: recording does not note it.

Operations compute where their operands are, all on one device. So a node's output is where those of the
nodes behind it are; a move from device to device, a custom Function and a leaf know it themselves.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.backend import Device, device_of
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Edge, Node


def output_device(node: Node, known: dict[Node, Device | None]) -> Device | None:
    """The device of the node's outputs, and of the gradients that come to it.

    None where nothing tells: of a node that leads nowhere and has saved nothing. Devices found on
    the way are added to `known`.
    """
    way: list[Node] = []
    device: Device | None = None
    while (device := known.get(node) or _own(node)) is None:
        way.append(node)
        edge = next((edge for edge in node.edges if edge is not None), None)
        following = edge.node if type(edge) is Edge else edge
        if following is None or node in known:
            device = _of_saved(node)
            break
        node = following
    known.update(dict.fromkeys(way, device))
    return device


def _own(node: Node) -> Device | None:
    if isinstance(node, AccumulateGrad):
        return device_of(node.variable._array)
    if "device" in node.plain_names:
        device: Any = getattr(node, "_device", None)
        return device if isinstance(device, Device) else None
    # what is recorded for an operation says no device
    return None if type(node).meta is Node.meta else node.meta(0).device


def _of_saved(node: Node) -> Device | None:
    """For a node whose inputs need no gradient: where its saved values are."""
    for value in node.saved_values().values():
        array = getattr(value, "_array", None)
        if array is not None:
            return device_of(array)
    return None
