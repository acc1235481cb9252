"""docs/how_to/roles.md: its Python blocks run, and print what the page says."""

import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any, Dict, List, Tuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_lal.annotations import install_extensions, set_propositions
from spacy_lal.trees.propositions import Proposition

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how_to" / "roles.md"
BLOCKS = re.compile(r"```python\n(.*?)```\n(?:\n```\n(.*?)```)?", re.DOTALL)
install_extensions()


def give(vocab: Vocab) -> Doc:
    doc = Doc(
        vocab,
        words="She gave him the book that he had asked for .".split(),
        spaces=[True] * 9 + [False, False],
        pos=["PRON", "VERB", "PRON", "DET", "NOUN", "PRON", "PRON", "AUX", "VERB", "ADP", "PUNCT"],
        lemmas="she give he the book that he have ask for .".split(),
        heads=[1, 1, 1, 4, 1, 8, 8, 8, 4, 5, 1],
        deps="nsubj ROOT iobj det obj obl nsubj aux acl:relcl case punct".split(),
    )
    give = ((0, 1, "ARG0"), (1, 2, "V"), (2, 3, "ARG2"), (3, 10, "ARG1"))
    ask = ((3, 5, "ARG1"), (5, 6, "R-ARG1"), (6, 7, "ARG0"), (8, 9, "V"))
    have = ((7, 8, "V"),)
    found = [Proposition(1, "give.01", give), Proposition(7, "have.01", have), Proposition(8, "ask.02", ask)]
    set_propositions(doc, found)
    return doc


def window(vocab: Vocab) -> Doc:
    doc = Doc(
        vocab,
        words="The window was broken by the storm . The storm broke the window .".split(),
        spaces=[True] * 6 + [False] + [True] * 5 + [False, False],
        pos="DET NOUN AUX VERB ADP DET NOUN PUNCT DET NOUN VERB DET NOUN PUNCT".split(),
        lemmas="the window be break by the storm . the storm break the window .".split(),
        heads=[1, 3, 3, 3, 6, 6, 3, 3, 9, 10, 10, 12, 10, 10],
        deps="det nsubj:pass aux:pass ROOT case det obl:agent punct det nsubj ROOT det obj punct".split(),
    )
    passive = ((0, 2, "ARG1"), (3, 4, "V"), (4, 7, "ARG0"))
    active = ((8, 10, "ARG0"), (10, 11, "V"), (11, 13, "ARG1"))
    be = Proposition(2, "be.03", ((2, 3, "V"),))
    set_propositions(doc, [be, Proposition(3, "break.01", passive), Proposition(10, "break.01", active)])
    return doc


class Pipeline:
    """In place of a pipeline with a trained lal_srl: the Docs of the page's texts, annotated by hand."""

    def __init__(self) -> None:
        self.vocab = Vocab()
        docs = [
            give(self.vocab),
            window(self.vocab),
            Doc(self.vocab, words=["Go", "on", "!"], spaces=[True, False, False]),
        ]
        self.docs = {doc.text.strip(): doc for doc in docs}

    def __call__(self, text: str) -> Doc:
        return self.docs[text]


def blocks() -> List[Tuple[str, str]]:
    return BLOCKS.findall(PAGE.read_text(encoding="utf8"))


def test_the_page_prints_what_it_says(tmp_path: Path):
    roles = {"0": ["pag", "giver"], "1": ["ppt", "thing given"], "2": ["gol", "entity given to"]}
    frame = {"roleset": "give.01", "frame": "give", "name": "transfer", "roles": roles}
    (tmp_path / "frames.jsonl").write_text(json.dumps(frame) + "\n", encoding="utf8")
    names: Dict[str, Any] = {"nlp": Pipeline(), "frames_path": tmp_path / "frames.jsonl"}
    found = blocks()
    assert len(found) == 10 and sum(bool(output) for _, output in found) == 9
    for code, output in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(PAGE), "exec"), names)
        assert printed.getvalue() == output, code
    assert names["html"].startswith("<!DOCTYPE html>") and "ARG2" in names["html"]
