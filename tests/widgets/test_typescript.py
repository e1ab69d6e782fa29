"""What the browser knows of the model and of the messages is made from Python, and not stale."""

from __future__ import annotations

import dataclasses

import pytest

from vizgrad.inspection import model
from vizgrad.inspection.publishing import Update
from vizgrad.inspection.wire import message_type
from vizgrad.widgets import protocol, typescript


@pytest.mark.parametrize("path", typescript.files(), ids=lambda path: path.name)
def test_the_file_is_what_the_classes_say(path):
    assert path.read_text("utf-8") == typescript.files()[path], "run make types"


def test_every_class_of_the_model_has_a_type_and_a_reader():
    types, readers = (
        (typescript.FOLDER / name).read_text("utf-8") for name in ("model.ts", "readModel.ts")
    )
    classes = [cls for cls in vars(model).values() if dataclasses.is_dataclass(cls)]
    assert len(classes) > 25
    for cls in (*classes, Update):
        assert f"export interface {cls.__name__} {{" in types
        for field in dataclasses.fields(cls):
            assert f"  readonly {field.name}: " in types
        assert f"export const read{cls.__name__}: Reader" in readers


def test_every_request_every_answer_and_every_event_is_told():
    text = (typescript.FOLDER / "messages.ts").read_text("utf-8")
    for request, answers in protocol.ANSWERS.items():
        words = ", ".join(f"'{message_type(cls)}'" for cls in answers)
        assert f"  {message_type(request)}: [{words}]" in text
    for cls in {*protocol.EVENTS, protocol.Failed, *sum(protocol.ANSWERS.values(), ())}:
        assert f"  {message_type(cls)}: read{cls.__name__}" in text
