"""Warnings for a pipeline in which another component also sets heads and deprels.

`lal_parser` replaces heads that a Doc already has, and spaCy's `parser` does so after it. Neither is an error, but
rules written for one scheme of deprels find nothing in another. *Not* here: writing on a Doc (`annotations`).
"""

import warnings
import weakref
from typing import Any, Iterable, List, Optional, Sequence, Tuple

from spacy.language import Language
from spacy.tokens import Doc

from ..trees.deprel_schemes import deprel_scheme
from .parser_names import FACTORY

HEAD = "token.head"


class DependencySchemeWarning(UserWarning):
    """A parser replaces heads and deprels of another scheme than its own."""


class ParserOrderWarning(UserWarning):
    """Another component replaces some of a parser's heads after it has run."""


class Coexistence:
    """Traces of other parsers in a parser's Docs. Each warning is given once.

    nlp (Optional[Language]): The pipeline that made the parser. A copy in another process does not know it.
    """

    def __init__(self, nlp: Optional[Language] = None) -> None:
        self._nlp = None if nlp is None else weakref.ref(nlp)
        self._scheme_checked = False
        self._names: Tuple[str, ...] = ()  # of the components, when the order was last checked

    def __reduce__(self) -> Tuple[Any, ...]:
        return Coexistence, ()  # a reference to a pipeline cannot be pickled

    def check_docs(self, name: str, docs: Iterable[Doc], deprels: Sequence[str]) -> None:
        """Warn if heads of another scheme are about to be replaced.

        name (str): The component's name.
        docs (Iterable[Doc]): Docs before the parse is written on them.
        deprels (Sequence[str]): The deprels that the parser sets.
        """
        if self._scheme_checked:
            return
        docs = [doc for doc in docs if doc.has_annotation("DEP")]
        own = deprel_scheme(deprels) if docs else None
        for doc in docs if own is not None else ():
            strings = doc.vocab.strings
            found = deprel_scheme(strings[deprel] for deprel in set(doc.to_array("DEP").tolist()))
            if found not in (None, own):
                self._scheme_checked = True
                warnings.warn(
                    f"'{name}' replaces heads and deprels that an earlier component has set: {found} becomes {own}. "
                    f"Rules for {found} deprels, such as patterns of a DependencyMatcher, find other names. Ways out: "
                    f"overwrite = false in the config of '{name}' keeps the earlier heads and adds constituents; "
                    "dependencies = false parses constituents alone, in less time; or remove the earlier parser, if "
                    "nothing needs its deprels. This is said once.",
                    DependencySchemeWarning,
                    stacklevel=2,
                )
                return

    def check_order(self, name: str, docs: Sequence[Doc]) -> None:
        """Warn if a component after the parser also sets heads.

        name (str): The component's name.
        docs (Sequence[Doc]): Docs to parse; Docs of another pipeline are ignored.
        """
        nlp = None if self._nlp is None else self._nlp()
        if nlp is None or not docs or docs[0].vocab is not nlp.vocab:
            return
        names = tuple(nlp.pipe_names)
        if names == self._names or name not in names:
            return
        self._names = names
        later = _head_setters(nlp, names[names.index(name) + 1 :])
        if later:
            warnings.warn(
                f"'{later[0]}' stands after '{name}' and sets heads too. spaCy's parser leaves some heads as it finds "
                f"them, so the dependencies become a mixture of two parses. Either move '{later[0]}' before '{name}', "
                f"with overwrite = false or dependencies = false for '{name}' if its heads are to stay, or remove it. "
                "This is said once.",
                ParserOrderWarning,
                stacklevel=2,
            )


def _head_setters(nlp: Language, names: Sequence[str]) -> List[str]:
    """The components that set heads, without parsers of ours."""
    metas = [nlp.get_pipe_meta(name) for name in names]
    return [name for name, meta in zip(names, metas, strict=True) if HEAD in meta.assigns and meta.factory != FACTORY]
