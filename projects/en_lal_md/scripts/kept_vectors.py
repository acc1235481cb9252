"""`kept_vectors.v1`: a corpus whose Docs have the vectors of a frozen transformer, computed once.

    python -m spacy lal train configs/morphology.cfg --code scripts/kept_vectors.py ...

A frozen transformer gives a Doc the same vectors in every epoch. Here it runs on each Doc once, and listeners read
`doc._.trf_data`; so the transformer is frozen in the config and not among the annotating components. A word takes about
three kilobytes.

Not here: corpora for components whose transformer is trained with them.
"""

from typing import Any, Iterator, List, Optional

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from spacy_lal.treebanks.corpora import PathOrPaths, TreebankCorpus


class KeptVectors:
    """Iterates over the Examples of a `TreebankCorpus`, the same in each epoch.

    corpus (TreebankCorpus): It has no augmenter.
    component (str): The name of the transformer.
    """

    def __init__(self, corpus: TreebankCorpus, component: str) -> None:
        self.corpus = corpus
        self.component = component
        self._examples: Optional[List[Example]] = None
        self._nlp: Optional[Language] = None

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """The Examples, in the order of the corpus.

        nlp (Language): Has the transformer, whose weights do not change any more.
        """
        if self._examples is None or self._nlp is not nlp:
            self._examples, self._nlp = list(self.corpus(nlp)), nlp
            docs = {_words(eg.predicted): eg.predicted for eg in self._examples}
            transformer: Any = nlp.get_pipe(self.component)
            for _ in transformer.pipe(docs.values(), batch_size=64):
                pass
            for eg in self._examples:
                eg.predicted._.trf_data = docs[_words(eg.predicted)]._.trf_data
        yield from self._examples


def _words(doc: Doc) -> bytes:
    return doc.to_array("ORTH").tobytes()


@registry.readers("kept_vectors.v1")
def make_kept_vectors(path: PathOrPaths, component: str = "transformer", shuffle: bool = False) -> KeptVectors:
    """Registered as `kept_vectors.v1`.

    path (PathOrPaths): As for `TreebankCorpus`. A file that is named twice counts twice.
    component (str): The name of the transformer.
    shuffle (bool): Whether to shuffle the Docs, once.
    """
    return KeptVectors(TreebankCorpus(path, shuffle=shuffle), component)
