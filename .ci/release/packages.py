"""packages.py FOLDER: sdist and wheel of the last commit, built twice and compared.

Each build is made in a clone of its own, in a folder with a name of its own: neither what lies about in the
working tree nor where it lies gets into a package. Dates are that of the commit. The front end is built in
both; only its tools (node_modules) are those of the working tree, whose versions `yarn.lock` fixes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*command: str, folder: Path, **environment: str) -> str:
    """What it prints. Raises SystemExit with all that it said where it fails."""
    done = subprocess.run(
        command, cwd=folder, env=os.environ | environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{done.stdout}\n{' '.join(command)}: exit status {done.returncode}")
    return done.stdout


def link(source: str, target: str) -> None:
    """A hard link, or a copy where there are none (another disk)."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def build(clone: Path) -> dict[str, Path]:
    """The packages by their names."""
    run("git", "clone", "--quiet", str(ROOT), str(clone), folder=ROOT)
    date = run("git", "log", "-1", "--format=%ct", folder=clone).strip()
    modules = ROOT / "extension" / "node_modules"
    shutil.copytree(modules, clone / "extension/node_modules", symlinks=True, copy_function=link)
    run("jlpm", "build:prod", folder=clone / "extension", SOURCE_DATE_EPOCH=date)
    run(
        sys.executable, "-m", "build", "--no-isolation", "--outdir", "dist", ".", folder=clone,
        SOURCE_DATE_EPOCH=date, HATCH_JUPYTER_BUILDER_SKIP_NPM="1",
    )  # fmt: skip
    return {made.name: made for made in sorted((clone / "dist").iterdir())}


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def main(folder: Path) -> None:
    if changed := run("git", "status", "--porcelain", folder=ROOT).strip():
        print(f"Not in the packages, as it is not committed:\n{changed}")
    with tempfile.TemporaryDirectory(prefix="vizgrad-release-") as parent:
        first = build(Path(parent, "one"))
        second = build(Path(parent, "another-folder", "two"))
        if [*first] != [*second]:
            raise SystemExit(f"Two builds made {[*first]} and {[*second]}")
        folder.mkdir(parents=True, exist_ok=True)
        for old in filter(Path.is_file, [*folder.iterdir()]):
            old.unlink()
        for name, made in first.items():
            if digest(made) != digest(second[name]):
                kept = [shutil.copy2(made, folder / f"one-{name}")]
                kept += [shutil.copy2(second[name], folder / f"two-{name}")]
                raise SystemExit(
                    f"Two builds of one commit differ: compare {kept[0]} and {kept[1]}"
                )
            shutil.copy2(made, folder / name)
    sums = "".join(f"{digest(folder / name)}  {name}\n" for name in first)
    (folder / "SHA256SUMS").write_text(sums)
    print(f"Built twice, the same:\n{sums}", end="")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
