"""Semantic roles and frames from small sources of their form; and the checksums of the
public ones."""

import hashlib
import importlib
import json
import sys
from pathlib import Path

import pytest
from small_sources import columns, pack, write

from spacy_lal.trees.roles import Proposition

SCRIPTS = Path(__file__).resolve().parents[3] / "projects" / "en" / "scripts"
SKELETONS, SOURCES, LISTS = (
    "data/google/ewt",
    "not-to-release/sources",
    "not-to-release/file-lists",
)
SHIP = f"{SKELETONS}/weblog/00/ship.xml.gold_skel"


def skeleton(*sentences):
    """A .gold_skel file. Of each token: tag, brackets, lemma, roleset, arguments."""
    lines = []
    for number, sentence in enumerate(sentences):
        for i, cells in enumerate(sentence):
            lines.append(
                f"google/ewt/ship.xml  {number}  {i:2}   [WORD]   "
                + "   ".join(cells.split())
            )
        lines.append("")
    return "\n".join(lines) + "\n"


# "Crew e-mailed it." ("mailed" is a word of its own today); "Joinedup ends." (two
# tokens became one)
PROPBANK = {
    SHIP: skeleton(
        [
            "NN (TOP(S(NP*) - - (ARG0*)",
            "VBD (VP* email email.01 (V*)",
            "PRP (NP*)) - - (ARG1*)",
            ". *)) - - *",
        ],
        [
            "JJ (TOP(S(NP* join joined.02 (V*) (ARG1*",
            "JJ *) - - (C-V*) *)",
            "VBZ (VP*))) end end.01 * (V*)",
        ],
        ["UH (TOP(INTJ*)) - -"],
    )
}
OLD = columns(
    "1 Crew _ NOUN NN _ 2 nsubj _ _\n2 emailed _ VERB VBD _ 0 root _ _\n3 it _ PRON "
    "PRP _ 2 obj _ _\n"
    "4 . _ PUNCT . _ 2 punct _ _"
)
OLD += columns(
    "1 Joined _ ADJ JJ _ 3 nsubj _ _\n2 up _ ADJ JJ _ 1 x _ _\n3 ends _ VERB VBZ _ 0 "
    "root _ _"
)
OLD += columns("1 Oh _ INTJ UH _ 0 root _ _")
NEW = columns(
    "# sent_id = ship-1\n1 Crew _ NOUN NN _ 3 nsubj _ _\n2 e _ NOUN NN _ 3 x _ _\n3 "
    "mailed _ NOUN NN _ 0 root _ _\n"
    "4 it _ PRON PRP _ 3 obj _ _\n5 . _ PUNCT . _ 3 punct _ _"
)
NEW += columns(
    "# sent_id = ship-2\n1 Joined-up _ ADJ JJ _ 2 nsubj _ _\n2 ends _ VERB VBZ _ 0 "
    "root _ _"
)
NEW += columns("# sent_id = ship-3\n1 Oh _ INTJ UH _ 0 root _ _")
UD_2016 = {f"{SOURCES}/weblog/ship.xml.conllu": OLD}
UD = {
    f"{LISTS}/files.dev": "weblog/ship.xml.conllu\n",
    f"{LISTS}/files.train": "reviews/bare.xml.conllu\n",
    f"{SOURCES}/weblog/ship.xml.conllu": NEW,
}
EMAIL = {"token": 2, "lemma": "email", "roleset": "email.01"}
EMAIL["args"] = [[0, 1, "ARG0"], [1, 3, "V"], [3, 4, "ARG1"]]
JOIN = {"token": 0, "lemma": "join", "roleset": "joined.02", "args": [[0, 1, "V"]]}
END = {
    "token": 1,
    "lemma": "end",
    "roleset": "end.01",
    "args": [[0, 1, "ARG1"], [1, 2, "V"]],
}
BUILT = [
    {"sent_id": "ship-1", "words": 5, "predicates": [EMAIL]},
    {"sent_id": "ship-2", "words": 2, "predicates": [JOIN, END]},
    {"sent_id": "ship-3", "words": 1, "predicates": []},
]
FRAMES = {
    "frames/give.xml": """<!DOCTYPE frameset SYSTEM "frameset.dtd">
<frameset><predicate lemma="give"><roleset id="give.01" name="transfer">
  <aliases><alias pos="v">give</alias><alias pos="n">giving</alias></aliases>
  <roles><role descr="giver " f="pag" n="0"/><role descr="a place" f="loc" n="m"/>
  <role descr="caf\u00e9" f="loc" n="m"/></roles>
</roleset></predicate></frameset>""",
    "frames/be.xml": '<frameset><predicate lemma="be">'
    '<roleset id="be.03" name="auxiliary"><roles/></roleset></predicate></frameset>',
}
FRAME_LINES = (
    '{"roleset":"be.03","frame":"be","name":"auxiliary","roles":{},"aliases":[]}\n'
    '{"roleset":"give.01","frame":"give","name":"transfer","roles":{"0":["pag","giver"],"M":["loc","caf\u00e9"]},'
    '"aliases":["n:giving","v:give"]}\n'
)


@pytest.fixture
def script(monkeypatch):
    """Import one of the scripts by name, from the folder that `python scripts/...`
    would put first."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    for path in SCRIPTS.glob("*.py"):
        monkeypatch.delitem(sys.modules, path.stem, raising=False)
    return importlib.import_module


def expect(module, monkeypatch, tmp_path, files):
    lines = [
        f"{hashlib.sha256(text.encode('utf8')).hexdigest()}  {name}\n"
        for name, text in files.items()
    ]
    path = tmp_path / "expected.sha256"
    path.write_text("".join(lines), encoding="utf8")
    monkeypatch.setattr(module, "CHECKSUMS", path)


@pytest.mark.parametrize("form", ["folders", "archives"])
def test_roles(script, monkeypatch, tmp_path, form):
    module = script("build_roles")
    text = "".join(json.dumps(one) + "\n" for one in BUILT)
    expect(
        module,
        monkeypatch,
        tmp_path,
        {"ewt/dev.srl.jsonl": text, "ewt/train.srl.jsonl": ""},
    )
    sources = (PROPBANK, UD_2016, UD)
    if form == "folders":
        given = [write(tmp_path / str(i), files) for i, files in enumerate(sources)]
    else:
        given = [
            pack(tmp_path / f"{i}.tar.gz", files) for i, files in enumerate(sources)
        ]
    module.main(*given, tmp_path / "out")
    assert (tmp_path / "out" / "dev.srl.jsonl").read_text("utf8") == text


def test_roles_of_the_test_set(script, monkeypatch, tmp_path):
    ud = {
        path.replace("files.dev", "files.test"): content for path, content in UD.items()
    }
    given = [
        write(tmp_path / str(i), files)
        for i, files in enumerate((PROPBANK, UD_2016, ud))
    ]
    script("build_roles").main(*given, tmp_path / "out", test=True)
    text = "".join(json.dumps(one) + "\n" for one in BUILT)
    assert [
        (path.name, path.read_text("utf8")) for path in (tmp_path / "out").iterdir()
    ] == [("test.srl.jsonl", text)]


def test_moved(script):
    module = script("build_roles")
    args = ((0, 1, "ARG0"), (1, 2, "V"), (2, 3, "ARG1"), (3, 5, "ARG2"))
    moved = module.moved(Proposition(1, "x.01", args, "x"), [1, 3, 1, 1, 0])
    assert moved == Proposition(
        3, "x.01", ((0, 1, "ARG0"), (1, 4, "V"), (4, 5, "ARG1"), (5, 6, "ARG2")), "x"
    )
    assert module.moved(
        Proposition(0, "x.01", ((0, 1, "V"), (1, 2, "ARG1"))), [1, 0]
    ).args == ((0, 1, "V"),)


def test_frames(script, monkeypatch, tmp_path):
    module = script("build_frames")
    expect(module, monkeypatch, tmp_path, {"propbank/frames-3.1.jsonl": FRAME_LINES})
    for source in (
        write(tmp_path / "folder", FRAMES),
        pack(tmp_path / "frames.tar.gz", FRAMES),
    ):
        module.main(source, tmp_path / "out")
        assert (tmp_path / "out" / "frames-3.1.jsonl").read_text("utf8") == FRAME_LINES


def test_checksums_are_those_of_the_files(shared_dir):
    lines = (SCRIPTS / "roles.sha256").read_text("utf8").splitlines()
    assert len(lines) == 3
    for line in lines:
        checksum, name = line.split()
        assert hashlib.sha256((shared_dir / name).read_bytes()).hexdigest() == checksum
