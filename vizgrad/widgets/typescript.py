"""`python -m vizgrad.widgets.typescript`: writes what the browser knows of the model and of the messages.

TypeScript types, and readers that check what arrives, for every class of `inspection/model.py`, for
`Update`, for `widgets/drawing.py` and `widgets/protocol.py`, with their docstrings: what a field means is
said once, in Python. The commands of `vizgrad/commands.py` go the same way, also to JupyterLab's setting page
and to the documentation. A test fails when the files are stale.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Literal, cast, get_args, get_origin

from vizgrad import errors
from vizgrad.arrays import matrix_blocks
from vizgrad.inspection import model, publishing
from vizgrad.inspection.wire import message_type
from vizgrad.widgets import drawing, protocol, typescript_commands
from vizgrad.widgets.typescript_fields import (
    WIDTH,
    comment,
    docstring,
    fields_of,
    marked,
    marked_behind,
    quoted,
)

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "extension" / "src" / "protocol"

_HEAD = "// Made by `make types` from {sources}: do not edit.\n"


def files() -> dict[Path, str]:
    """Each file with its text."""
    texts = {
        "model.ts": _model(),
        "readModel.ts": _model_readers(),
        "drawing.ts": _drawing(),
        "messages.ts": _messages(),
        "commands.ts": typescript_commands.commands_ts(),
    }
    return {
        **{FOLDER / name: text for name, text in texts.items()},
        ROOT / "extension" / "schema" / "panel.json": typescript_commands.schema(),
        ROOT / "notebooks" / "commands.md": typescript_commands.page(),
    }


# --- what there is ----------------------------------------------------------------------------------

REQUESTS = tuple(protocol.ANSWERS)
_answers_of = (cls for answers in protocol.ANSWERS.values() for cls in answers)
TOLD = tuple(dict.fromkeys((*_answers_of, protocol.Failed, *protocol.EVENTS)))
MESSAGES = frozenset((*REQUESTS, *TOLD))


def _classes(*modules: ModuleType) -> list[type]:
    """The dataclasses that are written in these modules, in the order in which they are."""
    return [
        value
        for module in modules
        for value in vars(module).values()
        if dataclasses.is_dataclass(value) and isinstance(value, type)
        if value.__module__ == module.__name__
    ]


MODEL_CLASSES = (errors.Place, matrix_blocks.Blocks, *_classes(model), publishing.Update)
DRAWING_CLASSES = tuple(_classes(drawing))
#: Of the messages' file those that no message is, but a part of one.
PARTS = tuple(cls for cls in _classes(protocol) if cls not in MESSAGES)


# --- declarations -----------------------------------------------------------------------------------


def _interface(cls: type) -> str:
    name = cls.__name__
    lines = [f"  readonly type: {quoted(message_type(cls))};\n"] if cls in MESSAGES else []
    lines += [
        f"{comment(field.comment, '  ')}  readonly {field.name}: {field.form.type};\n"
        for field in fields_of(cls)
    ]
    return f"{comment(docstring(cls))}export interface {name} {{\n{''.join(lines)}}}\n"


def _reader(cls: type) -> str:
    name = cls.__name__
    rows = [("type", f"word({quoted(message_type(cls))})")] if cls in MESSAGES else []
    rows += [(field.name, field.reader) for field in fields_of(cls)]
    body = ",\n".join(f"  {key}: {reader}" for key, reader in rows)
    return f"export const read{name}: Reader<{name}> = record<{name}>({{\n{body}\n}});\n"


def _in_order(classes: tuple[type, ...]) -> Iterator[type]:
    """Each after those that its reader uses: a constant has no value before its line."""
    known = {cls.__name__: cls for cls in classes}
    seen: set[type] = set()

    def visit(cls: type) -> Iterator[type]:
        if cls in seen:
            return
        seen.add(cls)
        for field in fields_of(cls):
            for name in field.form.names:
                if name in known:
                    yield from visit(known[name])
        yield cls

    for cls in classes:
        yield from visit(cls)


def _list(name: str, words: tuple[str, ...], text: str = "") -> str:
    words = tuple(map(quoted, words))
    line = f"export const {name} = [{', '.join(words)}] as const;\n"
    if len(line) > WIDTH + 1:
        body = ",\n".join(f"  {word}" for word in words)
        line = f"export const {name} = [\n{body}\n] as const;\n"
    return comment(text) + line


def _plural(name: str) -> str:
    """RUN_STATUSES for RunStatus."""
    words = message_type(type(name, (), {})).upper()
    return f"{words}ES" if words.endswith("S") else f"{words}S"


def _words(module: ModuleType) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """Named types of words: with the words, or None where others may come."""
    for name, value in vars(module).items():
        if name.startswith("_") or not name[0].isupper() or name.isupper():
            continue
        if get_origin(value) is Literal:
            yield name, get_args(value)
        elif value is str:
            yield name, None


def _constants(module: ModuleType) -> Iterator[str]:
    """Numbers, words and lists of words that the module gives a name in capitals."""
    comments = marked(inspect.getsource(module).splitlines(), "")
    for name, value in vars(module).items():
        if not name.isupper() or name.startswith("_"):
            continue
        text = comments.get(name, "")
        if isinstance(value, int):
            yield f"{comment(text)}export const {name} = {value};\n"
        elif isinstance(value, str):
            yield f"{comment(text)}export const {name} = {quoted(value)};\n"
        elif isinstance(value, tuple):
            words = cast("tuple[object, ...]", value)
            if all(isinstance(word, str) for word in words):
                yield _list(name, cast("tuple[str, ...]", words), text)


def _union(name: str, classes: tuple[type, ...], text: str) -> str:
    names = [cls.__name__ for cls in classes]
    line = f"export type {name} = {' | '.join(names)};\n"
    if len(line) > WIDTH + 1:
        line = line.replace("= ", "=\n  ")
    if len(line.splitlines()[-1]) > WIDTH:
        line = f"export type {name} =\n" + "\n".join(f"  | {each}" for each in names) + ";\n"
    return comment(text) + line


def _imports(words: set[str], source: str, kind: str = "import") -> str:
    names = sorted(words, key=lambda word: (word.lower(), word))
    line = f"{kind} {{ {', '.join(names)} }} from '{source}';\n"
    if len(line) > WIDTH + 1:
        body = ",\n".join(f"  {name}" for name in names)
        line = f"{kind} {{\n{body}\n}} from '{source}';\n"
    return line if names else ""


def _used(text: str, words: set[str]) -> set[str]:
    """Those of `words` that are in `text` as a word."""
    found: set[str] = set()
    for line in text.splitlines():
        if not line.lstrip().startswith(("*", "/*", "//")):
            cleaned = "".join(c if c.isalnum() or c == "_" else " " for c in line)
            found |= words.intersection(cleaned.split())
    return found


# --- files ------------------------------------------------------------------------------------------

#: What `check.ts` gives.
_CHECKS: set[str] = {
    *("array", "boolean", "float", "integer", "nullable", "oneOf", "optional", "pair"),
    *("record", "string", "word"),
}


def _model() -> str:
    parts = list(_constants(model))
    open_words = marked_behind(model)
    for name, words in _words(model):
        if words is None:
            parts.append(comment(open_words.get(name, "")) + f"export type {name} = string;\n")
        else:
            plural = _plural(name)
            parts.append(f"{_list(plural, words)}export type {name} = (typeof {plural})[number];\n")
    parts += [_interface(cls) for cls in MODEL_CLASSES]
    head = _HEAD.format(sources="vizgrad/inspection/model.py and publishing.py")
    return "\n".join([head + comment(_first(model)), *parts])


def _closed_words(module: ModuleType) -> str:
    """Types of words that the module itself names, with their readers."""
    found = [(name, words) for name, words in _words(module) if words is not None]
    own = [(name, words) for name, words in found if not hasattr(model, name)]
    return "\n".join(
        f"{_list(_plural(name), words)}export type {name} = (typeof {_plural(name)})[number];\n"
        f"export const read{name} = oneOf({_plural(name)});\n"
        for name, words in own
    )


def _drawing() -> str:
    body = "\n".join(
        [
            _closed_words(drawing),
            *map(_interface, DRAWING_CLASSES),
            *map(_reader, _in_order(DRAWING_CLASSES)),
        ]
    )
    classes = {cls.__name__ for cls in MODEL_CLASSES} | {name for name, _ in _words(model)}
    readers = {f"read{name}" for name in classes}
    head = _HEAD.format(sources="vizgrad/widgets/drawing.py")
    return "\n".join(
        [
            head
            + comment(_first(drawing))
            + _imports(_used(body, _CHECKS), "./check")
            + _imports({"Reader"}, "./check", "import type")
            + _imports(_used(body, classes), "./model", "import type")
            + _imports(_used(body, readers), "./readModel"),
            body,
        ]
    )


def _model_readers() -> str:
    closed = [(name, words) for name, words in _words(model) if words is not None]
    parts = [f"export const read{name} = oneOf({_plural(name)});\n" for name, _ in closed]
    parts = ["".join(parts), *(_reader(cls) for cls in _in_order(MODEL_CLASSES))]
    body = "\n".join(parts)
    classes = {cls.__name__ for cls in MODEL_CLASSES}
    constants = {_plural(name) for name, _ in closed} | {"MODEL_VERSION"}
    head = _HEAD.format(sources="vizgrad/inspection/model.py and publishing.py")
    return "\n".join(
        [
            head
            + _imports(_used(body, _CHECKS), "./check")
            + _imports({"Reader"}, "./check", "import type")
            + _imports(_used(body, constants), "./model")
            + _imports(_used(body, classes), "./model", "import type"),
            body,
        ]
    )


def _messages() -> str:
    classes = {cls.__name__ for cls in MODEL_CLASSES}
    parts = [*_constants(protocol)]
    parts += [_interface(cls) for cls in (*PARTS, *REQUESTS, *TOLD)]
    parts.append(_union("Request", REQUESTS, "What the browser may ask."))
    parts.append(_union("Message", TOLD, "What the kernel may say: answers and events."))
    parts += [_answers(), _events()]
    made = [_reader(cls) for cls in _in_order((*PARTS, *TOLD))]
    parts += made
    rows = ",\n".join(f"  {message_type(cls)}: read{cls.__name__}" for cls in TOLD)
    table = "{ [T in Message['type']]: Reader<Extract<Message, { type: T }>> }"
    parts.append(f"export const MESSAGE_READERS: {table} = {{\n{rows}\n}};\n")
    body = "\n".join(parts)
    readers = {f"read{name}" for name in classes}
    drawn = {cls.__name__ for cls in DRAWING_CLASSES}
    drawn_readers = {f"read{name}" for name in drawn}
    head = _HEAD.format(sources="vizgrad/widgets/protocol.py")
    return "\n".join(
        [
            head
            + comment(_first(protocol))
            + _imports(_used("".join(made), _CHECKS), "./check")
            + _imports({"Reader"}, "./check", "import type")
            + _imports(_used(body, drawn_readers), "./drawing")
            + _imports(_used(body, drawn), "./drawing", "import type")
            + _imports(_used(body, classes), "./model", "import type")
            + _imports(_used(body, readers), "./readModel"),
            body,
        ]
    )


def _answers() -> str:
    rows = ",\n".join(
        f"  {message_type(request)}: [{', '.join(quoted(message_type(a)) for a in answers)}]"
        for request, answers in protocol.ANSWERS.items()
    )
    kinds = "Record<Request['type'], readonly Message['type'][]>"
    text = comment(marked(inspect.getsource(protocol).splitlines(), "")["ANSWERS"])
    return f"{text}export const ANSWERS = {{\n{rows}\n}} as const satisfies {kinds};\n"


def _events() -> str:
    return _list(
        "EVENTS", tuple(message_type(cls) for cls in protocol.EVENTS), "What is told unasked."
    )


def _first(module: ModuleType) -> str:
    return module.__doc__ or ""


if __name__ == "__main__":
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
