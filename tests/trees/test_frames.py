"""PropBank's frames: read, refused, and described."""

import json

import pytest

from spacy_lal.files import TreebankError
from spacy_lal.trees.frames import Frame, FrameRole, describe_role, read_frames

GIVE = {
    "roleset": "give.01",
    "frame": "give",
    "name": "transfer",
    "roles": {"0": ["pag", "giver"], "1": ["ppt", "thing given"]},
    "aliases": ["v:give"],
}


def test_frames(tmp_path):
    path = tmp_path / "frames.jsonl"
    path.write_text(
        json.dumps(GIVE)
        + "\n\n"
        + json.dumps({"roleset": "be.03", "roles": {}})
        + "\n",
        encoding="utf8",
    )
    frames = read_frames(path)
    roles = {"0": FrameRole("pag", "giver"), "1": FrameRole("ppt", "thing given")}
    give = Frame("give.01", "give", "transfer", roles, ("v:give",))
    assert frames == {"give.01": give, "be.03": Frame("be.03", "", "", {})}
    described = {
        role: describe_role(role, give)
        for role in ("ARG1", "A1", "R-ARG0", "C-ARG1", "ARG2", "ARGM-TMP", "V")
    }
    assert list(described.values()) == [
        "thing given",
        "thing given",
        "giver",
        "thing given",
        None,
        "time",
        None,
    ]
    assert (
        describe_role("ARG1", None) is None
        and describe_role("R-ARGM-LOC", None) == "place"
    )
    assert (
        describe_role("AM-NEG", None) == "negation"
        and describe_role("ARGM-???", None) is None
    )


@pytest.mark.parametrize(
    "line, message",
    [
        ("{", "expected JSON"),
        ('{"roleset": "", "roles": {}}', "expected a frame"),
        ('{"roleset": "x.01", "frame": 3, "roles": {}}', "expected a frame"),
        (json.dumps(GIVE), "expected a frame of a new roleset"),
        ("\udcff", "expected UTF-8"),
        (
            '{"roleset": "x.01", "roles": {}, "n": %s}' % ("9" * 5000),
            "expected JSON, got",
        ),
        ("[" * 100_000, "expected JSON, got"),
    ],
)
def test_malformed(tmp_path, line, message):
    path = tmp_path / "frames.jsonl"
    path.write_text(
        json.dumps(GIVE) + "\n" + line + "\n", encoding="utf8", errors="surrogateescape"
    )
    with pytest.raises(TreebankError, match=rf"frames\.jsonl:2: {message}"):
        read_frames(path)


def test_propbanks_frames(shared_dir):
    """Each numbered argument of EWT whose roleset has a frame has a description."""
    frames = read_frames(shared_dir / "propbank" / "frames-3.1.jsonl")
    assert len(frames) == 10_687
    lines = (
        (shared_dir / "ewt" / "dev.srl.jsonl").read_text(encoding="utf8").splitlines()
    )
    predicates = [
        one
        for line in lines
        for one in json.loads(line)["predicates"]
        if one["roleset"] in frames
    ]
    numbered = [
        (one["roleset"], role)
        for one in predicates
        for *_, role in one["args"]
        if "ARG" in role and "M" not in role
    ]
    assert len(numbered) > 5_000
    assert not [
        pair for pair in numbered if describe_role(pair[1], frames[pair[0]]) is None
    ]
