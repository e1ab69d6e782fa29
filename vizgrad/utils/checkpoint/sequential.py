"""`checkpoint_sequential`: a chain of functions in checkpointed segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vizgrad.core.tensor.wrong_call import wrong_call
from vizgrad.nn import Module, Sequential
from vizgrad.utils.checkpoint.calling import checkpoint


def checkpoint_sequential(
    functions: Sequential | Sequence[Callable[[Any], Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """The chain of `functions` on `input`; each of `segments` equal parts but the last is a checkpoint.

    The last part takes what does not divide evenly. `preserve_rng_state` as in `checkpoint`; ValueError for
    other keywords, and for more segments than functions.
    """
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise wrong_call(
            ValueError("Unexpected keyword arguments: " + ",".join(kwargs)),
            "preserve_rng_state is the only one",
        )
    chain = list(functions.children() if isinstance(functions, Module) else functions)
    size = len(chain) // segments
    if not size:
        raise wrong_call(
            ValueError(
                f"checkpoint_sequential: segments must not be more than the functions, got {segments} for "
                f"{len(chain)}"
            ),
            "ask for fewer segments",
        )
    end = size * (segments - 1)
    for start in range(0, end, size):
        input = checkpoint(
            _chained(chain[start : start + size]), input,
            use_reentrant=use_reentrant, preserve_rng_state=preserve,
        )  # fmt: skip
    return _chained(chain[end:])(input)


def _chained(functions: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def run(input: Any) -> Any:
        for function in functions:
            input = function(input)
        return input

    return run
