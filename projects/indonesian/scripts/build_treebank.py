"""Build the files of an Indonesian training from ICON (trees of words, without text and
heads) and three treebanks of Universal Dependencies (heads without trees).

    python scripts/build_treebank.py ../../assets/indonesian corpus

ICON is written twice: with its own words, in which a hyphen stands alone ("orang -
orang"), and with the words of Universal Dependencies ("orang-orang"). Both get a text:
a clitic stands at its word, a mark at its side of a word.

The heads follow UD_Indonesian-GSD. The other two have `nmod` for its `compound`, and
more deprels of time: such words keep the head alone. Lemmas follow GSD's, in lower
case. Of GSD's dev, each third sentence is the dev set; the others, and GSD's train
where the folder has it (`gsd_train.conllu`), are training data."""

import re
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Counter as Counts
from typing import Dict, Iterable, Iterator, List, Sequence, Set, Tuple

from nltk.tree import Tree

sys.path.append(str(Path(__file__).resolve().parents[2] / "en" / "scripts"))

from treebank import preterminals, run, without_heads  # noqa: E402

from spacy_lal.files import write_file  # noqa: E402
from spacy_lal.trees import (  # noqa: E402
    Parse,
    format_conllu,
    read_brackets,
    read_conllu,
    write_brackets,
)

CLITICS = ("PRK", "ART")
ENDINGS = ("nya", "ku", "mu", "lah")
AT_LEFT = frozenset(
    {",", ".", ";", ":", "?", "!", "%", ")", "]", "...", "''", "’", "”"}
)
AT_RIGHT = frozenset({"(", "[", "``", "‘", "“"})
QUOTES = frozenset({'"', "'"})
HYPHEN = "-"
WORD = re.compile(r"[\w.,$]*\w[\w.,$]*")
UNSURE = "unsure"  # no deprel of the pipeline: a loss knows the head alone
OF_TIME = ("nmod:tmod", "obl:tmod", "nmod:lmod")
DEV_EVERY = 3
OTHERS = ("csui_train", "csui_test", "pud_test")

Key = Tuple[str, str]  # form in lower case, UPOS


def is_hyphen(leaves: Sequence[Tree], i: int) -> bool:
    """Whether a leaf is a hyphen between two words."""
    if leaves[i][0] != HYPHEN or not 0 < i < len(leaves) - 1:
        return False
    return all(WORD.fullmatch(leaves[k][0]) for k in (i - 1, i + 1))


def spaces_of(tree: Tree) -> List[bool]:
    """Whether white space follows each word, as Indonesian is written."""
    leaves = preterminals(tree)
    parents = [place[:-2] for place in tree.treepositions("leaves")]
    spaces = [True] * len(leaves)
    is_open: Dict[str, bool] = defaultdict(bool)
    for i, leaf in enumerate(leaves):
        word, before = leaf[0], max(i - 1, 0)
        is_clitic = leaf.label() in CLITICS and word.lower() in ENDINGS
        joins = is_hyphen(leaves, i) and len(set(parents[i - 1 : i + 2])) == 1
        if is_clitic or word in AT_LEFT or joins:
            spaces[before] = False
        if word in AT_RIGHT or joins:
            spaces[i] = False
        if word in QUOTES:
            spaces[before if is_open[word] else i] = False
            is_open[word] = not is_open[word]
    return spaces


def join_hyphens(tree: Tree) -> Tree:
    """A copy in which words with hyphens are one leaf each, with the tag of the first
    part, where the parts are sisters."""
    joined: List[Tree] = []
    for child in tree:
        is_leaf = isinstance(child[0], str)
        joined.append(child.copy(deep=True) if is_leaf else join_hyphens(child))
    i = 1
    while i < len(joined) - 1:
        parts = joined[i - 1 : i + 2]
        if all(isinstance(one[0], str) for one in parts) and is_hyphen(parts, 1):
            word = "".join(one[0] for one in parts)
            joined[i - 1 : i + 2] = [Tree(parts[0].label(), [word])]
        else:
            i += 1
    if tree.label() == "PP":  # a noun without modifiers is no phrase in ICON's PP
        joined = [
            one[0] if len(one) == 1 and isinstance(one[0], Tree) else one
            for one in joined
        ]
    return Tree(tree.label(), joined)


def write_trees(trees: Iterable[Tree], name: str, path: Path) -> None:
    """Write X.ptb and X.conllu, which has words and text alone."""
    lines: List[str] = []
    sentences: List[str] = []
    for number, tree in enumerate(trees, start=1):
        metadata = {"sent_id": f"icon-{name}-{number}"}
        words = [leaf[0] for leaf in preterminals(tree)]
        conllu = without_heads(tree, words, spaces_of(tree), metadata).conllu
        lines.append(write_brackets(Tree("ROOT", [tree])) + "\n")
        sentences.append(conllu)
    write_file(path.with_suffix(".ptb"), "".join(lines))
    write_file(path.with_suffix(".conllu"), "".join(sentences))


def lemmas_of(sentences: Iterable[Parse]) -> Dict[Key, str]:
    """The most frequent lemma of each form."""
    counts: Dict[Key, Counts[str]] = defaultdict(Counter)
    for one in sentences:
        for word, pos, lemma in zip(one.words, one.pos, one.lemmas, strict=True):
            counts[word.lower(), pos][lemma] += 1
    return {key: lemmas.most_common(1)[0][0] for key, lemmas in counts.items()}


def as_gsd(sentence: Parse, lemmas: Dict[Key, str], deprels: Set[str]) -> Parse:
    """A sentence of another treebank by GSD's guidelines."""
    keys = zip(sentence.words, sentence.pos, sentence.lemmas, strict=True)
    with_case = {
        head
        for head, deprel in zip(sentence.heads, sentence.deprels, strict=True)
        if deprel.startswith("case")
    }
    changed: List[str] = []
    columns = zip(sentence.deprels, sentence.pos, strict=True)
    for number, (deprel, pos) in enumerate(columns, start=1):
        if deprel == "nmod" and pos == "NOUN" and number not in with_case:
            deprel = "compound"
        is_sure = deprel in deprels and deprel not in OF_TIME
        changed.append(deprel if is_sure else UNSURE)
    return replace(
        sentence,
        lemmas=[lemmas.get((w.lower(), pos), lemma.lower()) for w, pos, lemma in keys],
        deprels=changed,
    )


def without_tags(sentences: Iterable[Parse]) -> Iterator[str]:
    """Sentences as CoNLL-U, without their fine tags."""
    for one in sentences:
        metadata = {key: one.metadata.get(key) for key in ("sent_id", "text")}
        yield format_conllu(replace(one, tags=(), metadata=metadata))


def build(source: Path, output: Path) -> None:
    """Write all files."""
    for split in ("train", "dev"):
        trees = list(read_brackets(source / f"{split}.ptb"))
        write_trees(trees, split, output / f"icon_{split}")
        joined = map(join_hyphens, trees)
        write_trees(joined, split, output / f"icon_joined_{split}")
    own = list(read_conllu(source / "gsd_dev.conllu"))
    dev = own[DEV_EVERY - 1 :: DEV_EVERY]
    train = [one for i, one in enumerate(own, start=1) if i % DEV_EVERY]
    whole = source / "gsd_train.conllu"
    train += list(read_conllu(whole)) if whole.exists() else []
    lemmas = lemmas_of(train)
    deprels = {deprel for one in train for deprel in one.deprels}
    others = (one for name in OTHERS for one in read_conllu(source / f"{name}.conllu"))
    like_gsd = [as_gsd(one, lemmas, deprels) for one in others]
    for name, sentences in {"gsd": train, "gsd_dev": dev, "other": like_gsd}.items():
        write_file(output / f"{name}.conllu", "".join(without_tags(sentences)))
        print(f"{name}: {len(sentences)} sentences")


def main(source: Path, output: Path) -> None:
    """Run from the command line."""
    build(source, output)


if __name__ == "__main__":
    run(main)
