"""Random Docs through `lal_srl`, in short; and whether the fuzzer would see what it is there for."""

import pytest

from spacy_lal.pipeline import lal_srl


def test_docs(fuzzer):
    report = fuzzer("roles").fuzz(60, seed=0)
    assert report.failures == [] and report.n_cases == 60
    assert " predicates" in report.outcomes and " arguments" in report.outcomes


@pytest.mark.parametrize("broken", ["overlap", "no verb"])
def test_unsound_roles_are_seen(fuzzer, monkeypatch, broken):
    decode = lal_srl.decode_roles

    def unsound(scores, tags, verbs):
        found = decode(scores, tags, verbs)
        if broken == "overlap":
            return [[(*args, (args[0][0], args[0][1], "ARGM-TMP")) for args in of_sentence] for of_sentence in found]
        return [[tuple(arg for arg in args if arg[2] != "V") for args in of_sentence] for of_sentence in found]

    monkeypatch.setattr(lal_srl, "decode_roles", unsound)
    assert fuzzer("roles").fuzz(15, seed=0).failures
