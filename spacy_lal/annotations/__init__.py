"""What a Doc holds: sentences, parses, roles and constraints, as spaCy's heads and as
span groups, which survive `to_bytes`, DocBin and pickle. Only this room writes and
reads them. Whitespace tokens are no part of a parse: "word" means a token that is not
whitespace, and a word position counts the words of one sentence from 0."""

# ruff: noqa: F401  (other rooms and users import from here)
from .complexity import get_complexity, sentence_complexities
from .confidence import Confidences
from .constraints import (
    Constraint,
    ContradictionError,
    HeadConstraint,
    SpanConstraint,
    check_structure,
    constrain,
    contains_chain,
    get_constraints,
    in_words,
)
from .facts import (
    Clause,
    Relation,
    Triple,
    get_clauses,
    get_relations,
    get_triples,
    simplify,
)
from .getters import NonConstituentException, install_extensions
from .notes import with_notes
from .noun_chunks import install_noun_chunks, noun_chunks
from .other_tokens import as_doc, carry_over
from .parses import (
    METHODS_KEY,
    ROOT_DEPREL,
    SPANS_KEY,
    WHITESPACE_DEPREL,
    ParserSignature,
    check_tree,
    constituent_tokens,
    constituents_within,
    get_constituents,
    set_constituents,
    set_parses,
    set_sentence_parse,
    tokens_with_heads,
    with_root_deprel,
)
from .predicates import (
    Argument,
    Predicate,
    copy_frames,
    get_frame,
    get_span_predicates,
    has_frames,
    install_frames,
)
from .reading import (
    MISSING_TAG,
    UnparsedDocError,
    parse_of_words,
    read_parses,
    sentence_trees,
)
from .roles import (
    ROLES_KEY,
    frame_of,
    get_propositions,
    get_sentence_propositions,
    has_propositions,
    set_propositions,
    set_sentence_propositions,
    to_allennlp,
)
from .sentences import (
    MAX_LENGTH,
    SENT_IDS,
    DocSentences,
    Item,
    Sentences,
    has_sentences,
    note_ranges,
    note_tokens,
    read_sentences,
    read_words,
    same_tokens,
    sentence_bounds,
    sentence_words,
    set_sentence_starts,
    without_notes,
    words_of,
)
from .span_groups import (
    CONSTRAINTS_KEY,
    LostAnnotationsWarning,
    StaleParseError,
    check_present,
)
from .units import NO_UNITS, UNITS_KEY, get_units, set_units
