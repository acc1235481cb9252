"""Semantic roles on a Doc: written, read, stored, viewed, and after tokens have
changed."""

import pickle
import warnings

import pytest
import spacy
from spacy.lang.en import English
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

from spacy_lal.annotations import (
    ROLES_KEY,
    Argument,
    LostAnnotationsWarning,
    StaleParseError,
    carry_over,
    get_frame,
    get_propositions,
    get_sentence_propositions,
    has_propositions,
    install_extensions,
    install_frames,
    sentence_words,
    set_propositions,
    set_sentence_propositions,
    set_sentence_starts,
    to_allennlp,
)
from spacy_lal.trees.frames import Frame, FrameRole
from spacy_lal.trees.roles import Proposition, PropositionError, make_proposition

install_extensions()
WORDS = "She gave it up . New York has never been two - timed , he said .".split()
GIVE = make_proposition(
    1,
    "give_up.06",
    [(0, 1, "ARG0"), (1, 2, "V"), (2, 3, "ARG1"), (3, 4, "C-V")],
    "give",
)
HAVE = make_proposition(7, "have.01", [(7, 8, "V")], "have")
TIME = make_proposition(
    12,
    "twotime.01",
    [
        (5, 7, "ARG1"),
        (8, 9, "ARGM-TMP"),
        (10, 11, "V"),
        (12, 13, "C-V"),
        (13, 14, "ARGM-DIS"),
        (15, 16, "C-ARG1"),
    ],
    "two",
)
SAY = make_proposition(
    15, "say.01", [(5, 13, "ARG1"), (14, 15, "ARG0"), (15, 16, "V")], "say"
)
ALL = [GIVE, HAVE, TIME, SAY]


@pytest.fixture
def doc():
    doc = Doc(
        English().vocab,
        words=WORDS,
        spaces=[word not in ("up", "two", "-", "timed", "said") for word in WORDS],
    )
    set_sentence_starts(doc, [0, 5])
    set_propositions(doc, reversed(ALL))
    return doc


def merge(doc, *ranges):
    with doc.retokenize() as retokenizer:
        for start, end in ranges:
            retokenizer.merge(doc[start:end])
    return doc


def stored(doc):
    return [
        (span.start, span.end, span.label_, span.kb_id_)
        for span in doc.spans[ROLES_KEY]
    ]


def round_trips(doc):
    yield doc
    yield Doc(Vocab()).from_bytes(doc.to_bytes())
    yield pickle.loads(pickle.dumps(doc))
    yield doc.copy()
    yield next(DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(Vocab()))


# Storage


def test_round_trips(doc):
    """V with its roleset, arguments in text order, C-V last; the next V begins the next
    proposition."""
    expected = [
        (1, 2, "V", "give_up.06"),
        (0, 1, "ARG0", ""),
        (2, 3, "ARG1", ""),
        (3, 4, "C-V", ""),
    ]
    for one in round_trips(doc):
        assert stored(one)[:5] == [*expected, (7, 8, "V", "have.01")]
        assert [label for *_, label, _ in stored(one)[5:11]] == [
            "V",
            "ARG1",
            "ARGM-TMP",
            "ARGM-DIS",
            "C-ARG1",
            "C-V",
        ]
        assert get_propositions(one) == ALL
        assert [str(predicate) for predicate in one._.predicates] == [
            "gave ... up",
            "has",
            "two ... timed",
            "said",
        ]
    assert [
        get_propositions(doc, i, i + 1)
        for i in range(17)
        if get_propositions(doc, i, i + 1)
    ] == [[x] for x in ALL]
    found = list(spacy.blank("en").pipe([doc, doc], n_process=2))
    assert [get_propositions(one) for one in found] == [ALL, ALL]


def test_an_empty_group_is_stored_as_no_predicates():
    empty = Doc(English().vocab, words=["No"])
    assert (
        not has_propositions(empty) and empty._.srl is None and empty._.predicates == []
    )
    set_propositions(empty, [])
    for one in round_trips(empty):
        assert has_propositions(one) and one._.srl == {
            "sent_id": "",
            "words": 1,
            "predicates": [],
        }


@pytest.mark.parametrize(
    "propositions, message",
    [
        ([HAVE, HAVE], "two for token 7"),
        ([Proposition(1, "x.01", ((1, 2, "V"), (2, 40, "ARG1")))], "within 17 words"),
        ([Proposition(1, "x.01", ((0, 1, "ARG0"),))], "one of them V"),
    ],
)
def test_what_is_refused(doc, propositions, message):
    with pytest.raises(PropositionError, match=message):
        set_propositions(doc, propositions)
    assert get_propositions(doc) == ALL


def test_groups_by_hand(doc):
    doc.spans[ROLES_KEY] = [
        Span(doc, 1, 2, label="V", kb_id="give.01"),
        Span(doc, 0, 1, label="ARG0"),
    ]
    assert get_propositions(doc) == [
        Proposition(1, "give.01", ((0, 1, "ARG0"), (1, 2, "V")), "give")
    ]
    doc.spans[ROLES_KEY].append(Span(doc, 1, 3, label="ARG1"))
    with pytest.raises(PropositionError, match="disjoint"):
        get_propositions(doc)
    doc.spans[ROLES_KEY] = [Span(doc, 0, 1, label="ARG0")]
    with pytest.raises(PropositionError, match="begin with a Span V, got 'ARG0'"):
        get_propositions(doc)


def test_a_docbin_that_forgets_spaces():
    doc = Doc(English().vocab, words=["a", "b", "c"], spaces=[False, True, True])
    doc.has_unknown_spaces = True
    set_propositions(doc, [Proposition(2, "x.01", ((0, 1, "ARG0"), (1, 3, "V")))])
    again = next(DocBin(docs=[doc]).get_docs(doc.vocab))
    assert (
        again.text != doc.text
        and again._.predicates[0].token.i == again[2]._.predicate.token.i == 2
    )


# Other tokens


def test_merged_tokens(doc):
    for one in list(round_trips(doc)):
        merge(one, (5, 7))
        moved = get_propositions(one)[1:]
        assert [found.token for found in moved] == [6, 11, 14] and moved[
            1
        ].lemma == "two"
        assert moved[1].args[0] == (5, 6, "ARG1") and one[5]._.predicate is None
        assert (
            one[14]._.predicate.get("ARG1").span.text
            == "New York has never been two-timed"
        )
        carry_over(one)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert all(
                get_propositions(again)[1:] == moved for again in round_trips(one)
            )


@pytest.mark.parametrize(
    "merged, number, left",
    [
        (
            (10, 13),
            1,
            ["give_up.06", "have.01", "say.01"],
        ),  # "two-timed", of which "two" is the V and "timed" the C-V
        ((0, 2), 1, ["have.01", "twotime.01", "say.01"]),  # "She gave"
        (
            (15, 17),
            2,
            ["give_up.06", "have.01", "twotime.01"],
        ),  # "said.": the V of SAY, and the C-ARG1 of TIME
    ],
)
def test_within_a_merged_token_is_left_out_with_a_warning(doc, merged, number, left):
    merge(doc, merged)
    with pytest.warns(
        LostAnnotationsWarning,
        match=f"{number} predicates or arguments are left out.*merge_entities",
    ):
        found = get_propositions(doc)
    assert [one.roleset for one in found] == left
    if number == 2:  # a lost part takes its argument along
        assert [role for _, _, role in found[2].args] == [
            "ARGM-TMP",
            "V",
            "C-V",
            "ARGM-DIS",
        ]


# Views


def test_sentences_of_words():
    doc = Doc(English().vocab, words=["\n", "He", "\t", "said", "so", " ", "Go", "\n"])
    set_sentence_starts(doc, [0, 6])
    sentences = sentence_words(doc)
    propositions = [
        [
            Proposition(
                1, "say.01", ((0, 1, "ARG0"), (1, 2, "V"), (2, 3, "ARG1")), "say"
            )
        ],
        [Proposition(0, "go.02", ((0, 1, "V"),), "go")],
    ]
    set_sentence_propositions(doc, sentences, propositions)
    assert [(s.start, s.end, s.label_) for s in doc.spans[ROLES_KEY]][:2] == [
        (3, 4, "V"),
        (1, 2, "ARG0"),
    ]
    assert get_sentence_propositions(doc) == propositions
    assert doc._.srl["predicates"][0]["args"] == [
        [0, 1, "ARG0"],
        [1, 2, "V"],
        [2, 3, "ARG1"],
    ]
    assert doc._.srl["words"] == 4 and doc._.srl["predicates"][1]["token"] == 3
    with pytest.raises(ValueError, match="shorter|longer"):
        set_sentence_propositions(doc, sentences, propositions[:1])
    set_propositions(doc, [Proposition(3, "say.01", ((3, 4, "V"), (4, 7, "ARG1")))])
    with pytest.warns(LostAnnotationsWarning, match="beyond the end of a sentence"):
        assert get_sentence_propositions(doc) == [[], []]


def test_predicates(doc):
    give, have, time, say = doc._.predicates
    assert (give.token.i, give.span.text, give.roleset, give.lemma) == (
        1,
        "gave",
        "give_up.06",
        "give",
    )
    assert [span.text for span in give.spans] == ["gave", "up"]
    assert repr(give) == "Predicate('gave ... up', 'give_up.06')"
    assert [predicate.is_auxiliary for predicate in (give, have, time, say)] == [
        False,
        True,
        False,
        False,
    ]
    assert give.has_frame is None  # the vocab has no frames
    assert give.sent.text == "She gave it up."
    assert give.tags == ["B-ARG0", "B-V", "B-ARG1", "B-C-V", "O"]
    assert say.tags[:2] == ["B-ARG1", "I-ARG1"] and len(say.tags) == 12
    assert [argument.role for argument in time.arguments] == [
        "ARG1",
        "ARGM-TMP",
        "ARGM-DIS",
    ]
    arg1 = time.get("ARG1")
    assert (arg1.span.text, [span.text for span in arg1.spans]) == (
        doc[5:16].text,
        ["New York", "said"],
    )
    assert (
        arg1.span.label_ == "ARG1"
        and str(arg1) == "New York ... said"
        and repr(arg1).startswith("Argument('ARG1'")
    )
    assert (
        arg1.predicate is time
        and arg1.is_core
        and not time.get("ARGM-TMP").is_core
        and time.get("ARG9") is None
    )
    assert isinstance(arg1, Argument) and arg1.root.i in (5, 6)


def test_objects_of_the_former_tokens_are_refused(doc):
    give, have, *_, say = doc._.predicates
    arg0 = say.get("ARG0")
    sentence = list(doc.sents)[1]
    merge(doc, (5, 7))
    assert (
        give.token.text == "gave" and give.get("ARG1").span.text == "it"
    )  # before the merged tokens
    for read in (
        lambda: have.token,
        lambda: say.arguments,
        lambda: arg0.span,
        lambda: say.sent,
    ):
        with pytest.raises(StaleParseError, match="merged or split"):
            read()
    with pytest.raises(StaleParseError):
        sentence._.predicates  # noqa: B018


FRAMES = [
    Frame(
        "give_up.06",
        "give",
        "cede",
        {"0": FrameRole("pag", "quitter"), "1": FrameRole("ppt", "thing given up")},
    ),
    Frame("have.01", "have", "auxiliary", {}),
    Frame(
        "say.01",
        "say",
        "say",
        {"0": FrameRole("pag", "Sayer"), "1": FrameRole("ppt", "Utterance")},
    ),
]


def test_descriptions(doc, tmp_path):
    give = doc._.predicates[0]
    assert give.get("ARG1").description is None
    assert doc._.predicates[2].get("ARGM-TMP").description == "time"
    install_frames(doc.vocab, FRAMES[:1])
    assert (
        give.get("ARG1").description == "thing given up" and give.description == "cede"
    )
    assert (
        doc._.predicates[3].get("ARG0").description is None
        and doc._.predicates[3].description is None
    )
    install_frames(doc.vocab, FRAMES)
    assert doc._.predicates[3].get("ARG0").description == "Sayer"
    nlp = spacy.blank("en")
    install_frames(nlp.vocab, FRAMES)
    nlp.to_disk(tmp_path)
    for vocab in (spacy.load(tmp_path).vocab, Vocab().from_bytes(nlp.vocab.to_bytes())):
        assert (
            get_frame(vocab, "say.01") == FRAMES[2]
            and get_frame(vocab, "say.02") is None
        )
    assert get_frame(Vocab(), "say.01") is None


def test_allennlp():
    """The dict of AllenNLP's predictor."""
    words = ["She", "gave", " ", "him", "the", "book", ".", "Go"]
    doc = Doc(
        English().vocab,
        words=words,
        spaces=[True, True, False, True, True, False, True, False],
    )
    give = Proposition(
        1, "give.01", ((0, 1, "ARG0"), (1, 2, "V"), (2, 4, "ARG2"), (4, 6, "ARG1"))
    )
    set_propositions(doc, [give, Proposition(7, "go.02", ((7, 8, "V"),))])
    description = "[ARG0: She] [V: gave] [ARG2: him] [ARG1: the book] ."
    tags = ["B-ARG0", "B-V", "B-ARG2", "B-ARG1", "I-ARG1", "O", "O"]
    found = to_allennlp(doc)
    assert found["words"] == ["She", "gave", "him", "the", "book", ".", "Go"]
    assert found["verbs"][0] == {
        "verb": "gave",
        "description": f"{description} Go",
        "tags": tags,
    }
    assert found["verbs"][1]["description"] == "She gave him the book . [V: Go]"
    assert [verb["description"] for verb in to_allennlp(doc[0:7])["verbs"]] == [
        description
    ]
    assert to_allennlp(Doc(doc.vocab)) == {"verbs": [], "words": []}
