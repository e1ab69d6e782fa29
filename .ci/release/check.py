"""check.py FOLDER: what is in the packages of that folder, and whether it may be published.

Names and long descriptions (twine), what must and must not be inside, one version everywhere, licenses of all
that is bundled, an SBOM (CycloneDX) and conda's recipe beside them, and what has changed of the public names
since the last tag.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

from packages import ROOT, digest, run
from sbom import write

#: In every wheel; "*" stands for what is named by a hash.
INSIDE = (
    "vizgrad/py.typed",
    "vizgrad/__init__.pyi",
    "vizgrad/debugger/jupyter/widget/static/widget.js",
    "vizgrad/debugger/jupyter/widget/static/trace.js",
    "vizgrad/debugger/notebooks/00_tour.ipynb",
    "vizgrad/debugger/notebooks/data/digits.npz",
    "pytest_vizgrad.py",
    ".dist-info/licenses/LICENSE",
    ".dist-info/licenses/extension/THIRD_PARTY.md",
    ".data/data/share/jupyter/labextensions/vizgrad/package.json",
    ".data/data/share/jupyter/labextensions/vizgrad/install.json",
    ".data/data/etc/jupyter/jupyter_server_config.d/vizgrad.json",
)
#: An sdist builds a wheel without node: the built front end is in it.
SOURCES = (
    "pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "tests/conftest.py", "extension/yarn.lock",
    "extension/THIRD_PARTY.md", "vizgrad/labextension/package.json", "vizgrad/version.py",
    "vizgrad/debugger/jupyter/widget/static/widget.js",
)  # fmt: skip
OUTSIDE = re.compile(
    r"(^|/)(node_modules|__pycache__|\.venv|\.git|\.ci|\.pytest_cache|lib/view)(/|$)"
)
#: Neither of these says where it was built. 5 MB is twice what a wheel has.
LARGEST = 5 << 20


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def check_wheel(wheel: Path, version: str) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        if missing := [name for name in INSIDE if not any(each.endswith(name) for each in names)]:
            raise SystemExit(f"{wheel.name} lacks {missing}")
        if wrong := [
            n for n in names if OUTSIDE.search(n) or n.startswith(("tests/", "extension/"))
        ]:
            raise SystemExit(f"{wheel.name} holds {wrong[:5]}")
        for name in names:
            if name.endswith((".js", ".json", ".py")) and str(ROOT).encode() in archive.read(name):
                raise SystemExit(f"{name} in {wheel.name} names the folder that it was built in")
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        stated = message_from_bytes(archive.read(metadata))
        (package,) = (name for name in names if name.endswith("labextensions/vizgrad/package.json"))
        versions = {stated["Version"], json.loads(archive.read(package))["version"], version}
        if len(versions) != 1:
            raise SystemExit(f"versions differ: {versions}")
    if wheel.stat().st_size > LARGEST:
        raise SystemExit(f"{wheel.name} has {wheel.stat().st_size >> 10} kB")
    print(f"{wheel.name}: {len(names)} files, {wheel.stat().st_size >> 10} kB, version {version}")


def check_sdist(sdist: Path, version: str) -> None:
    with tarfile.open(sdist) as archive:
        names = [member.name.removeprefix(f"vizgrad-{version}/") for member in archive]
    if missing := [name for name in SOURCES if name not in names]:
        raise SystemExit(f"{sdist.name} lacks {missing}")
    if wrong := [name for name in names if OUTSIDE.search(name)]:
        raise SystemExit(f"{sdist.name} holds {wrong[:5]}")
    print(f"{sdist.name}: {len(names)} files, {sdist.stat().st_size >> 10} kB")


def check_names(version: str) -> None:
    """Public names that went or changed since the last tag: printed before 1.0, refused from then on."""
    described = subprocess.run(
        ("git", "describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^"), cwd=ROOT,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if described.returncode:
        print("griffe check: there is no earlier tag to compare with")
        return
    tag = described.stdout.strip()
    compared = subprocess.run(
        ("griffe", "check", "vizgrad", "--against", tag, "--verbose"), cwd=ROOT,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    print(f"griffe check against {tag}:\n{compared.stdout}{compared.stderr}")
    if compared.returncode and not version.startswith("0."):
        raise SystemExit("a name of the public API went or changed")


def main(folder: Path) -> None:
    wheel, sdist = only(folder, "*.whl"), only(folder, "*.tar.gz")
    version = wheel.name.split("-")[1]
    check_wheel(wheel, version)
    check_sdist(sdist, version)
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    if cited is None or cited[1] != version:
        raise SystemExit(f"CITATION.cff does not say version {version}")
    print(run("twine", "check", "--strict", str(wheel), str(sdist), folder=folder).strip())
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    bill = write(wheel, folder / f"vizgrad-{version}.cdx.json", pyproject["project"]["license"])
    print(f"{bill.name}: a valid CycloneDX bill of materials")
    recipe = (ROOT / ".ci" / "conda" / "recipe.yaml").read_text()
    (folder / "recipe.yaml").write_text(recipe.replace("SHA256 OF THE SDIST", digest(sdist)))
    check_names(version)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
