"""Errors that PyTorch raises because of the values of an argument: which value it is, and where.

PyTorch's text names the rule, and often neither the tensor nor the element. Only elements that are there are
named: where none breaks the rule, nothing is added.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch

from vizgrad.core.errors import explained, is_library, place_of
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.engines.common.variable_names import names_around
from vizgrad.debugger.engines.pytorch.torch_tensors import LOOK, readable
from vizgrad.debugger.watch.note_recorder import Noting, near_of
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.source_expressions import assigned


class _Call(NamedTuple):
    """A call that raised."""

    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    def get(self, number: int, name: str) -> Any:
        return self.args[number] if len(self.args) > number else self.kwargs.get(name)


class _Rule(NamedTuple):
    """A rule for the values of one argument. `wrong` marks the elements that are not."""

    tensor: torch.Tensor
    wrong: Callable[[torch.Tensor], torch.Tensor]
    #: The rule, which follows the element that breaks it.
    because: str
    fix: str
    title: str
    #: Is the line that made the values to be edited, and not that of the call?
    at_origin: bool


def explain_values(
    noting: Noting, error: Exception, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any],
    site: Site | None,
) -> None:  # fmt: skip
    """Explains an error of this call, if a value that is there is its reason."""
    rules = (rule for phrase, rule in _RULES if re.search(phrase, str(error)))
    found = next((each for rule in rules if (each := rule(_Call(name, args, kwargs)))), None)
    if found is None or type(found.tensor) not in _PLAIN or not readable(found.tensor):
        return
    with torch.no_grad():
        values = found.tensor.detach()
        places = found.wrong(values).nonzero()
        if not len(places):
            return
        place = tuple(places[0].tolist())
        value = values[place].item()
    origin = _origin(noting, found.tensor)
    called = assigned(None if origin is None else origin.site) or _named(found.tensor)
    shown = f"`{called}`" if called else f"An argument of {name}"
    at = f" at {list(place)}" if place else ""
    explained(
        error,
        kind="wrong-call",
        culprit=place_of(_line(site, origin if found.at_origin else None)),
        tensor=called,
        fix=found.fix.format(shown=called or "it"),
        story=f"{shown} holds {value:.4g}{at}, and {found.because}.",
        title=found.title,
    )


_PLAIN = (torch.Tensor, torch.nn.Parameter)


def _line(site: Site | None, origin: Note | None) -> Site | None:
    """The line to edit: the user's own that made the values or made the call, before a library's."""
    near = near_of(site, str)
    called_from = site if near is None else near.site or site
    made = None if origin is None else origin.site
    return called_from if made is None or is_library(made.file) else made


#: They hand values on as they are.
_PASSING = frozenset(
    {
        "view", "reshape", "flatten", "squeeze", "unsqueeze", "contiguous", "to", "long", "clone", "detach",
        "__getitem__", "expand", "transpose", "T",
    }
)  # fmt: skip
#: Notes that are gone back over.
_STEPS = 12


def _origin(noting: Noting, tensor: torch.Tensor) -> Note | None:
    """Where the values of a tensor come from, through changes of shape."""
    note = noting.notes.get(tensor)
    for _ in range(_STEPS):
        if note is None or note.op not in _PASSING or not note.parents:
            break
        note = note.parents[0]
    return note


def _named(tensor: torch.Tensor) -> str:
    """The name that the user gave it."""
    return str(names_around(kinds=LOOK.kinds).get(id(tensor), ""))


# --- rules -------------------------------------------------------------------------------------------


def _between(low: int, size: int, other: int | None = None) -> Callable[[Any], Any]:
    """Marks what is not from `low` up to `size`, nor `other`."""

    def wrong(values: Any) -> Any:
        marked = (values < low) | (values >= size)
        return marked if other is None else marked & (values != other)

    return wrong


def _of_embedding(call: _Call) -> _Rule | None:
    index, weight = call.get(0, "input"), call.get(1, "weight")
    if call.name not in ("embedding", "embedding_bag") or not LOOK.knows(weight):
        return None
    if weight.dtype in _WHOLE:  # torch.embedding takes them the other way round
        index, weight = weight, index
    rows = int(weight.shape[0])
    return _Rule(
        index, _between(0, rows), f"the table has {rows} rows, 0 to {rows - 1}",
        "give {shown} numbers of rows that are there, or make the table larger (num_embeddings, vocab_size)",
        "Index beyond the table", at_origin=True,
    )  # fmt: skip


def _of_classes(call: _Call) -> _Rule | None:
    scores, target = call.get(0, "input"), call.get(1, "target")
    if call.name not in ("cross_entropy", "nll_loss") or not LOOK.knows(scores):
        return None
    if not LOOK.knows(target) or target.dtype not in _WHOLE:
        return None
    classes = int(scores.shape[1] if scores.dim() > 1 else scores.shape[0])
    ignored = call.kwargs.get("ignore_index", -100)
    return _Rule(
        target, _between(0, classes, ignored),
        f"there are scores of {classes} classes, 0 to {classes - 1}",
        "number the classes from 0, or let the model give a score for each; a place without a class is "
        f"{ignored}, the ignore_index",
        "Class without a score", at_origin=True,
    )  # fmt: skip


def _of_places(call: _Call) -> _Rule | None:
    source, dim, index = call.get(0, "input"), call.get(1, "dim"), call.get(2, "index")
    known = LOOK.knows(source) and LOOK.knows(index) and isinstance(dim, int)
    if call.name not in ("gather", "index_select", "scatter", "scatter_add") or not known:
        return None
    if not source.dim() or index.dtype not in _WHOLE:
        return None
    size = int(source.shape[dim])
    return _Rule(
        index, _between(0, size), f"dimension {dim} has {size} elements, 0 to {size - 1}",
        "keep {shown} within the dimension, or choose another one", "Index out of range", at_origin=True,
    )  # fmt: skip


def _of_probabilities(call: _Call) -> _Rule | None:
    if call.name != "binary_cross_entropy" or not LOOK.knows(call.get(0, "input")):
        return None
    return _Rule(
        call.get(0, "input"), lambda values: ~((values >= 0) & (values <= 1)),
        "binary_cross_entropy takes probabilities, from 0 to 1",
        "apply torch.sigmoid to {shown}, or use binary_cross_entropy_with_logits, which takes scores",
        "Scores in place of probabilities", at_origin=False,
    )  # fmt: skip


def _of_weights(call: _Call) -> _Rule | None:
    if call.name != "multinomial" or not LOOK.knows(call.get(0, "input")):
        return None
    return _Rule(
        call.get(0, "input"), lambda values: ~((values >= 0) & (values < float("inf"))),
        "multinomial takes probabilities, or weights that are not negative",
        "apply softmax to {shown} first, or sample from torch.distributions.Categorical(logits=...)",
        "Scores in place of probabilities", at_origin=False,
    )  # fmt: skip


_WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
_RULES: tuple[tuple[str, Callable[[_Call], _Rule | None]], ...] = (
    (r"index out of range", _of_embedding),
    (r"Target .{0,30}is out of bounds", _of_classes),
    (r"is out of bounds for dimension|index out of range", _of_places),
    (r"input should be between 0 and 1", _of_probabilities),
    (r"probability tensor contains either", _of_weights),
)
