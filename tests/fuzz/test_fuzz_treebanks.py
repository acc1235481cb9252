"""Damaged treebank files, in a short form; see benchmarks/fuzzing/treebanks.py."""


def test_check_and_convert_agree(fuzzer):
    report = fuzzer("treebanks").fuzz(700, 7)
    assert not report.failures
    assert report.n_cases == 700
    assert "converted" in report.outcomes and "refused" in report.outcomes
