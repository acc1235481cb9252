"""Rolesets: which ones a predicate's words can have, from training data and from
PropBank's frames."""

import json
from functools import partial

import numpy as np
import pytest
import spacy
from role_examples import config, example
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.annotations import set_propositions
from spacy_lal.lang import conventions
from spacy_lal.models.doc_parses import roles_batch
from spacy_lal.pipeline import lal_srl
from spacy_lal.pipeline.labels import (
    Rolesets,
    collect_aliases,
    collect_role_labels,
    collect_senses,
    frame_names,
)
from spacy_lal.trees.frames import Frame, read_frames
from spacy_lal.trees.roles import Proposition

LEMMA_OF = conventions("en").lemmas
PAIRS = [
    ("gave", "give.01"),
    ("gave", "give.01"),
    ("gave", "give.LV"),
    ("give", "give.02"),
    ("moved", "evacuate.01"),
]
FRAMES = [
    Frame("evacuate.02", "evacuate", "", {}, ("v:evacuate",)),
    Frame("evacuate.01", "evacuate", "", {}, ("n:evacuation", "v:evacuate")),
    Frame("lash_out.02", "lash", "", {}, ("v:lash_out",)),
    Frame("give.09", "give", "", {}, ("v:give", "j:Giving")),
    Frame("be.03", "be", "", {}),
]
ALIASES = [
    ("evacuate", ["evacuate.02", "evacuate.01"]),
    ("evacuation", ["evacuate.01"]),
    ("give", ["give.09"]),
    ("giving", ["give.09"]),
    ("lash_out", ["lash_out.02"]),
]


def names(rolesets, words, lemma=""):
    return [rolesets.rolesets[i] for i in rolesets.candidates(words, lemma)]


def test_words_of_the_training_data():
    found = Rolesets(*collect_senses(PAIRS), [], LEMMA_OF)
    assert names(found, "Gave") == ["give.01", "give.LV"]
    assert names(found, "gives") == ["give.01", "give.02", "give.LV"]  # its frame
    assert names(found, "given", "give") == names(found, "gives")
    assert names(found, "evacuation") == []
    assert found.choose("evacuation", "", None) == "evacuation.01"


def test_aliases_serve_words_that_the_training_data_lacks():
    assert collect_aliases(FRAMES) == ALIASES
    found = Rolesets(*collect_senses(PAIRS), ALIASES, LEMMA_OF)
    assert names(found, "gave") == ["give.01", "give.LV"]
    assert names(found, "Evacuations") == ["evacuate.01"]
    # a roleset of the training data comes first
    assert names(found, "evacuating") == ["evacuate.01", "evacuate.02"]
    assert (
        names(found, "lashing out")
        == names(found, "lashed out", "lash")
        == ["lash_out.02"]
    )
    assert found.choose("lashed out", "", None) == "lash_out.02"


SEEN = [
    ("wound", "wound.01"),
    ("check", "check_out.05"),
    ("check", "check.07"),
    ("smoking", "smoke.02"),
]
ALIASES_OF_SEEN = [
    ("wind", ["wind.01"]),
    ("wound", ["wound.01"]),
    ("check", ["check.07"]),
    ("smoke", ["smoke.02"]),
]


@pytest.mark.parametrize(
    "words, lemma, expected",
    [
        ("wound", "wind", ["wind.01"]),  # what the training data has is another verb's
        ("wound", "wound", ["wound.01"]),
        ("wound", "", ["wound.01"]),
        (
            "check",
            "check",
            ["check_out.05", "check.07"],
        ),  # check_out.05 is of the frame file "check"
        ("smoking", "smoking", ["smoke.02"]),
        ("smoking", "xyz", ["smoke.02"]),
        ("wound up", "wind", ["wind.01"]),
        ("zooming", "zoom", []),
    ],
)
def test_rolesets_are_those_of_the_lemma(words, lemma, expected):
    assert sorted(
        names(Rolesets(*collect_senses(SEEN), ALIASES_OF_SEEN, LEMMA_OF), words, lemma)
    ) == sorted(expected)


def test_a_verb_without_frames_has_its_lemma():
    found = Rolesets(*collect_senses(SEEN), ALIASES_OF_SEEN, LEMMA_OF)
    assert found.choose("zoomed up", "zoom", None) == "zoom.01"


def test_scores_choose_among_the_rolesets_that_have_scores():
    rolesets, senses = collect_senses(PAIRS)
    found = Rolesets(rolesets, senses, ALIASES, LEMMA_OF)
    scores = np.zeros(len(rolesets), dtype="float32")
    scores[rolesets.index("give.LV")] = 1.0
    assert found.choose("gave", "", scores) == "give.LV"
    assert (
        names(found, "gives")[-1] == "give.09"
        and found.choose("gives", "", scores) == "give.LV"
    )
    assert (
        found.choose("lashed out", "", scores) == "lash_out.02"
    )  # without a score, and without a rival
    assert found.choose("evacuating", "", scores) == "evacuate.01"


@pytest.mark.parametrize(
    "words, lemma, expected",
    [
        ("gave up", "give", ["give_up", "gave_up", "give", "gave"]),
        ("planned", "", ["plan", "planned"]),
        ("go", "", ["go"]),
    ],
)
def test_names_of_frames(words, lemma, expected):
    assert frame_names(words, lemma, LEMMA_OF) == expected


@pytest.fixture
def frames(tmp_path):
    path = tmp_path / "frames.jsonl"
    lines = [
        {"roleset": one.roleset, "roles": {}, "aliases": one.aliases} for one in FRAMES
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf8")
    return path


def test_initialize_reads_frames_and_they_are_saved(frames, tmp_path, monkeypatch):
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_srl", config=config("none"))
    nlp.config["initialize"]["components"]["lal_srl"] = {"frames": str(frames)}
    nlp.initialize(lambda: [example(nlp, "gave"), example(nlp, "saw")])
    aliases = nlp.get_pipe("lal_srl").label_data["aliases"]
    assert [(words, list(rolesets)) for words, rolesets in aliases] == ALIASES
    assert read_frames(frames)["give.09"].aliases == ("v:give", "j:Giving")
    nlp.to_disk(tmp_path / "saved")
    loaded = spacy.load(tmp_path / "saved")
    roles = loaded.get_pipe("lal_srl")
    assert roles.label_data == nlp.get_pipe("lal_srl").label_data
    every_word = partial(roles_batch, threshold=0.0)  # is a predicate
    monkeypatch.setattr(lal_srl, "roles_batch", every_word)
    doc = loaded(
        Doc(loaded.vocab, words=["Evacuation", "slept"], sent_starts=[True, False])
    )
    assert [one.roleset for one in doc._.predicates] == ["evacuate.01", "sleep.01"]


def test_a_file_of_frames_that_is_none(tmp_path):
    path = tmp_path / "frames.jsonl"
    path.write_text('{"roleset": "x.01", "roles": {}, "aliases": 3}\n', encoding="utf8")
    with pytest.raises(ValueError, match="frames.jsonl:1: expected a frame"):
        read_frames(path)


def test_the_words_of_a_v_are_collected_as_they_are_looked_up():
    """Joined by one space, whatever the text has between them."""
    doc = Doc(
        spacy.blank("en").vocab,
        words=["They", "wan", "na", "\n", "go"],
        spaces=[True, False, False, False, False],
    )
    set_propositions(doc, [Proposition(1, "want_to.01", ((0, 1, "ARG0"), (1, 5, "V")))])
    assert collect_role_labels([Example(doc, doc)])["senses"] == [["wan na go", [0]]]
