"""fresh.py FOLDER: tries the wheel of that folder as someone would who has Python and nothing else.

In a new environment, with a PATH of that environment alone (no node, no make): the light core, how much of
the public API has known types (pyright runs from the environment around), then `vizgrad[notebook,lab]`, the
tour run from the folder of `vizgrad.demo()`, the tour as a page of nbconvert's, the labextension listed and
used in a real browser (browse.py), and an uninstallation that leaves nothing. `--picture FILE` keeps what the
browser showed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from browse import use

#: Packages of the light core, vizgrad among them, at most.
MOST = 12
#: Of 100 public names, those whose types are known. The output says how many there are today.
TYPED = 80.0

TOUR = """
import sys, nbformat, vizgrad
from nbclient import NotebookClient
shown = vizgrad.demo("course")
book = nbformat.read(shown.folder / "00_tour.ipynb", as_version=4)
for cell in book.cells:
    cell.source = cell.source.replace("FULL = True", "FULL = False")
place = {"metadata": {"path": str(shown.folder)}}
NotebookClient(book, timeout=300, kernel_name="python3", resources=place).execute()
nbformat.write(book, "tour.ipynb")
cells = [cell for cell in book.cells if cell.cell_type == "code"]
shown = [output for cell in cells for output in cell.outputs]
print(f"the tour ran: {len(cells)} cells, {len(shown)} outputs")
"""


class Environment:
    """A new environment in `folder`; commands see it alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.prefix = folder / "env"
        venv.create(self.prefix, with_pip=True)
        self.bin = self.prefix / ("Scripts" if os.name == "nt" else "bin")
        home = folder / "home"
        home.mkdir()
        kept = (
            "LANG",
            "SYSTEMROOT",
            "SSL_CERT_FILE",
            "PIP_CONFIG_FILE",
            "PIP_INDEX_URL",
            "PIP_CERT",
        )
        self.variables = {name: os.environ[name] for name in kept if name in os.environ}
        self.variables |= {"PATH": str(self.bin), "HOME": str(home), "JUPYTER_PLATFORM_DIRS": "1"}

    def run(self, *command: str, fails: bool = False) -> str:
        """Its output. SystemExit where it fails, or with `fails` where it does not."""
        done = subprocess.run(
            (str(self.bin / command[0]), *command[1:]), cwd=self.folder, env=self.variables,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False,
        )  # fmt: skip
        if bool(done.returncode) != fails:
            raise SystemExit(f"{done.stdout}\n{' '.join(command)[:200]}: status {done.returncode}")
        return done.stdout

    def install(self, what: str) -> None:
        self.run("python", "-m", "pip", "install", "-q", "--disable-pip-version-check", what)

    def packages(self) -> set[str]:
        listed = self.run(
            "python", "-m", "pip", "--disable-pip-version-check", "list", "--format=json"
        )
        listed = listed[listed.index("[") : listed.rindex("]") + 1]
        return {one["name"] for one in json.loads(listed)} - {"pip", "setuptools"}

    def files(self) -> set[str]:
        """All files that name vizgrad, in the environment and in the user's home."""
        roots = (self.prefix, self.folder / "home")
        return {str(p) for root in roots for p in root.rglob("*") if "vizgrad" in p.name.lower()}


def check_page(page: Path) -> None:
    """Each cell that shows something in the notebook shows it in the page; views are pictures there."""
    text = page.read_text("utf-8")
    drawn = text.count("<svg") + text.count("data:image/svg+xml")
    outputs = re.findall(r'<div class="[^"]*jp-OutputArea-output[^"]*"[^>]*>\s*(</div>)?', text)
    empty = [*filter(None, outputs)]
    if drawn < 4 or empty or not outputs or "Loading widget" in text:
        raise SystemExit(f"{page.name}: {drawn} pictures, {len(empty)} empty outputs")
    print(f"nbconvert --to html: {len(outputs)} outputs, {drawn} pictures, none empty")


def check_types(bin_: Path) -> None:
    """What `pyright --verifytypes` counts, of the installed package.

    pyright looks for the package where the first `python` of PATH does; with --verifytypes it does not heed
    --pythonpath.
    """
    path = f"{bin_}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        (sys.executable, "-m", "pyright", "--verifytypes", "vizgrad", "--ignoreexternal", "--outputjson"),
        cwd=bin_, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    answer = json.loads(done.stdout[done.stdout.index("{") :])
    told = answer["typeCompleteness"]
    counts = told["exportedSymbolCounts"]
    if not sum(counts.values()):
        raise SystemExit(f"pyright finds no package: {answer['generalDiagnostics']}")
    score = 100 * told["completenessScore"]
    print(f"pyright --verifytypes: {score:.1f} % of {sum(counts.values())} public names are typed")
    if score < TYPED:
        raise SystemExit(f"less than {TYPED} %")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dist", type=Path)
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args()
    dist = asked.dist.resolve()
    (wheel,) = dist.glob("*.whl")
    with tempfile.TemporaryDirectory(prefix="vizgrad-fresh-") as folder:
        new = Environment(Path(folder).resolve())
        new.install(str(wheel))
        light = new.packages()
        if len(light) > MOST:
            raise SystemExit(f"the light core brings {len(light)} packages: {sorted(light)}")
        said = new.run("python", "-m", "vizgrad").splitlines()[0]
        print(f"light core: {len(light)} packages, vizgrad among them; python -m vizgrad: {said}")
        check_types(new.bin)

        new.install(f"{wheel}[notebook,lab]")
        absent = [name for name in ("node", "npm", "make") if (new.bin / name).exists()]
        if absent:
            raise SystemExit(f"the environment is to have none of {absent}")
        print(new.run("python", "-c", TOUR).strip().splitlines()[-1])
        new.run("jupyter", "nbconvert", "--to", "html", "tour.ipynb")
        check_page(new.folder / "tour.html")
        listed = new.run("jupyter", "labextension", "list")
        line = next((line for line in listed.splitlines() if " vizgrad v" in line), "")
        if "enabled" not in line or "OK" not in line:
            raise SystemExit(f"{listed}\njupyter labextension list does not show vizgrad")
        print("jupyter labextension list:", re.sub(r"\x1b\[\d*m", "", line).strip())
        new.run("jupyter", "server", "extension", "list")
        seen = use(new.bin, new.variables, new.folder, asked.picture)
        print(f"JupyterLab in a browser: %%vizgrad debug, Step, side panel: {seen}")

        new.run("python", "-m", "pip", "uninstall", "-q", "-y", "vizgrad")
        new.run("python", "-c", "import vizgrad", fails=True)
        if left := new.files():
            raise SystemExit(f"after the uninstallation there is still {sorted(left)}")
        print("uninstalled: nothing is left")


if __name__ == "__main__":
    main()
