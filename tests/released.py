"""What `make release` asks of the distributions in a folder: a program of its own,
since the environment that they are installed into has no tests.

    python tests/released.py requirements DIST    what the library wants, a line each
    python tests/released.py parse DIST           every pipeline of DIST parses
    python tests/released.py documents CHECKOUT   what is cited or shown is there
"""

import json
import re
import sys
from email.message import Message
from email.parser import Parser
from importlib.metadata import version
from pathlib import Path
from typing import Iterator
from zipfile import ZipFile

SENTENCES = {
    "en": ("The old cat sleeps.", "(S (NP (DT The) (JJ old) (NN cat)) (VP"),
    "fr": ("Le vieux chat dort.", "(SENT (NP (DET Le) (ADJ vieux) (NC chat)) (VN"),
    "id": ("Kucing tua itu tidur.", "(S (NP "),
    "is": ("Gamli kötturinn sefur.", "(S0 "),
}
MAX_MEGABYTES = 100  # of a file on the package index, if nobody asks for more


def metadata(wheel: Path) -> Message:
    """The metadata of a wheel."""
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        (name,) = (one for one in names if one.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode("utf8"))


def requirements(wheels: list[Path]) -> Iterator[str]:
    """What the wheels want from elsewhere, without extras."""
    found = [metadata(wheel) for wheel in wheels]
    ours = {one["Name"].replace("_", "-") for one in found}
    for one in found:
        for requirement in one.get_all("Requires-Dist", []):
            is_extra = "extra ==" in requirement
            is_ours = any(requirement.startswith(name) for name in ours)
            if not is_extra and not is_ours:
                yield requirement


def parse(wheel: Path) -> str:
    """Parse a sentence with an installed pipeline.

    wheel (Path): The pipeline's.
    RETURNS (str): What was parsed, in words."""
    import spacy

    about = metadata(wheel)
    name = about["Name"].replace("-", "_")
    assert version(about["Name"]) == about["Version"]
    text, start = SENTENCES[name[:2]]
    found = spacy.load(name)(text)._.parse_string
    assert found.startswith(start), found
    return f"{name} {about['Version']}: {found}"


def check_documents(root: Path) -> None:
    """Check what journals, archives, the Hub and spaCy's Universe read.

    RAISES (AssertionError): A file lacks what its reader asks for."""
    import yaml

    setup = (root / "setup.cfg").read_text(encoding="utf8")
    (number,) = re.findall(r"^version = (\S+)$", setup, re.MULTILINE)
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf8"))
    zenodo = json.loads((root / ".zenodo.json").read_text(encoding="utf8"))
    assert citation["version"] == zenodo["version"] == number
    assert citation["date-released"] == zenodo["publication_date"]
    _, head, text = (root / "paper.md").read_text(encoding="utf8").split("---\n", 2)
    paper = yaml.safe_load(head)
    assert {"title", "tags", "authors", "affiliations", "date"} < set(paper)
    assert 750 <= len(text.split()) <= 1750, "JOSS asks for 750 to 1,750 words"
    sources = (root / paper["bibliography"]).read_text(encoding="utf8")
    cited = set(re.findall(r"@(\w+\d{4})", text))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", sources, re.MULTILINE))
    for template in sorted((root / ".github" / "ISSUE_TEMPLATE").glob("*.yml")):
        assert yaml.safe_load(template.read_text(encoding="utf8")), template.name
    entry = (root / "docs" / "how_to" / "universe.md").read_text(encoding="utf8")
    (block,) = re.findall(r"```json\n(.*?)```", entry, re.DOTALL)
    assert {"id", "slogan", "code_example", "category"} < set(json.loads(block))
    for card in sorted(root.glob("packages/*/README.md")):
        _, head, text = card.read_text(encoding="utf8").split("---\n", 2)
        about = json.loads(card.with_name("meta.json").read_text(encoding="utf8"))
        assert yaml.safe_load(head)["language"] == [about["lang"]], card
        assert not re.search(r"\]\((?!https?:|#)", text), f"a relative link in {card}"


def main(command: str, folder: str) -> None:
    """Run a command on a folder."""
    if command == "documents":
        check_documents(Path(folder))
        return
    wheels = sorted(Path(folder).glob("*.whl"))
    if command == "requirements":
        print(*requirements(wheels), sep="\n")
        return
    for wheel in wheels:
        assert wheel.stat().st_size < MAX_MEGABYTES * 1e6, wheel.name
        if not wheel.name.startswith("spacy_lal-"):
            print(parse(wheel))


if __name__ == "__main__":
    main(*sys.argv[1:])
