"""The sentences that the speed benchmarks parse: read from a file, cut into Docs,
sorted by length."""

from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Sequence, Tuple

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_lal.annotations import has_sentences
from spacy_lal.trees.conllu import read_conllu

# The most words of each bucket; the last one takes longer sentences, up to twice as
# long.
BUCKETS = (10, 20, 40, 80, 160)


class Sentence(NamedTuple):
    """The words of a sentence and, for each of them, whether a space follows."""

    words: List[str]
    spaces: List[bool]


def read_sentences(path: Path, nlp: Language, n_words: int) -> List[Sentence]:
    """The first sentences of a file.

    path (Path): A `.spacy` file whose Docs have sentences, a `.conllu` file, or plain
        text, a paragraph a line, whose sentences and tokens are the pipeline's.
    n_words (int): So many words, or a few more, are taken.
    RAISES (ValueError): Where there is no word, or Docs without sentences.
    """
    found: List[Sentence] = []
    total = 0
    for sentence in _iter_sentences(path, nlp):
        if total >= n_words:
            break
        found.append(sentence)
        total += len(sentence.words)
    if not found:
        raise ValueError(f"{path} holds no words")
    return found


def _iter_sentences(path: Path, nlp: Language) -> Iterator[Sentence]:
    if path.suffix == ".conllu":
        for conllu in read_conllu(path):
            yield Sentence(conllu.words, conllu.spaces)
        return
    if path.suffix == ".spacy":
        docs = DocBin().from_disk(path).get_docs(nlp.vocab)
    else:
        docs = nlp.pipe(
            line.strip()
            for line in path.read_text(encoding="utf8").splitlines()
            if line.strip()
        )
    for number, doc in enumerate(docs, start=1):
        if not has_sentences(doc):
            raise ValueError(
                f"expected Docs with sentence boundaries in {path}, Doc {number} has "
                "none"
            )
        for sent in doc.sents if len(doc) else ():
            yield Sentence(
                [token.text for token in sent],
                [bool(token.whitespace_) for token in sent],
            )


def group(sentences: Sequence[Sentence], n_sents: int) -> List[List[Sentence]]:
    """Documents of so many sentences."""
    return [list(sentences[i : i + n_sents]) for i in range(0, len(sentences), n_sents)]


def make_text(sentences: Sequence[Sentence]) -> str:
    """A document's text; each sentence is parted from the next."""
    texts = (
        "".join(w + " " * s for w, s in zip(*sentence, strict=True)).strip()
        for sentence in sentences
    )
    return " ".join(texts)


def make_doc(vocab: Vocab, sentences: Sequence[Sentence], *, with_sents: bool) -> Doc:
    """A Doc of the file's tokens, with its sentence boundaries or without."""
    words = [word for sentence in sentences for word in sentence.words]
    spaces = [
        space for sentence in sentences for space in (*sentence.spaces[:-1], True)
    ]
    starts = [i == 0 for sentence in sentences for i in range(len(sentence.words))]
    return Doc(
        vocab, words=words, spaces=spaces, sent_starts=starts if with_sents else None
    )


def by_length(
    sentences: Sequence[Sentence], n_words: int
) -> Dict[str, Tuple[List[Sentence], int]]:
    """Sentences of each length. Where a bucket has too few words, consecutive sentences
    are joined into longer ones.

    n_words (int): About how many words each bucket is to have.
    RETURNS (Dict[str, Tuple[List[Sentence], int]]): By name of the bucket, its
        sentences and how many of them were joined. A bucket for which the file is too
        short is left out.
    """
    found = {}
    for low, high in zip((0, *BUCKETS), (*BUCKETS, 2 * BUCKETS[-1]), strict=True):
        own = _first_words(
            [one for one in sentences if low < len(one.words) <= high], n_words
        )
        missing = n_words - sum(len(one.words) for one in own)
        joined = (
            _first_words(list(_join(sentences, low, high)), missing)
            if missing > 0
            else []
        )
        if own or joined:
            found[f"<= {high}" if high in BUCKETS else f"> {low}"] = (
                own + joined,
                len(joined),
            )
    return found


def _first_words(sentences: Sequence[Sentence], n_words: int) -> List[Sentence]:
    ends = np.cumsum([0, *(len(one.words) for one in sentences)])[:-1]
    return list(sentences[: int((ends < n_words).sum())])


def _join(sentences: Sequence[Sentence], low: int, high: int) -> Iterator[Sentence]:
    """Runs of two or more sentences with more than `low` words and no more than
    `high`."""
    words: List[str] = []
    spaces: List[bool] = []
    n_joined = 0
    for sentence in sentences:
        if len(words) + len(sentence.words) > high:
            words, spaces, n_joined = [], [], 0
        if len(sentence.words) <= high:
            words, spaces = (
                words + sentence.words,
                [*spaces, *sentence.spaces[:-1], True],
            )
            n_joined += 1
        if len(words) > low and n_joined > 1:
            yield Sentence(words, spaces)
            words, spaces, n_joined = [], [], 0
