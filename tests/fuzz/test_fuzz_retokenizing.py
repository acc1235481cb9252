"""Tokens, span groups and storage change at random, and the getters are right or
refuse."""


def test_retokenizing(fuzzer):
    report = fuzzer("retokenizing").fuzz(80, seed=0)
    assert report.failures == []
    assert all(
        outcome in report.outcomes for outcome in ("right", "with constituents lost")
    )
