"""The part of the page below the text, a sentence: its trees, predicates, numbers, pictures and files, in Streamlit.

How the reader's text may enter the page is said in `page.py`.
"""

from typing import Any, List, Optional, Tuple

import streamlit as st

from spacy_lal.app import DARK, LIGHT
from spacy_lal.app.clickable_tree import BOX, SCRIPT, STYLE
from spacy_lal.app.explained import ExplainedSentence
from spacy_lal.app.report_tables import (
    alternatives_table,
    arcs_table,
    label_name,
    number,
    own_head_note,
    parts_table,
    share,
)
from spacy_lal.display.legend import label_legend
from spacy_lal.display.markup import escape, shorten, visible
from spacy_lal.trees import split_chain

PICTURES = {
    "Constituents": "spans",
    "Label attention": "attention",
    "Contributions": "contributions",
}
FILES = ("Brackets", "CoNLL-U")
MAX_OPTION = 80  # characters of a sentence or constituent in a list
MARGIN_HELP = "By how much the best tree beats the best tree without this constituent. 0: another tree is as good."
PROBABILITY_HELP = "That these words are a constituent, of whatever label, among all trees that the scores allow."


def choose_sentence(sentences: List[ExplainedSentence]) -> ExplainedSentence:
    """The sentence to show; the reader chooses it from a list if the text has several."""
    if len(sentences) == 1:
        return sentences[0]
    names = [f"{i}. {option(sentence.text)}" for i, sentence in enumerate(sentences, start=1)]

    def forget_span() -> None:
        st.session_state.span = None

    number_of = st.selectbox(
        "Sentence", range(len(sentences)), format_func=names.__getitem__, key="sentence", on_change=forget_span
    )
    return sentences[number_of]


def show_sentence(sentence: ExplainedSentence) -> None:
    """Show the tree with the predicates beside it, the report on the chosen span, pictures and files."""
    state = st.session_state
    span: Tuple[int, int] = state.get("span") or (0, len(sentence.words))

    def take_click() -> None:
        state.span = sentence.checked_span(state.tree.span) or state.span

    # st.html removes SVG.
    show_drawing = st.components.v2.component("spacy_lal_drawing", html=BOX, css=STYLE, js=SCRIPT)
    trees, beside = st.columns([3, 2], gap="large") if sentence.predicates else (st.container(), None)
    predicate = None
    if beside is not None:
        with beside:
            predicate = choose_predicate(sentence)
    with trees:
        show_drawing(data=sentence.tree(span, predicate), key="tree", on_span_change=take_click)
        legend = label_legend(label for one in sentence.constituents for label in split_chain(one.label))
        if legend:
            st.html(legend)
    choose_span(sentence, span)
    show_report(sentence, span)
    picture = st.radio("Show the sentence as", ["Arcs", *PICTURES, *FILES], horizontal=True, key="picture")
    if picture == "Arcs":
        show_drawing(data=sentence.picture("dep"), key="arcs")
    elif picture in PICTURES:
        # The names of rows stay visible when a heat map is scrolled: they need the background colour.
        st.html(f'<div style="--lal-canvas: light-dark({LIGHT}, {DARK})">{sentence.picture(PICTURES[picture])}</div>')
    else:
        st.code(sentence.brackets if picture == "Brackets" else sentence.conllu, language=None, wrap_lines=True)
    offer_files(sentence)


def offer_files(sentence: ExplainedSentence) -> None:
    """Buttons that save the sentence as a file."""
    with st.container(horizontal=True):
        for name, suffix, content in sentence.files:
            kind = "image/svg+xml" if suffix == "svg" else "text/plain"
            st.download_button(
                f"Download {name}", content, f"parse.{suffix}", kind, key=f"download {suffix}", on_click="ignore"
            )


def choose_predicate(sentence: ExplainedSentence) -> Optional[int]:
    """A list of the predicates, and the row of the chosen one, whose arguments are marked in the tree; without a
    choice, the rows of all."""
    predicates = sentence.predicates
    number_of = st.selectbox(
        "Predicate (its arguments are marked in the tree)",
        range(len(predicates)),
        index=None,
        format_func=lambda i: option(predicates[i].name),
        placeholder="all predicates",
        key=f"predicate of {sentence.text}",
    )
    for one in predicates if number_of is None else [predicates[number_of]]:
        st.html(one.markup)
    return number_of


def choose_span(sentence: ExplainedSentence, span: Tuple[int, int]) -> None:
    """Three lists: the constituents, and the first and last word of any span. All three show the chosen span."""
    state, words = st.session_state, sentence.words
    constituents = sentence.constituents
    names = [f"{one.label}: {option(sentence.span_text(one.start, one.end))}" for one in constituents]
    state.constituent = next((i for i, one in enumerate(constituents) if one[:2] == span), None)
    state.first, state.last = span[0], span[1] - 1

    def take_constituent() -> None:
        if state.constituent is not None:
            state.span = constituents[state.constituent][:2]

    def take_words() -> None:
        first, last = sorted((state.first, state.last))
        state.span = (first, last + 1)

    def word_name(i: int) -> str:
        return f"{i + 1}. {option(words[i])}"

    lists = st.columns([2, 1, 1])
    shared: Any = {"options": range(len(words)), "format_func": word_name, "on_change": take_words}
    lists[0].selectbox(
        "Constituent (or click in the tree)",
        range(len(constituents)),
        format_func=names.__getitem__,
        key="constituent",
        placeholder="these words are no constituent",
        on_change=take_constituent,
    )
    lists[1].selectbox("First word", key="first", **shared)
    lists[2].selectbox("Last word", key="last", **shared)


def show_report(sentence: ExplainedSentence, span: Tuple[int, int]) -> None:
    """Show the report on a span of words."""
    with st.spinner("Asking the parser"):
        report = sentence.report(*span)
    for reason in report.notes:
        note(reason)
    columns = st.columns([1, 2, 2])
    own = next((one for one in report.alternatives if one.label == report.label), None)
    score = own.score if own else report.parts.score if report.parts and report.label else None
    with columns[0]:
        st.html(f"<strong>{escape(label_name(report.label))}</strong>")
        st.metric("Margin", number(report.margin), help=MARGIN_HELP)
        st.metric("Score", number(score))
        st.metric("Probability", share(report.probability), help=PROBABILITY_HELP)
    with columns[1]:
        if report.arcs:
            st.html(arcs_table(report.arcs))
        if report.alternatives:
            st.html(alternatives_table(report.alternatives, report.label))
    with columns[2]:
        if report.parts:
            st.html(parts_table(report.parts))
            reason = own_head_note(report.parts)
            if reason:
                note(reason)


def option(text: str) -> str:
    """Text shortened for a list."""
    return shorten(visible(text), MAX_OPTION)


def note(text: str) -> None:
    """Show a line of plain text, escaped."""
    st.html(f'<p role="status">{escape(text)}</p>')
