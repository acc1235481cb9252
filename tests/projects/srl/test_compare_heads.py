"""`compare_heads.py`: a small pipeline by the source of heads and of predicates, and scores without auxiliaries."""

import json
import sys
from pathlib import Path

import pytest
import spacy
from role_examples import DEPS, GAVE, HEADS, PROPOSITIONS, SAW, TAGS, config, example, train
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.annotations import get_propositions, set_propositions
from spacy_lal.treebanks.roles import SentenceRoles, to_role_dict
from spacy_lal.trees.roles import Proposition

SCRIPTS = Path(__file__).resolve().parents[3] / "projects" / "srl" / "scripts"


@Language.component("heads_of_the_first_word")
def heads_of_the_first_word(doc: Doc) -> Doc:
    """In the place of a parser: each word hangs on the sentence's first one."""
    for sentence in doc.sents:
        for token in sentence:
            token.head, token.dep_ = doc[sentence.start], "dep"
    return doc


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "compare_heads", raising=False)
    import compare_heads

    return compare_heads


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A pipeline that knows both sentences, and a treebank of them, in which no space is before the full stop."""
    folder = tmp_path_factory.mktemp("roles")
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("heads_of_the_first_word")
    nlp.add_pipe("lal_srl", config=config("own"))
    with nlp.select_pipes(enable=["lal_srl"]):
        train(nlp, [example(nlp, "gave"), example(nlp, "saw")])
    nlp.to_disk(folder / "pipeline")
    conllu, roles = [], []
    for name, words in (("gave", GAVE), ("saw", SAW)):
        conllu.append(f"# sent_id = {name}")
        for i, word in enumerate(words):
            head = HEADS[name][i] + 1 if HEADS[name][i] != i else 0
            space = "SpaceAfter=No" if words[i + 1 : i + 2] == ["."] else "_"
            cells = [i + 1, word, "_", "_", TAGS[name][i], "_", head, DEPS[name][i].lower(), "_", space]
            conllu.append("\t".join(map(str, cells)))
        conllu.append("")
        roles.append(json.dumps(to_role_dict(SentenceRoles(name, len(words), tuple(PROPOSITIONS[name])))))
    (folder / "dev.conllu").write_text("\n".join(conllu) + "\n", encoding="utf8")
    (folder / "dev.srl.jsonl").write_text("\n".join(roles) + "\n", encoding="utf8")
    return folder


@pytest.mark.slow
def test_each_combination(script, files, capsys):
    output = files / "metrics" / "heads.json"
    arguments = [str(files / "pipeline"), "--treebank", str(files), "--output", str(output)]
    assert script.main(arguments) == 0
    rows = json.loads(output.read_text(encoding="utf8"))
    combinations = [(heads, predicates) for predicates in ("own", "gold") for heads in ("own", "doc", "gold")]
    assert [(row["heads"], row["predicates"]) for row in rows] == combinations
    for row in rows:
        if row["heads"] != "doc":  # heads in training were gold ones
            assert row["srl_f"] == row["srl_f_without_auxiliaries"] == row["roleset_acc"] == 1.0, row
        assert row["predicate_f"] == 1.0 or row["predicates"] == "own"
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 7 and lines[0].split()[:3] == ["heads", "predicates", "srl_f"]
    assert lines[1].split()[:3] == ["own", "own", "100.00"]


@pytest.mark.parametrize("heads", ["own", "doc", "gold"])
def test_docs_have_the_text_and_the_heads_that_are_wanted(script, files, heads):
    nlp = script.load(str(files / "pipeline"))
    assert script.heads_of(nlp) == "own"
    corpus = script.PropBankCorpus(files / "dev.conllu", n_sents=8)
    examples = list(corpus(nlp))
    (doc,) = script.docs_with(nlp, examples, heads, "doc")
    assert doc.text == examples[0].reference.text and doc.text.startswith("She gave up the old house. They")
    assert [sentence.start for sentence in doc.sents] == [0, len(GAVE)]
    found = [token.head.i for token in doc]
    gold = [token.head.i for token in examples[0].reference]
    first = [0] * len(GAVE) + [len(GAVE)] * len(SAW)
    assert found == {"own": list(range(len(doc))), "doc": first, "gold": gold}[heads]
    given = get_propositions(doc)
    assert [one.token for one in given] == [1, len(GAVE) + 1, len(GAVE) + 4]
    assert all(one.roleset == "" and [arg[2] for arg in one.args] == ["V"] for one in given)


def test_scores_without_auxiliaries(script):
    vocab = spacy.blank("en").vocab
    words = ["He", "has", "slept"]
    has = Proposition(1, "have.01", ((1, 2, "V"),), "have")
    sleep = Proposition(2, "sleep.01", ((0, 1, "ARG0"), (2, 3, "V")), "sleep")
    gold, found = (Doc(vocab, words=words, sent_starts=[True, False, False]) for _ in range(2))
    set_propositions(gold, [has, sleep])
    set_propositions(found, [has._replace(roleset="have.03", args=((0, 1, "ARG0"), (1, 2, "V"))), sleep])
    scores = script.score([found], [Example(found.copy(), gold)])
    assert scores["srl_p"] == 0.5 and scores["srl_f_without_auxiliaries"] == 1.0
    assert scores["predicate_f_without_auxiliaries"] == 1.0
    kept = script.without_auxiliaries(gold, [])
    assert [one.roleset for one in get_propositions(kept)] == ["sleep.01"]
    assert len(get_propositions(gold)) == 2
