"""PyTorch's flight records of several ranks as one: the first collective that not all have called alike.

A flight record is the ring buffer of the collectives that a process has called, a pickle of plain containers.
Nothing in it is run when it is read: a pickle that names a class or a function is refused.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vizgrad.debugger.ranks.wording import ranks_text

#: Bytes of a file that is read.
LARGEST = 1 << 28
#: Parts of the names of files of PyTorch and vizgrad, and of code that vizgrad makes.
_NOT_THE_USERS = ("/torch/", "/vizgrad/debugger/", "<vizgrad ")


class FlightRecordError(ValueError):
    """The file is no flight record."""


@dataclass(frozen=True, slots=True)
class Call:
    """A collective as a rank has called it: the number in its group, and in words what was called and where.
    `over`: it has ended.
    """

    number: int
    text: str
    place: str
    over: bool


#: By group, by number, the collectives of one rank. Those of older numbers are gone.
Record = Mapping[str, Mapping[int, Call]]


def read_record(path: Path) -> Record:
    """FlightRecordError for what is no flight record; OSError."""
    if path.stat().st_size > LARGEST:
        raise FlightRecordError(f"{path.name} is larger than {LARGEST:,} bytes")
    return record_of(path.read_bytes(), path.name)


def record_of(data: bytes, name: str = "the record") -> Record:
    try:
        entries: Any = _Plain(io.BytesIO(data)).load()["entries"]
        found: dict[str, dict[int, Call]] = {}
        for entry in entries:
            if not entry["is_p2p"]:
                group = ", ".join(filter(None, map(str, entry["process_group"])))
                call = _call(entry)
                found.setdefault(group, {})[call.number] = call
    except FlightRecordError:
        raise
    except Exception as error:  # noqa: BLE001  any error can come of damaged data
        raise FlightRecordError(f"{name} is no flight record of PyTorch ({error})") from None
    return found


def _call(entry: Mapping[str, Any]) -> Call:
    kinds = ", ".join(
        f"{kind} {list(map(int, size))}"
        for kind, size in zip(entry["input_dtypes"], entry["input_sizes"], strict=False)
    )
    return Call(
        int(entry["collective_seq_id"]),
        f"{entry['profiling_name']} of {kinds}" if kinds else str(entry["profiling_name"]),
        _place(entry.get("frames") or ()),
        bool(entry.get("retired")),
    )


def _place(frames: Sequence[Mapping[str, Any]]) -> str:
    """The innermost line that is not PyTorch's, nor vizgrad's."""
    for frame in frames:
        file = str(frame["filename"]).replace("\\", "/")
        if not any(part in file for part in _NOT_THE_USERS):
            return f"{Path(file).name}:{int(frame['line'])}"
    return ""


class _Plain(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        raise FlightRecordError(f"a flight record holds no {module_name}.{global_name}")


def compared(records: Mapping[int, Record]) -> Iterator[str]:
    """A line for each group where the ranks have not called the same collectives: the first such one, with
    who called what, and where the others stand.
    """
    for group in sorted({group for record in records.values() for group in record}):
        members = {rank: record[group] for rank, record in records.items() if record.get(group)}
        since = max(min(calls) for calls in members.values())
        until = max(max(calls) for calls in members.values())
        for number in range(since, until + 1):
            line = _differing(number, group, members)
            if line:
                yield line
                break


def _differing(number: int, group: str, members: Mapping[int, Mapping[int, Call]]) -> str:
    called: dict[str, list[int]] = {}
    missing: list[int] = []
    for rank, calls in members.items():
        call = calls.get(number)
        if call is None:
            missing.append(rank)
        else:
            called.setdefault(call.text, []).append(rank)
    if not missing and len(called) == 1:
        return ""
    said = [
        f"{ranks_text(ranks)} called {text}{_at(members[ranks[0]][number])}"
        for text, ranks in called.items()
    ]
    for rank in missing:
        last = members[rank][max(members[rank])]
        said.append(
            f"rank {rank} did not: its last is number {last.number}, {last.text}{_at(last)}"
        )
    return f"collective {number} of group {group}: {'; '.join(said)}"


def _at(call: Call) -> str:
    return f" ({call.place})" if call.place else ""
