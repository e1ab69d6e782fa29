"""The place of the files that were built for the browser."""

from __future__ import annotations

from pathlib import Path

#: `widget.js`, the live view; `trace.js`, the code of an exported page.
STATIC = Path(__file__).parent / "static"
