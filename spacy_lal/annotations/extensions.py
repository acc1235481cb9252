"""The names under which Doc, Span and Token have the getters: `doc._.parse_string`, `span._.tree`, ..."""

from functools import partial
from typing import Any, Callable, List, Optional, Tuple

from spacy.tokens import Doc, Span, Token

from .getters import (
    get_doc_labels,
    get_doc_parse_string,
    get_doc_tree,
    get_doc_trees,
    get_labels,
    get_parent,
    get_parse_method,
    get_parse_string,
    get_tree,
    get_trees,
    iter_children,
    iter_constituents,
    iter_doc_constituents,
)
from .role_views import install_role_extensions


def _of_token(token: Token, *, getter: Callable[..., Any], strict: bool = False) -> Any:
    return getter(token.doc[token.i : token.i + 1], strict=strict)


GETTERS: List[Tuple[Any, str, Callable[..., Any]]] = [
    (Doc, "parse_string", get_doc_parse_string),
    (Doc, "tree", get_doc_tree),
    (Doc, "trees", get_doc_trees),
    (Doc, "labels", get_doc_labels),
    (Doc, "constituents", iter_doc_constituents),
    (Span, "parse_string", get_parse_string),
    (Span, "tree", get_tree),
    (Span, "trees", get_trees),
    (Span, "labels", get_labels),
    (Span, "constituents", iter_constituents),
    (Span, "children", iter_children),
    (Span, "parent", get_parent),
    (Span, "parse_method", get_parse_method),
    (Token, "parse_string", partial(_of_token, getter=get_parse_string)),
    (Token, "tree", partial(_of_token, getter=get_tree)),
    (Token, "labels", partial(_of_token, getter=get_labels)),
    (Token, "constituents", partial(_of_token, getter=iter_constituents)),
    (Token, "parent", partial(_of_token, getter=get_parent)),
]


def install_extensions(strict: Optional[bool] = None) -> None:
    """Give Doc, Span and Token the getters that users of benepar know. Extensions that others have set are left alone.

    strict (Optional[bool]): True: the getters raise `NonConstituentException` for a Span that is no constituent, and
        `UnparsedDocError` for a Doc without a parse, where benepar raises. False: they give None or nothing. Default:
        as before, at first False.
    """
    for cls, name, getter in GETTERS:
        is_ours = cls.has_extension(name) and _is_ours(cls.get_extension(name)[2])
        if not cls.has_extension(name) or (is_ours and strict is not None):
            chosen = partial(getter, strict=True) if strict and name != "parse_method" else getter
            cls.set_extension(name, getter=chosen, force=True)
    install_role_extensions()


def _is_ours(getter: Any) -> bool:
    while isinstance(getter, partial):
        getter = getter.func
    return getattr(getter, "__module__", None) in (__name__, get_tree.__module__)
