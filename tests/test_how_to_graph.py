"""docs/how_to/knowledge_graph.md: its facts, and what it hands to other libraries.
`make test-all` installs them; the blocks of one that is not there are left out."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Dict

import pytest
import spacy
from documents import ROOT, blocks, printed_by, says_the_same
from spacy.language import Language

PAGE = ROOT / "docs" / "how_to" / "knowledge_graph.md"
LIBRARIES = ("networkx", "neo4j_graphrag", "langchain_community")


def is_there(code: str) -> bool:
    wanted = re.findall(r"^(?:from|import) (\w+)", code, re.MULTILINE)
    return all(find_spec(name) for name in wanted if name in LIBRARIES)


@pytest.fixture(scope="module")
def page(en_lal_md: Language, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The names of the page after its last block, and the folder that it wrote to."""
    folder = tmp_path_factory.mktemp("page")
    names: Dict[str, Any] = {"__name__": "page"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(spacy, "load", lambda name: en_lal_md)
        for block in blocks(PAGE):
            if is_there(block.code):
                printed = printed_by(block.code, PAGE, names)
                assert says_the_same(block.shown, printed), block.code
    return names, folder


def test_edges_are_what_the_text_asserts(page):
    names, _ = page
    assert names["edges"] == [
        ("Google", "be", "the owner of YouTube"),
        ("Google", "buy", "DeepMind"),
        ("Larry Page", "found", "Google"),
        ("Sergey Brin", "found", "Google"),
        ("Anna", "lead", "DeepMind"),
    ]


def test_mentions_of_a_cluster_are_one_node(page):
    names, folder = page
    assert list(names["facts"](names["doc"])) == [
        ("Google", "buy", "DeepMind"),
        ("Google", "have", "founders"),
        ("founders", "leave", "Stanford"),
    ]
    graph = (Path(folder) / "graph.dot").read_text(encoding="utf8")
    assert '"Google" -> "DeepMind" [label="buy"]' in graph


def test_clusters_of_coreferee_are_read(page, en_lal_md):
    class Mention:
        def __init__(self, root_index):
            self.root_index = root_index

    names, _ = page
    doc = en_lal_md("Google grew. The company bought YouTube.")
    spacy.tokens.Doc.set_extension("coref_chains", default=None)
    try:
        doc._.coref_chains = [[Mention(0), Mention(4)]]
        assert list(names["facts"](doc)) == [("Google", "buy", "YouTube")]
    finally:
        spacy.tokens.Doc.remove_extension("coref_chains")


def test_networkx(page):
    pytest.importorskip("networkx", reason="`make test-all` installs networkx")
    assert list(page[0]["network"].edges(data="label")) == [
        ("Google", "DeepMind", "buy"),
        ("Google", "founders", "have"),
        ("founders", "Stanford", "leave"),
    ]


def test_neo4j_graphrag(page):
    reason = "`make test-all` installs neo4j-graphrag"
    pytest.importorskip("neo4j_graphrag", reason=reason)
    graph = page[0]["graph"]
    assert [node.properties["name"] for node in graph.nodes] == [
        "Google",
        "Larry Page",
        "Sergey Brin",
    ]
    assert [edge.type for edge in graph.relationships] == ["FOUND", "FOUND"]


def test_langchain(page):
    reason = "`make test-all` installs langchain-community"
    pytest.importorskip("langchain_community", reason=reason)
    (edge,) = page[0]["found"].relationships
    assert (edge.source.id, edge.type, edge.target.id) == (
        "Larry Page",
        "found",
        "Google",
    )
