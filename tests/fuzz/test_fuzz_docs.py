"""Random Docs through the parser, in short; and whether the fuzzer would see what it is there for."""

import pytest

from spacy_lal.pipeline.lal_parser import LALParser


def test_docs(fuzzer):
    report = fuzzer("docs").fuzz(80, seed=0)
    assert report.failures == [] and report.n_cases == 80
    for method in ("joint", "separate", "split"):
        assert f"sentences {method}" in report.outcomes


@pytest.mark.parametrize("broken", ["heads", "constituents"])
def test_an_unsound_parse_is_seen(fuzzer, monkeypatch, broken):
    to_strings = LALParser.to_strings

    def to_unsound(parser, parse):
        found = to_strings(parser, parse)
        if broken == "heads":  # a circle
            heads = found.heads if len(found.heads) < 2 else [2, 1, *found.heads[2:]]
            return found._replace(heads=heads)
        spans = found.constituents if len(found.heads) < 3 else [(0, 2, "NP"), (1, 3, "VP")]
        return found._replace(constituents=spans)

    monkeypatch.setattr(LALParser, "to_strings", to_unsound)
    assert fuzzer("docs").fuzz(15, seed=0).failures
