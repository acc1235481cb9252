"""`kept_vectors.v1`, `kept_parses.v1`: corpora whose Docs have the vectors of a frozen encoder, computed once.

    python -m spacy lal train configs/morphology.cfg --code scripts/kept_vectors.py ...

A frozen encoder gives a Doc the same vectors in every epoch. Here it runs on each Doc once, and listeners read
`doc._.trf_data` or `doc.tensor`; so the encoder is frozen in the config and not among the annotating components. A word
takes about three kilobytes.

Not here: corpora for components whose transformer is trained with them.
"""

from typing import Any, Dict, Iterator, List, Optional

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from spacy_lal.treebanks.corpora import ParsedCorpus, PathOrPaths, TreebankCorpus


class KeptVectors:
    """Iterates over the Examples of a corpus.

    corpus (TreebankCorpus): It has no augmenter.
    component (str): The name of the encoder.
    once (bool): Whether the Examples, too, are made once.
    """

    def __init__(self, corpus: TreebankCorpus, component: str, once: bool) -> None:
        self.corpus, self.component, self.once = corpus, component, once
        self._examples: Optional[List[Example]] = None
        self._vectors: Dict[bytes, Any] = {}
        self._nlp: Optional[Language] = None

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """The Examples, in the order of the corpus.

        nlp (Language): Has the encoder, whose weights do not change any more.
        """
        if self._nlp is not nlp:
            self._nlp, self._examples, self._vectors = nlp, None, {}
        examples = self._examples
        if examples is None:
            examples = list(self.corpus(nlp))
            self._examples = examples if self.once else None
        new = {_words(eg.predicted): eg.predicted for eg in examples if _words(eg.predicted) not in self._vectors}
        encoder: Any = nlp.get_pipe(self.component)
        for doc in encoder.pipe(new.values(), batch_size=64):
            of_transformer = doc._.trf_data if doc.has_extension("trf_data") else None
            self._vectors[_words(doc)] = of_transformer, doc.tensor
        for eg in examples:
            of_transformer, eg.predicted.tensor = self._vectors[_words(eg.predicted)]
            if of_transformer is not None:
                eg.predicted._.trf_data = of_transformer
        yield from examples


def _words(doc: Doc) -> bytes:
    return doc.to_array("ORTH").tobytes()


@registry.readers("kept_vectors.v1")
def make_kept_vectors(path: PathOrPaths, component: str = "transformer", shuffle: bool = False) -> KeptVectors:
    """Registered as `kept_vectors.v1`.

    path (PathOrPaths): As for `TreebankCorpus`. A file that is named twice counts twice.
    component (str): The name of the encoder.
    shuffle (bool): Whether to shuffle the Docs, once.
    """
    return KeptVectors(TreebankCorpus(path, shuffle=shuffle), component, once=True)


@registry.readers("kept_parses.v1")
def make_kept_parses(path: PathOrPaths, component: str = "encoder", shuffle: bool = False) -> KeptVectors:
    """Registered as `kept_parses.v1`. Its options are those of `ParsedCorpus`, and `component`, the name of the
    encoder."""
    return KeptVectors(ParsedCorpus(path, shuffle=shuffle), component, once=False)
