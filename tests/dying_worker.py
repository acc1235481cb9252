"""A pipeline component that kills its process, once: for tests of what a cluster does
about it.

Workers find it by the entry point that `install` writes, as they find any component of
an installed package."""

import os
import signal
from pathlib import Path
from typing import Callable

from spacy.language import Language
from spacy.tokens import Doc

NAME = "dying_worker"
DEADLY = "deadly"


@Language.factory(NAME, default_config={"died": ""})
def make_dying_worker(nlp: Language, name: str, died: str) -> Callable[[Doc], Doc]:
    """died (str): A file. While it is not there, a Doc with the word "deadly" kills the
    process, which leaves it behind, with its number."""
    path = Path(died)

    def run(doc: Doc) -> Doc:
        if DEADLY in doc.text.split() and not path.exists():
            path.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        return doc

    return run


def install(folder: Path) -> str:
    """Write the metadata of an installed package. RETURNS (str): A PYTHONPATH with
    it."""
    metadata = folder / f"{NAME}-0.0.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 0.0.0\n"
    )
    (metadata / "entry_points.txt").write_text(
        f"[spacy_factories]\n{NAME} = {__name__}:make_dying_worker\n"
    )
    return os.pathsep.join([str(folder), str(Path(__file__).parent)])
