"""`python -m vizgrad.debugger.jupyter.widget.typescript`: writes what the browser knows of the model and
of the messages.

TypeScript types, and readers that check what arrives, for every class of `debugger/model`, for `Update`,
for `debugger/jupyter/widget/drawing.py` and `debugger/jupyter/widget/protocol`, with their docstrings:
what a field means is said once, in Python, and a file there is a file here. The commands of
`vizgrad/debugger/commands/` go the same way, also to JupyterLab's setting page and to the documentation.
A test fails when the files are stale.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Literal, cast, get_args, get_origin

from vizgrad.core import errors
from vizgrad.core.arrays import matrix_blocks
from vizgrad.debugger import model
from vizgrad.debugger.jupyter.widget import drawing, protocol, trace_contents, typescript_commands
from vizgrad.debugger.jupyter.widget.protocol import (
    answers,
    channel,
    events,
    heap,
    inspection,
    lanes,
    ranks,
    requests,
    saving,
    why,
)
from vizgrad.debugger.jupyter.widget.typescript_fields import (
    WIDTH,
    comment,
    docstring,
    fields_of,
    marked,
    marked_behind,
    quoted,
)
from vizgrad.debugger.model import (
    arrays,
    collectives,
    lines,
    memory,
    nodes,
    run,
    trace,
    training,
    watches,
)
from vizgrad.debugger.session import run_control
from vizgrad.debugger.wire.wire import message_type

ROOT = Path(__file__).parents[4]
FOLDER = ROOT / "extension" / "src" / "protocol"

_HEAD = "// Made by `make types` from {sources}: do not edit.\n"


# --- what there is ----------------------------------------------------------------------------------

REQUESTS = tuple(protocol.ANSWERS)
_answers_of = (cls for answers in protocol.ANSWERS.values() for cls in answers)
TOLD = tuple(dict.fromkeys((*_answers_of, protocol.Failed, *protocol.EVENTS)))
MESSAGES = frozenset((*REQUESTS, *TOLD))


@dataclasses.dataclass(frozen=True)
class File:
    """A file of the browser's, `path` without its ending, and what it is made from: these classes of a module
    (None: all), and of its constants and types of words all or none.
    """

    path: str
    module: ModuleType
    classes: tuple[type, ...] | None = None
    words: bool = True
    readers: bool = True

    @property
    def told(self) -> tuple[type, ...]:
        if self.classes is not None:
            return self.classes
        return tuple(
            value
            for value in vars(self.module).values()
            if dataclasses.is_dataclass(value) and isinstance(value, type)
            if value.__module__ == self.module.__name__
        )

    @property
    def source(self) -> str:
        return self.module.__name__.replace(".", "/") + ".py"


FILES = (
    File("model/place", errors, (errors.Place,), words=False),
    File("model/blocks", matrix_blocks, (matrix_blocks.Blocks,), words=False),
    File("model/arrays", arrays),
    File("model/memory", memory),
    File("model/collectives", collectives, words=False),
    File("model/nodes", nodes),
    File("model/run", run),
    File("model/lines", lines),
    File("model/trace", trace),
    File("model/watches", watches),
    File("model/training", training),
    File("model/update", run_control, words=False),
    File("drawing", drawing),
    File("requests", requests, readers=False),
    File("answers", answers),
    File("heap", heap),
    File("inspection", inspection),
    File("events", events),
    File("lanes", lanes),
    File("ranks", ranks),
    File("saving", saving),
    File("why", why),
    File("filed", trace_contents),
)


def files() -> dict[Path, str]:
    """Each file with its text."""
    texts = {
        **{f"{file.path}.ts": _text(file) for file in FILES},
        "model/index.ts": _index(),
        "messages.ts": _messages(),
        "commands.ts": typescript_commands.commands_ts(),
    }
    return {
        **{FOLDER / name: text for name, text in texts.items()},
        ROOT / "extension" / "schema" / "panel.json": typescript_commands.schema(),
        ROOT / "notebooks" / "commands.md": typescript_commands.page(),
    }


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


def _named(module: ModuleType) -> Iterator[tuple[str, object]]:
    """The objects that the module itself names, with their names."""
    for statement in ast.parse(inspect.getsource(module)).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if not name.startswith("_"):
                yield name, getattr(module, name)
            case _:
                pass


def _words(module: ModuleType) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """Named types of words: with the words, or None where others may come."""
    for name, value in _named(module):
        if get_origin(value) is Literal:
            yield name, get_args(value)
        elif value is str:
            yield name, None


def _constants(module: ModuleType) -> Iterator[str]:
    """Numbers, words and lists of words that the module gives a name in capitals."""
    comments = marked(inspect.getsource(module).splitlines(), "")
    for name, value in _named(module):
        text = comments.get(name, "")
        if not name.isupper():
            continue
        if isinstance(value, int):
            yield f"{comment(text)}export const {name} = {value};\n"
        elif isinstance(value, str):
            yield f"{comment(text)}export const {name} = {quoted(value)};\n"
        elif isinstance(value, tuple):
            words = cast("tuple[object, ...]", value)
            if all(isinstance(word, str) for word in words):
                yield _list(name, cast("tuple[str, ...]", words), text)


def _types_of_words(module: ModuleType, *, readers: bool) -> Iterator[str]:
    open_words = marked_behind(module)
    for name, words in _words(module):
        if words is None:
            yield comment(open_words.get(name, "")) + f"export type {name} = string;\n"
            continue
        plural = _plural(name)
        reader = f"export const read{name} = oneOf({plural});\n" if readers else ""
        yield (f"{_list(plural, words)}export type {name} = (typeof {plural})[number];\n{reader}")


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
            found |= words.intersection(re.findall(r"\w+", line))
    return found


# --- files ------------------------------------------------------------------------------------------

#: The exports of `check.ts`.
_CHECKS: set[str] = {
    *("array", "boolean", "float", "integer", "nullable", "oneOf", "optional", "pair"),
    *("record", "string", "word"),
}


def _text(file: File) -> str:
    classes = file.told
    parts: list[str] = []
    if file.words:
        parts += [*_constants(file.module), *_types_of_words(file.module, readers=file.readers)]
    parts += map(_interface, classes)
    if file.readers:
        parts += map(_reader, _in_order(classes))
    body = "\n".join(parts)
    about = "" if len(classes) == 1 else comment(file.module.__doc__ or "")
    return _file(file.source, about, _imports_of(file, body), body)


def _file(source: str, about: str, imports: str, body: str) -> str:
    return "\n".join([_HEAD.format(sources=source) + about + imports, body])


def _imports_of(file: File, body: str) -> str:
    """The names that the body uses from the files before this one."""
    text = _imports(_used(body, _CHECKS) if file.readers else set(), _way(file.path, "check"))
    text += _imports(_used(body, {"Reader"}), _way(file.path, "check"), "import type")
    for other in FILES:
        if other is file:
            break
        types = {cls.__name__ for cls in other.told}
        closed: set[str] = set()
        if other.words:
            types |= {name for name, _ in _words(other.module)}
            closed = {name for name, words in _words(other.module) if words is not None}
        values: set[str] = set()
        if other.readers:
            values = {f"read{name}" for name in (*map(_name, other.told), *closed)}
        where = _way(file.path, other.path)
        text += _imports(_used(body, values), where)
        text += _imports(_used(body, types), where, "import type")
    return text


def _name(cls: type) -> str:
    return cls.__name__


def _way(path: str, other: str) -> str:
    """From one file to another, as it is imported."""
    folder = path.rpartition("/")[0]
    if folder and other.startswith(f"{folder}/"):
        return f"./{other.removeprefix(f'{folder}/')}"
    return f"../{other}" if folder else f"./{other}"


def _index() -> str:
    lines = (f"export * from '{_way('model/index', f.path)}';\n" for f in FILES if "/" in f.path)
    return _file("vizgrad/debugger/model", comment(model.__doc__ or ""), "", "".join(sorted(lines)))


def _messages() -> str:
    parts = [*_constants(channel)]
    parts.append(_union("Request", REQUESTS, "What the browser may ask."))
    parts.append(_union("Message", TOLD, "What the kernel may say: answers and events."))
    parts += [_answers(), _events()]
    rows = ",\n".join(f"  {message_type(cls)}: read{cls.__name__}" for cls in TOLD)
    table = "{ [T in Message['type']]: Reader<Extract<Message, { type: T }>> }"
    parts.append(f"export const MESSAGE_READERS: {table} = {{\n{rows}\n}};\n")
    body = "\n".join(parts)
    imports = _imports_of(File("messages", protocol), body)
    return _file(
        "vizgrad/debugger/jupyter/widget/protocol", comment(protocol.__doc__ or ""), imports, body
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


if __name__ == "__main__":
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text, "utf-8")
