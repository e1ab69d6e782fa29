"""The live view of a session, as a notebook widget (anywidget).

The widget has no synced state but its session's id, and a picture of it for pages that show the widget
without a kernel: all else goes as messages, see `protocol`.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, cast
from weakref import ref

import anywidget
import traitlets

from vizgrad.debugger.jupyter.widget.controller import Controller
from vizgrad.debugger.jupyter.widget.joints import Joint
from vizgrad.debugger.jupyter.widget.request_worker import listen_where_asked
from vizgrad.debugger.jupyter.widget.saved_data import (
    MIME,
    MOST_PICTURED_AGAIN,
    bundle,
    bundle_of,
    saved_view,
)
from vizgrad.debugger.jupyter.widget.static_files import STATIC
from vizgrad.debugger.session.session import Session


class _View(anywidget.AnyWidget):
    """A widget that shows a session, or those of several ranks."""

    _esm = STATIC / "widget.js"
    #: No page asks for its picture: VS Code and Colab save what was displayed.
    pictured_later = False
    session_id = traitlets.Unicode().tag(sync=True)
    #: By mime types; of a large graph without a picture.
    still: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)

    def __init__(self, shown: Session | Joint, session_id: str, still: dict[str, Any]) -> None:
        if still[MIME]["total"] > MOST_PICTURED_AGAIN:
            still = {mime: still[mime] for mime in (MIME, "text/plain")}
        super().__init__(session_id=session_id, still=still)
        #: The data that its output shows without a kernel, by mime types, once it was displayed.
        self.frame: dict[str, Any] = {}
        base = cast("Any", self)  # anywidget gives its methods no types
        listen_where_asked(base.comm)
        self._controller = Controller(base.send, shown, view=base.model_id, at_desk=True)
        base.on_msg(self._received)

    def _received(self, _: Any, content: object, __: Any) -> None:
        self._controller.receive(content)

    @property
    def view_id(self) -> str:
        """By which outputs and messages name it."""
        return cast("Any", self).model_id

    def end(self) -> None:
        """It is not displayed any more: it need not hold its session."""
        self._controller.end()

    def close(self) -> None:
        self._controller.close()
        super().close()

    def picture(self) -> dict[str, Any]:
        """A picture and a text for notebooks read without a kernel, by mime types; empty where there is none
        any more.
        """
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live view with a picture and a text beside it."""
        shown = cast("Any", super())._repr_mimebundle_(**kwargs)
        data, metadata = cast("Any", shown if isinstance(shown, tuple) else (shown, {}))
        if data is not None and (frame := self.picture()):
            self.frame = frame
            data.update(frame)
        return data, metadata


class DebugView(_View):
    """One view of one session; several views of a session follow each other."""

    def __init__(self, session: Session) -> None:
        #: A revision and its picture. As a rule the view is displayed at once, and needs no other.
        self._made: tuple[int, dict[str, Any]] | None = (session.revision, bundle(session))
        super().__init__(session, session.id, self._made[1])
        #: ipywidgets keeps every widget for the life of the kernel: it must not keep its session.
        self._session = ref(session)

    def picture(self) -> dict[str, Any]:
        session = self._session()
        if session is None:
            return {}
        made, self._made = self._made, None
        if made is None or made[0] != session.revision:
            return bundle(session, self.view_id)
        return {**made[1], MIME: asdict(saved_view(session, self.view_id))}


class JointView(_View):
    """One view of the sessions of several ranks, which shows one of them."""

    def __init__(self, joint: Joint) -> None:
        super().__init__(joint, joint.first, bundle_of(joint.picture_at(joint.first)))
        self._joint = ref(joint)

    def picture(self) -> dict[str, Any]:
        joint = self._joint()
        return {} if joint is None else bundle_of(joint.picture_at(joint.first), self.view_id)
