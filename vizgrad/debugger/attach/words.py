"""The answers of a running program, as text."""

from __future__ import annotations

from collections.abc import Sequence

from vizgrad.debugger.attach.messages import Status
from vizgrad.debugger.drawing.describe import count_text, number_text, plain, seconds_text


def status_line(status: Status) -> str:
    """``1234  train.py  running, 12 backwards, 12 steps in 3.2 s``."""
    counts = f"{count_text(status.backwards, 'backward')}, {count_text(status.steps, 'step')}"
    rank = f" ({plain(status.rank)})" if status.rank else ""
    return (
        f"{status.pid}  {plain(status.program)}{rank}  {status.state}, {counts} "
        f"in {seconds_text(status.seconds)}"
    )


def status_text(status: Status) -> str:
    """All that is known, line by line."""
    allows = "may be paused from here" if status.allows else "read-only"
    lines = [status_line(status), f"  watched: {status.level}; {allows}"]
    if status.here:
        lines.append(f"  now: {plain(status.here)}")
    if status.loss is not None:
        first = status.first_loss
        before = "" if first is None else f"{number_text(first)} → "
        lines.append(f"  loss: {before}{number_text(status.loss)}")
    if status.headline:
        lines.append(f"stopped {plain(status.headline)}")
    if status.explanation:
        lines.append(shown(status.explanation))
    if status.age is None:
        lines.append("  findings: not looked at yet; no backward or step has ended since you asked")
    elif not status.findings:
        lines.append(f"  findings: none{_ago(status.age)}")
    else:
        lines.append(f"{count_text(len(status.findings), 'finding')}{_ago(status.age)}:")
        lines += [f"{plain(each.heading)}: {shown(each.text)}" for each in status.findings]
    return "\n".join(lines)


def shown(text: str) -> str:
    """Lines of another process: what would move the cursor is written out."""
    return "\n".join(plain(line) for line in text.splitlines())


def _ago(seconds: float) -> str:
    return f", {seconds_text(seconds)} ago" if seconds >= 1 else ""


def runs_text(found: Sequence[Status]) -> str:
    """A line for each program."""
    return "\n".join(map(status_line, found)) or (
        "no program of yours runs under `python -m vizgrad` here"
    )
