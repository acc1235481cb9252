"""The lemma table of `lal_lemmas`, from spaCy's English tables: `python
build_lemma_table.py OUT.json.gz`.

It needs `pip install spacy-lookups-data==1.0.5`. The tables come from WordNet 3.0
(Princeton University; its licence is `spacy_lookups_data/data/en_license.txt`):
irregular forms, and the words of each part of speech."""

import gzip
import json
import re
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

WORD = re.compile(r"[a-z]+(-[a-z]+)*")

# Forms that the tables lack, or whose lemma they have in another order.
OURS = {
    "verb": {
        "stricken": ["strike"],
        "shorn": ["shear"],
        "bathed": ["bathe"],
        "bathing": ["bathe"],
    },
    "noun": {
        **{
            "lenses": ["lens"],
            "axes": ["axe", "axis"],
            "bacteria": ["bacterium"],
            "cookies": ["cookie"],
        },
        **{"leaves": ["leaf"], "passersby": ["passerby"]},
    },
}


def read(name: str) -> Any:
    """One of the English tables of spacy-lookups-data."""
    data = (
        files("spacy_lookups_data").joinpath("data", f"en_{name}.json.gz").read_bytes()
    )
    return json.loads(gzip.decompress(data))


def main(out: Path) -> None:
    """Write the irregular forms and the words, `{"verb": {"irregular": {form: [lemma]},
    "words": "a b c"}}`."""
    irregular, words = read("lemma_exc"), read("lemma_index")
    for part, forms in OURS.items():
        irregular[part].update(forms)
    table = {
        part: {
            "irregular": {
                form: found
                for form, found in sorted(irregular[part].items())
                if WORD.fullmatch(form)
            },
            "words": " ".join(
                sorted(
                    word
                    for word in set(words[part])
                    if WORD.fullmatch(word) and len(word) > 1
                )
            ),
        }
        for part in ("verb", "noun", "adj", "adv")
    }
    out.write_bytes(
        gzip.compress(json.dumps(table, separators=(",", ":")).encode("utf8"), mtime=0)
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
