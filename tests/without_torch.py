"""Everything of parsing where torch is not installed: a program, run by `make test-all` in an environment of its own,
and by `test_without_torch.py` with an import hook. It ends with the names of what it has done."""

import copy
import importlib.metadata
import pickle
import sys
import tempfile
import threading
from pathlib import Path

TRAINING = ("torch", "transformers", "spacy_transformers", "spacy_alignments")
TEXT = "The old cat sleeps on the mat. Mary gave him a book that she had read."
PARSE = "(S (NP (DT The) (JJ old) (NN cat)) (VP (VBZ sleeps) (PP (IN on) (NP (DT the) (NN mat)))) (. .))"


class Refuse:
    """Refuses to import what training needs."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in TRAINING:
            raise ImportError(f"{name} is refused")


def refuse_torch():
    """Let this process behave as one in which nothing of `[train]` is installed; call it before the import of spaCy."""
    sys.meta_path.insert(0, Refuse())
    found = importlib.metadata.Distribution.entry_points.fget
    importlib.metadata.Distribution.entry_points = property(
        lambda dist: [point for point in found(dist) if not point.value.startswith(TRAINING)]
    )


def columns(doc):
    words = [(t.text, t.tag_, t.pos_, str(t.morph), t.lemma_, t.dep_, t.head.i) for t in doc]
    return words, doc._.parse_string, doc._.srl


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
    assert [predicate.token.text for predicate in doc._.predicates][:2] == ["sleeps", "gave"]
    assert doc.tensor.shape == (len(doc), 384)
    done = ["parse", "roles"]
    assert [columns(d) for d in nlp.pipe([TEXT, "So it goes.", TEXT], batch_size=2)][::2] == [wanted, wanted]
    assert [columns(d)[1] for d in nlp.pipe([TEXT] * 4, n_process=2, batch_size=1)] == [wanted[1]] * 4
    done += ["pipe", "n_process"]
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(columns(nlp(TEXT)))) for _ in range(4)]
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
        assert result.exit_code == 0 and "(VBZ sleeps)" in out.read_text(), result.output
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
    assert not [name for name in TRAINING if name in sys.modules]
    print("without torch:", ", ".join(done))


if __name__ == "__main__":
    if "--refuse" in sys.argv:
        refuse_torch()
    main()
