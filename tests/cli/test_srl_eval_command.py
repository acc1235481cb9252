"""`python -m spacy lal srl-eval`, through the application."""

import pytest

GOLD = "- (A0*)\nrun (V*)\n- (AM-TMP*)\n\n-\n\n"
PREDICTED = "- (A0*)\nrun (V*)\n- *\n\n-\n\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gold").write_text(GOLD)
    (tmp_path / "pred").write_text(PREDICTED)
    return tmp_path / "gold", tmp_path / "pred"


def test_table(lal, files):
    result = lal("srl-eval", *files)
    assert result.exit_code == 0
    lines = result.stdout.split("\n")
    assert lines[:3] == [
        "Number of Sentences    :           2",
        "Number of Propositions :           1",
        "Percentage of perfect props :   0.00",
    ]
    assert lines[6] == "   Overall        1       0       1   100.00   50.00   66.67"
    assert len(lines) == 14 and lines[-1] == ""
    with_matrix = lal("srl-eval", *files, "-C").stdout
    assert with_matrix.startswith(result.stdout) and "---- Confusion Matrix: (one row" in with_matrix
    assert lal("srl-eval", "--confusion", *files).stdout == with_matrix


@pytest.mark.parametrize("name", ["mild", "predicates", "pieces"])
def test_the_programs_own_output(lal, shared_dir, name):
    folder = shared_dir / "srl_eval"
    result = lal("srl-eval", folder / f"{name}.gold", folder / f"{name}.pred", "-C")
    assert result.stdout_bytes == (folder / f"{name}.C.out").read_bytes()


def test_malformed(lal, files):
    gold, predicted = files
    predicted.write_text(PREDICTED + "- (A0*\n")
    result = lal("srl-eval", gold, predicted)
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr.startswith(f"{predicted}:7: expected a column for each of the sentence's 0 predicates")
    predicted.write_text("-\n\n")
    assert f"{gold}:1 and {predicted}:1: expected as many words" in lal("srl-eval", gold, predicted).stderr


def test_missing(lal, files):
    result = lal("srl-eval", files[0], files[1].with_name("nowhere"))
    assert result.exit_code == 1 and "can't open the predicted file" in result.stderr
