"""Tiny pipelines that teach another: what is taught and what is not, that it is learned, that it leaves no trace."""

from pathlib import Path
from typing import List

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from tiny_pipeline import TEXTS, make_bert, make_examples, make_nlp, train

from spacy_lal.annotations import METHODS_KEY
from spacy_lal.loss.distillation import distillation_loss
from spacy_lal.loss.gold import copy_sentence_starts
from spacy_lal.loss.parser_loss import ParserLoss
from spacy_lal.training.ensemble import Ensemble, Member
from spacy_lal.training.teachers import Teacher, make_teachers
from spacy_lal.treebanks.copies import copy_text

SPOKEN = [text for text in TEXTS if text.strip()]


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
    references = [Doc(nlp.vocab).from_bytes(doc.to_bytes()) for doc in spacy.load(path).pipe(SPOKEN)]
    return [Example(copy_text(doc, with_sentences=True), doc) for doc in references]


def loss(nlp: Language, examples: List[Example]) -> float:
    """The parser's loss of the Examples, without dropout; nothing is learned."""
    parser = nlp.get_pipe("lal_parser")
    shown = [Example(copy_text(eg.predicted, with_sentences=True), eg.reference) for eg in examples]
    for eg in shown:
        copy_sentence_starts(eg)
    docs = [eg.predicted for eg in shown]
    for name in ("transformer", "tagger"):
        docs = list(nlp.get_pipe(name).pipe(docs))
    with parser.encoded(docs):
        scores = dict(
            pair for places, some in parser.iter_scores(docs, pruned=False) for pair in zip(places, some, strict=True)
        )
    return parser.get_loss(shown, [scores[i] for i in range(len(scores))])[0]


def distance(nlp: Language, path: Path, docs: List[Doc]) -> float:
    parser = nlp.get_pipe("lal_parser")
    ours, theirs = (Ensemble([member], parser.label_data) for member in (Member(str(path)), Member(str(path))))
    ours.members[0].nlp, ours.members[0].parser = nlp, parser
    return distillation_loss(list(ours.scores(docs)), list(theirs.scores(docs)))[0]


def test_what_it_says_is_learned(learner, teacher):
    examples = parsed(learner, teacher)
    docs = [eg.predicted for eg in examples]
    before = distance(learner, teacher, docs)
    make_teachers([str(teacher)], weight=2.0)(learner, {})
    optimizer = learner.resume_training()
    for _ in range(20):
        learner.update([Example(eg.predicted.copy(), eg.reference) for eg in examples], sgd=optimizer)
    assert distance(learner, teacher, docs) < 0.3 * before


def test_what_counts(learner, teacher):
    """Docs that a parser has parsed; no gold ones, and none that were changed; by the weight."""
    silver, gold = parsed(learner, teacher), make_examples(learner)
    changed = [Example(Doc(learner.vocab, words=[t.lower_ for t in eg.predicted]), eg.reference) for eg in silver]
    alone = loss(learner, silver), loss(learner, gold), loss(learner, changed)
    make_teachers([])(learner, {})
    parser = learner.get_pipe("lal_parser")
    assert parser.teacher is None
    make_teachers([str(teacher)])(learner, {})
    assert loss(learner, gold) == pytest.approx(alone[1], rel=1e-5)
    assert loss(learner, changed) == pytest.approx(alone[2], rel=1e-5)
    taught = loss(learner, silver) - alone[0]
    assert taught > 0.1
    for eg in gold:  # as `lal complete` writes Docs
        eg.reference.spans[METHODS_KEY] = []
    assert loss(learner, gold) == pytest.approx(alone[1], rel=1e-5)
    for eg in gold:
        del eg.reference.spans[METHODS_KEY]
    assert loss(learner, [*gold, *silver]) - alone[0] - alone[1] == pytest.approx(taught, rel=1e-3)
    parser.teacher.weight = 0.5
    assert loss(learner, silver) - alone[0] == pytest.approx(taught / 2, rel=1e-3)
    parser.loss = ParserLoss(span_weight=0.0, arc_weight=0.0, deprel_weight=0.0)
    assert loss(learner, silver) == pytest.approx(0, abs=1e-4)


def test_the_gradient_goes_to_the_sentences_that_are_taught(learner, teacher):
    parser = learner.get_pipe("lal_parser")
    silver, gold = parsed(learner, teacher), make_examples(learner)
    examples = [gold[0], silver[1], gold[1], silver[0]]
    ensemble = Ensemble([Member(str(teacher))], parser.label_data)
    for eg in gold:
        copy_sentence_starts(eg)
    docs = [eg.predicted for eg in examples]
    scores = [one._replace(arcs=one.arcs + np.eye(len(one.arcs), dtype="f")) for one in ensemble.scores(docs)]
    _, nothing = distillation_loss(scores, scores)
    d_scores = list(nothing)
    Teacher(ensemble, 1.0)(examples, scores, d_scores, margin=1.0, span_weight=1.0, arc_weight=1.0, deprel_weight=1.0)
    n_sents = [len(list(doc.sents)) for doc in docs]
    owner = np.repeat(np.arange(4), n_sents)
    changed = {int(doc) for doc, one in zip(owner, d_scores, strict=True) if np.abs(one.arcs).max() > 1e-3}
    assert changed == {1, 3}


def test_it_leaves_no_trace(learner, teacher, tmp_path):
    make_teachers([str(teacher)])(learner, {})
    learner.to_disk(tmp_path / "learner")
    assert spacy.load(tmp_path / "learner").get_pipe("lal_parser").teacher is None
    assert learner.from_bytes(learner.to_bytes()).get_pipe("lal_parser").labels


def test_called_once_for_a_pipeline_and_after_another_callback(learner, teacher):
    called = []
    callback = make_teachers([str(teacher)], also=lambda nlp, info: called.append(info["step"]))
    callback(learner, {"step": 0})
    first = learner.get_pipe("lal_parser").teacher
    callback(learner, {"step": 1})
    assert learner.get_pipe("lal_parser").teacher is first
    assert called == [0, 1]


def test_a_loss_that_is_not_finite(learner, monkeypatch):
    monkeypatch.setattr(learner.get_pipe("lal_parser"), "teacher", lambda *args, **weights: float("nan"))
    with pytest.raises(ValueError, match="expected a finite loss against the teachers' scores, got nan"):
        learner.update(make_examples(learner))


def test_what_goes_wrong_is_told(learner, teacher, bert, tmp_path):
    with pytest.raises(ValueError, match="expected a weight of 0 or more, got -1"):
        make_teachers([str(teacher)], weight=-1)
    with pytest.raises(ValueError, match="expected a pipeline with one lal_parser to teach, got none"):
        make_teachers([str(teacher)])(spacy.blank("en"), {})
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ValueError, match=r"blank: expected a pipeline with one lal_parser, got none"):
        make_teachers([str(tmp_path / "blank")])(learner, {})
    parser = learner.get_pipe("lal_parser")
    labels = {**parser.label_data, "deprels": [*parser.label_data["deprels"], "vocative"]}
    parser.initialize(lambda: make_examples(learner), nlp=learner, labels=labels)
    with pytest.raises(ValueError, match=r"teacher: expected the deprels .* found no 'vocative'"):
        make_teachers([str(teacher)])(learner, {})
