"""Operators of the language, indexing, and writing with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.fuzz.draw import Draw
from tests.fuzz.values import Code, Given

BINARY = (
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "**",
    "@",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&",
    "|",
    "^",
    "<<",
    ">>",
)
TEMPLATES: list[tuple[str, str, str, str]] = []
for _sign in BINARY:
    _name = f"operator {_sign}"
    _kind = {"@": "t(rank=(1,3))", "&": "t('whole')", "|": "t('whole')", "^": "t('whole')", "<<": "t('int')",
             ">>": "t('int')"}.get(_sign, "t()")  # fmt: skip
    _other = {
        "@": "turned",
        "<<": "operand('int',low=0,high=4)",
        ">>": "operand('int',low=0,high=4)",
    }.get(_sign, "operand('whole')" if _sign in "&|^" else "operand()")
    TEMPLATES.append((_name, "operator", f"{{}} {_sign} {{}}", f"a={_kind} b={_other}"))
    if _sign not in ("@", "<<", ">>"):
        _number = "integer(0,4)" if _sign in "&|^" else "number()"
        TEMPLATES.append((_name, "operator", f"{{}} {_sign} {{}}", f"a={_number} b={_kind}"))
    if _sign[-1] != "=" and _sign not in "<>@":
        TEMPLATES.append((_name, "augmented", f"{{}} {_sign}= {{}}", f"a={_kind} b={_other}"))
for _sign in ("-", "~", "+", "abs", "len", "bool", "float", "int", "complex", "list"):
    _call = f"{_sign}({{}})" if _sign.isalpha() else f"{_sign}{{}}"
    TEMPLATES.append((f"operator {_sign}x", "operator", _call, "a=t(rank=(0,2))"))
TEMPLATES += [
    ("operator x[i]", "operator", "{}[{}]", "a=t(rank=(0,4)) i=key"),
    ("operator x[i] = v", "statement", "{}[{}] = {}", "a=t(rank=(0,4)) i=key_once v=stored"),
    ("operator in", "operator", "{1} in {0}", "a=t('real') b=number()"),
]


def turned(d: Draw, so_far: dict[str, Any]) -> Given:
    from tests.fuzz.signatures.products import times

    return times(d, so_far)


def _entry(d: Draw, size: int, common: tuple[int, ...]) -> Any:
    kind = d.pick(("int", "int", "slice", "slice", "none", "list", "tensor", "mask"))
    if kind == "int" and size:
        return d.whole(-size, size - 1 + d.strange(0.3))
    if kind == "none":
        return None
    if kind == "list" and size:
        return [d.whole(-size, size - 1) for _ in range(common[-1] if common else 1)]
    if kind == "tensor" and size:
        shape = d.pick((common, common, ()))
        values = tuple(d.whole(-size, size - 1) for _ in range(9))
        return Given(shape, d.dtype("index") if not d.strange(0.3) else d.dtype(), values)
    if kind == "mask" and size:
        return "mask"
    ends = [d.pick((None, None, d.whole(-size - 1, size + 1))) for _ in range(2)]
    step = d.pick((None, None, 1, 2, 3))
    return Code(f"slice({ends[0]}, {ends[1]}, {step})")


def key(d: Draw, so_far: dict[str, Any], once: bool = False) -> Any:
    shape = so_far["a"].shape
    common = (d.pick((1, 2, 3)),) if d.chance(0.7) else (2, d.pick((1, 2)))
    found: list[Any] = []
    at, masked, ellipsis = 0, False, False
    while at < len(shape) and not d.chance(0.2):
        if not ellipsis and d.chance(0.12):
            ellipsis = True
            found.append(Code("..."))
            break
        entry = _entry(d, shape[at], common)
        if entry is None:
            found.append(None)
            continue
        if isinstance(entry, str):
            if masked:
                continue
            masked = True
            reach = d.whole(1, len(shape) - at)
            entry = d.tensor(shape[at : at + reach], "bool" if d.chance(0.8) else "uint8", 0, 1)
            at += reach - 1
        found.append(entry)
        at += 1
    if masked:  # the shapes of a mask's places and of index tensors meet by chance alone
        found = [e for e in found if not isinstance(e, list) and not _index(e)]
    if d.strange(0.2):
        found += [0] * (len(shape) + 1)
    so_far["#key"] = tuple(found)
    if len(found) == 1 and d.chance(0.5):
        return found[0]
    return tuple(found)


def _index(entry: Any) -> bool:
    return isinstance(entry, Given) and entry.dtype not in ("bool", "uint8")


def key_once(d: Draw, so_far: dict[str, Any]) -> Any:
    """A key that names no place twice: else which value stays is not said."""
    for _ in range(8):
        found = key(d, so_far)
        entries = found if isinstance(found, tuple) else (found,)
        if not any(isinstance(e, (list, Given)) and not _once(e) for e in entries):
            return found
    return Code("...")


def _once(entry: Any) -> bool:
    return isinstance(entry, Given) and (entry.dtype in ("bool", "uint8") or not entry.shape)


def stored(d: Draw, so_far: dict[str, Any]) -> Any:
    """A number, or a tensor that fits what the key names."""
    x = so_far["a"]
    if d.chance(0.4):
        return d.number(x.dtype)
    try:
        shape = _shape(x, so_far["#key"])
    except Exception:  # noqa: BLE001  a key that is refused anyway
        shape = ()
    return d.tensor(d.pick((shape, shape, shape[1:], ())), x.dtype if d.chance(0.8) else d.dtype())


def _shape(x: Given, entries: tuple[Any, ...]) -> tuple[int, ...]:
    import torch

    from tests.fuzz.observe import run

    lines, names = [], []
    for k, entry in enumerate(entries):
        lines.append(f"k{k} = {entry.source() if isinstance(entry, Given) else repr(entry)}")
        names.append(f"k{k}")
    lines.append(f"found = torch.zeros({x.shape})[{', '.join([*names, ''])}]")
    return tuple(run(torch, lines)["found"].shape)


__all__ = ["TEMPLATES", "np"]
