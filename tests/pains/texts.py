"""What is said of the programs here, to be read aloud: ``python -m tests.pains.texts`` writes the table."""

from __future__ import annotations

import re
from pathlib import Path

from tests.pains import programs
from tests.pains.corpus import PAINS, said_of

PAGE = Path(__file__).parents[2] / "notebooks/design/0043-texts.md"


def table() -> str:
    """One row a program, by kind."""
    rows = []
    for pain in sorted(PAINS, key=lambda each: (each.kind, each.__name__)):
        said = said_of(pain.run)
        fits = [each for each in said if each.kind in pain.kind.split("|")]
        if fits:
            story = re.sub(r"/\S*/tests/", "tests/", " ".join(fits[0].story.split()))
            cells = (fits[0].kind, pain.__name__.replace("_", " "), story, fits[0].fix)
            rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    head = "| kind | program | what is said | fix |\n|---|---|---|---|\n"
    return "# What is said of each program of tests/pains\n\n" + head + "\n".join(rows) + "\n"


if __name__ == "__main__":
    assert len(programs.ALL) > 1
    PAGE.write_text(table(), "utf-8")
