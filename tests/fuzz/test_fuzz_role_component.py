"""Random Docs through `lal_srl`, in short; and whether the fuzzer would see what it is
there for."""


def test_docs(fuzzer):
    report = fuzzer("roles").fuzz(60, seed=0)
    assert report.failures == [] and report.n_cases == 60
    assert " predicates" in report.outcomes and " arguments" in report.outcomes
