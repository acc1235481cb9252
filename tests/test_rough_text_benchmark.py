"""`benchmarks/accuracy/rough_text.py`: one row for each kind of text and each source of
sentence breaks."""

from benchmark_programs import BENCHMARKS, import_file
from spacy.tokens import DocBin
from tiny_pipeline import make_bert, make_examples, make_nlp, train


def test_table(tmp_path, capsys):
    program = import_file(BENCHMARKS / "accuracy" / "rough_text.py")
    nlp = train(make_nlp(make_bert(tmp_path / "bert")))
    nlp.to_disk(tmp_path / "model")
    DocBin(docs=[eg.reference for eg in make_examples(nlp)]).to_disk(
        tmp_path / "dev.spacy"
    )
    assert [
        doc.text
        for doc in program.rough_docs(
            nlp, tmp_path / "dev.spacy", ["upper_case", "no_punct"]
        )
    ] == [
        "SHE SEES A DOG IN THE PARK ",
        "SELECT THE PERSON DRIVING ",
    ]
    program.main([str(tmp_path / "model"), str(tmp_path / "dev.spacy")])
    header, _, *rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in capsys.readouterr().out.splitlines()
    ]
    assert len(rows) == 2 * len(program.KINDS) and {len(row) for row in rows} == {
        len(header)
    }
    assert [row[0] for row in rows[::2]] == list(program.KINDS)
    for given, own in zip(rows[::2], rows[1::2], strict=True):
        assert given[2] == "100.00" and 0.0 <= float(own[2]) <= 100.0
        assert all(0.0 <= float(cell) <= 100.0 for cell in given[3:] + own[3:])
