"""Several tiny pipelines that parse together: alone each is itself, in any batch; whose labels, breaks and tags count;
what members that do not go together are told."""

from pathlib import Path
from types import ModuleType
from typing import List

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from tiny_pipeline import TEXTS, make_bert, make_examples, make_nlp, parses, train


@pytest.fixture(scope="module")
def pipelines(tmp_path_factory: pytest.TempPathFactory) -> List[Path]:
    """Two pipelines on encoders of their own; the second has its labels in another order."""
    folder = tmp_path_factory.mktemp("together")
    paths = [folder / "first", folder / "second"]
    first = train(make_nlp(make_bert(folder / "bert0", seed=0)))
    second = make_nlp(make_bert(folder / "bert1", seed=1))
    examples = make_examples(second)
    optimizer = second.initialize(lambda: examples)
    labels = {key: values[::-1] for key, values in first.get_pipe("lal_parser").label_data.items()}
    second.get_pipe("lal_parser").initialize(lambda: examples, nlp=second, labels=labels)
    for _ in range(12):
        second.update(examples, sgd=optimizer)
    for nlp, path in zip((first, second), paths, strict=True):
        nlp.to_disk(path)
    return paths


@pytest.fixture
def together(script) -> ModuleType:
    """The script as a module."""
    return script("parse_together")


def parse(together: ModuleType, tmp_path: Path, *names: Path, max_words: int = 80) -> List[Doc]:
    """The Docs that the script writes of the texts."""
    (tmp_path / "texts.txt").write_text("".join(f"{text}\n" for text in TEXTS), encoding="utf8")
    output = tmp_path / "parsed.spacy"
    together.main([str(tmp_path / "texts.txt"), str(output), *map(str, names), "--max-words", str(max_words)])
    return list(DocBin().from_disk(output).get_docs(spacy.blank("en").vocab))


def test_a_pipeline_with_itself_parses_as_by_itself(together, pipelines, tmp_path):
    nlp = spacy.load(pipelines[0])
    expected = [nlp(text) for text in TEXTS if text.strip()]
    found = parse(together, tmp_path, pipelines[0], pipelines[0])
    assert parses(found) == parses(expected)
    assert [[t.tag_ for t in doc] for doc in found] == [[t.tag_ for t in doc] for doc in expected]


def test_together_they_decode_the_mean_of_their_scores(together, pipelines, tmp_path):
    found = parse(together, tmp_path, *pipelines)
    by_itself = [parse(together, tmp_path, path, path) for path in pipelines]
    turned = parse(together, tmp_path, pipelines[1], pipelines[0])
    assert parses(found) == parses(turned), "whichever comes first, though its labels have another order"
    assert parses(found) not in [parses(docs) for docs in by_itself]


def test_texts_with_longer_sentences_are_left_out(together, pipelines, tmp_path):
    found = parse(together, tmp_path, *pipelines, max_words=6)
    lengths = [max(len(sentence) for sentence in doc.sents) for doc in found]
    assert lengths and max(lengths) <= 6
    assert len(lengths) < sum(bool(text.strip()) for text in TEXTS)


def test_a_pipeline_without_the_parser_is_named(together, pipelines, tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ValueError, match=r"blank: expected a pipeline with one lal_parser, got none"):
        parse(together, tmp_path, pipelines[0], tmp_path / "blank")


def test_a_pipeline_without_a_label_of_the_first_is_named(together, pipelines, tmp_path):
    nlp = spacy.load(pipelines[0])
    parser = nlp.get_pipe("lal_parser")
    labels = {**parser.label_data, "deprels": [*parser.label_data["deprels"], "vocative"]}
    parser.initialize(lambda: make_examples(nlp), nlp=nlp, labels=labels)
    nlp.to_disk(tmp_path / "more")
    with pytest.raises(
        ValueError, match=r"first: expected the deprels of the pipelines beside it, found no 'vocative'"
    ):
        parse(together, tmp_path, tmp_path / "more", pipelines[0])
    assert not (tmp_path / "parsed.spacy").exists()
