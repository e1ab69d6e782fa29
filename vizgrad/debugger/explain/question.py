"""The question that an explanation answers: of which thing it was asked is a part of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vizgrad.core.errors import Explanation

#: "tensor": its value first, then its `.grad`. "node": of a session. "banner": the message where a session
#: has stopped at a node. "error": one that was raised.
Subject = Literal["tensor", "value", "gradient", "node", "banner", "error"]


@dataclass(frozen=True, slots=True)
class Question:
    """Why is it so? `name` is what a person calls the tensor or node.

    A node that is asked about answers for itself first: what it made of finite gradients comes before what
    came to it. A banner speaks of one result of its node: that of `edge`; None: of what it added
    up, or of the node as a whole.
    """

    about: Subject
    name: str = ""
    edge: int | None = None
    #: For an error: the explanation that it has, and its text.
    told: Explanation | None = None
    text: str = ""
