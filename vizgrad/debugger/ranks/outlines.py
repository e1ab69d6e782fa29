"""A short name for the structure of a graph, by which ranks know that they have the same."""

from __future__ import annotations

from hashlib import blake2b

from vizgrad.debugger.model import Graph


def outline(graph: Graph) -> bytes:
    """Equal for graphs of equal names and edges; shapes differ with the sizes of batches."""
    digest = blake2b(digest_size=16)
    for node in graph.nodes:
        digest.update(repr((node.name, node.edges)).encode())
    return digest.digest()
