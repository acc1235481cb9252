"""`benchmarks/golden_rules.py`: sentence breaks of 48 kinds of text."""

import pytest
from benchmark_programs import BENCHMARKS, import_file
from spacy.util import is_package


def test_46_of_48_texts_are_right(capsys):
    if not is_package("en_lal_md"):
        pytest.skip("en_lal_md is not installed")
    program = import_file(BENCHMARKS / "golden_rules.py")
    assert program.main([]) >= 46
    table = capsys.readouterr().out
    assert len(program.read_rules()) == 48
    assert table.count("\n| ") == 49
    assert table.rstrip().endswith("of 48 texts are right")
