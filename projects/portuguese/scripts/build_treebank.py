"""Join the trees of Floresta with the heads of UD_Portuguese-Bosque, by ids and words.

    python scripts/build_treebank.py Floresta_7.4.ptb "train*.conllu" corpus/train

A contraction ("da") is one word, and so is a verb with its pronouns ("encontra-se"): it
hangs where its first part with a head outside of it does. A name is several leaves, and
a constituent where it is no head. Sentences whose words differ else are left out."""

import re
import sys
from contextlib import suppress
from glob import glob
from itertools import product
from pathlib import Path

from nltk.tree import Tree

PROJECTS = Path(__file__).resolve().parents[2]
sys.path += [str(PROJECTS), str(PROJECTS / "en" / "scripts")]

from other_heads import Word, read_sentences, rows_of, words_of  # noqa: E402
from treebank import preterminals, run, without_doubles  # noqa: E402

from spacy_lal import trees as formats  # noqa: E402
from spacy_lal.files import write_file  # noqa: E402

HEADER = re.compile(r"^#\d+ (C[FP]\d+-\d+\w*).*$", re.MULTILINE)
MARK = re.compile(r"\(([^\s()]+)\)")  # "(,)": a leaf without a label
OF_SEVERAL = {"prop": "NP", "n": "NP", "num": "NP", "adv": "ADVP", "adj": "AP"}
LETTERS = str.maketrans({**dict.fromkeys("«»“”", '"'), ":": ";", "{": "(", "}": ")"})
UNSPELLED = re.compile(r"[-_'’´`\x92]|(?<=\")\"")
SIZES = [(n, 1) for n in range(1, 7)] + [(1, n) for n in range(2, 7)]  # leaves, words


def read_trees(path: Path) -> dict[str, Tree]:
    """The trees by their ids. Malformed ones are left out."""
    _, *parts = HEADER.split(path.read_text(encoding="latin-1"))
    trees: dict[str, Tree] = {}
    for sent_id, text in zip(parts[::2], parts[1::2], strict=True):
        closing = ")" * (text.count("(") - text.count(")"))  # of titles
        with suppress(ValueError, LookupError, TypeError, AttributeError):
            tree = Tree.fromstring(MARK.sub(r"(punc \1)", text + closing))
            trees.setdefault(sent_id, Tree("ROOT", relabelled(tree)))
    return trees


def relabelled(node: Tree) -> list[Tree]:
    """A node with its category for a label; a leaf as one for each of its words."""
    category = node.label().split("+")[-1].strip("-")
    if not isinstance(node[0], str):
        children = [kept for child in node for kept in relabelled(child)]
        return [Tree(category.upper() if category.isalpha() else "X", children)]
    words, tag = "_".join(node).split("_"), category.lower() or "x"
    leaves = [Tree(tag, [word]) for word in words if word] or [Tree(tag, [*node])]
    if len(leaves) > 1 and tag in OF_SEVERAL and not node.label().startswith("H+"):
        return [Tree(OF_SEVERAL[tag], leaves)]
    return leaves


def letters_of(word: str) -> str:
    """What both treebanks have of a word."""
    return UNSPELLED.sub("", word.lower().translate(LETTERS)) or word


def put_words(tree: Tree, words: list[Word], parts: list[str]) -> Tree:
    """The tree over the words of the text. RAISES (ValueError): It has others."""
    leaves, i, j = preterminals(tree), 0, 0
    both = zip(words, parts, strict=True)
    spellings = [{letters_of(w.form), letters_of(part)} for w, part in both]
    while i < len(leaves) or j < len(words):
        for n, m in SIZES:
            group, ways = leaves[i : i + n], product(*spellings[j : j + m])
            if "".join(letters_of(leaf[0]) for leaf in group) in map("".join, ways):
                break
        else:
            raise ValueError(f"{leaves[i : i + 3]} are not {spellings[j : j + 3]}")
        first, *others = group
        first.set_label("+".join(dict.fromkeys(leaf.label() for leaf in group)))
        first[:] = [word.form for word in words[j : j + m]]
        for leaf in others:
            leaf.clear()
        i, j = i + n, j + m
    return without_doubles(Tree("ROOT", [x for child in tree for x in pruned(child)]))


def pruned(node: Tree) -> list[Tree]:
    """A node without empty leaves. What keeps one child of several is no phrase."""
    if all(isinstance(child, str) for child in node):
        return [Tree(node.label(), [word]) for word in node]
    children = [kept for child in node for kept in pruned(child)]
    is_phrase = len(children) > 1 or len(children) == len(node)
    return [Tree(node.label(), children)] if is_phrase and children else children


def joined(tree: Tree, lines: list[str]) -> tuple[str, str]:
    """A line of brackets and the CoNLL-U of a sentence, over the words of its text."""
    sentence, words = next(formats.read_conllu(lines)), words_of(rows_of(lines))
    heads, columns = sentence.heads or [], ("lemmas", "pos", "morphs", "deprels")
    place = {i: number for number, word in enumerate(words, 1) for i in word.ids}
    parts = ["".join(sentence.words[i - 1] for i in word.ids) for word in words]
    tree = put_words(tree, words, parts)
    outer = [next(i - 1 for i in w.ids if heads[i - 1] not in w.ids) for w in words]
    fused = formats.Parse(
        [word.form for word in words],
        [leaf.label() for leaf in preterminals(tree)],
        heads=[place.get(heads[i] or 0, 0) for i in outer],
        spaces=[word.space for word in words],
        metadata={key: sentence.metadata[key] for key in ("sent_id", "text")},
        **{name: [getattr(sentence, name)[i] for i in outer] for name in columns},
    )
    conllu = formats.format_conllu(fused)
    next(formats.read_conllu(conllu.split("\n")))  # or an error: heads in a circle
    return formats.write_brackets(tree) + "\n", conllu


def build(trees: Path, heads: str, output: Path) -> None:
    by_id, pairs = read_trees(trees), []
    for lines in read_sentences(map(Path, sorted(glob(heads)))):
        (sent_id,) = (x.split()[-1] for x in lines if x.startswith("# sent_id"))
        try:
            pairs.append(joined(by_id[sent_id], lines))
        except (KeyError, ValueError) as error:
            print(f"Left out: {sent_id}: {error}", file=sys.stderr)
    write_file(output.with_suffix(".ptb"), "".join(tree for tree, _ in pairs))
    write_file(output.with_suffix(".conllu"), "".join(conllu for _, conllu in pairs))
    print(f"Wrote {output}: {len(pairs)} sentences")


if __name__ == "__main__":
    run(build)
