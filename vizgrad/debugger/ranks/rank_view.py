"""The view of a session of ranks in a notebook: controls, where the ranks stand, and one picture of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import ipywidgets
from IPython.display import display

from vizgrad.debugger.ranks.comparison import RankComparison, preformatted


class Moved(Protocol):
    """The part of a `RankSession` that its view needs."""

    @property
    def closed(self) -> bool: ...

    @property
    def ranks(self) -> tuple[int, ...]: ...

    @property
    def where(self) -> str: ...

    def restart(self, *, rank: int | None) -> object: ...
    def back(self, *, rank: int | None) -> object: ...
    def step(self, *, rank: int | None) -> object: ...
    def continue_(self, *, rank: int | None) -> object: ...
    def compare(self) -> RankComparison: ...
    def picture(self, compared: RankComparison) -> str: ...
    def trace(self, rank: int) -> object: ...


class RankView:
    """Buttons that move all ranks, or the chosen one; where each stands; the picture; the differences so far.
    Whatever moves the session, a button or a call, shows here.
    """

    def __init__(self, session: Moved) -> None:
        self._session = session
        every = [("All ranks", None), *((f"Rank {rank}", rank) for rank in session.ranks)]
        self._rank = ipywidgets.Dropdown(
            options=every, description="Move", layout={"width": "200px"}
        )
        self._buttons = [
            self._button(
                "Restart", "Go back to before the first node", "fast-backward", session.restart
            ),
            self._button("Back", "Take the last step back", "step-backward", session.back),
            self._button("Step", "Run the next node", "step-forward", session.step),
            self._button(
                "Continue", "Run to the first NaN or Inf, or to the end", "play", session.continue_
            ),
        ]
        self._open = ipywidgets.Button(
            description="Open rank", tooltip="Show the steps of the chosen rank in a view of its own",
            icon="search", disabled=True,
        )  # fmt: skip
        self._open.on_click(lambda _: self._show_rank())
        self._rank.observe(lambda _: self._enable(), "value")
        self._where = ipywidgets.HTML()
        self._picture = ipywidgets.Image(
            format="svg+xml", layout={"max_width": "100%", "align_self": "flex-start"}
        )
        self._told = ipywidgets.HTML()
        self._single = ipywidgets.Output()
        controls = ipywidgets.HBox(
            [self._rank, *self._buttons, self._open], layout={"flex_flow": "row wrap"}
        )
        self.widget = ipywidgets.VBox(
            [controls, self._where, self._told, self._picture, self._single]
        )
        self.update()

    def _button(self, name: str, says: str, icon: str, move: Callable[..., Any]) -> Any:
        button = ipywidgets.Button(
            description=name, tooltip=says, icon=icon, layout={"width": "auto"}
        )
        button.on_click(lambda _: self._move(move))
        return button

    def _move(self, move: Callable[..., Any]) -> None:
        """An error is shown in place of the positions."""
        try:
            move(rank=self._rank.value)
        except (RuntimeError, ValueError, IndexError) as error:
            self._where.value = preformatted(f"{type(error).__name__}: {error}")

    def _show_rank(self) -> None:
        rank = self._rank.value
        if rank is not None:
            self._single.clear_output(wait=True)
            with self._single:
                display(self._session.trace(rank))

    def _enable(self) -> None:
        self._open.disabled = self._session.closed or self._rank.value is None

    def update(self) -> None:
        """Shows where the ranks are now."""
        session = self._session
        self._where.value = preformatted(str(session.where))
        for button in self._buttons:
            button.disabled = session.closed
        self._enable()
        compared = session.compare()
        self._told.value = preformatted(compared.to_text())
        self._picture.value = session.picture(compared).encode()
