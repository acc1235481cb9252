"""The training of roles on a frozen encoder: what is masked, and what it changes in a
pipeline."""

import numpy as np

from spacy_lal.scores import MISSING, GoldRoles


def test_words_that_are_no_verbs_are_masked(script):
    empty = np.zeros(0, dtype=np.int32)
    gold = GoldRoles(
        predicates=np.array([0, 1, 0, 1, 0], dtype=np.int32),
        rows=np.array([1, 3]),
        tags=empty,
        rolesets=empty,
        heads=empty,
        deprels=empty,
    )
    # a noun with roles stays; "was" is a verb without roles
    script("train_roles").mask_other_words(gold, ["NNP", "VBD", "NN", "NN", "VBD"])
    assert gold.predicates.tolist() == [MISSING, 1, MISSING, 1, 0]
