"""Prepare two other Icelandic treebanks as training data for `is_lal_md`. A word keeps
what its treebank annotates as GreynirCorpus does; the rest is hidden.

    python scripts/other_treebanks.py is_lal_md corpus/other \
        --pud ../../assets/sources/ud-icelandic-pud.tar.gz \
        --modern ../../assets/sources/ud-icelandic-modern.tar.gz \
        --dev ../../assets/icelandic/dev.conllu

The treebanks are UniversalDependencies/UD_Icelandic-PUD at commit d72cbdfa and
UD_Icelandic-Modern at 15442112, each as a .tar.gz or a folder. Modern is its dev, its
test and the files that its train was made from; the train file itself is not read.

Heads and deprels are kept by deprel, see `PUD` and `MODERN`. A word whose head alone is
kept has the deprel `unsure`, which the parser does not know, so the loss masks it. The
deprel `_` would not do: the reader makes `dep` of it, which is a deprel of
GreynirCorpus.

Lemma, UPOS, tag and features are the pipeline's, and are kept where the treebank has
the same lemma and UPOS, and no other value of a feature. Lemmas of names are compared
without case, since Modern writes them in lower case.

Left out: sentences of more than 120 words, invalid ones, those of `--dev`, and copies
of an earlier sentence."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import (
    FrozenSet,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

import spacy
from spacy.language import Language
from spacy.morphology import Morphology
from spacy.tokens import Doc, Token

sys.path.append(str(Path(__file__).resolve().parents[2] / "en" / "scripts"))

from treebank import keep_metadata, run, unpacked  # noqa: E402

from spacy_lal.files import TreebankError, write_file  # noqa: E402
from spacy_lal.trees import Parse, format_conllu, read_conllu  # noqa: E402
from spacy_lal.trees.conllu import parse_conllu_block, read_conllu_blocks  # noqa: E402

MOST_WORDS = 120  # of a sentence
UNSURE = "unsure"  # no deprel of the pipeline: a loss knows the head alone
NOT_READ = ("senter", "lal_parser")  # components whose predictions are not used
BATCH = 64  # sentences that the pipeline reads at once


class Treebank(NamedTuple):
    """Where a treebank lies in its repository, and what it shares with GreynirCorpus.

    released (Tuple[str, ...]): Files.
    sources (Tuple[str, ...]): Folders with the documents of other files. A document
        that is also in a released file is left out.
    heads (FrozenSet[str]): The deprels of words whose heads are kept.
    deprels (FrozenSet[str]): The deprels that are kept, too.
    """

    released: Tuple[str, ...]
    sources: Tuple[str, ...]
    heads: FrozenSet[str]
    deprels: FrozenSet[str]


HEADS = frozenset(
    {
        "amod",
        "case",
        "ccomp",
        "det",
        "flat:name",
        "iobj",
        "mark",
        "nmod",
        "nmod:poss",
        "nsubj",
        "obj",
        "obl",
        "root",
    }
)
DEPRELS = frozenset({"case", "nsubj", "obj", "root"})
PUD = Treebank(
    released=("is_pud-ud-test.conllu",),
    sources=(),
    heads=HEADS | {"acl:relcl", "advmod", "conj", "csubj", "flat", "obl:arg"},
    deprels=DEPRELS | {"amod", "conj"},
)
MODERN = Treebank(
    released=("is_modern-ud-dev.conllu", "is_modern-ud-test.conllu"),
    sources=("not-to-release/Manual_correction/additions2019/unmodified_conllu",),
    heads=HEADS | {"acl", "compound:prt"},
    deprels=DEPRELS,
)


class Counts(NamedTuple):
    """How many words keep what. tags: words with lemma, UPOS, tag and features."""

    sentences: int
    words: int
    heads: int
    deprels: int
    tags: int


def valid_sentences(path: Path) -> Iterator[Parse]:
    """The sentences of a file without the invalid ones, which are reported."""
    for block in read_conllu_blocks(path):
        try:
            yield parse_conllu_block(block)
        except TreebankError as error:
            print(f"Left out: {error}", file=sys.stderr)


def document_of(sentence: Parse) -> str:
    """The document of a sentence in Modern, from a sent_id such as
    `RUV_ESP_2016_G-2-1031892,1.1`."""
    return (sentence.metadata.get("sent_id") or "").split(",")[0]


def read_treebank(folder: Path, treebank: Treebank) -> Iterator[Parse]:
    """The sentences of a treebank's repository, documents in the order of their
    paths."""
    documents: Set[str] = set()
    for name in treebank.released:
        for sentence in valid_sentences(folder / name):
            documents.add(document_of(sentence))
            yield sentence
    for name in treebank.sources:
        for path in sorted((folder / name).rglob("*.conllu")):
            for sentence in valid_sentences(path):
                if document_of(sentence) not in documents:
                    yield sentence


def letters_of(sentence: Parse) -> str:
    """A sentence's text without spaces, by which copies are found."""
    return "".join(sentence.words)


def without_copies(sentences: Iterable[Parse], known: Set[str]) -> Iterator[Parse]:
    """Leave out long sentences, those whose letters are known, and copies.

    known (Set[str]): See `letters_of`; takes the letters of the kept sentences.
    """
    for sentence in sentences:
        letters = letters_of(sentence)
        if letters not in known and len(sentence.words) <= MOST_WORDS:
            known.add(letters)
            yield sentence


def hide_arcs(sentence: Parse, treebank: Treebank) -> Parse:
    """Hide the heads and deprels that GreynirCorpus has otherwise."""
    heads: List[Optional[int]] = []
    deprels: List[str] = []
    for head, deprel in zip(sentence.heads, sentence.deprels, strict=True):
        if head is None or deprel not in treebank.heads:
            heads.append(None)
            deprels.append("")
        else:
            heads.append(head)
            deprels.append(deprel if deprel in treebank.deprels else UNSURE)
    return replace(sentence, heads=heads, deprels=deprels)


def same_lemma(token: Token, lemma: str) -> bool:
    """Whether a parsed token has a treebank's lemma. An empty lemma is unknown."""
    if token.pos_ == "PROPN":
        return lemma != "" and token.lemma_.lower() == lemma.lower()
    return lemma != "" and token.lemma_ == lemma


def same_features(token: Token, features: str) -> bool:
    """Whether features that both a parsed token and a treebank have are the same."""
    parsed = token.morph.to_dict()
    known = Morphology.feats_to_dict(features)
    return all(parsed.get(name, value) == value for name, value in known.items())


def put_tags(sentence: Parse, doc: Doc) -> Parse:
    """Take lemma, UPOS, tag and features of a parsed Doc for the words where they agree
    with the sentence's; hide them for other words."""
    tagged = replace(sentence, lemmas=[], pos=[], tags=[], morphs=[])
    known = zip(doc, sentence.lemmas, sentence.pos, sentence.morphs, strict=True)
    for token, lemma, pos, features in known:
        agrees = (
            token.pos_ == pos
            and same_lemma(token, lemma)
            and same_features(token, features)
        )
        tagged.lemmas.append(token.lemma_ if agrees else "")
        tagged.pos.append(token.pos_ if agrees else "")
        tagged.tags.append(token.tag_ if agrees else "")
        tagged.morphs.append(str(token.morph) if agrees else "")
    return tagged


def to_doc(nlp: Language, sentence: Parse) -> Doc:
    """A sentence as a Doc without annotations."""
    starts = [i == 0 for i in range(len(sentence.words))]
    return Doc(
        nlp.vocab, words=sentence.words, spaces=sentence.spaces, sent_starts=starts
    )


def prepare(
    nlp: Language, sentences: Sequence[Parse], treebank: Treebank
) -> Iterator[Parse]:
    """Sentences with what GreynirCorpus and the pipeline agree with."""
    not_read = [name for name in NOT_READ if name in nlp.pipe_names]
    with nlp.select_pipes(disable=not_read):
        docs = nlp.pipe((to_doc(nlp, one) for one in sentences), batch_size=BATCH)
        for sentence, doc in zip(sentences, docs, strict=True):
            keep_metadata(sentence)
            yield hide_arcs(put_tags(sentence, doc), treebank)


def count(sentences: Sequence[Parse]) -> Counts:
    """Count what prepared sentences keep."""
    heads = [head for one in sentences for head in one.heads]
    deprels = [deprel for one in sentences for deprel in one.deprels]
    pos = [pos for one in sentences for pos in one.pos]
    return Counts(
        sentences=len(sentences),
        words=len(heads),
        heads=len(heads) - heads.count(None),
        deprels=len(deprels) - deprels.count("") - deprels.count(UNSURE),
        tags=len(pos) - pos.count(""),
    )


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Read the command line, prepare, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pipeline", help="a pipeline with taggers and a lemmatizer")
    parser.add_argument("output", type=Path, help="folder for pud and modern, .conllu")
    parser.add_argument(
        "--pud", type=Path, required=True, help="UD_Icelandic-PUD, .tar.gz or folder"
    )
    parser.add_argument(
        "--modern",
        type=Path,
        required=True,
        help="UD_Icelandic-Modern, .tar.gz or folder",
    )
    parser.add_argument(
        "--dev", type=Path, required=True, help="sentences to leave out, .conllu"
    )
    args = parser.parse_args(arguments)
    nlp = spacy.load(args.pipeline)
    known = {letters_of(sentence) for sentence in read_conllu(args.dev)}
    sources = {"pud": (args.pud, PUD), "modern": (args.modern, MODERN)}
    for name, (source, treebank) in sources.items():
        with unpacked(source, *treebank.released, *treebank.sources) as folder:
            found = list(without_copies(read_treebank(folder, treebank), known))
        prepared = list(prepare(nlp, found, treebank))
        text = "".join(map(format_conllu, prepared))
        path = args.output / f"{name}.conllu"
        write_file(path, text)
        counts = count(prepared)
        print(
            f"Wrote {path}: {counts.sentences:,} sentences, {counts.words:,} words; "
            f"kept {counts.heads:,} heads, {counts.deprels:,} deprels, {counts.tags:,} "
            "tags and lemmas"
        )


if __name__ == "__main__":
    run(main)
