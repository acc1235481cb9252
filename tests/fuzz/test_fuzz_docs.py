"""Random Docs through the parser, in short; and whether the fuzzer would see what it is
there for."""


def test_docs(fuzzer):
    report = fuzzer("docs").fuzz(80, seed=0)
    assert report.failures == [] and report.n_cases == 80
    for method in ("joint", "separate", "split"):
        assert f"sentences {method}" in report.outcomes
