"""Part of a pipeline's package. At its import: is what the package needs installed,
and are its files there? When asked, `import en_lal_md; en_lal_md.installation.check()`,
and where it cannot be loaded: are its files those that were packaged?

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
    RAISES (ImportError): A file is missing, or is another.
    """
    check_presence(meta, folder)
    for name, expected in meta["checksums"].items():
        path = folder / name
        data = path.read_bytes()
        found = sha256(data).hexdigest()
        if found != expected:
            raise ImportError(
                f"{path} has {len(data):,} bytes with the SHA-256 {found[:12]}..., "
                f"not {expected[:12]}...: {_way_out(folder)}"
            )


def check_presence(meta: Dict[str, Any], folder: Path) -> None:
    """See that each file that was packaged is there.

    meta (Dict[str, Any]): The package's meta.json.
    folder (Path): The pipeline's folder.
    RAISES (ImportError): A file is missing.
    """
    for name in meta["checksums"]:
        if not (folder / name).is_file():
            raise ImportError(f"{folder / name} is missing: {_way_out(folder)}")


def _way_out(folder: Path) -> str:
    return (
        f"the package {folder.name} is damaged, install it again with pip install "
        "--force-reinstall"
    )


def check() -> None:
    """Check the package that this file is part of.

    RAISES (ImportError): It cannot work, or a file is not as it was packaged.
    """
    meta = _meta()
    check_requirements(meta)
    check_files(meta, _pipeline(meta))


def _meta() -> Dict[str, Any]:
    text = Path(__file__).with_name("meta.json").read_text(encoding="utf8")
    return json.loads(text)


def _pipeline(meta: Dict[str, Any]) -> Path:
    return Path(__file__).with_name(f"{meta['lang']}_{meta['name']}-{meta['version']}")


if Path(__file__).with_name("meta.json").is_file():  # in a package
    _own = _meta()
    check_requirements(_own)
    check_presence(_own, _pipeline(_own))
