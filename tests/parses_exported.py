"""Parses with a package whose networks are graphs, where torch is not installed: a
program, run by `test_exported_networks.py`. Arguments: the package, and a file for the
parses and scores that it finds."""

import sys
from pathlib import Path

import numpy
from without_torch import TRAINING, refuse_torch

TEXTS = [
    "She sees a dog in the park.",
    "Go!",
    "",
    "They saw that he slept, i.e. unbelievably well, and nobody gave up the house 😀.",
]


def parses(nlp):
    """Trees, heads and propositions of each Doc, parsed by each parser and the roles;
    and the scores of all sentences from each network, by the name of its component and
    a number; meaningless cells of charts are left out."""
    of_all = {}
    for name in nlp.pipe_names:
        if name.startswith("parser"):
            others = [other for other in nlp.pipe_names if other.startswith("parser")]
            others.remove(name)
            with nlp.select_pipes(disable=others):
                docs = list(nlp.pipe(TEXTS))
            of_all[f"{name} trees"] = [doc._.parse_string for doc in docs]
            of_all[f"{name} heads"] = [str([t.head.i for t in doc]) for doc in docs]
            of_all[f"{name} deprels"] = [str([t.dep_ for t in doc]) for doc in docs]
            of_all[f"{name} roles"] = [str(doc._.srl) for doc in docs]
    for name in nlp.pipe_names:
        if name.startswith(("parser", "roles")):
            for scored in nlp.get_pipe(name).model.predict(docs):
                for array in filter(lambda array: array is not None, scored):
                    side = len(array)
                    if array.ndim == 3 and array.shape[1] == side:
                        array = array[numpy.triu_indices(side, 1)]
                    of_all[f"{name} {len(of_all)}"] = array
    return of_all


if __name__ == "__main__":
    refuse_torch()
    import spacy

    nlp = spacy.load(sys.argv[1])
    numpy.savez(Path(sys.argv[2]), **parses(nlp))
    assert not [name for name in TRAINING if name in sys.modules]
