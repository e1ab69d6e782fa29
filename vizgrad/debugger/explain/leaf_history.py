"""Where the tensor of a leaf comes from, which no operation of its graph made."""

from __future__ import annotations

from typing import Any, NamedTuple

from vizgrad.core.errors import place_of
from vizgrad.debugger.explain.from_session import readable
from vizgrad.debugger.explain.watch_block import known
from vizgrad.debugger.model import Writer
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.session_reader import Look


class LeafHistory(NamedTuple):
    """`made` is the operation that made the tensor, as far as a watch has noted it; `written` is the last one
    that wrote to its memory in place, where its engine has noted it.
    """

    made: Writer | None = None
    written: Writer | None = None
    #: Is it a parameter of a module? No watch notes a line that makes one.
    is_parameter: bool = False


def history_of_leaf(look: Look, number: int) -> LeafHistory | None:
    """None where the tensor is not at hand: in a closed session, and in a trace."""
    source = readable(look) if isinstance(look, Live) else None
    if source is None:
        return None
    node, reader = source.nodes[number], source.reader
    tensor, written = reader.variable(node), None
    if (last := reader.last_write(node)) is not None:
        op, site = last
        written = Writer(op, place=None if site is None else place_of(site))
    noting = known(tensor)
    note = None if noting is None else noting.notes.get(tensor)
    if note is None or note.site is None:
        return LeafHistory(None, written, _is_parameter(tensor))
    made = Writer(note.op, place=place_of(note.site))
    return LeafHistory(None if made == written else made, written, _is_parameter(tensor))


def _is_parameter(tensor: Any) -> bool:
    """PyTorch marks a parameter of another tensor class by an attribute."""
    named = any(each.__name__ == "Parameter" for each in type(tensor).__mro__)
    return named or bool(getattr(tensor, "_is_param", False))
