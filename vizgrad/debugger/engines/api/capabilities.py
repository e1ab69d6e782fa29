"""What a custom Function can do, and where it cannot: its capability card."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from vizgrad.core.errors import Explanation, Place

#: "proven": examined on the example and right. "failed": wrong there, with the failing case. "untested": not
#: there, refused aloud, or not to be told on this example; `detail` says which.
CapabilityState = Literal["proven", "failed", "untested"]

#: In the order in which a card lists them.
CAPABILITIES = (
    "forward",
    "backward",
    "double backward",
    "jvp",
    "vmap",
    "version safety",
    "freeing",
)


@dataclass(frozen=True, slots=True)
class Capability:
    """One line of a card. `failures` are the failing cases; of one that is only missing or refused, and says
    so when it is used, `check` says nothing (`aloud`). `remarks`: what is right, and work for
    nothing.
    """

    name: str
    state: CapabilityState
    detail: str = ""
    failures: tuple[Explanation, ...] = ()
    aloud: bool = False
    remarks: tuple[Explanation, ...] = ()

    @property
    def told(self) -> tuple[Explanation, ...]:
        """All that it explains."""
        return (*self.failures, *self.remarks)


@dataclass(frozen=True, slots=True)
class CapabilityCard:
    """What was found out about a Function on one example."""

    function: str
    #: The arguments of the example, as text.
    example: str
    capabilities: tuple[Capability, ...]
    #: The line of its class.
    place: Place | None = None

    def __getitem__(self, name: str) -> Capability:
        for capability in self.capabilities:
            if capability.name == name:
                return capability
        raise KeyError(f"{name!r}; there are {', '.join(c.name for c in self.capabilities)}")

    @property
    def failures(self) -> tuple[Explanation, ...]:
        return tuple(f for c in self.capabilities for f in c.failures)

    def to_json(self) -> dict[str, Any]:
        """Plain data: dicts, lists, strings, numbers."""
        return asdict(self)
