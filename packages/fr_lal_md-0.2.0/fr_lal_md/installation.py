"""Part of a pipeline's package, run when it is imported: is what the package needs
installed, and are its files whole?

scripts/build_package.py puts a copy into the package, beside the meta.json that says
what it needs. It is *not* part of spacy_lal, which may be what is missing, and needs
nothing but what spaCy itself needs."""

import json
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Dict, Optional

from packaging.requirements import Requirement


def check_requirements(meta: Dict[str, Any]) -> None:
    """See that the package's requirements are installed.

    meta (Dict[str, Any]): The package's meta.json.
    RAISES (ImportError): One is missing, or of another version.
    """
    package = f"{meta['lang']}_{meta['name']} {meta['version']}"
    for line in [f"spacy{meta['spacy_version']}", *meta["requirements"]]:
        requirement = Requirement(line)
        found: Optional[str] = None
        try:
            found = version(requirement.name)
        except PackageNotFoundError:
            pass
        if found is None or not requirement.specifier.contains(found, prereleases=True):
            state = "is not installed" if found is None else f"is {found}"
            raise ImportError(
                f"{package} needs {line}, but {requirement.name} {state} here: pip "
                f"install '{line}', or install the "
                f"version of {meta['lang']}_{meta['name']} that was made for what you "
                "have"
            )


def check_files(meta: Dict[str, Any], folder: Path) -> None:
    """See that the files are those that were packaged.

    meta (Dict[str, Any]): The package's meta.json; `checksums` has the SHA-256 of
        files.
    folder (Path): The pipeline's folder.
    RAISES (ImportError): A file is missing or another.
    """
    for name, expected in meta["checksums"].items():
        path = folder / name
        if path.is_file():
            digest, block = (
                sha256(),
                memoryview(bytearray(1 << 18)),
            )  # a file that is read at once takes new memory
            with path.open("rb", buffering=0) as file:
                while n_bytes := file.readinto(block):
                    digest.update(block[:n_bytes])
            found = digest.hexdigest()
            state = (
                f"has {path.stat().st_size:,} bytes with the SHA-256 {found[:12]}..., "
                f"not {expected[:12]}..."
            )
        else:
            found, state = "", "is missing"
        if found != expected:
            raise ImportError(
                f"{path} {state}: the package {folder.name} is damaged, install it "
                "again with pip install "
                "--force-reinstall"
            )


def check(package: Path) -> None:
    """Check an installed package.

    package (Path): Its folder, with meta.json and the pipeline's folder.
    RAISES (ImportError): It cannot work.
    """
    meta = json.loads((package / "meta.json").read_text(encoding="utf8"))
    check_requirements(meta)
    check_files(meta, package / f"{meta['lang']}_{meta['name']}-{meta['version']}")


if (
    Path(__file__).with_name("meta.json").is_file()
):  # in a package, not where this file comes from
    check(Path(__file__).parent)
