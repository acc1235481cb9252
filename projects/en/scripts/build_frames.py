"""Build the descriptions of PropBank's rolesets: one JSON object a line, by roleset.

    python scripts/build_frames.py ../../assets/sources/propbank-frames.tar.gz
    ../../assets/propbank

The source, a .tar.gz or a folder, is propbank/propbank-frames at tag v3.1, commit
ccafedad: frames/*.xml, the release that the annotations of EWT refer to. Left out are
examples, notes, and the roles of other lexicons."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any, Dict, List

from treebank import SourceError, run, save_files, unpacked

FRAMES = "frames"
FILE = "frames-3.1.jsonl"
CHECKSUMS = Path(__file__).with_name("roles.sha256")


def read_frames(folder: Path) -> str:
    """The lines of all files of a folder.

    RAISES (SourceError): A file is no XML, a roleset lacks a name or a role its number,
    or two rolesets have one id."""
    found: Dict[str, Dict[str, Any]] = {}
    for path in sorted(folder.glob("*.xml")):
        try:
            root = ElementTree.parse(path).getroot()
        except ElementTree.ParseError as error:
            raise SourceError(
                path, error.position[0], f"expected XML ({error})"
            ) from error
        for element in root.iter("roleset"):
            roleset = _roleset(path, element)
            if roleset["roleset"] in found:
                raise SourceError(path, 0, f"a second roleset {roleset['roleset']}")
            found[roleset["roleset"]] = roleset
    lines = [
        json.dumps(found[key], ensure_ascii=False, separators=(",", ":"))
        for key in sorted(found)
    ]
    return "".join(f"{line}\n" for line in lines)


def _roleset(path: Path, element: ElementTree.Element) -> Dict[str, Any]:
    roleset = element.get("id", "")
    roles: Dict[str, List[str]] = {}
    for role in element.iter("role"):
        if not role.get("n"):
            raise SourceError(
                path,
                0,
                f"expected a number for each role of {roleset}, got {role.attrib}",
            )
        # Of several modifiers, which all have the number M, the last stays.
        roles[role.get("n", "").upper()] = [
            role.get("f", ""),
            role.get("descr", "").strip(),
        ]
    if "." not in roleset or element.get("name") is None:
        raise SourceError(
            path,
            0,
            "expected a roleset with an id, such as give.01, and a name, got "
            f"{element.attrib}",
        )
    aliases = sorted(
        {f"{alias.get('pos')}:{alias.text}" for alias in element.iter("alias")}
    )
    frame = roleset.rpartition(".")[0]
    return {
        "roleset": roleset,
        "frame": frame,
        "name": element.get("name"),
        "roles": roles,
        "aliases": aliases,
    }


def main(frames: Path, output: Path) -> None:
    """Read the command line, build, write."""
    with unpacked(frames, FRAMES) as repository:
        text = read_frames(repository / FRAMES)
        save_files("propbank", {FILE: text.encode("utf8")}, output, checksums=CHECKSUMS)


if __name__ == "__main__":
    run(main)
