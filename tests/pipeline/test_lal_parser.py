"""The component as spaCy's users meet it: overfit, disk and bytes, odd text, processes,
other pipes."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import spacy
import tiny_pipeline
from small_blocks import parser_block
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import raise_error

from spacy_lal.annotations import SPANS_KEY, set_sentence_starts
from spacy_lal.pipeline import default_parser

DOG, PERSON = tiny_pipeline.SENTENCES
PERSON_TREE = "(S (VP (X Select) (NP (NP (X the) (X person)) (VP (X driving)))) (X .))"
DOG_TREE = (
    "(S (NP (X She)) (VP (X sees) (NP (X a) (X dog)) (PP (X in) (NP (X the) (X "
    "park)))) (X .))"
)
ODD_TEXTS = [
    "",
    " ",
    "\n\n \t",
    "Go",
    "  She   sees\n\na dog .  ",
    "😀 👩‍👩‍👧 dog\u200bpark \u200b",
    "x" * 1000,
    "هذا كلب في الحديقة .",
    "( [ { -LRB- ) ] } ( S (",
    "She sees. \n \n A dog",
    "\ufeff\u2028She\u00a0sees",
]


def make_examples(nlp, *, trees=True, arcs=True):
    examples = [
        Example(nlp.make_doc(eg.reference.text), eg.reference)
        for eg in tiny_pipeline.make_examples(nlp)
    ]
    for doc in (eg.reference for eg in examples):
        if not arcs:
            doc.from_array(["HEAD", "DEP"], 0 * doc.to_array(["HEAD", "DEP"]))
            set_sentence_starts(doc, [0])
        if not trees:
            del doc.spans[SPANS_KEY]
    return examples


def train(nlp, examples, steps=100):
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(steps):
        losses = {}
        nlp.update(examples, sgd=optimizer, losses=losses)
    return losses


def make_nlp(**config):
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("lal_parser", config=config)
    return nlp


@pytest.fixture(scope="module")
def nlp():
    nlp = make_nlp()
    train(nlp, make_examples(nlp))
    return nlp


@pytest.fixture(scope="module")
def texts():
    return [eg.reference.text for eg in make_examples(spacy.blank("en"))]


def parses(docs):
    return [
        (doc._.parse_string, [t.head.i for t in doc], [t.dep_ for t in doc])
        for doc in docs
    ]


BLOCKS = {
    "@architectures": "spacy-lal.LALParser.v1",
    "tok2vec": None,
    "label_attention": {"@misc": "spacy-lal.LabelAttention.v1"},
    "span_scorer": {"@misc": "spacy-lal.SpanScorer.v1"},
    "biaffine_scorer": {"@misc": "spacy-lal.BiaffineScorer.v1"},
}


@pytest.mark.parametrize("missing", ["span_scorer", "biaffine_scorer"])
def test_a_parser_of_one_tree_alone(missing, texts):
    """Where a scorer is null, its labels are not collected, and nothing of its kind is
    written."""
    nlp = make_nlp(model={**BLOCKS, missing: None})
    train(nlp, make_examples(nlp))
    parser, docs = nlp.get_pipe("lal_parser"), list(nlp.pipe(texts))
    assert bool(parser.label_data["deprels"]) == (missing == "span_scorer")
    assert bool(parser.label_data["constituents"]) == (missing == "biaffine_scorer")
    if missing == "span_scorer":
        assert [[t.head.i for t in doc] for doc in docs] == [
            DOG["heads"],
            PERSON["heads"],
        ]
        assert all("constituents" not in doc.spans for doc in docs)
    else:
        assert [doc._.parse_string for doc in docs] == [DOG_TREE, PERSON_TREE]
        assert not any(doc.has_annotation("DEP") for doc in docs)
    again = make_nlp(model={**BLOCKS, missing: None}).from_bytes(nlp.to_bytes())
    assert parses(again.pipe(texts)) == parses(docs)


@pytest.mark.parametrize("blocks", [False, True])
def test_two_sentences_overfit(blocks, nlp, texts):
    if blocks:
        nlp = make_nlp(model=BLOCKS)
        train(nlp, make_examples(nlp))
    docs = list(nlp.pipe(texts))
    assert [doc._.parse_string for doc in docs] == [DOG_TREE, PERSON_TREE]
    for doc, data in zip(docs, (DOG, PERSON), strict=True):
        assert [t.head.i for t in doc] == data["heads"]
        assert [t.dep_ for t in doc] == data["deps"]
    scores = nlp.evaluate(make_examples(nlp))
    assert (
        scores["const_f"]
        == scores["dep_uas"]
        == scores["dep_las"]
        == scores["dep_las_reference"]
        == 1.0
    )


def test_disk_and_bytes(nlp, texts, tmp_path):
    expected = parses(nlp.pipe(texts))
    nlp.to_disk(tmp_path / "model")
    assert parses(spacy.load(tmp_path / "model").pipe(texts)) == expected
    loaded = make_nlp().from_bytes(nlp.to_bytes())
    assert parses(loaded.pipe(texts)) == expected
    again = make_nlp()
    again.get_pipe("lal_parser").from_bytes(nlp.get_pipe("lal_parser").to_bytes())
    assert parses(again.pipe(texts)) == expected


def test_an_untrained_component_saves_and_loads_but_says_that_it_is_untrained(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(default_parser, "DEFAULT_PACKAGES", {})
    nlp = make_nlp()
    nlp.to_disk(tmp_path)
    with pytest.raises(ValueError, match="neither trained nor loaded"):
        spacy.load(tmp_path)("She sees a dog.")


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_text(nlp, text):
    doc = nlp(text)
    assert doc.text == text
    check_sound(doc)


def check_sound(doc):
    for sent in doc.sents:
        roots = [t for t in sent if t.head == t]
        assert len(roots) == 1 and all(t.head in sent for t in sent)
    copy = Doc(doc.vocab).from_bytes(doc.to_bytes())
    binned = next(DocBin(docs=[doc], store_user_data=False).get_docs(doc.vocab))
    assert (
        parses([copy])
        == parses([binned])
        == parses([pickle.loads(pickle.dumps(doc))])
        == parses([doc])
    )
    assert all(tree.count("(") for tree in (doc._.parse_string or "").splitlines())


def test_whitespace_tokens_anywhere(nlp):
    plain = nlp("She sees a dog in the park.")
    doc = Doc(
        nlp.vocab,
        words=[
            "\n",
            "She",
            " ",
            "sees",
            "a",
            "dog",
            "in",
            "the",
            "park",
            "  ",
            ".",
            "\t",
        ],
    )
    for _, pipe in nlp.pipeline:
        doc = pipe(doc)
    assert doc._.parse_string == plain._.parse_string
    assert len(list(nlp(Doc(nlp.vocab, words=[" ", "\n", "\t"])).sents)) == 1


def test_order_batches_and_processes_do_not_matter(nlp, texts):
    many = (texts + ODD_TEXTS) * 2
    expected = parses(nlp(text) for text in many)
    assert parses(nlp.pipe(many)) == expected
    assert parses(nlp.pipe(many, batch_size=3)) == expected
    assert parses(list(nlp.pipe(many[::-1]))[::-1]) == expected
    assert parses(nlp.pipe(many, n_process=2, batch_size=5)) == expected


def test_no_sentence_boundaries(nlp):
    with nlp.select_pipes(disable="sentencizer"):
        with pytest.raises(ValueError, match="sentencizer"):
            nlp("She sees a dog.")
        seen = []
        nlp.set_error_handler(
            lambda name, pipe, docs, error: seen.append((name, str(error)))
        )
        try:
            assert list(nlp.pipe(["She sees a dog."])) == []
        finally:
            nlp.set_error_handler(raise_error)
        assert seen[0][0] == "lal_parser"


@pytest.mark.parametrize("known", ["trees", "arcs"])
def test_one_kind_of_annotation_in_the_data(known, texts):
    nlp = make_nlp()
    train(nlp, make_examples(nlp, trees=known == "trees", arcs=known == "arcs"))
    docs = list(nlp.pipe(texts))
    assert [doc._.parse_string for doc in docs] == (
        [DOG_TREE, PERSON_TREE] if known == "trees" else [None, None]
    )
    assert docs[0].has_annotation("DEP") == (known == "arcs") and (
        SPANS_KEY in docs[0].spans
    ) == (known == "trees")
    assert known == "trees" or [[t.head.i for t in doc] for doc in docs] == [
        DOG["heads"],
        PERSON["heads"],
    ]


def test_nothing_to_learn():
    nlp = make_nlp()
    with pytest.raises(
        ValueError,
        match=(
            "has nothing to learn: expected Examples whose reference has constituents"
        ),
    ):
        nlp.initialize(lambda: make_examples(nlp, trees=False, arcs=False))


def test_label_data_round_trips(nlp):
    data = nlp.get_pipe("lal_parser").label_data
    other = make_nlp()
    parser = other.get_pipe("lal_parser")
    parser.initialize(lambda: make_examples(other), nlp=other, labels=data)
    assert (
        parser.label_data == data and parser.labels == nlp.get_pipe("lal_parser").labels
    )
    with pytest.raises(ValueError, match="the keys"):
        parser.initialize(lambda: make_examples(other), labels={"nonsense": []})


def test_sourcing_and_freezing(nlp, texts):
    expected = parses(nlp.pipe(texts))
    other = spacy.blank("en")
    other.add_pipe("sentencizer")
    other.add_pipe("lal_parser", source=nlp)
    other.add_pipe("tagger")
    examples = make_examples(other)
    with other.select_pipes(enable=["tagger"]):
        optimizer = other.initialize(lambda: examples)
    other.update(examples, sgd=optimizer, exclude=["lal_parser"])
    docs = list(other.pipe(texts))
    assert [[t.head.i for t in doc] for doc in docs] == [
        heads for _, heads, _ in expected
    ]


def listening_nlp():
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("tok2vec")
    listener = {
        "@architectures": "spacy.Tok2VecListener.v1",
        "width": 96,
        "upstream": "tok2vec",
    }
    nlp.add_pipe("lal_parser", config={"model": parser_block(listener)})
    return nlp


def test_listeners_and_their_replacement(texts, tmp_path):
    nlp = listening_nlp()
    train(nlp, make_examples(nlp))
    expected = parses(nlp.pipe(texts))
    assert expected[0][0] == DOG_TREE
    nlp.to_disk(tmp_path)
    assert parses(spacy.load(tmp_path).pipe(texts)) == expected
    nlp.replace_listeners("tok2vec", "lal_parser", ["model.tok2vec"])
    nlp.remove_pipe("tok2vec")
    assert parses(nlp.pipe(texts)) == expected
    nlp.to_disk(tmp_path / "alone")
    assert parses(spacy.load(tmp_path / "alone").pipe(texts)) == expected


def test_annotating_components(nlp):
    seen = []

    class Spy:
        def __call__(self, doc):
            return doc

        def update(self, examples, **kwargs):
            seen.extend(eg.predicted._.parse_string for eg in examples)

    Language.factory("parse_spy", func=lambda nlp, name: Spy())
    spied = make_nlp().from_bytes(nlp.to_bytes())
    spied.add_pipe("parse_spy")
    spied.update(
        make_examples(spied), sgd=False, annotates=["sentencizer", "lal_parser"]
    )
    assert seen == [DOG_TREE, PERSON_TREE]


THREADS = """
import sys, spacy, torch
torch.set_num_threads(2)
nlp = spacy.load(sys.argv[1])
texts = ["She sees a dog in the park."] * 30
expected = [doc._.parse_string for doc in nlp.pipe(texts)]
docs = nlp.pipe(texts, n_process=2, batch_size=8)
assert [doc._.parse_string for doc in docs] == expected
"""


def test_processes_after_torch_has_used_its_threads(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    subprocess.run(
        [sys.executable, "-c", THREADS, str(tmp_path)],
        check=True,
        timeout=240,
        cwd=tmp_path,
    )


def test_pickle(nlp, texts):
    """As worker processes get a pipeline where a process cannot fork."""
    for decoder in (None, {"@misc": "spacy-lal.separate_decoder.v1", "arcs": "mst"}):
        other = make_nlp(**({"decoder": decoder} if decoder else {})).from_bytes(
            nlp.to_bytes()
        )
        copy = pickle.loads(pickle.dumps(other))
        assert parses(copy.pipe(texts)) == parses(other.pipe(texts))
        assert copy.evaluate(make_examples(copy))["const_f"] == 1.0


def test_memory_zone(nlp, texts):
    expected = parses(nlp.pipe(texts))
    with nlp.memory_zone():
        assert parses(nlp.pipe(texts)) == expected
    assert parses(nlp.pipe(texts)) == expected


def test_a_long_sentence(nlp):
    parser = nlp.get_pipe("lal_parser")
    words = ["dog", "sees", "park"] * 100
    with pytest.warns(UserWarning, match="more than 200 words"):
        doc = parser(Doc(nlp.vocab, words=words, sent_starts=[True] + [False] * 299))
    check_sound(doc)


def test_existing_annotation_stays_on_request(texts):
    nlp = make_nlp(overwrite=False)
    examples = make_examples(nlp)
    train(nlp, examples, steps=2)
    doc = examples[0].reference.copy()
    nlp.get_pipe("lal_parser")(doc)
    assert doc._.parse_string.startswith("(S (NP (PRP She))")
    assert [t.head.i for t in doc] == DOG["heads"]


def test_updates_without_words_change_nothing(nlp):
    empty = nlp.make_doc("")
    parser = nlp.get_pipe("lal_parser")
    assert parser.update([Example(empty, empty.copy())]) == {"lal_parser": 0.0}
    blank = Doc(nlp.vocab, words=[" "])
    assert np.isfinite(parser.update([Example(blank, blank.copy())])["lal_parser"])


def test_the_name_of_a_model_is_no_model():
    """As with benepar."""
    for factory, code in (
        ("lal_parser", ""),
        ("lal_srl", r', source=spacy.load\("en_lal_md"\)'),
    ):
        with pytest.raises(
            ValueError,
            match=(
                rf'write nlp.add_pipe\("{factory}"{code}\).*spacy.load\(.en_lal_md.\)$'
            ),
        ):
            spacy.blank("en").add_pipe(factory, config={"model": "benepar_en3"})


def test_without_torch_training_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    nlp = spacy.blank("en")
    parser = nlp.add_pipe("lal_parser")
    parser.set_label_data({"constituents": ["S"], "deprels": ["ROOT"], "tags": ["X"]})
    doc = nlp.make_doc("Go on!")
    with pytest.raises(ValueError, match=r"pip install 'spacy-lal\[train\]'"):
        parser.update([Example(doc, doc)])
