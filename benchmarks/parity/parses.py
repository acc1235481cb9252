"""Do two versions of the code parse alike, to the bit?

    python benchmarks/parity/parses.py write before.jsonl.gz en_lal_md
    assets/ewt/dev.conllu assets/gum/dev.conllu python benchmarks/parity/parses.py
    compare before.jsonl.gz en_lal_md assets/ewt/dev.conllu assets/gum/dev.conllu

`write` with one version of the code, `compare` with the other, on one machine with the
same libraries: other products of matrices round otherwise. Tokens and sentence breaks
are gold. A line of the file is one sentence: constituents, heads, deprels, tags,
lemmas, morphology. `compare` names each sentence that differs; its exit code is 1 if
any does. With `--alone` each sentence is a call of its own, which takes shorter ways
through the code than a batch."""

import argparse
import gzip
import json
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence

import spacy
from spacy.tokens import Doc

from spacy_lal.export import read_parses
from spacy_lal.trees.conllu import read_conllu

DOC_SENTENCES = (
    10  # in one Doc, so that Docs of several sentences and windows are among them
)


def parse_sentences(
    pipeline: str, paths: Sequence[Path], *, alone: bool = False
) -> Iterator[Dict[str, Any]]:
    """One record for each sentence of the files, in order.

    alone (bool): Whether to parse each sentence by a call of its own.
    """
    nlp = spacy.load(pipeline)
    size = 1 if alone else DOC_SENTENCES
    for path in paths:
        with path.open(encoding="utf8") as file:
            words = [list(sentence.words) for sentence in read_conllu(file)]
        docs = (
            _make_doc(nlp.vocab, words[i : i + size])
            for i in range(0, len(words), size)
        )
        number = 0
        for doc in map(nlp, docs) if alone else nlp.pipe(docs):
            for sentence in read_parses(doc):
                yield {
                    "file": path.name,
                    "sentence": number,
                    "words": [token.text for token in sentence.tokens],
                    "constituents": [
                        list(span) for span in sentence.constituents or []
                    ],
                    "heads": sentence.heads,
                    "deprels": sentence.deprels,
                    "tags": sentence.tags,
                    "lemmas": [token.lemma_ for token in sentence.tokens],
                    "morphology": [str(token.morph) for token in sentence.tokens],
                }
                number += 1


def _make_doc(vocab: Any, sentences: List[List[str]]) -> Doc:
    words = [word for sentence in sentences for word in sentence]
    starts = [i == 0 for sentence in sentences for i in range(len(sentence))]
    return Doc(vocab, words=words, sent_starts=starts)


def compare(old: Sequence[Dict[str, Any]], new: Sequence[Dict[str, Any]]) -> List[str]:
    """One line for each sentence that differs, and for what only one of both has."""
    differences = (
        [f"{len(old)} sentences before, {len(new)} now"] if len(old) != len(new) else []
    )
    for before, now in zip(old, new, strict=False):
        changed = [key for key in before if before[key] != now[key]]
        if changed:
            differences.append(
                f"{before['file']} {before['sentence']}: {', '.join(changed)}: "
                f"{' '.join(before['words'])}"
            )
    return differences


def main(arguments: Optional[List[str]] = None) -> int:
    """Write or compare. RETURNS (int): The exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["write", "compare"])
    parser.add_argument("parses", type=Path, help="gzipped JSON lines")
    parser.add_argument("pipeline")
    parser.add_argument("treebanks", type=Path, nargs="+", help="CoNLL-U files")
    parser.add_argument("--alone", action="store_true", help="a call for each sentence")
    args = parser.parse_args(arguments)
    found = list(parse_sentences(args.pipeline, args.treebanks, alone=args.alone))
    if args.what == "write":
        with gzip.open(args.parses, "wt", encoding="utf8") as file:
            file.writelines(json.dumps(record) + "\n" for record in found)
        print(f"{args.parses}: {len(found)} sentences")
        return 0
    with gzip.open(args.parses, "rt", encoding="utf8") as file:
        differences = compare([json.loads(line) for line in file], found)
    for line in differences:
        print(line)
    print(f"{len(found)} sentences, {len(differences)} differ")
    return int(bool(differences))


if __name__ == "__main__":
    sys.exit(main())
