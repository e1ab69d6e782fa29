"""What a person can set once for all views of a JupyterLab, on its setting page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preference:
    """One of two or of some: a bool, or one of `choices`, whose first word is the default."""

    name: str
    title: str
    help: str
    default: bool = False
    choices: tuple[str, ...] = ()


PREFERENCES: tuple[Preference, ...] = (
    Preference(
        "presentation",
        "Presentation size",
        "Views begin with everything drawn larger, for a projector.",
    ),
    Preference(
        "colour_by_gradient",
        "Colour by gradient",
        "Views begin with colours that say how large gradients are, not how far the run is.",
    ),
    Preference(
        "arrangement",
        "How parts share the room",
        "auto: side by side where there are 900 pixels, else the graph above and tabs below; "
        "columns: side by side; tabs: the graph above and tabs below.",
        choices=("auto", "columns", "tabs"),
    ),
)
