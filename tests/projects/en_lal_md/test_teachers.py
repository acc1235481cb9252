"""Pipelines that teach another: the loss and its gradient, whose sentences are taught, that they learn."""

import sys
from pathlib import Path
from typing import List

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from tiny_pipeline import TEXTS, make_bert, make_nlp, train

from spacy_lal.scores import ParserScores, SparseGradient
from spacy_lal.treebanks.docs import copy_text

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "projects" / "en_lal_md" / "scripts"))

from distillation import distillation_loss  # noqa: E402
from ensemble import UNKNOWN, Ensemble, Member, mean_scores  # noqa: E402
from teachers import make_teachers  # noqa: E402

N, N_LABELS, N_DEPRELS = 4, 5, 6
WEIGHTS = {"span_weight": 0.7, "arc_weight": 0.3, "deprel_weight": 0.2}


def random_scores(seed: int, given_head: bool = True) -> ParserScores:
    rng = np.random.default_rng(seed)
    deprels = (N + 1, N + 1, N_DEPRELS) if given_head else (N + 1, N_DEPRELS)
    shapes = [(N + 1, N + 1, N_LABELS), (N + 1, N + 1), deprels]
    labels, arcs, deprels = (rng.normal(scale=1.5, size=shape) for shape in shapes)
    labels[..., 0] = 0
    return ParserScores(labels, arcs, deprels)


@pytest.mark.parametrize("given_head", [True, False])
def test_the_gradient_is_that_of_the_loss(given_head):
    ours, theirs = random_scores(1, given_head), random_scores(2, given_head)
    assert distillation_loss([ours], [ours._replace(arcs=ours.arcs + 3)])[0] == pytest.approx(0, abs=1e-5)
    _, (gradient,) = distillation_loss([ours], [theirs], **WEIGHTS)
    for array, found in zip(ours[:3], gradient[:3], strict=True):
        found = found.to_dense(array.shape) if isinstance(found, SparseGradient) else found
        for cell in np.ndindex(array.shape):
            if array is ours.labels and cell[2] == 0:
                continue  # the score of the empty label is 0, whatever a network says
            losses = []
            for change in (1e-4, -1e-4):
                array[cell] += change
                losses.append(distillation_loss([ours], [theirs], **WEIGHTS)[0])
                array[cell] -= change
            assert found[cell] == pytest.approx((losses[0] - losses[1]) / 2e-4, abs=2e-3), cell


def test_the_mean_is_of_probabilities_and_of_known_labels():
    one, other = random_scores(0), random_scores(1)
    shifted = other._replace(arcs=other.arcs + 7.0, deprels=other.deprels - 3.0)
    mean, same = mean_scores([one, other]), mean_scores([one, shifted])
    np.testing.assert_allclose(mean.labels, (one.labels + other.labels) / 2, rtol=1e-4)
    np.testing.assert_allclose(mean.arcs, same.arcs, atol=1e-5)
    one.labels[..., 2:] = np.nan
    other.labels[..., 3] = np.nan
    mean = mean_scores([one, other])
    np.testing.assert_allclose(mean.labels[..., 2], other.labels[..., 2], rtol=1e-6)
    assert (mean.labels[..., 3] == UNKNOWN).all()


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bert(tmp_path_factory.mktemp("encoder") / "bert")


@pytest.fixture(scope="module")
def teacher(bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline that was trained for longer than the one that it is to teach."""
    path = tmp_path_factory.mktemp("teacher") / "teacher"
    train(make_nlp(bert), steps=30).to_disk(path)
    return path


@pytest.fixture
def learner(bert: Path) -> Language:
    return train(make_nlp(bert), steps=3)


def parsed(nlp: Language, path: Path) -> List[Example]:
    """Plain text as a pipeline parsed it, to learn from."""
    texts = [text for text in TEXTS if text.strip()]
    references = [Doc(nlp.vocab).from_bytes(doc.to_bytes()) for doc in spacy.load(path).pipe(texts)]
    return [Example(copy_text(doc, with_sentences=True), doc) for doc in references]


def distance(nlp: Language, path: Path, docs: List[Doc]) -> float:
    parser = nlp.get_pipe("lal_parser")
    ours, theirs = (Ensemble([member], parser.label_data) for member in (Member(str(path)), Member(str(path))))
    ours.members[0].nlp, ours.members[0].parser = nlp, parser
    return distillation_loss(list(ours.scores(docs)), list(theirs.scores(docs)))[0]


@pytest.mark.filterwarnings("ignore:.*does not know gold labels")  # "dep", of a teacher with two roots
def test_what_it_says_is_learned(learner, teacher, tmp_path):
    examples = parsed(learner, teacher)
    docs = [eg.predicted for eg in examples]
    before = distance(learner, teacher, docs)
    called = []
    callback = make_teachers([str(teacher)], weight=2.0, also=lambda nlp, info: called.append(info["step"]))
    optimizer = learner.resume_training()
    for step in range(20):
        callback(learner, {"step": step})
        learner.update([Example(eg.predicted.copy(), eg.reference) for eg in examples], sgd=optimizer)
    assert distance(learner, teacher, docs) < 0.3 * before
    assert called == [*range(20)]
    learner.to_disk(tmp_path / "learner")
    assert spacy.load(tmp_path / "learner").get_pipe("lal_parser").labels
