"""What the browser knows of the model and of the messages is made from Python, and not stale."""

from __future__ import annotations

import dataclasses
from dataclasses import is_dataclass
from importlib import import_module
from pkgutil import iter_modules

from tests.fixtures.folded import Folded
from vizgrad.debugger import model
from vizgrad.debugger.jupyter.widget import protocol, typescript
from vizgrad.debugger.session.run_control import Update
from vizgrad.debugger.wire.wire import message_type


def test_the_files_are_what_the_classes_say():
    with Folded() as case:
        for path, text in typescript.files().items():
            with case(path.relative_to(typescript.ROOT)):
                assert path.read_text("utf-8") == text, "run make types"


def _told(*names):
    return "\n".join((typescript.FOLDER / name).read_text("utf-8") for name in names)


def test_every_class_of_the_model_has_a_type_and_a_reader():
    text = _told(*(f"{file.path}.ts" for file in typescript.FILES if "/" in file.path))
    classes = [cls for cls in vars(model).values() if dataclasses.is_dataclass(cls)]
    assert len(classes) > 25
    for cls in (*classes, Update):
        assert f"export interface {cls.__name__} {{" in text
        for field in dataclasses.fields(cls):
            assert f"  readonly {field.name}: " in text
        assert f"export const read{cls.__name__}: Reader" in text


def test_every_request_every_answer_and_every_event_is_told():
    types = _told(
        "requests.ts",
        "answers.ts",
        "heap.ts",
        "inspection.ts",
        "events.ts",
        "lanes.ts",
        "ranks.ts",
        "saving.ts",
        "why.ts",
    )
    text = _told("messages.ts")
    for request, answers in protocol.ANSWERS.items():
        words = ", ".join(f"'{message_type(cls)}'" for cls in answers)
        assert f"  {message_type(request)}: [{words}]" in text
        assert f"export interface {request.__name__} {{" in types
    for cls in {*protocol.EVENTS, protocol.Failed, *sum(protocol.ANSWERS.values(), ())}:
        assert f"  {message_type(cls)}: read{cls.__name__}" in text
        assert f"export interface {cls.__name__} {{" in types


def _declares(name: str) -> bool:
    """Does a module declare a dataclass?"""
    declared = vars(import_module(name)).values()
    return any(is_dataclass(each) and each.__module__ == name for each in declared)


#: Readings of several processes stay in Python: a view is told rows of them (`protocol/ranks.py`).
NOT_TOLD = {f"{model.__name__}.ranks"}


def test_no_module_of_the_model_or_of_the_messages_is_left_out():
    told = {file.module.__name__ for file in typescript.FILES} | {protocol.channel.__name__}
    for package in (model, protocol):
        modules = {
            name
            for m in iter_modules(package.__path__)
            if _declares(name := f"{package.__name__}.{m.name}")
        }
        assert modules
        assert modules - NOT_TOLD <= told
