"""Semantic roles joined with the words that they annotate, and Examples from both for training.

`X.conllu` has words, tags, heads and deprels; `X.srl.jsonl` has the roles of the same sentences. They are joined by
`sent_id`, and must agree in the number of words. *Not* here: the files themselves (`role_files.py`, `conll_roles.py`).
"""

from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Optional, Union

from spacy.tokens import Doc
from spacy.vocab import Vocab

from .corpus import Augmenter, TreebankCorpus
from .docs import make_docs
from .reader import TreebankError, TreebankSentence, read_treebank
from .role_files import ROLES_SUFFIX, SentenceRoles, read_role_lines

OnePath = Union[str, Path]


def with_roles(
    sentences: Iterable[TreebankSentence], roles: Iterable[SentenceRoles], *, partial: bool = False
) -> Iterator[TreebankSentence]:
    """Give sentences their roles, by `sent_id`. The order of the roles does not matter.

    partial (bool): Whether a sentence may lack roles. It is given without.
    RAISES (TreebankError): With file and line: a sentence has no `sent_id` or no roles; the numbers of words differ;
        two sentences, or two lines of roles, have the same `sent_id`; roles belong to no sentence.
    """
    by_id: Dict[str, SentenceRoles] = {}
    for one in roles:
        if not one.sent_id:
            raise TreebankError(f"{one.where}: expected a sent_id, by which roles are joined with words, got none")
        if one.sent_id in by_id:
            raise TreebankError(f"{one.where}: sent_id {one.sent_id!r} is also that of {by_id[one.sent_id].where}")
        by_id[one.sent_id] = one
    unused = dict(by_id)
    for sentence in sentences:
        yield _joined(sentence, by_id, unused, partial)
    if unused:
        first = next(iter(unused.values()))
        raise TreebankError(
            f"{first.where}: no sentence has the sent_id {first.sent_id!r}; {len(unused)} lines of roles have no "
            "sentence"
        )


def make_propbank_corpus(
    path: OnePath,
    roles: Optional[OnePath] = None,
    brackets: Optional[OnePath] = None,
    partial: bool = False,
    n_sents: int = 1,
    gold_sents: bool = True,
    max_length: int = 0,
    limit: int = 0,
    shuffle: bool = False,
    augmenter: Optional[Augmenter] = None,
) -> "PropBankCorpus":
    """Registered as `spacy-lal.PropBankCorpus.v1`. Arguments as for `PropBankCorpus`."""
    return PropBankCorpus(
        path,
        roles=roles,
        brackets=brackets,
        partial=partial,
        n_sents=n_sents,
        gold_sents=gold_sents,
        max_length=max_length,
        limit=limit,
        shuffle=shuffle,
        augmenter=augmenter,
    )


class PropBankCorpus(TreebankCorpus):
    """Iterates over Examples whose reference has heads, deprels, tags, morphology, lemmas and roles. As with
    `TreebankCorpus`, the predicted Doc has the reference's tokens, and files are read once.

    path (Union[str, Path]): A CoNLL-U file.
    roles (Optional[Union[str, Path]]): A `.srl.jsonl` file. None: the file beside `path` with its name (`X.conllu`,
        `X.srl.jsonl`).
    brackets (Optional[Union[str, Path]]): A bracket file with the trees of the same sentences, for constituents.
    partial (bool): Whether a sentence may lack roles. Its Doc then has no span group for them.
    n_sents (int): The most sentences in a Doc.
    gold_sents, max_length, limit, shuffle, augmenter: As for `TreebankCorpus`.
    RAISES (ValueError): A limit is negative, or `n_sents` is below 1. (TreebankError): A file is missing.
    """

    def __init__(
        self,
        path: OnePath,
        *,
        roles: Optional[OnePath] = None,
        brackets: Optional[OnePath] = None,
        partial: bool = False,
        n_sents: int = 1,
        gold_sents: bool = True,
        max_length: int = 0,
        limit: int = 0,
        shuffle: bool = False,
        augmenter: Optional[Augmenter] = None,
    ) -> None:
        super().__init__(
            path, gold_sents=gold_sents, max_length=max_length, limit=limit, shuffle=shuffle, augmenter=augmenter
        )
        if n_sents < 1:
            raise ValueError(f"expected n_sents of 1 or more, got {n_sents}")
        self.conllu = self.paths[0]
        self.roles = Path(roles) if roles else self.conllu.with_name(self.conllu.stem + ROLES_SUFFIX)
        self.brackets = Path(brackets) if brackets else None
        self.partial = partial
        self.n_sents = n_sents

    def _documents(self, vocab: Vocab) -> Iterator[Doc]:
        files: List[Path] = [self.conllu, self.roles, *([self.brackets] if self.brackets else [])]
        for path in files:
            if not path.is_file():
                raise TreebankError(f"{path}: no such file, expected a CoNLL-U file and its roles (X{ROLES_SUFFIX})")
        sentences = read_treebank(self.brackets, self.conllu)
        joined = with_roles(sentences, read_role_lines(self.roles), partial=self.partial)
        return make_docs(joined, vocab, n_sents=self.n_sents)


def _joined(
    sentence: TreebankSentence, by_id: Dict[str, SentenceRoles], unused: Dict[str, SentenceRoles], partial: bool
) -> TreebankSentence:
    found, sent_id = sentence.dependencies, sentence.sent_id
    where = f"{found.path}:{found.line}" if found else "a sentence without CoNLL-U"
    if not sent_id and not partial:
        raise TreebankError(
            f"{where}: expected a line '# sent_id = ...', by which roles are joined with words, got none"
        )
    roles = by_id.get(sent_id) if sent_id else None
    if roles is None:
        if partial:
            return TreebankSentence(sentence.tree, found)
        raise TreebankError(f"{where}: no roles for the sentence {sent_id!r}")
    if sent_id not in unused:
        raise TreebankError(f"{where}: a second sentence with the sent_id {sent_id!r}")
    del unused[sent_id]
    if roles.n_words != len(sentence.words):
        raise TreebankError(
            f"{roles.where} and {where}: {roles.n_words} words in the roles and {len(sentence.words)} in the CoNLL-U, "
            f"in the sentence {sent_id!r}"
        )
    return TreebankSentence(sentence.tree, found, roles.propositions)
