"""A sentence with marks of notes is parsed as if it had none. Without the packages,
there is nothing to test here."""

from bisect import bisect_left
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import is_package

from spacy_lal.annotations import note_tokens
from spacy_lal.interpret import constituent_contributions, k_best
from spacy_lal.pipeline.tokenizer import make_web_tokenizer

# Each mark, with the space before it, stands between braces.
ENGLISH = """
She died in 1950.{[3]} Her son lived on.
The town was burnt.{[note 2]} It was rebuilt.
It fell,{[6]} but rose again.
The bridge opened in 1932.{[1][2]} It is still in use.
The author says so{ (ibid.)}. Others disagree.
The king{[a]} ruled for ten years.
It is the largest lake in Europe.{[citation needed]} Many birds live there.
The king{¹} died in battle.{²} His brother fled.
All prices{*} include tax.{*} Shipping is free.
The poet{†} wrote it in prison.{‡} She never returned.
In 2001,{[12]} the company moved to Oslo.{[13][14]}
He said "never again".{[5]} Nobody believed him.
He won five medals.{[4]:23} His sister won two.
Some critics{[who?]} disliked the film, which{[7]} cost ten million dollars.
The population rose by 5%{[2]} in May.
He were{ [sic]} the first man there.
Anna Berg{[b]} (born 1970{[3]}) is a Swedish writer.{[4]}
The drug reduced mortality,{³} and no side effects were seen.{⁴,⁵} Doctors were glad.
The river flows north{[8][9][10]} before it turns east.
Is it true?{[11]} Nobody knows.
They lost!{[12]} The crowd went home.
The treaty was signed in Rome{ (ibid., p. 45)} by both kings.
Its capital,{[5]} largest city,{[6]} and main port{[7]} is Lagos.
The U.S.{[4]} troops left in 1973.
He gave her the letter{[p. 12]} that his father had written.{[Note 3]}
You,{[3]} are late.
The results{*} were significant.{**} We repeated the test.
Water boils at 100 degrees.{[1, 2]} Ice melts at zero.{[3–5]}
The house{[lower-alpha 1]} was sold to a dealer{[^2]} from Leeds.{[^3]}
She works at Acme Inc.{[3]} She likes it there.
They sell pens, paper, etc.{[7]} The shop is small.
She left.{[2]}
It fell in 1950{ [3]} but rose again.
The mice lack the gene{ [23]} and its product{ [24, 25]}, as we have shown{ [26]}.
Smith,{[2]} who{[3]} founded{[4]} the school,{[5]} taught Latin.{[6]}
""".strip().splitlines()
OTHERS = {
    "fr_lal_md": [
        "Elle est morte en 1950.{[3]} Son fils lui a survécu.",
        "La ville{[2]} fut brûlée,{[note 3]} puis reconstruite{[4]}.",
        "La ville fut prise en 1950{ [3]}, mais elle fut rendue.",
        "Le roi{¹} mourut en 1610.{²} Son fils régna.",
        "Le prix{*} comprend la taxe.{*} La livraison est gratuite.",
    ],
    "is_lal_md": [
        "Hún dó árið 1950.{[3]} Sonur hennar lifði.",
        "Bærinn brann,{[6]} en var endurreistur.",
        "Bærinn brann árið 1950{ [3]} en var endurreistur.",
        "Konungurinn{¹} féll í orrustu.{²} Bróðir hans flúði.",
    ],
}


def load(name: str) -> Language:
    if not is_package(name):
        pytest.skip(f"{name} is not installed")
    nlp = spacy.load(name)
    nlp.tokenizer = make_web_tokenizer()(nlp)
    return nlp


def texts(marked: list[str]) -> tuple[list[str], list[str]]:
    """Texts with and without their marks."""
    whole = [text.replace("{", "").replace("}", "") for text in marked]
    bare = []
    for text in marked:
        first, *rest = text.split("{")
        bare.append(first + "".join(part.split("}")[1] for part in rest))
    return whole, bare


def parse_of(doc: Doc) -> Any:
    """Words, sentence starts, tags, lemmas, heads, deprels, constituents and roles of
    a Doc but for its marks."""
    notes = set(note_tokens(doc))
    kept = [i for i in range(len(doc)) if i not in notes]
    words = [doc[i] for i in kept]
    ranges = [
        (bisect_left(kept, span.start), bisect_left(kept, span.end), span.label_)
        for group in ("constituents", "srl")
        for span in doc.spans.get(group, ())
        if not notes.issuperset(range(span.start, span.end))
    ]
    return (
        [(word.text, word.is_sent_start, word.tag_, word.pos_) for word in words],
        [(str(word.morph), word.lemma_) for word in words],
        [(bisect_left(kept, word.head.i), word.dep_) for word in words],
        ranges,
    )


@pytest.mark.parametrize("name", ["en_lal_md", *OTHERS])
def test_the_parse_is_that_of_the_text_without_marks(name: str):
    nlp = load(name)
    whole, bare = texts(OTHERS.get(name, ENGLISH))
    for doc, expected in zip(nlp.pipe(whole), nlp.pipe(bare), strict=True):
        assert note_tokens(doc)
        assert parse_of(doc) == parse_of(expected), doc.text
        assert all(doc[i].sent_start != 1 for i in note_tokens(doc))
        for sentence in doc.sents:
            leaves = sum(not token.is_space for token in sentence)
            assert sentence._.parse_string.count(" ") >= leaves


def test_alone_and_in_two_processes():
    nlp = load("en_lal_md")
    whole, _ = texts(ENGLISH[:6])
    expected = [parse_of(doc) for doc in nlp.pipe(whole)]
    assert [parse_of(nlp(text)) for text in whole] == expected
    assert [parse_of(doc) for doc in nlp.pipe(whole, n_process=2)] == expected


def test_explanations_of_a_sentence_with_marks():
    nlp = load("en_lal_md")
    doc = nlp("It fell,[6] but rose again.")
    bare = nlp("It fell, but rose again.")
    scores = [round(one.score, 3) for one in constituent_contributions(nlp, doc)]
    assert scores == [
        round(one.score, 3) for one in constituent_contributions(nlp, bare)
    ]
    (best,) = k_best(nlp, doc, 1)
    assert parse_of(best.to_doc()) == parse_of(doc)
    assert [token.dep_ for token in best.to_doc()[3:6]] == ["punct", "dep", "punct"]
    confidences = [token._.head_confidence for token in doc]
    assert confidences[3:6] == [None, None, None]
    expected = [token._.head_confidence for token in bare]
    assert confidences[:3] + confidences[6:] == pytest.approx(expected, abs=1e-4)


def test_a_mark_is_in_the_constituents_of_its_head():
    nlp = load("en_lal_md")
    doc = nlp("He reduced the dose [2], and she left.")
    mark = next(token for token in doc if token.text == "2")
    assert mark.head.text == "reduced"
    found = {span.text for span in doc.spans["constituents"]}
    assert {"He reduced the dose [2]", "reduced the dose [2]", "the dose"} <= found
    assert "the dose [2]" not in found
