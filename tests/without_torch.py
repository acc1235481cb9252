"""Everything of parsing where torch is not installed: a program, run by `make test-all`
in an environment of its own, and by `test_without_torch.py` with an import hook. It
ends with the names of what it has done."""

import copy
import importlib.metadata
import pickle
import sys
import tempfile
import threading
from pathlib import Path

TRAINING = ("torch", "transformers", "spacy_transformers", "spacy_alignments")
TEXT = "The old cat sleeps on the mat. Mary gave him a book that she had read."
PARSE = (
    "(S (NP (DT The) (JJ old) (NN cat)) (VP (VBZ sleeps) (PP (IN on) (NP (DT the) (NN "
    "mat)))) (. .))"
)


class Refuse:
    """Refuses to import what training needs."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in TRAINING:
            raise ImportError(f"{name} is refused")


def refuse_torch():
    """Let this process behave as one in which nothing of `[train]` is installed; call
    it before the import of spaCy."""
    sys.meta_path.insert(0, Refuse())
    found = importlib.metadata.Distribution.entry_points.fget
    importlib.metadata.Distribution.entry_points = property(
        lambda dist: [
            point for point in found(dist) if not point.value.startswith(TRAINING)
        ]
    )


def columns(doc):
    words = [
        (t.text, t.tag_, t.pos_, str(t.morph), t.lemma_, t.dep_, t.head.i) for t in doc
    ]
    return words, doc._.parse_string, doc._.srl


def train_on_top(nlp):
    """A NER and a text classifier learn beside the frozen encoder, and join its
    pipeline: docs/how_to/ner.md."""
    import spacy
    from spacy.training import Example

    width = nlp.get_pipe("encoder").model.get_dim("nO")
    listener = {
        "@architectures": "spacy.Tok2VecListener.v1",
        "width": width,
        "upstream": "encoder",
    }
    classifier = {
        "@architectures": "spacy.TextCatReduce.v1",
        "exclusive_classes": True,
        "use_reduce_first": False,
    }
    classifier.update(
        tok2vec=listener,
        use_reduce_last=False,
        use_reduce_max=True,
        use_reduce_mean=True,
    )
    new = spacy.blank("en")
    new.tokenizer = nlp.tokenizer
    new.add_pipe("encoder", source=nlp)
    new.add_pipe("ner", config={"model": {"tok2vec": listener}})
    new.add_pipe("textcat", config={"model": classifier})
    answers = [
        {"entities": [(0, 12, "PERSON")], "cats": {"history": 1.0, "animals": 0.0}}
    ]
    answers.append({"entities": [], "cats": {"history": 0.0, "animals": 1.0}})
    texts = ["Ada Lovelace wrote a program.", "The old cat sleeps."]
    examples = [
        Example.from_dict(new.make_doc(text), answer)
        for text, answer in zip(texts, answers, strict=True)
    ]
    weights = new.get_pipe("encoder").model.to_bytes()
    with new.select_pipes(enable=["ner", "textcat"]):
        optimizer = new.initialize(lambda: examples)
    for _ in range(60):
        new.update(examples, sgd=optimizer, exclude=["encoder"], annotates=["encoder"])
    assert new.get_pipe("encoder").model.to_bytes() == weights
    with tempfile.TemporaryDirectory() as folder:
        new.to_disk(folder)
        trained = spacy.load(folder)
        for name in ("ner", "textcat"):
            nlp.add_pipe(name, source=trained)
    history, animals = nlp.pipe(texts)
    assert [(ent.text, ent.label_) for ent in history.ents] == [
        ("Ada Lovelace", "PERSON")
    ] and not animals.ents
    assert history.cats["history"] > 0.5 > animals.cats["history"]
    assert (
        animals._.parse_string
        == "(S (NP (DT The) (JJ old) (NN cat)) (VP (VBZ sleeps)) (. .))"
    )


def say_what_is_missing(nlp):
    """What wants torch names the extra that has it."""
    from spacy.training import Example

    from spacy_lal.models.torch.bilstm_encoder import build_bilstm_encoder

    example = Example(nlp.make_doc(TEXT), nlp(TEXT))
    for attempt in (
        lambda: nlp.update([example]),
        build_bilstm_encoder(8, 1).initialize,
    ):
        try:
            attempt()
        except (ValueError, ImportError) as error:
            assert "spacy-lal[train]" in str(error), error
        else:
            raise AssertionError("expected an error")


def command_says_what_is_missing():
    """A command names the extra, too, where spaCy finds no factory `transformer`."""
    import spacy
    from typer.testing import CliRunner

    from spacy_lal.cli import lal_cli

    nlp = spacy.blank("en")
    with tempfile.TemporaryDirectory() as folder:
        nlp.to_disk(folder)
        config = nlp.config.copy()
        config["nlp"]["pipeline"] = ["transformer"]
        config["components"] = {"transformer": {"factory": "transformer"}}
        config.to_disk(Path(folder) / "config.cfg")
        said = CliRunner().invoke(lal_cli, ["parse", "So it goes.", "-m", folder])
    assert said.exit_code == 2, said.output
    assert "pip install 'spacy-lal[train]'" in said.output, said.output


def main():
    import spacy
    from spacy.tokens import DocBin
    from typer.testing import CliRunner

    from spacy_lal.cli import lal_cli
    from spacy_lal.interpret import k_best, label_attention, label_contributions
    from spacy_lal.pictures import render
    from spacy_lal.search import search_trees

    nlp = spacy.load("en_lal_md")
    doc = nlp(TEXT)
    wanted = columns(doc)
    assert wanted[1].splitlines()[0] == PARSE, wanted[1]
    assert [predicate.token.text for predicate in doc._.predicates][:2] == [
        "sleeps",
        "gave",
    ]
    assert doc.tensor.shape == (len(doc), nlp.get_pipe("encoder").model.get_dim("nO"))
    done = ["parse", "roles"]
    assert [columns(d) for d in nlp.pipe([TEXT, "So it goes.", TEXT], batch_size=2)][
        ::2
    ] == [wanted, wanted]
    assert [columns(d)[1] for d in nlp.pipe([TEXT] * 4, n_process=2, batch_size=1)] == [
        wanted[1]
    ] * 4
    done += ["pipe", "n_process"]
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(columns(nlp(TEXT))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [wanted] * 4
    done.append("threads")
    for again in (pickle.loads(pickle.dumps(nlp)), copy.deepcopy(nlp)):
        assert columns(again(TEXT)) == wanted
    with tempfile.TemporaryDirectory() as folder:
        nlp.to_disk(folder)
        assert columns(spacy.load(folder)(TEXT)) == wanted
        out = Path(folder) / "out.txt"
        result = CliRunner().invoke(lal_cli, ["parse", "--text", TEXT, "-o", str(out)])
        assert result.exit_code == 0 and "(VBZ sleeps)" in out.read_text(), (
            result.output
        )
        result = CliRunner().invoke(lal_cli, ["roles", "--text", TEXT])
        assert result.exit_code == 0 and "gave" in result.output, result.output
    done += ["pickle", "copy", "disk", "command line"]
    stored = DocBin(store_user_data=True, docs=[doc]).to_bytes()
    (read,) = DocBin().from_bytes(stored).get_docs(nlp.vocab)
    assert columns(read) == wanted
    done.append("DocBin")
    assert [span.text for span in search_trees(doc, "PP < (IN < on)")] == ["on the mat"]
    sentence = next(doc.sents)
    assert len(k_best(nlp, sentence, k=3)) == 3
    assert label_attention(nlp, sentence).weights.shape[1] == len(sentence) + 2
    assert "NP" in {part.label for part in label_contributions(nlp, doc[0:3])}
    assert "<svg" in render(doc, style="tree")
    done += ["search", "explain", "k_best", "render"]
    train_on_top(nlp)
    done.append("train")
    command_says_what_is_missing()
    say_what_is_missing(spacy.load("en_lal_md"))
    done.append("what is missing")
    assert not [name for name in TRAINING if name in sys.modules]
    print("without torch:", ", ".join(done))


if __name__ == "__main__":
    if "--refuse" in sys.argv:
        refuse_torch()
    main()
