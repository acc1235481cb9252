"""Style "roles": the semantic roles of each sentence, one row a predicate."""

from bisect import bisect_left
from typing import Dict, List, Optional, Sequence, Tuple

from spacy.language import Language
from spacy.tokens import Span, Token

from ..annotations import has_propositions
from ..annotations.role_rows import role_rows
from ..annotations.role_views import Predicate, get_span_predicates
from ..display.roles import roles_to_html
from .sentences import RenderError, shown_sentences, writing
from .styles import Item, Options


def draw(item: Item, options: Options, nlp: Optional[Language]) -> List[str]:
    """The pictures of a Doc or Span, one for each sentence with words. Of a Span, predicates are shown whose arguments
    all lie within it.

    options (Dict[str, Any]): `folded`: whether a click on a predicate shows its arguments; the first is open.
    RAISES (ValueError): A Span crosses a sentence boundary. (RenderError): The Doc has no roles.
    """
    doc = item.doc if isinstance(item, Span) else item
    if not has_propositions(doc):
        raise RenderError(
            "style 'roles': the Doc has no semantic roles (doc.spans[\"srl\"]): it must come from a pipeline whose "
            "lal_srl sets them"
        )
    if isinstance(item, Span) and not shown_sentences(item):  # white space alone
        return []
    direction = writing(item)["direction"]
    folded = bool(options.get("folded", False))
    return [roles_to_html(sentence, folded=folded, direction=direction) for sentence in role_rows(item)]


def word_roles(tokens: Sequence[Token]) -> List[Tuple[Predicate, Dict[Tuple[int, int], str]]]:
    """The predicates whose arguments all lie within a sentence, with the half-open span of words of each part -> its
    role, V included.

    tokens (Sequence[Token]): Its words, without white space. Spans count them from 0.
    RETURNS (List[Tuple[Predicate, Dict[Tuple[int, int], str]]]): Empty if the Doc has no roles.
    """
    doc, words = tokens[0].doc, [token.i for token in tokens]
    if not has_propositions(doc):
        return []
    found = []
    for predicate in get_span_predicates(doc[words[0] : words[-1] + 1]):
        args = predicate.proposition.args
        if words[0] <= args[0][0] and args[-1][1] <= words[-1] + 1:
            spans = {(bisect_left(words, start), bisect_left(words, end)): role for start, end, role in args}
            found.append((predicate, spans))
    return found
