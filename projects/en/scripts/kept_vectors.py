"""`kept_parses.v1`: a corpus whose Docs have the vectors of a frozen encoder, computed
once.

    python -m spacy train ../../configs/srl.cfg --code scripts/kept_vectors.py ...

A frozen encoder gives a Doc the same vectors in every epoch. Here it runs on each Doc
once, and listeners read `doc.tensor`; so the encoder is frozen in
the config and not among the annotating components. A word takes about three kilobytes.

Not here: corpora for components whose transformer is trained with them.
"""

from typing import Any, Dict, Iterator, Optional

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from spacy_lal.treebanks.corpora import ParsedCorpus, PathOrPaths


class KeptVectors:
    """Iterates over the Examples of a corpus.

    corpus (ParsedCorpus): It has no augmenter.
    component (str): The name of the encoder.
    """

    def __init__(self, corpus: ParsedCorpus, component: str) -> None:
        self.corpus, self.component = corpus, component
        self._vectors: Dict[bytes, Any] = {}
        self._nlp: Optional[Language] = None

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """The Examples, in the order of the corpus.

        nlp (Language): Has the encoder, whose weights do not change any more.
        """
        if self._nlp is not nlp:
            self._nlp, self._vectors = nlp, {}
        examples = list(self.corpus(nlp))
        new = {
            _words(eg.predicted): eg.predicted
            for eg in examples
            if _words(eg.predicted) not in self._vectors
        }
        encoder: Any = nlp.get_pipe(self.component)
        for doc in encoder.pipe(new.values(), batch_size=64):
            self._vectors[_words(doc)] = doc.tensor
        for eg in examples:
            eg.predicted.tensor = self._vectors[_words(eg.predicted)]
        yield from examples


def _words(doc: Doc) -> bytes:
    return doc.to_array("ORTH").tobytes()


@registry.readers("kept_parses.v1")
def make_kept_parses(
    path: PathOrPaths, component: str = "encoder", shuffle: bool = False
) -> KeptVectors:
    """Registered as `kept_parses.v1`. Its options are those of `ParsedCorpus`, and
    `component`, the name of the encoder."""
    return KeptVectors(ParsedCorpus(path, shuffle=shuffle), component)
