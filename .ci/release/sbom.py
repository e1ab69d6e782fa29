"""A bill of materials (CycloneDX 1.6, JSON) of a wheel: itself, what is bundled in it, what it requires.

Bundled packages are read from the heads of `THIRD_PARTY.md` in the wheel, which the front end's build keeps
true. Required ones are stated as the wheel states them, with the version that is installed here beside. The
bill of one wheel is the same each time: it has no random number, and the date of the wheel's files.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from datetime import UTC, datetime
from email import message_from_bytes
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model import HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from packaging.requirements import Requirement

HEAD = re.compile(r"^## (?P<name>\S+) (?P<version>\S+), (?P<license>.+)$", re.MULTILINE)


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def write(wheel: Path, path: Path, license_: str) -> Path:
    """Writes the bill to `path`. Raises SystemExit where it is not valid or nothing is bundled."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = message_from_bytes(
            archive.read(next(n for n in names if n.endswith("/METADATA")))
        )
        bundled = archive.read(next(n for n in names if n.endswith("THIRD_PARTY.md"))).decode()
        date = datetime(*archive.infolist()[0].date_time, tzinfo=UTC)
    licenses = LicenseFactory()
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    root = Component(
        name="vizgrad", version=metadata["Version"], type=ComponentType.LIBRARY, bom_ref="vizgrad",
        purl=PackageURL("pypi", None, "vizgrad", metadata["Version"]),
        licenses=[licenses.make_from_string(license_)],
        hashes=[HashType.from_hashlib_alg("sha256", digest)],
    )  # fmt: skip
    bom = Bom(serial_number=uuid5(NAMESPACE_URL, digest))
    bom.metadata.timestamp = date
    bom.metadata.component = root
    parts = []
    for found in HEAD.finditer(bundled):
        purl = PackageURL("npm", None, found["name"], found["version"])
        parts.append(Component(
            name=found["name"], version=found["version"], type=ComponentType.LIBRARY, purl=purl,
            bom_ref=purl.to_string(), scope=ComponentScope.REQUIRED,
            licenses=[licenses.make_from_string(found["license"])], description="bundled in the front end",
        ))  # fmt: skip
    if not parts:
        raise SystemExit("THIRD_PARTY.md names no package")
    for line in metadata.get_all("Requires-Dist", ()):
        needed = Requirement(line)
        if needed.marker is not None:
            continue  # of an extra
        purl = PackageURL("pypi", None, needed.name.lower().replace("_", "-"))
        parts.append(Component(
            name=needed.name, version=installed(needed.name), type=ComponentType.LIBRARY, purl=purl,
            bom_ref=purl.to_string(), scope=ComponentScope.REQUIRED,
            description=f"required: {needed.name}{needed.specifier}",
        ))  # fmt: skip
    bom.components.update(parts)
    bom.register_dependency(root, parts)
    text = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=2)
    if wrong := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise SystemExit(f"the bill of materials is not valid: {wrong}")
    path.write_text(text + "\n")
    return path
