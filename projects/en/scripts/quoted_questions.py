"""Make training sentences with a quoted question in front: `"Were you asleep?" she
asked.`, `"Who won?" said the man.`

    python scripts/quoted_questions.py corpus/train/ewt.spacy corpus/train/gum.spacy -o
    corpus/quotes.spacy

Each short question of the treebanks stands once in quotes before a verb of speech and
its subject, drawn by chance. It keeps its tree, its heads and its words' annotations,
and is a ccomp of the verb. The whole is S, or SINV where the subject follows. With
--outside, the question mark stands beside the question's constituent, as in GUM, and
not in it."""

import argparse
import random
from pathlib import Path
from typing import Iterator, List, Optional, Sequence

import spacy
from spacy.tokens import Doc, Span, SpanGroup

from spacy_lal.annotations import SPANS_KEY, constituent_tokens, sentence_bounds
from spacy_lal.treebanks.corpora import read_spacy
from spacy_lal.treebanks.docs import write_docs

MOST_WORDS = 15
NEAR_VERB = (
    "nsubj",
    "advmod",
    "punct",
    "ROOT",
)  # deprels of words whose head is the verb
VERBS = {
    "asked": "ask",
    "said": "say",
    "demanded": "demand",
    "wondered": "wonder",
    "thought": "think",
}
PRONOUNS = {
    "I": "Number=Sing|Person=1",
    "we": "Number=Plur|Person=1",
    "they": "Number=Plur|Person=3",
}
PRONOUNS.update(
    he="Gender=Masc|Number=Sing|Person=3", she="Gender=Fem|Number=Sing|Person=3"
)
NAMES = ("Mary", "Tom", "Anna", "David", "Carroll", "Betty", "Smith", "Maria")
NOUNS = ("man", "woman", "teacher", "mother", "brother", "friend", "girl", "boss")
ADVERBS = ("again", "quietly", "finally", "suddenly")
FORMS = {  # a word's tag, POS, features and deprel
    "the": ("DT", "DET", "Definite=Def|PronType=Art", "det"),
    "his": (
        "PRP$",
        "PRON",
        "Case=Gen|Gender=Masc|Number=Sing|Person=3|Poss=Yes|PronType=Prs",
        "nmod:poss",
    ),
    "her": (
        "PRP$",
        "PRON",
        "Case=Gen|Gender=Fem|Number=Sing|Person=3|Poss=Yes|PronType=Prs",
        "nmod:poss",
    ),
    ".": (".", "PUNCT", "", "punct"),
    **{
        word: ("PRP", "PRON", f"Case=Nom|{features}|PronType=Prs", "nsubj")
        for word, features in PRONOUNS.items()
    },
    **dict.fromkeys(NAMES, ("NNP", "PROPN", "Number=Sing", "nsubj")),
    **dict.fromkeys(NOUNS, ("NN", "NOUN", "Number=Sing", "nsubj")),
    **dict.fromkeys(ADVERBS, ("RB", "ADV", "", "advmod")),
}


def questions(doc: Doc) -> Iterator[Span]:
    """The short sentences that are an SQ or SBARQ whose question mark hangs on the top,
    and that have no quotes."""
    found = constituent_tokens(doc)
    for start, end in sentence_bounds(doc):
        to_end = [
            (first, label)
            for first, last, label in found
            if last == end and first >= start
        ]
        if (
            to_end in ([(start, "SQ")], [(start, "SBARQ")])
            and 3 <= end - start <= MOST_WORDS + 1
        ):
            sentence = doc[start:end]
            if sentence[-1].text == "?" and not any(
                token.is_quote or token.is_space for token in sentence
            ):
                yield sentence


def draw_frame(rng: random.Random) -> List[str]:
    """A verb of speech and its subject, with an adverb or without."""
    (verb,) = rng.choices([*VERBS], (6, 3, 1, 2, 1))
    kinds = (
        [rng.choice([*PRONOUNS])],
        [rng.choice(NAMES)],
        [rng.choice(("the", "his", "her")), rng.choice(NOUNS)],
    )
    (subject,) = rng.choices(kinds, (2, 1, 1))
    if (
        verb in ("asked", "said", "demanded")
        and subject[0] not in PRONOUNS
        and rng.random() < 0.5
    ):
        return [verb, *subject]
    return [*subject, verb, *([rng.choice(ADVERBS)] if rng.random() < 0.3 else [])]


def quoted(
    question: Span,
    frame: Sequence[str],
    outside: bool = False,
    quotes: Sequence[str] = '""',
) -> Doc:
    """A Doc of one sentence: the question in quotes, then the words of `draw_frame`.
    outside (bool): As --outside."""
    begin = len(question) + 2  # of the frame
    verb = begin + next(i for i, word in enumerate(frame) if word in VERBS)
    subject = begin + next(
        i for i, word in enumerate(frame) if word in FORMS and FORMS[word][3] == "nsubj"
    )
    features = dict(
        pair.split("=") for pair in FORMS[frame[subject - begin]][2].split("|")
    )
    finite = f"Mood=Ind|Number={features['Number']}|Person={features.get('Person', '3')}|Tense=Past|VerbForm=Fin"
    asked = question.root.i - question.start + 1
    rows = [(quotes[0], "``", "PUNCT", "", "punct", '"', asked)]
    for token in question:
        deprel, head = (
            ("ccomp", verb)
            if token == question.root
            else (token.dep_, token.head.i - question.start + 1)
        )
        rows.append(
            (
                token.text,
                token.tag_,
                token.pos_,
                str(token.morph),
                deprel,
                token.lemma_,
                head,
            )
        )
    rows.append((quotes[1], "''", "PUNCT", "", "punct", '"', asked))
    for word in (*frame, "."):
        tag, pos, morph, deprel = FORMS.get(word, ("VBD", "VERB", finite, "ROOT"))
        rows.append(
            (
                word,
                tag,
                pos,
                morph,
                deprel,
                VERBS.get(word, word),
                verb if deprel in NEAR_VERB else subject,
            )
        )
    spaces = [False, *(bool(token.whitespace_) for token in question[:-1]), False, True]
    spaces += [True] * (len(frame) - 1) + [False, False]
    words, tags, pos, morphs, deps, lemmas, heads = map(list, zip(*rows, strict=True))
    columns = {
        "words": words,
        "tags": tags,
        "pos": pos,
        "morphs": morphs,
        "deps": deps,
        "lemmas": lemmas,
    }
    # type: ignore[arg-type]
    doc = Doc(question.doc.vocab, spaces=spaces, heads=heads, **columns)
    places = [(0, len(doc), "SINV" if verb < subject else "S")]
    for start, end, label in constituent_tokens(question.doc):
        if question.start <= start < end <= question.end:
            end -= outside and end == question.end
            places.append((start - question.start + 1, end - question.start + 1, label))
    noun, end = (
        ((begin, verb), len(doc) - 1)
        if verb > subject
        else ((verb + 1, len(doc) - 1), verb + 1)
    )
    places += [(*noun, "NP"), (verb, end, "VP")]  # the VP has the adverb
    places += [(verb + 1, end, "ADVP")] if end > verb + 1 else []
    spans = [Span(doc, s, e, label=label) for s, e, label in places]
    doc.spans[SPANS_KEY] = SpanGroup(doc, name=SPANS_KEY, spans=spans)
    return doc


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Read the command line, make, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebanks", type=Path, nargs="+", help=".spacy files")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, help=".spacy file to write"
    )
    parser.add_argument(
        "--outside", action="store_true", help="question mark beside its constituent"
    )
    args = parser.parse_args(arguments)
    vocab, rng = spacy.blank("en").vocab, random.Random(0)
    found = (
        one
        for path in args.treebanks
        for doc in read_spacy(path, vocab)
        for one in questions(doc)
    )
    print(
        write_docs(
            (
                quoted(q, draw_frame(rng), args.outside, rng.choice(('""', "“”")))
                for q in found
            ),
            args.output,
        )
    )


if __name__ == "__main__":
    main()
