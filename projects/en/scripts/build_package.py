"""Make the pip-installable package of a pipeline, as `spacy package` writes it, with its licence, card and scores.

    python scripts/build_package.py training/en_lal_md/compact assets/en_lal_md packages \
        --card docs/reference/en_lal_md.md --metrics metrics/en_lal_md.ewt.json --metrics metrics/en_lal_md.gum.json

ABOUT is a folder with meta.json (what goes into the pipeline's: name, version, licence, sources, requirements), LICENSE
and LICENSES_SOURCES. What `lal evaluate --output` wrote to NAME.CORPUS.json becomes `performance[CORPUS]`, beside the
scores of the training. The package is written to PACKAGES/LANG_NAME-VERSION, in place of the one that is there.
"""

import os
import re
import shutil
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Dict, Sequence

import srsly
import typer
from spacy.cli.package import package
from treebank import run

from spacy_lal.files import written_folder

ROOT = Path(__file__).resolve().parents[3]
SITE = "https://github.com/spacy-lal/spacy-lal"
RELATIVE_LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
HUB_LICENCES = ("cc-by-sa-4.0", "mit")
CHECK = Path(__file__).with_name("installation.py")
README = "README.md"  # which becomes the card
LICENCES = ("LICENSE", "LICENSES_SOURCES")
# spaCy's setup.py does not say that a card is in Markdown; the package index asks.
READ_AS_TEXT = "        long_description=readme,\n"
READ_AS_MARKDOWN = "        long_description_content_type='text/markdown',\n"
PYPROJECT = (
    '[build-system]\nrequires = ["setuptools>=68"]\nbuild-backend = '
    '"setuptools.build_meta"\n'
)
META = "meta.json"  # has the checksums of the other files


# A damaged file ends in an error of the library that reads it, without the file's name.
INIT = '''"""The pipeline as a package."""

from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.util import get_model_meta, load_model_from_init_py

from . import installation

__version__ = get_model_meta(Path(__file__).parent)["version"]


def load(**overrides: Any) -> Language:
    """Load the pipeline, with the options of `spacy.load`.

    RAISES (ImportError): A file is missing or damaged; the error names it.
    """
    try:
        return load_model_from_init_py(__file__, **overrides)
    except Exception:
        installation.check()
        raise
'''


def package_meta(
    pipeline: Path, about: Path, metrics: Sequence[Path]
) -> Dict[str, Any]:
    """The meta.json of a package.

    pipeline (Path): A saved pipeline.
    about (Path): The folder whose meta.json goes over the pipeline's.
    metrics (Sequence[Path]): What `lal evaluate` wrote, NAME.CORPUS.json each.
    RETURNS (Dict[str, Any]): With `performance` by corpus, and as `checksums` the
        SHA-256 of each other file of the pipeline.
    """
    meta = {
        **srsly.read_json(pipeline / "meta.json"),
        **srsly.read_json(about / "meta.json"),
    }
    scores = {path.stem.rsplit(".", 1)[-1]: srsly.read_json(path) for path in metrics}
    meta["performance"] = {**meta.get("performance", {}), **scores}
    meta.pop("test", None)  # of the package that the pipeline was taken from
    others = (META, README, *LICENCES)  # are written later
    files = sorted(
        path
        for path in pipeline.rglob("*")
        if path.is_file()
        and path.name not in others
        and not path.name.endswith(".license.txt")
    )
    meta["checksums"] = {
        path.relative_to(pipeline).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in files
    }
    return meta


def shown_card(card: Path, meta: Dict[str, Any]) -> str:
    """The card as a package shows it: with the YAML head that the Hub reads, and with
    whole addresses in place of links to files of this repository.

    card (Path): The model card.
    meta (Dict[str, Any]): The package's meta.json.
    RETURNS (str): Markdown."""

    def whole(link: "re.Match[str]") -> str:
        place = os.path.relpath((card.parent / link[1]).resolve(), ROOT)
        return f"]({SITE}/blob/main/{Path(place).as_posix()}"

    text = RELATIVE_LINK.sub(whole, card.read_text(encoding="utf8"))
    licence = meta["license"].lower().replace(" ", "-")
    head = {
        "library_name": "spacy",
        "pipeline_tag": "token-classification",
        "tags": ["spacy", "constituency-parsing", "dependency-parsing"],
        "language": [meta["lang"]],
        "license": licence if licence in HUB_LICENCES else "other",
        "license_name": meta["license"],
    }
    return f"---\n{srsly.yaml_dumps(head)}---\n\n{text}"


def main(
    pipeline: Path,
    about: Path,
    packages: Path,
    card: Annotated[Path, typer.Option()],
    metrics: Annotated[list[Path], typer.Option()] = [],  # noqa: B006
) -> None:
    """Write the package of a pipeline.

    pipeline (Path): A saved pipeline; left as it is.
    about (Path): Its meta.json and licences.
    packages (Path): The folder of packages.
    card (Path): The model card, which becomes the README.
    metrics (list[Path]): As for `package_meta`.
    """
    meta = package_meta(pipeline, about, metrics)
    name = f"{meta['lang']}_{meta['name']}"
    folder = packages / f"{name}-{meta['version']}"
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "pipeline"
        shutil.copytree(pipeline, copy)
        srsly.write_json(copy / META, meta)
        (copy / README).write_text(shown_card(card, meta), encoding="utf8")
        for licence in LICENCES:
            shutil.copy(about / licence, copy)
        (Path(scratch) / "packages").mkdir()
        package(
            copy,
            Path(scratch) / "packages",
            code_paths=[CHECK],
            create_sdist=False,
            silent=False,
        )
        with written_folder(folder) as new:
            shutil.copytree(
                Path(scratch) / "packages" / folder.name, new, dirs_exist_ok=True
            )
            (new / "pyproject.toml").write_text(PYPROJECT, encoding="utf8")
            (new / name / "__init__.py").write_text(INIT, encoding="utf8")
            setup = (new / "setup.py").read_text(encoding="utf8")
            (new / "setup.py").write_text(
                setup.replace(READ_AS_TEXT, READ_AS_TEXT + READ_AS_MARKDOWN),
                encoding="utf8",
            )
            # Its setup.py would do this at every installation, and so change what is
            # checked in.
            for place in (new / name, new / name / folder.name):
                shutil.copy(new / "meta.json", place)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    run(main)
