"""Score a finished package on test sets, once, and write the scores where readers look:
into its meta.json, its card, and the table of README.

    python scripts/test_scores.py ../../packages/en_lal_md-0.5.0 ../../../shared/test/ewt
    ../../../shared/test/gum --card ../../docs/reference/en_lal_md.md --readme ../../README.md

A set is a folder, or NAME=FOLDER, with test.ptb (or test.nonml.ptb) and test.conllu, perhaps
test.srl.jsonl, and raw.conllu for scores of raw text. Nothing is chosen by these scores,
and nothing is tuned after them: a package that has some is not scored again."""

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Set, Tuple

import spacy
import srsly
from build_package import shown_card
from spacy.tokens import Doc, DocBin, Token

from spacy_lal.files import write_file

GOLD = {  # columns of the first table, and the names of `lal evaluate`
    "const_f": "const_f",
    "UAS": "dep_uas",
    "LAS": "dep_las",
    "tags": "tag_acc",
    "UPOS": "pos_acc",
    "lemmas": "lemma_acc",
    "roles": "srl_f",
}
ALL_WORDS = ("words", "sentences", "UPOS", "lemmas", "UAS", "LAS")
TITLE = "## Test scores"
BEGIN, END = "<!-- test scores -->", "<!-- end of test scores -->"
README_COLUMNS = (
    ("EWT: LAS", "EWT", "raw text", "LAS"),
    ("sentences", "EWT", "raw text", "sentences"),
    ("const_f", "EWT", "gold tokens", "const_f"),
    ("GUM: LAS", "GUM", "raw text", "LAS"),
    ("sentences", "GUM", "raw text", "sentences"),
)
# Published figures of others.
OTHERS = (
    ("UDPipe 2", "89.91", "88.42", "", "91.54", "95.77"),
    ("Trankit large", "89.40", "90.49", "", "", ""),
    ("spaCy's transformer", "89.42", "90.62", "", "", ""),
    ("Stanza", "86.77", "89.16", "", "88.24", "95.34"),
)
Span = Tuple[int, int]  # characters of the text without white space
Scores = Dict[str, Dict[str, Optional[float]]]


def lal(*arguments: Any) -> None:
    """Run a command of the library.

    RAISES (CalledProcessError): It fails."""
    command = [sys.executable, "-m", "spacy", "lal", *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def spans(doc: Doc) -> List[Span]:
    """The characters of each token; whitespace tokens have none."""
    found, end = [], 0
    for token in doc:
        start, end = end, end + len("".join(token.text.split()))
        found.append((start, end))
    return found


def annotations(doc: Doc) -> Dict[str, Set[Tuple]]:
    """What is scored, by name: a set of tuples that begin with the characters of a word
    or sentence."""
    places = spans(doc)
    words = [token for token in doc if not token.is_space]
    sentences = [(places[sent.start][0], places[sent.end - 1][1]) for sent in doc.sents]

    def of_words(values: "Dict[Token, Tuple]") -> Set[Tuple]:
        return {(places[token.i], *value) for token, value in values.items()}

    heads = {
        token: places[token.head.i] if token.head is not token else None
        for token in words
    }
    return {
        "words": of_words(dict.fromkeys(words, ())),
        "sentences": {one for one in sentences if one[0] < one[1]},
        "UPOS": of_words({token: (token.pos_,) for token in words}),
        "lemmas": of_words({token: (token.lemma_,) for token in words}),
        "UAS": of_words({token: (heads[token],) for token in words}),
        "LAS": of_words(
            {token: (heads[token], token.dep_.split(":")[0].lower()) for token in words}
        ),
    }


def score(golds: Sequence[Doc], docs: Sequence[Doc]) -> Dict[str, float]:
    """F1 by name, in percent, of Docs made of the texts of gold Docs, as CoNLL 2018
    scored. A word is found if it has the same characters, a sentence if it has the same
    first and last one; white space does not count. Of a word that is found, UPOS and
    lemma are right if they are equal (a gold lemma `_` is always right), UAS if the
    head is the same word, LAS if the deprel without its subtype is equal, too."""
    right: Dict[str, int] = {}
    total: Dict[str, int] = {}
    for gold, doc in zip(golds, docs, strict=True):
        expected, found = annotations(gold), annotations(doc)
        unknown = {place for place, lemma in expected["lemmas"] if lemma == "_"}
        found["lemmas"] = {
            (place, "_" if place in unknown else lemma)
            for place, lemma in found["lemmas"]
        }
        for name in expected:
            right[name] = right.get(name, 0) + len(expected[name] & found[name])
            total[name] = total.get(name, 0) + len(expected[name]) + len(found[name])
    return {name: 200 * right[name] / total[name] for name in right if total[name]}


def scores_of(pipeline: Path, folder: Path) -> Scores:
    """The scores of a test set, in percent: with gold tokens, and of raw text."""
    flat = folder / "test.nonml.ptb"
    trees = flat if flat.exists() else folder / "test.ptb"
    others = (folder / "test.conllu", folder / "test.srl.jsonl")
    files = [trees, *(path for path in others if path.exists())]
    found: Scores = {}
    with tempfile.TemporaryDirectory() as scratch:
        gold, raw = Path(scratch) / "gold.spacy", Path(scratch) / "raw.spacy"
        result = Path(scratch) / "scores.json"
        lal("convert", *files, "-o", gold, "--n-sents", 8)
        lal("evaluate", gold, "--model", pipeline, "--output", result)
        scores = json.loads(result.read_text(encoding="utf8"))
        scores.update(scores.get("roles") or {})
        found["gold tokens"] = {
            name: None if scores.get(key) is None else round(100 * scores[key], 2)
            for name, key in GOLD.items()
        }
        if (folder / "raw.conllu").exists():
            text = folder / "raw.conllu"
            lal("convert", text, "-o", raw, "--by-paragraph", "--n-sents", 0)
            nlp = spacy.load(pipeline)
            golds = list(DocBin().from_disk(raw).get_docs(nlp.vocab))
            docs = list(nlp.pipe([doc.text for doc in golds], batch_size=16))
            values = score(golds, docs)
            found["raw text"] = {name: round(values[name], 2) for name in ALL_WORDS}
    return found


def table(rows: Sequence[Sequence[str]], n_text: int) -> Iterator[str]:
    """A table in Markdown, its header first. n_text: Columns aligned to the left."""
    header, *others = rows
    yield f"| {' | '.join(header)} |"
    yield "|" + "---|" * n_text + "--:|" * (len(header) - n_text)
    yield from (f"| {' | '.join(row)} |" for row in others)


def shown(value: Optional[float]) -> str:
    """A score, or nothing."""
    return "" if value is None else f"{value:.2f}"


def named_set(text: str) -> Tuple[str, Path]:
    """The name of a set, the folder's in capitals unless said, and its folder."""
    name, _, folder = text.rpartition("=")
    return name or Path(folder).name.upper(), Path(folder)


def section(test: Dict[str, Any], version: str, project: str) -> str:
    """The section of a card. project: Whose step wrote it."""
    sets = test["sets"].items()
    gold = [["test", *GOLD]]
    gold += [
        [name, *(shown(scores["gold tokens"][key]) for key in GOLD)]
        for name, scores in sets
    ]
    raw = [["test, raw text", *ALL_WORDS]]
    raw += [
        [name, *(shown(scores["raw text"][key]) for key in ALL_WORDS)]
        for name, scores in sets
        if "raw text" in scores
    ]
    lines = [
        TITLE,
        "",
        f"Of version {version}, on {test['date']}, once, when all else was final: "
        "nothing is trained on these",
        "sets or chosen by them. In percent, with gold tokens and sentence breaks; UAS and "
        "LAS without",
        "punctuation, roles with own predicates:",
        "",
        *table(gold, 1),
        "",
    ]
    if len(raw) > 1:
        lines += [
            "From raw text, in paragraphs; all words, deprels without subtypes, as in "
            "CoNLL 2018:",
            "",
            *table(raw, 1),
            "",
        ]
    step = f"    python -m spacy project run test-scores projects/{project}"
    return "\n".join([*lines, step, "", ""])


def with_section(card: str, new: str) -> str:
    """A card with another section of test scores.

    RAISES (ValueError): It has none."""
    if TITLE not in card:
        raise ValueError(f"the card has no section {TITLE!r}")
    start = card.index(TITLE)
    end = card.find("\n## ", start)
    return card[:start] + new + (card[end + 1 :] if end >= 0 else "")


def readme_rows(metas: Sequence[Dict[str, Any]]) -> List[List[str]]:
    """The table of README: a row for each package that has been scored, then others."""
    rows = [["", *(column for column, *_ in README_COLUMNS)]]
    for meta in metas:
        sets = meta["test"]["sets"]
        values = [
            sets.get(name, {}).get(given, {}).get(key)
            for _, name, given, key in README_COLUMNS
        ]
        name = f"`{meta['lang']}_{meta['name']}` {meta['version']}"
        rows.append([name, *map(shown, values)])
    return rows + [list(row) for row in OTHERS]


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Score, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("package", type=Path, help="a folder of packages/")
    parser.add_argument("sets", type=named_set, nargs="+", metavar="[NAME=]FOLDER")
    parser.add_argument("--card", type=Path, required=True)
    parser.add_argument("--readme", type=Path, required=True)
    args = parser.parse_args(arguments)
    meta = json.loads((args.package / "meta.json").read_text(encoding="utf8"))
    if "test" in meta:
        print(f"{args.package} was scored on {meta['test']['date']}", file=sys.stderr)
        return 1
    name = f"{meta['lang']}_{meta['name']}"
    pipeline = args.package / name / f"{name}-{meta['version']}"
    sets = {name: scores_of(pipeline, path) for name, path in args.sets}
    meta["test"] = {"date": datetime.date.today().isoformat(), "sets": sets}
    for path in args.package.rglob("meta.json"):
        write_file(path, srsly.json_dumps(meta, indent=2))  # as spaCy writes it
    new = section(meta["test"], meta["version"], Path.cwd().name)
    card = with_section(args.card.read_text(encoding="utf8"), new)
    write_file(args.card, card)
    for path in args.package.rglob("README.md"):
        write_file(path, shown_card(args.card, meta))
    metas = [
        json.loads(path.read_text(encoding="utf8"))
        for path in sorted(args.package.parent.glob("en_*/meta.json"))
    ]
    rows = readme_rows([meta for meta in metas if "test" in meta])
    readme = args.readme.read_text(encoding="utf8")
    start, end = readme.index(BEGIN) + len(BEGIN), readme.index(END)
    shown_rows = "\n".join(["", *table(rows, 1), ""])
    write_file(args.readme, readme[:start] + shown_rows + readme[end:])
    print(json.dumps(meta["test"], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
