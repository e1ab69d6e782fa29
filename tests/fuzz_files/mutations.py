"""Changes to files: blind ones, and such as know where a format can be lied in."""

from __future__ import annotations

import contextlib
import io
import pickletools
import random
import re
import struct
import zipfile

#: What a file may be given that is much larger than it looks, deeper, or what no one expects.
_NUMBERS = (
    0,
    1,
    -1,
    2,
    7,
    127,
    128,
    255,
    2**15,
    2**16,
    2**31 - 1,
    2**31,
    2**32,
    2**40,
    2**62,
    2**63 - 1,
)
_METHODS = (*3 * (zipfile.ZIP_STORED,), *3 * (zipfile.ZIP_DEFLATED,), zipfile.ZIP_BZIP2)
_SNIPPETS = (
    b"]", b"}", b")", b"(", b"\x8f", b"N", b"\x88", b"0", b"1", b"2", b"a", b"e", b"s", b"u", b"b",
    b"R", b"t", b"l", b"d", b"\x81", b"\x85", b"\x86", b"\x87", b"\x90", b"\x91", b"\x93", b"\x94",
    b"Q", b".", b"h\0", b"h\5", b"K\1", b"J\xff\xff\xff\x7f", b"J\0\0\0\x80", b"M\xff\xff",
    b"G\x7f\xf0\0\0\0\0\0\0", b"I01\n", b"L9" + b"9" * 50 + b"L\n",
    b"\x8a\x08" + b"\xff" * 7 + b"\x7f", b"\x8a\x09" + b"\0" * 8 + b"\1", b"X\1\0\0\0a",
    b"X\xff\xff\xff\x7fa", b"\x8c\4size", b"\x8d\0\0\0\0\0\0\0\x40a", b"\x8e\0\0\0\0\0\0\0\x40a",
    b"q\xff", b"r\xff\xff\xff\x7f", b"j\xff\xff\xff\x7f", b"p99999\n",
    b"cbuiltins\nbytearray\nJ\0\0\0\x7f\x85R", b"cbuiltins\nset\n]\x85R",
    b"ccollections\nCounter\nJ\xff\xff\xff\x7f\x85R", b"ccollections\nOrderedDict\n)R",
    b"ccollections\nOrderedDict\n]\x85R", b"ctorch\nSize\nJ\xff\xff\xff\x7f\x85R",
    b"ctorch\ndevice\nX\4\0\0\0cuda\x85R", b"c_codecs\nencode\nX\1\0\0\0aX\3\0\0\0zip\x86R",
    b"ctorch\nTensor\n", b"ctorch\nFloatStorage\n", b"ctorch\nBFloat16Storage\n",
    b"ctorch._utils\n_rebuild_tensor_v2\n", b"cbuiltins\ncomplex\n",
    b"ctorch._utils\n_rebuild_parameter_with_state\n", b"}X\4\0\0\0sizec_codecs\nencode\nsb",
    b"}X\7\0\0\0_notes_K\1sb", b"}" + b")" + b"\x85" * 2000 + b"K\1s",
    b"}" + b")2\x86" * 24 + b"K\1s", b")" + b"2\x86" * 24, b"]q\1h\1a", b")" + b"\x85" * 3000,
    b"((((((", b"}" + b"]" * 400 + b"a" * 399,
)  # fmt: skip


def blind(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """Bytes changed, cut, doubled, left out, or taken from another file."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        size = len(out)
        if size < 2:
            break
        at = rng.randrange(size)
        length = min(rng.choice((1, 2, 4, 8, 64, 500)), size - at)
        match rng.randrange(7):
            case 0:
                out[at] ^= 1 << rng.randrange(8)
            case 1:
                out[at] = rng.randrange(256)
            case 2:
                del out[rng.randrange(size) :]
            case 3:
                del out[at : at + length]
            case 4:
                out[at:at] = out[at : at + length] * rng.choice((1, 2, 50))
            case 5:
                other = rng.choice(others)
                start = rng.randrange(len(other))
                out[at : at + length] = other[start : start + rng.choice((1, 8, 64, 500))]
            case _:
                number = rng.choice(_NUMBERS)
                form = rng.choice(("<q", "<i", "<H", ">q", ">i"))
                bits = 8 * struct.calcsize(form)
                raw = (number & (2**bits - 1)).to_bytes(
                    bits // 8, "little" if form[0] == "<" else "big"
                )
                out[at : at + len(raw)] = raw
    return bytes(out)


def pickle_edit(rng: random.Random, data: bytes) -> bytes:
    """Instructions of a pickle left out, doubled, exchanged, put in or given another argument."""
    steps: list[bytes] = []
    with contextlib.suppress(Exception):
        places = [place for _, _, place in pickletools.genops(data) if place is not None]
        ends = [*places[1:], places[-1] + 1]
        steps = [data[a:b] for a, b in zip(places, ends, strict=True)]
    if not steps:
        return data
    end = sum(map(len, steps))
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at = rng.randrange(len(steps))
        match rng.randrange(6):
            case 0:
                steps.pop(at)
            case 1:
                steps.insert(at, rng.choice(steps))
            case 2:
                other = rng.randrange(len(steps))
                steps[at], steps[other] = steps[other], steps[at]
            case 3 | 4:
                steps.insert(at, rng.choice(_SNIPPETS))
            case _:
                step = steps[at]
                if step[:1] in (b"K", b"M", b"J"):
                    steps[at] = b"J" + (rng.choice(_NUMBERS) & 0xFFFFFFFF).to_bytes(4, "little")
                elif step[:1] == b"c":
                    steps[at] = rng.choice([s for s in _SNIPPETS if s[:1] == b"c"])
                elif step[:1] == b"X":
                    steps[at] = rng.choice([s for s in steps if s[:1] == b"X"])
                else:
                    steps[at] = rng.choice(steps)
        if not steps:
            steps = [b"."]
    return b"".join(steps) + data[end:]


def of_pickles(rng: random.Random, data: bytes) -> bytes:
    """A file of some pickles after another: an edit in one of them, and memory of other lengths."""
    starts = [0]
    with contextlib.suppress(Exception):
        file = io.BytesIO(data)
        for _ in range(5):
            for _ in pickletools.genops(file):
                pass
            starts.append(file.tell())
    if rng.random() < 0.2 and len(starts) > 5:
        at = starts[5] + 8 * rng.randrange(3)
        return data[:at] + struct.pack("<q", rng.choice(_NUMBERS)) + data[at + 8 :]
    number = rng.choice((3, 3, 3, 3, 0, 1, 2, 4))
    if number + 1 >= len(starts):
        return data
    a, b = starts[number], starts[number + 1]
    return data[:a] + pickle_edit(rng, data[a:b]) + data[b:]


def zipped(records: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as out:
        for name, content in records.items():
            out.writestr(name, content)
    return file.getvalue()


def of_zip(rng: random.Random, data: bytes) -> bytes:
    """A record changed and the archive made whole around it, or lies in the headers of records."""
    if rng.random() < 0.7:
        with zipfile.ZipFile(io.BytesIO(data)) as old:
            records = {name: old.read(name) for name in old.namelist()}
        name = rng.choice(list(records))
        if any(n.endswith("data.pkl") for n in records) and rng.random() < 0.8:
            name = next(n for n in records if n.endswith("data.pkl"))
            records[name] = pickle_edit(rng, records[name])
        elif name.endswith(".npy") and rng.random() < 0.7:
            records[name] = of_npy(rng, records[name])
        elif rng.random() < 0.3:
            records[name] = bytes(rng.choice((0, 1, 1000, 3_000_000)))
        else:
            records[name] = blind(rng, records[name] or b"ab", [data])
        return zipped(records, rng.choice(_METHODS))
    out = bytearray(data)
    mark, fields = rng.choice((
        (b"PK\1\2", ((8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (32, 2), (42, 4))),
        (b"PK\1\2", ((10, 2), (20, 4), (24, 4), (42, 4))),
        (b"PK\3\4", ((6, 2), (8, 2), (18, 4), (22, 4), (26, 2), (28, 2))),
        (b"PK\5\6", ((8, 2), (10, 2), (12, 4), (16, 4), (20, 2))),
    ))  # fmt: skip
    places = [found.start() for found in re.finditer(re.escape(mark), data)]
    for _ in range(rng.choice((1, 2, 4))):
        offset, width = rng.choice(fields)
        at = rng.choice(places) + offset
        other = rng.choice(places) + offset  # of another record: two that are the same memory
        lie = (rng.choice(_NUMBERS) & (2 ** (8 * width) - 1)).to_bytes(width, "little")
        out[at : at + width] = rng.choice((lie, data[other : other + width]))
    return bytes(out)


def of_npy(rng: random.Random, data: bytes) -> bytes:
    length = int.from_bytes(data[8:10], "little")
    return (
        data[:10]
        + of_text(rng, data[10 : 10 + length])[:length].ljust(length)
        + data[10 + length :]
    )


#: What stands in for a word of a text.
_WORDS = (
    b"null", b"true", b'"nan"', b"[]", b"{}", b"1e400", b"[" * 3000, b'{"a":' * 500, b"-" * 40 + b"1",
    b"9" * 5000, b'"\\ud800"', b"'O'", b"'<f8'", b"'S9'", b'"F64"', b'"BF16"', b'"BOOL"', b"[0," * 100,
    b"", b"[0,1]", b"[1,1,1]", b"(2,)", b"(1,) * 9",
)  # fmt: skip


def of_text(rng: random.Random, text: bytes) -> bytes:
    """A number, a string or a bracket of a text exchanged."""
    form = rb"-?\d+|[\"'][^\"']*[\"']" + (rb"|[\[\]{}():,]" if rng.random() < 0.15 else b"")
    words = list(re.finditer(form, text))
    for found in rng.sample(words, min(len(words), rng.choice((1, 1, 2, 3)))):
        old = found.group()
        if rng.random() < 0.3:
            new = rng.choice(_WORDS)
        elif old[:1] in b"-0123456789":
            new = str(rng.choice(_NUMBERS)).encode()
        else:  # another of its kind
            new = rng.choice(
                [w.group() for w in words if (w.group()[:1] in b"\"'") == (old[:1] in b"\"'")]
            )
        a, b = found.span()
        if len(text) >= b:
            text = text[:a] + new + text[b:]
    return text


def of_safetensors(rng: random.Random, data: bytes) -> bytes:
    length = int.from_bytes(data[:8], "little")
    header = of_text(rng, data[8 : 8 + length])
    said = len(header) if rng.random() < 0.9 else rng.choice(_NUMBERS) & (2**64 - 1)
    return struct.pack("<Q", said) + header + data[8 + length :]


def of_trace(rng: random.Random, data: bytes) -> bytes:
    """A word of one of the texts exchanged, an array or a header."""
    if rng.random() < 0.3:
        return of_zip(rng, data)
    names = rng.choice(
        (("trace.json",), ("manifest.json",), ("arrays.json",), ("manifest.json", "trace.json"))
    )
    return zipped(_exchanged(rng, data, names), rng.choice(_METHODS))


def of_page(rng: random.Random, data: bytes) -> bytes:
    """As `of_trace`, of what a page reads: it knows drawings."""
    if rng.random() < 0.1:
        return of_zip(rng, data)
    names = rng.choice(
        (("trace.json",), ("view.json",), ("manifest.json",), ("trace.json", "view.json"))
    )
    return zipped(_exchanged(rng, data, names), rng.choice(_METHODS))


def _exchanged(rng: random.Random, data: bytes, names: tuple[str, ...]) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        records = {name: old.read(name) for name in old.namelist()}
    for name in names:
        if name in records:  # not all versions of a file have all
            records[name] = of_text(rng, records[name])
    return records


def of_json(rng: random.Random, data: bytes) -> bytes:
    return of_text(rng, data)
