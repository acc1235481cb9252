"""The page itself, a Streamlit script: `streamlit run page.py -- PIPELINE`. The files beside it make its contents.

The reader's text enters the page in three ways only: as text of a widget or of `st.code`, which do not read Markdown;
escaped by `display/markup.py`; and drawn by `render`. Streamlit's own `st.write`, `st.error`, `st.metric` and the
labels of widgets read Markdown, and never get such text.
"""

import sys
from typing import Any, List, Optional, Tuple

import spacy
import streamlit as st

from spacy_lal.app import DARK, LIGHT
from spacy_lal.app.clickable_tree import BOX, SCRIPT, STYLE
from spacy_lal.app.explained import MAX_TEXT, ExplainedSentence, Explainer
from spacy_lal.app.report_tables import alternatives_table, arcs_table, label_name, number, parts_table, share
from spacy_lal.display.markup import escape, shorten, visible
from spacy_lal.lang import DEFAULT_PIPELINE

EXAMPLE = "She saw the man with the telescope. The old cat sleeps on the mat."
PICTURES = {
    "Constituents": "spans",
    "Label attention": "attention",
    "Contributions": "contributions",
}
FILES = ("Brackets", "CoNLL-U")
MAX_OPTION = 80  # characters of a sentence or constituent in a list
MARGIN_HELP = "By how much the best tree beats the best tree without this constituent. 0: another tree is as good."
PROBABILITY_HELP = "That these words are a constituent, of whatever label, among all trees that the scores allow."


@st.cache_resource(show_spinner="Loading the pipeline", max_entries=1)
def load(pipeline: str) -> Explainer:
    """The pipeline, loaded once for all readers."""
    return Explainer(spacy.load(pipeline))


def main(pipeline: str) -> None:
    """The page, from top to bottom; Streamlit runs it again after each action of the reader."""
    st.set_page_config(page_title="Label Attention Layer parser", layout="wide")
    try:
        explainer = load(pipeline)
    except (OSError, ValueError, ImportError) as err:
        note(f"Can't load the pipeline {pipeline!r}: {err}")
        return
    with st.form("form", border=False):
        text = st.text_area("Text", EXAMPLE, max_chars=MAX_TEXT, key="text")
        st.form_submit_button("Parse", type="primary")
    st.caption(f"Parsed by {explainer.name}")
    state = st.session_state
    if state.get("parsed_text") != text:
        try:
            state.sentences = explainer.explain(text)
        except ValueError as err:
            note(str(err))
            return
        state.parsed_text, state.sentence, state.span = text, 0, None
    if not state.sentences:
        note("Expected a text, got nothing but whitespace.")
        return
    show_sentence(choose_sentence(state.sentences))


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
    """Show the tree, the report on the chosen span, and pictures of the sentence."""
    state = st.session_state
    span: Tuple[int, int] = state.get("span") or (0, len(sentence.words))

    def take_click() -> None:
        state.span = sentence.checked_span(state.tree.span) or state.span

    # st.html removes SVG.
    show_drawing = st.components.v2.component("spacy_lal_drawing", html=BOX, css=STYLE, js=SCRIPT)
    predicate = choose_predicate(sentence)
    show_drawing(data=sentence.tree(span, predicate), key="tree", on_span_change=take_click)
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


def choose_predicate(sentence: ExplainedSentence) -> Optional[int]:
    """A list of the predicates, if the sentence has semantic roles, and the row of the chosen one, whose arguments are
    marked in the tree."""
    predicates = sentence.predicates
    if not predicates:
        return None
    number_of = st.selectbox(
        "Predicate (its arguments are marked in the tree)",
        range(len(predicates)),
        index=None,
        format_func=lambda i: option(predicates[i].name),
        placeholder="choose a predicate",
        key=f"predicate of {sentence.text}",
    )
    if number_of is not None:
        st.html(predicates[number_of].markup)
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


def option(text: str) -> str:
    """Text shortened for a list."""
    return shorten(visible(text), MAX_OPTION)


def note(text: str) -> None:
    """Show a line of plain text, escaped."""
    st.html(f'<p role="status">{escape(text)}</p>')


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else DEFAULT_PIPELINE)
