"""stage.py FOLDER: lays out what Sphinx reads, in FOLDER/source, from what the repository holds.

Pages keep their places (`notebooks/...`, `vizgrad/.../README.md`), so their links among each other hold;
those of `notebooks/site/` lie at the top. Notebooks are executed (see execute.py), the reference is
written from docstrings (see reference.py), and a link to what is no page is left as its words.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

from execute import execute
from reference import write_reference

ROOT = Path(__file__).parents[2]
#: Pages of the site alone, with its settings.
SITE = ROOT / "notebooks" / "site"
#: Pages with others below them, which the navigation shows there.
TREES = {
    "notebooks/design": "0*",
    "tests/rules": "0*",
    "vizgrad": "*/README\n*/*/README\n*/*/*/README",
}
#: A fenced block, a link or a picture, or code within a line: what comes first is read as that.
PART = re.compile(
    r"^ *```.*?^ *```|(?P<image>!?)\[(?P<words>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)|`[^`\n]+`",
    re.DOTALL | re.MULTILINE,
)


def pages() -> dict[Path, Path]:
    """By their places on the site, relative: the Markdown files that become pages."""
    found = {Path(path.name): path for path in SITE.glob("*.md")}
    found |= {
        Path(name): ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
    }
    folders = (ROOT / "notebooks", ROOT / "vizgrad", ROOT / "tests" / "rules")
    for folder in folders:
        for path in sorted(folder.rglob("*.md")):
            if "labextension" not in path.parts and path.parent != SITE:
                found[path.relative_to(ROOT)] = path
    return found


#: Where a rule says which program shows it: for those who read the tests, not the site.
PROGRAMS = re.compile(r"\s*\(`program:[^)]*\)|(?:[:;,]| see| as)? `program:\w+`")


class Links:
    """Rewrites links for where a file lies on the site."""

    def __init__(self, places: dict[Path, Path], source: Path) -> None:
        self._source = source
        self._place_of = {path.resolve(): place for place, path in places.items()}

    def __call__(self, text: str, path: Path, place: Path) -> str:
        """`text` of the file `path` that comes to `place`."""
        return PART.sub(lambda found: self._link(found, path, place), text)

    def _link(self, found: re.Match[str], path: Path, place: Path) -> str:
        image, words, target = found.groups()
        if target is None:
            return found[0]
        if "[" in words:
            words = self(words, path, place)
        file, _, anchor = target.partition("#")
        if "://" in target or not file or target.startswith("mailto:"):
            return f"{image}[{words}]({target})"
        wanted = (path.parent / file).resolve()
        to = self._place_of.get(wanted)
        if to is None and wanted.is_file() and wanted.suffix in {".svg", ".png", ".webp"}:
            to = wanted.relative_to(ROOT)
            copy = self._source / to
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(wanted, copy)
        if to is None:
            return words
        relative = Path(os.path.relpath(to, place.parent)).as_posix()
        return f"{image}[{words}]({relative}{f'#{anchor}' if anchor else ''})"


def stage(folder: Path, *, full: bool = False, again: bool = True) -> None:
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    places = pages()
    notebooks = {
        path.relative_to(ROOT): path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
    }
    links = Links(places | notebooks, source)
    for place, path in places.items():
        to = source / place
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(links(path.read_text("utf-8"), path, place), "utf-8")
    shutil.copy2(SITE / "conf.py", source / "conf.py")
    shutil.copytree(SITE / "static", source / "_static")
    traces = source / "_static" / "traces"
    traces.mkdir()
    for place, path in notebooks.items():
        made, sessions = execute(path, folder / "executed", full=full, again=again)
        text = made.read_text("utf-8")
        (source / place).write_text(text, "utf-8")
        for page in sessions:
            shutil.copyfile(page, traces / page.name)
    for tree, under in TREES.items():
        with (source / tree / "README.md").open("a", encoding="utf-8") as page:
            page.write(f"\n```{{toctree}}\n:hidden:\n:glob:\n\n{under}\n```\n")
    with (source / "pytorch.md").open("a", encoding="utf-8") as page:
        page.write(differences())
    write_reference(source / "reference")


def differences() -> str:
    """The rules in which vizgrad differs on purpose: from their tag on, or whole where it stands first."""
    sys.path.insert(0, str(ROOT))
    from tests.rules.text import all_rules

    lines = [""]
    for number, rule in all_rules().items():
        if "D" in rule.tags:
            words = rule.words if rule.words.startswith("[D]") else rule.words.replace("[V]", "")
            words = (
                re.sub(r"\s+", " ", words.replace("[D]", "**Here:**")).strip().rstrip("|").strip()
            )
            words = PROGRAMS.sub("", words)
            lines.append(f"- **{number}** {words.replace(' [V]', '').replace(' [C]', '')}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    words = sys.argv[2:]
    stage(Path(sys.argv[1]).resolve(), full="--full" in words, again="--as-run" not in words)
