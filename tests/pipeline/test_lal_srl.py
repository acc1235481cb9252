"""The component `lal_srl`: learning, partial annotation, heads and predicates, batches,
storage, processes."""

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import spacy
from role_examples import GAVE, HEADS, PROPOSITIONS, SAW, config, example, make, train
from spacy.lookups import Lookups
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.annotations import (
    get_propositions,
    has_frames,
    install_frames,
    sentence_words,
    sentences,
    set_constituents,
    set_propositions,
)
from spacy_lal.loss.gold import gold_roles
from spacy_lal.models.batches import get_config
from spacy_lal.models.doc_parses import doc_heads
from spacy_lal.models.roles import begin_update
from spacy_lal.trees.frames import Frame, FrameRole
from spacy_lal.trees.roles import Proposition, check_proposition

TEXTS = [
    " ".join(GAVE),
    " ".join(SAW),
    "He slept . They gave up .",
    "Hm",
    "",
    "😀 saw the house 😀 .",
]


@pytest.fixture(scope="module")
def nlp():
    return make()


def roles(docs):
    return [get_propositions(doc) for doc in docs]


def doc_of(nlp, words, **more):
    return Doc(
        nlp.vocab, words=words, sent_starts=[i == 0 for i in range(len(words))], **more
    )


def test_it_learns_two_sentences_by_heart(nlp):
    scores = nlp.evaluate([example(nlp, "gave"), example(nlp, "saw")])
    assert (scores["srl_f"], scores["predicate_f"], scores["roleset_acc"]) == (
        1.0,
        1.0,
        1.0,
    )
    assert roles(nlp.pipe([" ".join(GAVE), " ".join(SAW)])) == [
        PROPOSITIONS["gave"],
        PROPOSITIONS["saw"],
    ]


@pytest.mark.parametrize(
    "role, deprel",
    [
        ("ARGM-TMP", "obl"),
        ("R-ARG2", "obl"),
        ("C-ARG0", "obl:agent"),
        ("ARG1", "obl:agent"),
    ],
)
def test_a_by_phrase_with_another_role_is_no_agent(nlp, role, deprel):
    words, deps = (
        ["killed", "by", "Friday", "by", "Kim"],
        ["ROOT", "case", "obl:agent", "case", "obl:agent"],
    )
    doc = Doc(
        nlp.vocab, words=words, heads=[0, 2, 0, 4, 2], deps=deps
    )  # the second one is not of this predicate
    found = Proposition(0, "kill.01", ((0, 1, "V"), (1, 5, role)), "kill")
    nlp.get_pipe("lal_srl").set_annotations([doc], [[(list(range(5)), [found])]])
    assert [token.dep_ for token in doc] == [
        "ROOT",
        "case",
        deprel,
        "case",
        "obl:agent",
    ]


def test_the_default_model_learns_two_sentences():
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_srl")
    examples = [example(nlp, "gave"), example(nlp, "saw")]
    train(nlp, examples, steps=40, learn_rate=0.003)
    assert nlp.evaluate(examples)["srl_f"] == 1.0


def test_a_doc_has_the_same_roles_alone_and_in_any_batch(nlp):
    alone = roles(nlp(text) for text in TEXTS)
    assert roles(nlp.pipe(TEXTS, batch_size=10)) == alone
    assert roles(nlp.pipe(TEXTS[::-1], batch_size=3)) == alone[::-1]


@pytest.mark.parametrize("predicates", ["own", "doc"])
def test_a_long_sentence_is_read_in_the_pieces_of_the_parser(
    nlp, monkeypatch, predicates
):
    monkeypatch.setattr(sentences, "MAX_LENGTH", 8)
    monkeypatch.setattr(sentences, "PIECE_LENGTH", 8)
    doc, pipe = doc_of(nlp, [*GAVE, *SAW]), nlp.get_pipe("lal_srl")
    saw = [
        Proposition(
            7 + token,
            roleset,
            tuple((7 + start, 7 + end, role) for start, end, role in args),
            lemma,
        )
        for token, roleset, args, lemma in PROPOSITIONS["saw"]
    ]
    if predicates == "doc":
        verbs = [
            one._replace(args=tuple(a for a in one.args if a[2] == "V"))
            for one in [*PROPOSITIONS["gave"], *saw]
        ]
        set_propositions(doc, verbs)
    monkeypatch.setattr(pipe, "predicates", predicates)
    assert get_propositions(pipe(doc)) == [*PROPOSITIONS["gave"], *saw]


def test_whitespace_is_left_out(nlp):
    words = list(SAW)
    words[2:2] = ["  ", "\n"]
    doc = doc_of(nlp, ["\n", *words, " "])
    (saw, slept) = get_propositions(nlp.get_pipe("lal_srl")(doc))
    assert (saw.token, saw.args) == (2, ((1, 2, "ARG0"), (2, 3, "V"), (5, 8, "ARG1")))
    assert slept.token == 7


@pytest.mark.parametrize("words", [[], [" "], ["slept"], ["\n", " "], ["saw"] * 1000])
def test_unusual_docs_get_sound_roles(nlp, words):
    doc = nlp.get_pipe("lal_srl")(doc_of(nlp, words))
    assert "srl" in doc.spans
    for proposition in get_propositions(doc):
        check_proposition(proposition, len(doc))


def test_an_untrained_component_says_how_to_train_it():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("lal_srl")
    with pytest.raises(
        ValueError,
        match=(
            r"'lal_srl' was neither trained nor loaded.*spacy project run all "
            r"projects/en"
        ),
    ):
        nlp("She slept.")
    assert len(nlp("").spans["srl"]) == 0


def test_no_sentence_boundaries(nlp):
    with pytest.raises(ValueError, match="no sentence boundaries"):
        nlp.get_pipe("lal_srl")(Doc(nlp.vocab, words=SAW))


def test_bundled_pipeline_skips_docs_without_roles():
    """Its scorer of ranges reads the parse of Docs with predicates alone."""
    if not spacy.util.is_package("en_lal_md"):
        pytest.skip("needs the bundled pipeline")
    nlp = spacy.load("en_lal_md")
    upstream = nlp.pipe_names[0]
    example = Example.from_dict(
        nlp.make_doc("The cat sleeps."), {"sent_starts": [1, 0, 0, 0]}
    )
    with nlp.select_pipes(enable=[upstream, "lal_srl"]):
        losses = nlp.update([example], sgd=nlp.resume_training(), annotates=[upstream])
    assert losses["lal_srl"] == 0.0


# Partial annotation


def test_missing_roles_are_masked_not_absent():
    """A sentence without roles teaches nothing about predicates; one with no predicate
    does."""
    nlp = spacy.blank("en")
    srl = nlp.add_pipe("lal_srl", config=config("none"))
    unknown, known = (
        example(nlp, "gave", roles=False),
        example(nlp, "gave", roles=False),
    )
    set_propositions(known.reference, [])
    train(nlp, [example(nlp, "saw")], steps=1)
    for eg, any_gradient in ((unknown, False), (known, True)):
        (gold,) = gold_roles(eg, srl._labels)
        scores, _ = begin_update(srl.model, [eg.predicted], [gold])
        losses, gradients = srl.loss(scores, [gold])
        assert bool(np.abs(gradients[0].predicates).sum() > 0) is any_gradient
        assert (sum(losses.values()) > 0) is any_gradient


def test_data_without_roles_is_refused():
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_srl", config=config())
    with pytest.raises(
        ValueError,
        match="has nothing to learn: expected Examples whose reference has roles",
    ):
        nlp.initialize(lambda: [example(nlp, "gave", roles=False)])


def test_own_heads_need_data_with_heads():
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_srl", config=config("own"))
    with pytest.raises(
        ValueError, match='heads = "own" needs a network with arcs of its own'
    ):
        nlp.initialize(lambda: [example(nlp, "saw", heads=False)])


# Heads


def test_heads_of_the_doc_must_be_there():
    nlp = make("doc")
    with pytest.warns(UserWarning, match="finds no roles: .* no heads: .* lal_parser"):
        assert not get_propositions(nlp(" ".join(SAW)))
    doc = doc_of(nlp, SAW, heads=HEADS["saw"], deps=["dep"] * 6)
    assert get_propositions(nlp.get_pipe("lal_srl")(doc)) == PROPOSITIONS["saw"]
    assert (
        len(nlp.get_pipe("lal_srl")(doc_of(nlp, ["slept"])).spans) == 1
    )  # one token is its own head


def test_a_word_without_a_head_is_no_root():
    nlp = make("doc")
    deps = ["dep"] * 6
    deps[4] = ""  # spaCy lets such a token point to itself
    doc = doc_of(nlp, SAW, heads=[*HEADS["saw"][:4], 4, HEADS["saw"][5]], deps=deps)
    assert [head.tolist() for head in doc_heads([doc], [sentence_words(doc)])] == [
        [*HEADS["saw"][:4], -1, HEADS["saw"][5]]
    ]
    assert get_propositions(nlp.get_pipe("lal_srl")(doc))


def test_a_model_of_own_heads_follows_the_docs_heads_by_config_alone(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    switched = spacy.load(
        tmp_path,
        config={"components": {"lal_srl": {"model": {"syntax": {"heads": "doc"}}}}},
    )
    assert get_config(switched.get_pipe("lal_srl").model).syntax.heads == "doc"
    with pytest.warns(UserWarning, match="no heads"):
        switched(" ".join(SAW))
    doc = doc_of(switched, SAW, heads=HEADS["saw"], deps=["dep"] * 6)
    assert get_propositions(switched.get_pipe("lal_srl")(doc)) == PROPOSITIONS["saw"]
    switched.to_disk(tmp_path / "again")
    back = spacy.load(
        tmp_path / "again",
        config={"components": {"lal_srl": {"model": {"syntax": {"heads": "own"}}}}},
    )
    assert roles([back(" ".join(SAW))]) == [PROPOSITIONS["saw"]]


def test_a_model_of_the_docs_heads_has_none_of_its_own(tmp_path):
    make("doc").to_disk(tmp_path)
    with pytest.raises(
        ValueError, match='heads = "own" needs a network with arcs of its own'
    ):
        spacy.load(
            tmp_path,
            config={"components": {"lal_srl": {"model": {"syntax": {"heads": "own"}}}}},
        )


# Predicates


def test_given_predicates_keep_all_their_parts_and_their_frame_file(nlp, monkeypatch):
    srl = nlp.get_pipe("lal_srl")
    monkeypatch.setattr(srl, "predicates", "doc")
    doc = doc_of(nlp, GAVE)
    set_constituents(doc, sentence_words(doc), [[(0, 7, "S")]])
    set_propositions(
        doc, [Proposition(5, "house.07", ((1, 2, "V"), (4, 6, "C-V")), "home")]
    )
    (found,) = get_propositions(srl(doc))
    assert (found.token, found.roleset, found.lemma) == (5, "house.07", "home")
    assert [one for one in found.args if one[2] in ("V", "C-V")] == [
        (1, 2, "V"),
        (4, 6, "C-V"),
    ]
    check_proposition(found, len(doc))


# Labels and training


def test_labels_come_from_data_or_from_a_file(nlp):
    srl = nlp.get_pipe("lal_srl")
    assert srl.labels == ("V", "ARG0", "ARG1")
    again = spacy.blank("en")
    other = again.add_pipe("lal_srl", config=config())
    other.initialize(lambda: [example(again, "saw")], labels=srl.label_data)
    assert other.label_data == srl.label_data
    with pytest.raises(ValueError, match="labels are a dict with the keys"):
        srl.set_label_data({"other": []})
    with pytest.raises(ValueError, match="labels are a dict with the keys"):
        srl.set_label_data(["ARG0"])


def test_unknown_labels_are_ignored(nlp):
    eg = example(nlp, "saw")
    set_propositions(
        eg.reference, [Proposition(1, "other.09", ((0, 1, "ARG7"), (1, 2, "V")))]
    )
    with pytest.warns(
        UserWarning, match=r"'lal_srl' does not know gold labels .* ARG7, other\.09"
    ):
        losses = nlp.get_pipe("lal_srl").update([eg], losses={})
    assert np.isfinite(losses["lal_srl"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # each label is named once
        nlp.get_pipe("lal_srl").update([eg])


def test_update_without_words_or_network(nlp):
    srl = nlp.get_pipe("lal_srl")
    empty = Example(doc_of(nlp, []), doc_of(nlp, []))
    assert srl.update([empty], losses={}) == {"lal_srl": 0.0}
    assert srl.update([empty, example(nlp, "saw")], losses={})["lal_srl"] > 0
    untrained = spacy.blank("en").add_pipe("lal_srl")
    with pytest.raises(
        ValueError, match="has no network to train yet: call nlp.initialize"
    ):
        untrained.update([example(nlp, "saw")])


# Storage, threads, processes


def test_disk_bytes_and_pickle(nlp, tmp_path):
    expected = roles(nlp.pipe(TEXTS))
    nlp.to_disk(tmp_path)
    assert roles(spacy.load(tmp_path).pipe(TEXTS)) == expected
    again = spacy.blank("en")
    again.add_pipe("sentencizer")
    again.add_pipe("lal_srl", config=config())
    again.from_bytes(nlp.to_bytes())
    assert roles(again.pipe(TEXTS)) == expected
    assert roles(pickle.loads(pickle.dumps(nlp)).pipe(TEXTS)) == expected


def test_processes_and_threads(nlp):
    expected = roles(nlp.pipe(TEXTS))
    assert roles(nlp.pipe(TEXTS, n_process=2, batch_size=2)) == expected
    with ThreadPoolExecutor(3) as pool:
        assert all(
            found == expected
            for found in pool.map(lambda _: roles(nlp.pipe(TEXTS)), range(6))
        )


def test_overwrite(nlp):
    srl = nlp.get_pipe("lal_srl")
    doc = doc_of(nlp, SAW)
    set_propositions(doc, [])
    try:
        srl.overwrite = False
        assert get_propositions(srl(doc)) == []
        srl.overwrite = True
        assert get_propositions(srl(doc)) == PROPOSITIONS["saw"]
    finally:
        srl.overwrite = True


# With other components


def test_a_sourced_component_brings_its_frames(nlp, monkeypatch):
    own = spacy.blank("en")
    own.add_pipe("sentencizer")
    own.add_pipe("lal_srl", source=nlp)
    assert own(" ".join(SAW))._.predicates[0].description is None and not has_frames(
        own.vocab
    )
    monkeypatch.setattr(nlp.vocab, "lookups", Lookups())
    install_frames(
        nlp.vocab, [Frame("see.01", "see", "view", {"0": FrameRole("PAG", "viewer")})]
    )
    found = own(" ".join(SAW))._.predicates[0]
    assert found.description == "view" and found.get("ARG0").description == "viewer"
    install_frames(own.vocab, [Frame("see.01", "see", "mine", {})])
    assert own(" ".join(SAW))._.predicates[0].description == "mine"


def with_listener():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe(
        "tok2vec",
        config={
            "model": {
                "@architectures": "spacy.HashEmbedCNN.v2",
                "width": 32,
                "depth": 1,
                "embed_size": 200,
                "window_size": 1,
                "maxout_pieces": 2,
                "subword_features": False,
                "pretrained_vectors": None,
            }
        },
    )
    listener = {
        "@architectures": "spacy.Tok2VecListener.v1",
        "width": 32,
        "upstream": "tok2vec",
    }
    nlp.add_pipe("lal_srl", config=config(tok2vec=listener))
    return nlp


def test_a_shared_tok2vec_trains_is_frozen_replaced_and_sourced(tmp_path):
    nlp = with_listener()
    examples = [example(nlp, "gave"), example(nlp, "saw")]
    train(nlp, examples)
    assert nlp.evaluate(examples)["srl_f"] == 1.0
    expected = roles(nlp.pipe(TEXTS))
    nlp.to_disk(tmp_path)
    source = spacy.load(tmp_path)
    source.replace_listeners("tok2vec", "lal_srl", ["model.tok2vec"])
    other = spacy.blank("en")
    other.add_pipe("sentencizer")
    other.add_pipe("lal_srl", source=source)
    assert roles(other.pipe(TEXTS)) == expected
    before = nlp.get_pipe("tok2vec").model.to_bytes()
    optimizer = nlp.resume_training()
    with nlp.select_pipes(disable=[]):
        nlp.update(examples, sgd=optimizer, exclude=["tok2vec"], annotates=["tok2vec"])
    assert nlp.get_pipe("tok2vec").model.to_bytes() == before


def test_a_missing_tok2vec_is_named(tmp_path):
    nlp = with_listener()
    train(nlp, [example(nlp, "gave"), example(nlp, "saw")], steps=1)
    doc = doc_of(nlp, SAW)
    with pytest.raises(ValueError, match="'tok2vec' has not run on the Doc"):
        nlp.get_pipe("lal_srl")(doc)
