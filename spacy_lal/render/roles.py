"""Style "roles": the semantic roles of each sentence, one row a predicate."""

from typing import List, Optional

from spacy.language import Language
from spacy.tokens import Span

from ..annotations import has_propositions
from ..annotations.role_rows import role_rows
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
