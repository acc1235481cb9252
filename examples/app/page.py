"""An interactive page: type a text, see its facts, and each sentence's tree, arcs and
roles; click a node to see how sure the parser is of it, its head and its alternatives.

`lal app` runs it (the extra `app`), and so does `streamlit run page.py
-- PIPELINE`. The reader's text enters the page as text of a widget, of `st.code` or
`st.dataframe`, which do not read Markdown; escaped; or drawn by `render`. Other
functions of Streamlit and the labels of widgets read Markdown, and never get such text.
"""

import csv
import io
import json
import re
import sys
from bisect import bisect_left
from functools import partial
from threading import RLock
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple
from xml.etree import ElementTree

import spacy
import streamlit as st
from nltk.tree import Tree
from spacy.language import Language
from spacy.tokens import Doc

from spacy_lal.annotations import UNITS_KEY, get_relations, get_units
from spacy_lal.complexity import find_structures
from spacy_lal.complexity.measures import COUNTS, INDICES, MEANS, Complexity
from spacy_lal.export import (
    SCHEMA_VERSION,
    read_parses,
    sentence_record,
    sentence_to_conllu,
)
from spacy_lal.interpret import (
    arc_margins,
    constituent_margins,
    contributions,
    head_confidences,
    parse_confidence,
    span_marginals,
)
from spacy_lal.lang import DEFAULT_PIPELINE, conventions
from spacy_lal.pictures import draw, render
from spacy_lal.pictures.colors import label_legend
from spacy_lal.pictures.markup import MAX_SHOWN, escape, shorten, visible
from spacy_lal.pictures.roles import word_rows
from spacy_lal.pictures.svg import text_width
from spacy_lal.trees import SUB_HEAD_LABEL, Parse

TITLE = "See how a sentence is built"
HINT = "Click a node of the tree, or a word, to see how sure the parser is of it."
# Of a language; in English, the parser gets the last one wrong, and is not sure of it.
EXAMPLES = {
    "en": (
        "She gave him the book that he wanted.",
        "She saw the man with the telescope.",
        "The old man the boat.",
    ),
    "fr": (
        "Elle lui a donné le livre qu'il voulait.",
        "Le vieux chat dort sur le tapis.",
    ),
    "is": ("Hún las bókina í gær.", "Gamli kötturinn sefur á mottunni."),
    "id": ("Dia membaca buku itu kemarin.", "Kucing tua itu tidur di atas tikar."),
}
MAX_TEXT = 5000  # characters of a text
MAX_LINKED = 1500  # characters of a text in the page's address
MAX_EXPLAINED = 150  # words; margins and marginals of longer sentences take minutes
N_ALTERNATIVES = 5
N_PARTS = 5
MAX_HEADING = 60  # characters of the chosen words
MAX_FACTS = 4  # lines of the card of a node
MAX_THING = 30  # characters of a thing in the graph
WEAK = 0.7  # words whose heads are less probable are marked
# The least probability for each way to say how sure the parser is.
SURENESS = (
    (0.99, "very sure"),
    (0.9, "sure"),
    (0.7, "fairly sure"),
    (0.0, "unsure"),
)
FACTS = ("subject", "relation", "object", "factuality", "attribution", "sentence")
DIGITS = {"Margin": 2, "Probability": 3}  # of the numbers shown large, as in the tables
LEAST_SHARE = 0.0005  # smaller probabilities are among the other labels
PICTURES = {
    "Label attention": "attention",
    "Contributions": "contributions",
    "Arcs": "dep",
}
MEASURES = {"Counts": COUNTS, "Indices": INDICES, "Means over sentences": MEANS}
# What an index divides; the rest of the meanings stand in the record of measures.
PARTS_OF_INDICES = {
    **{"MLS": "words a sentence", "MLT": "words a T-unit", "MLC": "words a clause"},
    "W": "words",
    "S": "sentences",
    "VP": "verb phrases",
    "C": "clauses",
    "T": "T-units",
    "DC": "dependent clauses",
    "CT": "complex T-units",
    "CP": "coordinate phrases",
    "CN": "complex nominals",
}
# Translucent: what is marked within a marked constituent is darker.
MARK = "color: inherit; background: #0d948840; border-radius: 4px; padding: .15em 0"

# The drawing as a component of the page: it reports the span chosen by mouse or
# keyboard, keeps the keyboard's focus where it was, and shows a card with facts below
# the drawing, where it covers nothing. A click on the card closes it.
SCRIPT = """
export default function ({ data, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector(".lal-box")
  const { scrollLeft = 0, scrollTop = 0 } = box.firstElementChild ?? {}
  box.innerHTML = data.drawing
  Object.assign(box.firstElementChild, { scrollLeft, scrollTop })
  const { focus } = box.dataset
  if (focus) box.querySelector(`[role=button]${focus}`)?.focus()
  delete box.dataset.focus
  if (data.facts) {
    const card = document.createElement("div")
    card.className = "lal-facts"
    card.innerHTML = data.facts
    card.onclick = () => card.remove()
    box.append(card)
  }
  const choose = (event) => {
    const node = event.target.closest("[data-start]")
    const isKey = event.type === "keydown"
    if (!node || (isKey && event.key !== "Enter" && event.key !== " ")) return
    event.preventDefault()
    const { start, end } = node.dataset
    if (isKey) box.dataset.focus = `[data-start="${start}"][data-end="${end}"]`
    setTriggerValue("span", [Number(start), Number(end)])
  }
  box.onclick = choose
  box.onkeydown = choose
}
"""
# Its lines and labels are read on a light and on a dark page.
GRAPH = (
    'rankdir=LR bgcolor="transparent" node [shape=box style="rounded,filled"] '
    'edge [color="#808080" fontcolor="#808080"]'
)
NOTE = "opacity: .75; font-size: .9em"
ERROR = "border-inline-start: 4px solid #d33; padding: .4em .8em; background: #dd333322"
STYLE = """
.lal-box { --lal-canvas: var(--st-background-color); position: relative }
.lal-facts {
  position: relative;
  width: fit-content;
  max-width: 100%;
  margin-top: .5rem;
  padding: .5em 1.6em .5em .8em;
  border: 1.5px solid var(--st-primary-color);
  border-radius: 8px;
  background: var(--st-secondary-background-color);
  font-size: .9rem;
  line-height: 1.4;
  cursor: pointer;
}
.lal-facts::after { content: "\\00d7"; position: absolute; top: 0; right: .4em }
.lal-scroll { padding-top: 5px }
.lal-scroll svg { overflow: visible }
[data-start] { cursor: pointer }
[data-start]:hover { text-decoration: underline }
[data-start]:focus-visible {
  outline: 2.5px dashed var(--st-primary-color);
  outline-offset: 3px;
}
.lal-argument:not([font-weight]) {
  fill: light-dark(#9a4a06, #fbbf24);
  font-weight: bold;
}
.lal-argument[font-weight] {
  text-decoration: underline;
  text-decoration-thickness: 2px;
}
.lal-unit { stroke: #0d9488; stroke-width: 3; stroke-linecap: round }
.lal-chosen { fill: none; stroke: var(--st-primary-color); stroke-width: 2 }
"""
# The page's own margins are three times as high.
MARGINS = "<style>[data-testid=stMainBlockContainer] { padding-block: 3rem }</style>"
MEANING = re.MULTILINE | re.DOTALL
NO_CONSTITUENT = "no constituent"
HEAD = "Its head"
ROOT = "(root)"
WORD_SIZE = 14  # of a drawing's letters, in pixels
SVG = "{http://www.w3.org/2000/svg}"
Words = Tuple[int, int]  # a half-open span of words, counted from 0
# A label, the numbers shown large, tables (title -> rows), and the reasons for missing
# numbers.
Report = Tuple[
    str, Dict[str, Optional[float]], Dict[str, List[Dict[str, Any]]], List[str]
]


class Shown:
    """A parsed sentence; its numbers and pictures are computed on first use and kept.
    `lock` serves one reader at a time: the readers of a page share the pipeline."""

    def __init__(self, nlp: Language, lock: Any, sentence: Parse) -> None:
        self.nlp, self.lock, self.sentence = nlp, lock, sentence
        self.words = sentence.words
        self.constituents = sentence.constituents or []
        self.predicates = word_rows(sentence)
        self.units = self.find_units()
        self.kept: Dict[Any, Any] = {}

    def span(self, words: Optional[Words] = None) -> Any:
        """The Span of some words; default: of all."""
        start, end = words or (0, len(self.words))
        tokens = self.sentence.tokens
        return self.sentence.doc[tokens[start] : tokens[end - 1] + 1]

    def find_units(self) -> List[Tuple[Words, str]]:
        """The words and the number of each unit, or part of one, of the sentence; none
        where the pipeline finds none."""
        if UNITS_KEY not in self.sentence.doc.spans:
            return []
        tokens = self.sentence.tokens
        return [
            ((bisect_left(tokens, unit.start), bisect_left(tokens, unit.end)), unit.id_)
            for unit in get_units(self.span())
        ]

    def checked(self, value: Any) -> Optional[Words]:
        """The span of words that a browser sent; None if the value is no such span."""
        is_pair = isinstance(value, (list, tuple)) and [type(one) for one in value] == [
            int,
            int,
        ]
        return (
            (value[0], value[1])
            if is_pair and 0 <= value[0] < value[1] <= len(self.words)
            else None
        )

    def get(self, key: Any, compute: Callable[[], Any]) -> Tuple[Any, str]:
        """A result, or None and the reason why this pipeline has none."""
        with self.lock:
            if key not in self.kept:
                try:
                    self.kept[key] = compute(), ""
                except ValueError as err:
                    self.kept[key] = None, str(err)
        return self.kept[key]

    def picture(self, style: str) -> str:
        """A picture as markup, or the reason why there is none."""
        markup, reason = self.get(
            style, lambda: draw(self.span(), style, {"folded": True}, self.nlp)[0]
        )
        return markup or f"<p>{escape(reason)}</p>"

    def files(self) -> Iterator[Tuple[str, str, str]]:
        """The sentence as files: the name of the format, the ending, and the
        content."""
        yield "CoNLL-U", "conllu", sentence_to_conllu(self.sentence, "1")
        yield (
            "JSON",
            "json",
            json.dumps(
                {"schema": SCHEMA_VERSION, **sentence_record(self.sentence)}, indent=1
            ),
        )
        if self.sentence.constituents is not None:
            yield "Brackets", "ptb", self.sentence.to_brackets() + "\n"
            style = "tree" if self.sentence.heads is None else "parse"
            yield "SVG", "svg", render(self.span(), style=style, format="svg") or ""

    def report(self, words: Words) -> Report:
        """What the parser says of a span of words."""
        label = next(
            (
                span.label
                for span in self.constituents
                if (span.start, span.end) == words
            ),
            "",
        )
        notes: List[str] = []

        def said(key: Any, compute: Callable[[], Any]) -> Any:
            result, reason = self.get(key, compute)
            if reason and reason not in notes:
                notes.append(reason)
            return result

        if len(self.words) > MAX_EXPLAINED:
            return (
                label,
                {},
                {},
                [f"Only sentences of at most {MAX_EXPLAINED} words are explained."],
            )
        nlp, sent, span = self.nlp, self.span(), self.span(words)
        margins = (
            said(
                "margins",
                lambda: {one[:2]: one.margin for one in constituent_margins(nlp, sent)},
            )
            or {}
        )
        arcs = (
            said(
                "arcs",
                lambda: {one.dependent: one.margin for one in arc_margins(nlp, sent)},
            )
            or {}
        )
        marginals = said("marginals", lambda: span_marginals(nlp, sent))
        rows = (
            []
            if marginals is None
            else zip(
                marginals.labels, marginals.probabilities[words].tolist(), strict=True
            )
        )
        shares = {
            name: share for name, share in rows if name not in ("", SUB_HEAD_LABEL)
        }  # labels that a tree shows
        none = 1 - sum(shares.values())
        best = sorted(shares, key=lambda name: -shares[name])[:N_ALTERNATIVES]
        best = best[:1] + [name for name in best[1:] if shares[name] >= LEAST_SHARE]
        shown = label or "".join(best[:1])
        parts = (
            said(("parts", words), lambda: contributions(nlp, span, shown))
            if shown
            else None
        )
        confidences, _ = self.get("heads", lambda: head_confidences(nlp, sent))
        confidences = confidences or [None] * len(sent)
        tables: Dict[str, List[Dict[str, Any]]] = {HEAD: []}
        tokens = [self.sentence.doc[i] for i in self.sentence.tokens]
        for token, head in zip(tokens, self.sentence.heads or [], strict=False):
            governor = tokens[head - 1] if head else None
            if (
                head is not None
                and span.start <= token.i < span.end
                and not (governor in span if governor else False)
            ):
                margin = round(arcs[token.i], 2) if token.i in arcs else None
                probability = confidences[token.i - sent.start]
                row = {
                    "word": token.text,
                    "deprel": token.dep_,
                    "depends on": governor.text if governor else ROOT,
                    "how sure": None if probability is None else sureness(probability),
                    "margin": margin,
                }
                tables[HEAD].append(row)
        if shares:
            rest = sum(shares.values()) - sum(shares[name] for name in best)
            rows = [
                *((name, shares[name]) for name in best),
                ("other labels", rest),
                (NO_CONSTITUENT, none),
            ]
            tables["What these words are"] = [
                {"label": name, "probability": round(value, 3)} for name, value in rows
            ]
        if parts is not None:
            top = [(name, value) for name, value in parts.top(N_PARTS) if value]
            rest = float(parts.heads.sum()) - sum(value for _, value in top)
            others = [("other label heads", rest)] if len(top) == N_PARTS else []
            adds = [*top, *others, ("whole tokens", parts.tokens), ("bias", parts.bias)]
            title = f"Parts of the score of {parts.label}"
            rows = [*adds, ("sum: the score", parts.score)]
            tables[title] = [
                {"label head": name, "adds": round(value, 2)} for name, value in rows
            ]
        numbers = {"Margin": margins.get((span.start, span.end))}
        if shares:
            numbers["Probability"] = shares[label] if label else none
        return label, numbers, tables, notes

    def verdict(self) -> str:
        """How sure the parser is of the sentence, as markup: in words, or by marks on
        the words of whose heads it is least sure; empty if it cannot say."""
        if len(self.words) > MAX_EXPLAINED:
            return ""
        nlp, sent = self.nlp, self.span()
        probability, _ = self.get("verdict", partial(parse_confidence, nlp, sent))
        confidences, _ = self.get("heads", partial(head_confidences, nlp, sent))
        if probability is None or confidences is None:
            return ""
        if probability >= WEAK:
            said = sureness(probability)
            return f"The parser is {said} of this parse ({probability:.2f})."
        weak = [
            (place, place + 1)
            for place, i in enumerate(self.sentence.tokens)
            if (confidences[i - sent.start] or 1.0) < WEAK
        ]
        text = marked_text(self.sentence, weak)
        return f"The heads of marked words are unsure: {text}<br>" if weak else ""

    def tree(self, chosen: Optional[Words], predicate: Optional[int]) -> str:
        """The picture of the parse with clickable nodes: each bears its span of words;
        the chosen one and arguments are marked."""
        has_heads = self.sentence.heads is not None
        markup = self.picture("parse" if has_heads else "tree")
        if "<svg" not in markup:
            return markup
        marked = {} if predicate is None else self.predicates[predicate].spans
        root = ElementTree.fromstring(markup)
        drawing = next(root.iter(f"{SVG}svg"))
        is_rtl = self.sentence.doc.vocab.writing_system.get("direction") == "rtl"
        nodes = node_spans(self.sentence.to_tree(), is_rtl)
        chosen_node = None
        texts_of_words: Dict[int, ElementTree.Element] = {}
        # The first texts are the nodes of the tree; names of arcs and roles follow.
        for text, (start, end, is_constituent) in zip(
            root.iter(f"{SVG}text"), nodes, strict=False
        ):
            text.set("data-start", str(start))
            text.set("data-end", str(end))
            if end == start + 1:
                texts_of_words[start] = text  # the last one: the word, below its tag
            if is_constituent:
                text.set("tabindex", "0")
                text.set("role", "button")
            # Of a unary chain, the outermost; of a word, the word and not its tag.
            is_outer = chosen_node is None or chosen_node.get("role") is None
            if (start, end) == chosen and is_outer:
                chosen_node = text
            within = [
                role
                for (first, last), role in marked.items()
                if not is_constituent and first <= start < last
            ]
            role = marked.get((start, end)) or "".join(within[:1])
            if role:
                text.set("class", "lal-argument")
                text.append(ElementTree.fromstring(f"<title>{escape(role)}</title>"))
        for (first, end), number in self.units:
            ends = [texts_of_words[first], texts_of_words[end - 1]]
            drawing.append(unit_line(ends, number))
        if chosen_node is not None:
            drawing.append(outline(chosen_node))
        # In HTML, an svg needs no namespace; the keyboard can't reach parts of an img.
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
            if element.get("role") == "img":
                element.set("role", "group")
        return ElementTree.tostring(root, encoding="unicode")


def unit_line(ends: List[ElementTree.Element], number: str) -> ElementTree.Element:
    """A line under the words of a discourse unit, from one text to another."""
    edges = []
    for text in ends:
        size = float(text.get("font-size", WORD_SIZE))
        half = text_width(text.text or "") * size / 2
        place = float(text.get("x", 0))
        edges += [place - half, place + half]
    y = f"{float(ends[0].get('y', 0)) + size * 0.45:.1f}"
    places = {"x1": f"{min(edges):.1f}", "x2": f"{max(edges):.1f}", "y1": y, "y2": y}
    line = ElementTree.Element(f"{SVG}line", {"class": "lal-unit", **places})
    title = ElementTree.SubElement(line, f"{SVG}title")
    title.text = f"discourse unit {number}"
    return line


def outline(text: ElementTree.Element) -> ElementTree.Element:
    """A box around a node of the drawing."""
    size = float(text.get("font-size", WORD_SIZE))
    width = text_width(text.text or "") * size + 18
    height = size * 1.5 + 6
    return ElementTree.Element(
        f"{SVG}rect",
        {
            "class": "lal-chosen",
            "x": f"{float(text.get('x', 0)) - width / 2:.1f}",
            "y": f"{float(text.get('y', 0)) - 0.36 * size - height / 2:.1f}",
            "width": f"{width:.1f}",
            "height": f"{height:.1f}",
            "rx": f"{height / 2:.1f}",
        },
    )


def sureness(probability: float) -> str:
    """How sure the parser is, in words."""
    return next(word for least, word in SURENESS if probability >= least)


def node_spans(tree: Tree, mirrored: bool) -> Iterator[Tuple[int, int, bool]]:
    """The span of words of each node, in drawing order, and whether the node is above
    preterminals."""
    stack: List[Tuple[Any, int]] = [(tree, 0)]
    while stack:
        node, start = stack.pop()
        if not isinstance(node, Tree):
            yield start, start + 1, False
            continue
        children = []
        end = start
        for child in node:
            children.append((child, end))
            end += len(Parse.from_tree(child).words) if isinstance(child, Tree) else 1
        yield start, end, any(isinstance(child, Tree) for child in node)
        stack += children if mirrored else reversed(children)


@st.cache_resource(
    show_spinner="Loading the pipeline: the first time takes some seconds",
    max_entries=1,
)
def load(pipeline: str) -> Tuple[Language, Any]:
    """The pipeline, loaded once for all readers, and its lock."""
    return spacy.load(pipeline), RLock()


def read_link(query: Any) -> Tuple[str, int, Optional[Words]]:
    """Text, sentence and words of an address. Anybody may write one: other values than
    numbers are ignored."""
    number = re.fullmatch(r"[1-9]\d{0,3}", str(query.get("sentence", "")), re.ASCII)
    words = re.fullmatch(r"(\d{1,4})-(\d{1,4})", str(query.get("words", "")), re.ASCII)
    span = (int(words[1]) - 1, int(words[2])) if words else None
    return (
        str(query.get("text", ""))[:MAX_TEXT],
        int(number[0]) - 1 if number else 0,
        span,
    )


def ask(lang: str) -> str:
    """The form with the text, and examples of a language that fill it; at first the
    text of the page's address."""
    state = st.session_state
    examples = EXAMPLES.get(lang, ())
    if "text" not in state:
        text, *state.wanted = read_link(st.query_params)
        state.text = text or "".join(examples[:1])

    def take_example() -> None:
        if state.example is not None:
            state.text = state.example
            state.example = None

    with st.form("form", border=False):
        text = st.text_area("Text", key="text", height=100, placeholder="A text")
        st.form_submit_button("Parse", type="primary")
    if examples:
        st.pills("Examples", examples, key="example", on_change=take_example)
    if len(text) > MAX_TEXT:
        st.html(
            f'<p role="status" style="{NOTE}">The first {MAX_TEXT:,} of {len(text):,} '
            "characters are parsed.</p>"
        )
    return text[:MAX_TEXT]


def choose(what: str, names: List[str], key: str, **options: Any) -> Optional[int]:
    """A list; the names may be the reader's text."""
    return st.selectbox(
        what,
        range(len(names)),
        format_func=lambda i: shorten(visible(names[i]), 80),
        key=key,
        **options,
    )


def show_complexity(shown: List[Shown]) -> None:
    """The measures of the whole text, and a list that colours a structure in it."""
    doc = shown[0].sentence.doc
    measured = doc._.complexity.to_dict()
    found = [structures_of(one.sentence) for one in shown]
    meanings = {
        one.name: one.meaning
        for one in conventions(doc.vocab.lang).structures
        if any(one.name in by_name for by_name in found)
    }
    with st.expander("How complex the text is"):
        name = st.selectbox(
            "Colour in the text",
            meanings,
            format_func=lambda name: f"{meanings[name]} ({name}): {measured[name]}",
            index=None,
            placeholder="none",
            key="structure",
        )
        if name:
            texts = [
                marked_text(one.sentence, by_name.get(name, []))
                for one, by_name in zip(shown, found, strict=True)
            ]
            st.html(f"<p>{' '.join(texts)}</p>")
        for column, (title, names) in zip(st.columns(3), MEASURES.items(), strict=True):
            rows = [
                {
                    "measure": name,
                    "value": measured[name],
                    "meaning": meaning_of(name),
                }
                for name in names
            ]
            with column:
                st.html(f"<strong>{title}</strong>")
                st.dataframe(rows, hide_index=True)


def meaning_of(name: str) -> str:
    """What a measure counts, in words."""
    above, _, below = name.partition("/")
    if below:
        return f"{PARTS_OF_INDICES[above]} for each of {PARTS_OF_INDICES[below]}"
    if name in PARTS_OF_INDICES:
        return PARTS_OF_INDICES[name]
    entry = re.search(
        rf"^ +{name} \(.*?\): (.*?[.;])", Complexity.__doc__ or "", MEANING
    )
    return " ".join(entry[1].split())[:-1] if entry else ""


def structures_of(sentence: Parse) -> Dict[str, List[Words]]:
    """The spans of words of each structure that a sentence has."""
    if sentence.constituents is None:
        return {}
    lang = sentence.doc.vocab.lang
    return {
        name: [(node.start, node.end) for node in nodes]
        for name, nodes in find_structures(sentence.to_tree(), lang).items()
        if nodes
    }


def marked_text(sentence: Parse, spans: List[Words]) -> str:
    """A sentence as markup, with constituents marked, within one another, too."""
    starts = [start for start, _ in spans]
    ends = [end for _, end in spans]
    parts = []
    for place, i in enumerate(sentence.tokens):
        token = sentence.doc[i]
        opening = f'<mark style="{MARK}">' * starts.count(place)
        closing = "</mark>" * ends.count(place + 1)
        word = escape(visible(token.text))
        parts.append(f"{opening}{word}{closing}{token.whitespace_}")
    return "".join(parts).strip()


def show_facts(doc: Doc) -> None:
    """The facts of the whole text, as a table and as a graph, each with a file."""
    try:
        rows, reason = fact_rows(doc), "The text has no facts."
    except ValueError as err:
        rows, reason = [], str(err)
    with st.expander("Who does what: the facts of the whole text", expanded=True):
        if not rows:
            st.html(f'<p role="status" style="{NOTE}">{escape(reason)}</p>')
            return
        st.dataframe(rows, hide_index=True)
        table = io.StringIO()
        writer = csv.DictWriter(table, FACTS)
        writer.writeheader()
        writer.writerows(rows)
        graph = dot_of(edges_of(rows))
        st.graphviz_chart(graph)
        with st.container(horizontal=True):
            for name, content in (("CSV", table.getvalue()), ("DOT", graph)):
                st.download_button(
                    f"Download {name}",
                    content,
                    f"facts.{name.lower()}",
                    on_click="ignore",
                )


def fact_rows(doc: Doc) -> List[Dict[str, Any]]:
    """A row of `FACTS` for each fact."""
    numbers = {sent.start: i for i, sent in enumerate(doc.sents, start=1)}
    return [
        {
            "subject": str(fact.subject or ""),
            "relation": fact.label,
            "object": str(fact.object or ""),
            "factuality": fact.factuality,
            "attribution": str(fact.attribution or ""),
            "sentence": numbers[fact.tokens[0].sent.start],
        }
        for fact in get_relations(doc)
    ]


def edges_of(rows: List[Dict[str, Any]]) -> List[Tuple[str, str, str]]:
    """Subject, label and object of each asserted fact, long phrases cut."""
    return [
        (
            shorten(visible(row["subject"]), MAX_THING),
            visible(row["relation"]),
            shorten(visible(row["object"]), MAX_THING),
        )
        for row in rows
        if row["factuality"] == "asserted" and row["subject"] and row["object"]
    ]


def dot_of(edges: List[Tuple[str, str, str]]) -> str:
    """A graph in the language of Graphviz, whose layout keeps its components apart."""
    lines = [
        f"{quote(subject)} -> {quote(thing)} [label={quote(label)}]"
        for subject, label, thing in edges
    ]
    return "\n".join([f"digraph {{ {GRAPH}", *lines, "}"])


def quote(text: str) -> str:
    """A string of Graphviz."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def show_sentence(one: Shown, component: Callable[..., Any]) -> None:
    """The picture, numbers, predicates, other pictures and files of a sentence."""
    state = st.session_state
    span: Optional[Words] = state.get("span")

    def take_click() -> None:
        state.span = one.checked(state.tree.span) or state.span

    predicate = state.get(f"predicate of {one.sentence.text}")
    st.html(f'<div style="{NOTE}">{one.verdict()} {HINT}</div>')
    report = one.report(span) if span else None
    data = {
        "drawing": one.tree(span, predicate),
        "facts": facts(one.span(span), report) if report else "",
    }
    component(data=data, key="tree", on_span_change=take_click)
    labels = (label for span in one.constituents for label in span.chain)
    st.html(label_legend(labels) or "<p></p>")
    if report:
        show_report(one.span(span).text, report)
    if one.predicates:
        show_predicates(one)
    show_lists(one, span)
    show_more(one, component)


def show_predicates(one: Shown) -> None:
    """The roles of the sentence in words, and a list that marks those of a
    predicate."""
    names = []
    for row in one.predicates:
        verb = min(start for (start, _), role in row.spans.items() if role == "V")
        names.append(f"{one.words[verb]} {row.name}")
    with st.expander("Who does what"):
        choose(
            "Mark the arguments of a predicate in the tree",
            names,
            f"predicate of {one.sentence.text}",
            index=None,
            placeholder="none",
        )
        st.html(one.picture("roles"))


def show_lists(one: Shown, span: Optional[Words]) -> None:
    """Lists that choose a constituent, or any words."""
    state = st.session_state

    def take_constituent() -> None:
        if state.constituent is not None:
            span = one.constituents[state.constituent]
            state.span = (span.start, span.end)

    def take_words() -> None:
        first, last = sorted((state.first, state.last))
        state.span = (first, last + 1)

    start, end = span or (0, len(one.words))
    places = [(place.start, place.end) for place in one.constituents]
    state.constituent = places.index(span) if span in places else None
    state.first = start
    state.last = end - 1
    with st.expander("Choose words from a list"):
        choose(
            "Constituent",
            [
                f"{place.label}: {' '.join(one.words[place.start : place.end])}"
                for place in one.constituents
            ],
            "constituent",
            on_change=take_constituent,
            placeholder="these words are no constituent" if span else "none",
        )
        numbered = [f"{i}. {word}" for i, word in enumerate(one.words, start=1)]
        choose("First word", numbered, "first", on_change=take_words)
        choose("Last word", numbered, "last", on_change=take_words)


def show_more(one: Shown, component: Callable[..., Any]) -> None:
    """Other pictures of the sentence, and its files."""
    files = {name: (suffix, content) for name, suffix, content in one.files()}
    with st.expander("More pictures, and files"):
        picture = st.radio(
            "Show the sentence as",
            [*PICTURES, "Brackets", "CoNLL-U"],
            horizontal=True,
            key="picture",
        )
        if PICTURES.get(picture) == "dep":
            component(data={"drawing": one.picture("dep")}, key="arcs")
        elif picture in PICTURES:
            st.html(one.picture(PICTURES[picture]))
        else:
            st.code(files.get(picture, ("", ""))[1], language=None, wrap_lines=True)
        with st.container(horizontal=True):
            for name, (suffix, content) in files.items():
                st.download_button(
                    f"Download {name}", content, f"parse.{suffix}", on_click="ignore"
                )


def heading(words: str, report: Report, limit: int = MAX_HEADING) -> str:
    """What some words are, and how sure the parser is of it, as markup; of the words,
    at most so many characters."""
    label, numbers, _, _ = report
    said = f"{label or NO_CONSTITUENT}: {shorten(visible(words), limit)}"
    probability = numbers.get("Probability")
    if probability is not None:
        said += f" \u2013 {sureness(probability)}"
    return f"<strong>{escape(said)}</strong>"


def facts(span: Any, report: Report) -> str:
    """A report in short, as markup for the card beside a node. A word that is no
    constituent has its tag in the place of a label."""
    first = heading(span.text, report, MAX_SHOWN)
    if len(span) == 1 and not report[0]:
        first = f"<strong>{escape(visible(f'{span[0].tag_}: {span.text}'))}</strong>"
    lines = [first]
    for row in report[2].get(HEAD, []):
        is_root = row["depends on"] == ROOT
        arc = "the root" if is_root else f"{row['deprel']} of {row['depends on']}"
        said = f"{row['word']}: {arc}"
        if row["how sure"]:
            said += f" \u2013 {row['how sure']}"
        lines.append(escape(visible(said)))
    return "<br>".join(lines[:MAX_FACTS])


def show_report(words: str, report: Report) -> None:
    """What the parser says of some words."""
    _, numbers, tables, notes = report
    st.html(heading(words, report))
    for reason in notes:
        st.html(f'<p role="status" style="{NOTE}">{escape(reason)}</p>')
    columns = st.columns([1, 4, 2, 2])
    with columns[0]:
        for name, value in numbers.items():
            st.metric(name, "\u2013" if value is None else f"{value:.{DIGITS[name]}f}")
    for column, (title, rows) in zip(columns[1:], tables.items(), strict=False):
        with column:
            st.html(f"<strong>{escape(title)}</strong>")
            st.dataframe(rows, hide_index=True)


def main(pipeline: str) -> None:
    """The page, from top to bottom; Streamlit runs it again after each action of the
    reader."""
    st.set_page_config(page_title=TITLE, layout="wide")
    st.html(MARGINS)
    st.subheader(TITLE)
    state = st.session_state
    try:
        nlp, lock = load(pipeline)
        text = ask(nlp.lang)
        if state.get("parsed_text") != text:
            with lock:
                state.sentences = [
                    Shown(nlp, lock, sentence) for sentence in read_parses(nlp(text))
                ]
            state.parsed_text, state.sentence, state.span = text, 0, None
            number, span = state.pop("wanted", (0, None))
            if number < len(state.sentences):
                state.sentence, state.span = (
                    number,
                    state.sentences[number].checked(span),
                )
    except (OSError, ValueError, ImportError) as err:
        st.html(f'<p role="alert" style="{ERROR}">{escape(str(err))}</p>')
        return
    if not state.sentences:
        st.html(
            f'<p role="alert" style="{ERROR}">Expected a text, got nothing but '
            "whitespace.</p>"
        )
        return
    names = [
        f"{i}. {one.sentence.text}" for i, one in enumerate(state.sentences, start=1)
    ]
    if len(names) > 1:
        choose("Sentence", names, "sentence", on_change=lambda: state.update(span=None))
    number = state.get(
        "sentence", 0
    )  # Streamlit forgets the keys of lists that are not shown
    # st.html removes SVG.
    component = st.components.v2.component(
        "spacy_lal_drawing", html='<div class="lal-box"></div>', css=STYLE, js=SCRIPT
    )
    show_sentence(state.sentences[number], component)
    known = conventions(nlp.lang)
    if known.clauses:
        show_facts(state.sentences[0].sentence.doc)
    if known.structures:
        show_complexity(state.sentences)
    st.query_params.clear()
    if len(text) <= MAX_LINKED:
        words = {"words": f"{state.span[0] + 1}-{state.span[1]}"} if state.span else {}
        st.query_params.update({"text": text, "sentence": str(number + 1), **words})


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else DEFAULT_PIPELINE)
