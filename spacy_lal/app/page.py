"""The page itself, a Streamlit script: `streamlit run page.py -- PIPELINE`. The files beside it make its contents.

The head of the page is shown before the pipeline and its libraries are loaded, which takes seconds: they are imported
where they are needed. The reader's text enters the page in three ways only: as text of a widget or of `st.code`, which
do not read Markdown; escaped by `display/markup.py`; and drawn by `render`. Streamlit's own `st.write`, `st.error`,
`st.metric` and the labels of widgets read Markdown, and never get such text.
"""

import sys
from typing import TYPE_CHECKING

import streamlit as st

from spacy_lal.app.permalink import MAX_TEXT, read_link, write_link
from spacy_lal.lang import DEFAULT_PIPELINE

if TYPE_CHECKING:
    from spacy_lal.app.explained import Explainer

TITLE = "Label Attention Layer parser"
INTRO = (
    "Type a text: the parser gives each sentence a constituency tree and a dependency tree that agree. Click a "
    "constituent to see how sure the parser is of it, and which parts of the network speak for it."
)
EXAMPLES = (
    "She saw the man with the telescope. The old cat sleeps on the mat.",
    "Select the person driving.",
    "After the storm had passed, she gave the children the book that they wanted.",
    "Time flies like an arrow; fruit flies like a banana.",
)
MAX_EXAMPLE = 40  # characters of an example on its button


@st.cache_resource(show_spinner="Loading the pipeline: the first time takes some seconds", max_entries=1)
def load(pipeline: str) -> "Explainer":
    """The pipeline, loaded once for all readers."""
    import spacy

    from spacy_lal.app.explained import Explainer

    return Explainer(spacy.load(pipeline))


def main(pipeline: str) -> None:
    """The page, from top to bottom; Streamlit runs it again after each action of the reader."""
    st.set_page_config(page_title=TITLE, layout="wide")
    st.title(TITLE)
    st.caption(INTRO)
    text = ask()
    try:
        explainer = load(pipeline)
        failure = ""
    except (OSError, ValueError, ImportError) as err:
        failure = f"Can't load the pipeline {pipeline!r}: {err}"
    from spacy_lal.app.sentence_view import choose_sentence, note, show_sentence

    if failure:
        note(failure)
        return
    st.caption(f"Parsed by {explainer.name}. The address of this page leads back to what it shows.")
    state = st.session_state
    if state.get("parsed_text") != text:
        try:
            state.sentences = explainer.explain(text)
        except ValueError as err:
            note(str(err))
            return
        state.parsed_text, state.sentence, state.span = text, 0, None
        wanted = state.pop("wanted", None)
        if wanted is not None and wanted.sentence < len(state.sentences):
            state.sentence = wanted.sentence
            state.span = state.sentences[wanted.sentence].checked_span(wanted.span)
    if not state.sentences:
        note("Expected a text, got nothing but whitespace.")
        return
    show_sentence(choose_sentence(state.sentences))
    write_link(st.query_params, text, state.get("sentence", 0), state.span)


def ask() -> str:
    """The form with the text, and examples that fill it; at first the text of the page's address."""
    state = st.session_state
    if "text" not in state:
        state.wanted = read_link(st.query_params)
        state.text = state.wanted.text or EXAMPLES[0]

    def take_example() -> None:
        if state.example is not None:
            state.text, state.example = EXAMPLES[state.example], None

    def name(i: int) -> str:
        return EXAMPLES[i] if len(EXAMPLES[i]) <= MAX_EXAMPLE else f"{EXAMPLES[i][: MAX_EXAMPLE - 1].rstrip()}\u2026"

    st.pills("Examples", range(len(EXAMPLES)), format_func=name, key="example", on_change=take_example)
    with st.form("form", border=False):
        text = st.text_area("Text", max_chars=MAX_TEXT, key="text")
        st.form_submit_button("Parse", type="primary")
    return text


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else DEFAULT_PIPELINE)
