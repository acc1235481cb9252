"""Give a saved pipeline what spacy_lal knows of its language: the tokens of its
treebanks (`spacy-lal.WebTokenizer.v1`) and, after the lemmatizer, `lal_lemmas`.

    python scripts/add_language.py training/compact

Config, tokenizer and meta.json are written again; weights stay as they are."""

import argparse
from pathlib import Path
from typing import Any, Dict

import spacy
import srsly
from thinc.api import Config

TOKENIZER = {"@tokenizers": "spacy-lal.WebTokenizer.v1", "line_starts": True}
LEMMATIZER, LEMMAS = "trainable_lemmatizer", "lal_lemmas"


def add_language(folder: Path) -> None:
    """Change a pipeline in place.

    folder (Path): As `nlp.to_disk` wrote it.
    RAISES (ValueError): It has no lemmatizer."""
    config = Config().from_disk(folder / "config.cfg", interpolate=False)
    names = config["nlp"]["pipeline"]
    if LEMMATIZER not in names:
        raise ValueError(f"{folder}: expected {LEMMATIZER}, got {', '.join(names)}")
    if LEMMAS not in names:
        names.insert(names.index(LEMMATIZER) + 1, LEMMAS)
    config["nlp"]["tokenizer"] = TOKENIZER
    config["components"][LEMMAS] = {"factory": LEMMAS}
    config.to_disk(folder / "config.cfg")
    blank = spacy.blank(config["nlp"]["lang"], config={"nlp": {"tokenizer": TOKENIZER}})
    blank.tokenizer.to_disk(folder / "tokenizer", exclude=["vocab"])
    meta: Dict[str, Any] = srsly.read_json(folder / "meta.json")
    meta["pipeline"] = names
    meta["components"] = names
    srsly.write_json(folder / "meta.json", meta)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    add_language(parser.parse_args().folder)
