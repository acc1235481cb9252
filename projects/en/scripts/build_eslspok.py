"""Build UD English-ESLSpok: learners' speech, heads and tags by hand, no trees.

    python scripts/build_eslspok.py assets/sources/eslspok.tar.gz assets/eslspok
    --ewt assets/ewt/train.conllu

SOURCE is the repository UniversalDependencies/UD_English-ESLSpok at commit 51b8a8e3 as a
.tar.gz or a folder. Deprels, UPOS and tags are changed by rule to those of EWT 2.16. The
text is written by rule, too: the source has spaces between all words."""

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Annotated, Dict, Iterator, List, Sequence, Tuple

import typer
from treebank import SourceError, run, save_files, unpacked

from spacy_lal.trees import Parse, format_conllu, read_conllu

DEPRELS = {
    "obl:tmod": "obl:unmarked",
    "obl:npmod": "obl:unmarked",
    "nmod:tmod": "nmod:unmarked",
    "nmod:npmod": "nmod:unmarked",
    "flat:foreign": "flat",
}
PARTICLES = frozenset(
    "up down out off on in over back away around along through together apart by across "
    "about under".split()
)
# what joins the word before it
CLITICS = frozenset(", . ? ! ; : ) n't 's 'm 're 've 'll 'd '".split())


class EwtTags:
    """The tags that EWT's words and UPOS have."""

    def __init__(self, path: Path) -> None:
        self.words: Dict[Tuple[str, str], Counter] = defaultdict(Counter)
        self.pos: Dict[str, Counter] = defaultdict(Counter)
        with path.open(encoding="utf8") as lines:
            for sentence in read_conllu(lines):
                rows = zip(sentence.words, sentence.pos, sentence.tags, strict=True)
                for word, pos, tag in rows:
                    self.words[word.lower(), pos][tag] += 1
                    self.pos[pos][tag] += 1

    def best(self, word: str, pos: str, tag: str) -> str:
        """A tag that EWT has with this UPOS."""
        if self.pos[pos][tag]:
            return tag
        counts = self.words.get((word, pos)) or self.pos[pos]
        return str(counts.most_common(1)[0][0])


def changed(
    word: str, pos: str, tag: str, deprel: str, is_before_head: bool
) -> Tuple[str, str, str]:
    """UPOS, tag and deprel of a word, in small letters, as EWT has them."""
    deprel = DEPRELS.get(deprel, deprel)
    if word in ("?", "!"):
        tag = "."
    if tag == "WRB":
        pos = "ADV" if pos == "SCONJ" else pos
        deprel = "advmod" if deprel == "mark" else deprel
    if deprel == "compound:prt" and word in PARTICLES:
        pos, tag = "ADP", "RP"
    elif tag == "RP" and (pos == "ADV" or deprel == "case"):
        tag = "RB" if pos == "ADV" else "IN"
    if word == "to" and deprel == "case":
        pos, tag = "ADP", "IN"
    elif tag == "PRP$" and deprel == "det":
        deprel = "nmod:poss"
    elif word in ("no", "a", "uhhuh", "uh", "um") and deprel == "discourse":
        pos, tag = "INTJ", "UH"
    elif pos == "AUX" and tag == "POS":
        tag = "VBZ"
    elif word == "else" and deprel == "amod":
        pos, tag, deprel = "ADV", "RB", "advmod"
    elif word == "so" and tag == "CC":
        pos, tag, deprel = "ADV", "RB", "advmod"
    elif word == "later" and pos == "ADV":
        tag = "RBR"
    if deprel == "amod" and pos == "NOUN" and tag == "NN" and is_before_head:
        deprel = "compound"
    if pos == "NOUN" and re.fullmatch("(some|any|every|no)(thing|one|body)", word):
        pos = "PRON"
    return pos, tag, deprel


def change(sentence: Parse, ewt: EwtTags) -> None:
    """Change a sentence's annotation to EWT's, in place, and write its text."""
    words = [word.lower() for word in sentence.words]
    heads = list(sentence.heads or ())
    pos = list(sentence.pos)
    tags = list(sentence.tags)
    deprels = list(sentence.deprels)
    is_passive = set()
    by = set()
    for word, head, deprel in zip(words, heads, deprels, strict=True):
        if deprel in ("aux:pass", "nsubj:pass"):
            is_passive.add(head)
        elif deprel == "case" and word == "by":
            by.add(head)
    n_quotes = 0
    for k, word in enumerate(words):
        head = heads[k] or 0
        if tags[k] == '"':
            n_quotes += 1
            tags[k] = "``" if n_quotes % 2 else "''"
        is_before = head > k + 1
        pos[k], tag, deprel = changed(word, pos[k], tags[k], deprels[k], is_before)
        is_agent = deprel == "obl" and k + 1 in by and head in is_passive
        deprels[k] = "obl:agent" if is_agent else deprel
        tags[k] = ewt.best(word, pos[k], tag)
    sentence.pos, sentence.tags, sentence.deprels = pos, tags, deprels
    sentence.spaces = spaces_of(words)
    pairs = zip(sentence.words, sentence.spaces, strict=True)
    text = "".join(word + " " * space for word, space in pairs).strip()
    sent_id = f"ESLSpok-{sentence.metadata['sent_id']}"
    sentence.metadata = {"sent_id": sent_id, "text": text}


def spaces_of(words: Sequence[str]) -> List[bool]:
    """Whether a space follows each word, by rule."""
    spaces = []
    n_quotes = 0
    for word, following in zip(words, [*words[1:], ""], strict=True):
        n_quotes += word == '"'
        is_joined = following in CLITICS or word == "("
        is_joined |= following == "na" and word in ("gon", "wan")
        is_joined |= word == '"' and n_quotes % 2 == 1
        is_joined |= word != '"' and following == '"' and n_quotes % 2 == 1
        spaces.append(not is_joined)
    return [*spaces[:-1], True]


def read_split(folder: Path, split: str, ewt: EwtTags) -> Iterator[str]:
    """The sentences of a file, in CoNLL-U.

    RAISES (SourceError): It has none."""
    path = folder / f"en_eslspok-ud-{split}.conllu"
    counts: Counter = Counter()
    with path.open(encoding="utf8") as lines:
        for sentence in read_conllu(lines):
            change(sentence, ewt)
            sent_id = sentence.metadata["sent_id"]
            counts[sent_id] += 1
            if counts[sent_id] > 1:
                sentence.metadata["sent_id"] = f"{sent_id}-{counts[sent_id]}"
            yield format_conllu(sentence)
    if not counts:
        raise SourceError(path, 0, "expected sentences, got none")


def main(
    source: Path, output: Path, ewt: Annotated[Path, typer.Option()], test: bool = False
) -> None:
    """Read the command line, build, write."""
    tags = EwtTags(ewt)
    names = ["test"] if test else ["train", "dev"]
    parts = [f"en_eslspok-ud-{name}.conllu" for name in names]
    with unpacked(source, *parts) as folder:
        files = {
            f"{name}.conllu": "".join(read_split(folder, name, tags)).encode("utf8")
            for name in names
        }
    save_files("eslspok", files, output)


if __name__ == "__main__":
    run(main)
