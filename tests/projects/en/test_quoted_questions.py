"""Questions of treebanks in quotes before who asked them."""

import pytest
import spacy
from spacy.tokens import Doc, Span, SpanGroup

from spacy_lal.annotations import SPANS_KEY, install_extensions

SQ = (
    "(S (`` \") (SQ (VBD Were) (NP (PRP you)) (ADJP (JJ asleep)){}) ('' \") (NP (PRP "
    "she)) (VP (VBD asked)) (. .))"
)


@pytest.fixture
def doc():
    """A question and an answer."""
    install_extensions()
    words, tags = "Were you asleep ? I was .".split(), "VBD PRP JJ . PRP VBD .".split()
    spaces = [True, True, False, True, True, False, False]
    deps = ["cop", "nsubj", "ROOT", "punct", "nsubj", "ROOT", "punct"]
    doc = Doc(
        spacy.blank("en").vocab,
        words=words,
        spaces=spaces,
        tags=tags,
        heads=[2, 2, 2, 2, 5, 5, 5],
        deps=deps,
    )
    spans = [
        (0, 4, "SQ"),
        (1, 2, "NP"),
        (2, 3, "ADJP"),
        (4, 7, "S"),
        (4, 5, "NP"),
        (5, 6, "VP"),
    ]
    doc.spans[SPANS_KEY] = SpanGroup(
        doc,
        name=SPANS_KEY,
        spans=[Span(doc, s, e, label=label) for s, e, label in spans],
    )
    return doc


def test_the_question_is_a_clause_of_the_verb(script, doc):
    program = script("quoted_questions")
    (question,) = program.questions(doc)
    made = program.quoted(question, ["she", "asked"])
    assert made.text == '"Were you asleep?" she asked.'
    assert made[:]._.parse_string == SQ.format(" (. ?)")
    assert [token.head.i for token in made] == [3, 3, 3, 7, 3, 3, 7, 7, 7]
    assert (
        " ".join(token.dep_ for token in made)
        == "punct cop nsubj ccomp punct punct nsubj ROOT punct"
    )
    assert (
        str(made[7].morph) == "Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin"
        and made[7].lemma_ == "ask"
    )
    assert program.quoted(question, ["she", "asked"], outside=True)[
        :
    ]._.parse_string == SQ.format("").replace(" ('' ", " (. ?) ('' ")


@pytest.mark.parametrize(
    ("frame", "tree", "heads"),
    [
        (
            "said the man",
            "(SINV {} (VP (VBD said)) (NP (DT the) (NN man)) (. .))",
            [6, 8, 6, 6],
        ),
        (
            "they thought again",
            "(S {} (NP (PRP they)) (VP (VBD thought) (ADVP (RB again))) (. .))",
            [7, 7, 7, 7],
        ),
    ],
)
def test_subjects(script, doc, frame, tree, heads):
    program = script("quoted_questions")
    (question,) = program.questions(doc)
    made = program.quoted(question, frame.split(), quotes="“”")
    asked = "(`` “) (SQ (VBD Were) (NP (PRP you)) (ADJP (JJ asleep)) (. ?)) ('' ”)"
    assert made[:]._.parse_string == tree.format(asked)
    assert [token.head.i for token in made][6:] == heads
