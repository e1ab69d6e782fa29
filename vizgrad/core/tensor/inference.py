"""Inference tensors: what may not be done with them outside inference mode (M-24, M-25)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core.errors import explained, place_of
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.source_names import written_name
from vizgrad.core.tensor.storage import InferenceStorage, LooseInferenceStorage

if TYPE_CHECKING:
    from vizgrad.core.tensor.tensor import Tensor


def refuse_saved(node: Any) -> None:
    """Raises RuntimeError if a node that was just recorded has saved an inference tensor."""
    for name, form in node.saved_values().items():
        if isinstance(getattr(form, "_storage", None), InferenceStorage):
            raise explained(
                RuntimeError(
                    "Inference tensors cannot be saved for backward. Please do not use Tensors "
                    "created in inference mode in computation tracked by autograd. To work around "
                    "this, you can make a clone to get a normal tensor and use it in autograd."
                ),
                kind="grad-mode",
                culprit=place_of(node.site),
                tensor=node.name(),
                fix=f"clone `{name}` outside inference_mode before this line",
                story=f"{node.name()} needs `{name}` for its backward, and its memory is not tracked.",
            )


def refuse_inference_write(tensor: Tensor) -> None:
    """RuntimeError for an in-place write outside inference mode, but into its `.data` or `detach()`."""
    if isinstance(tensor._storage, LooseInferenceStorage):
        return
    site = caller()
    raise explained(
        RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a "
            "clone to get a normal tensor before doing inplace update."
        ),
        kind="forbidden-write",
        culprit=place_of(site),
        tensor=written_name(site),
        fix="clone the tensor first, or write inside inference_mode",
    )
