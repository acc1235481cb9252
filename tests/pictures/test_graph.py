"""Pictures of graphs."""

from xml.etree import ElementTree

from spacy_lal.pictures.graph import draw_graph

EDGES = [
    ("Google", "buy", "DeepMind"),
    ("Larry Page", "found", "Google"),
    ("Google", "be", "<firm> & co"),
]


def test_a_graph_has_each_thing_once_and_each_fact():
    root = ElementTree.fromstring(draw_graph(EDGES))
    texts = [x.text for x in root.iter("{http://www.w3.org/2000/svg}text")]
    assert sorted(texts) == sorted(
        ["buy", "found", "be", "Google", "DeepMind", "Larry Page", "<firm> & co"]
    )
    described = root.find(".//{http://www.w3.org/2000/svg}desc").text
    assert described == (
        "Google buy DeepMind; Larry Page found Google; Google be <firm> & co"
    )


def test_things_lie_within_the_picture():
    root = ElementTree.fromstring(draw_graph(EDGES))
    width = float(root.get("width"))
    height = float(root.get("height"))
    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        assert 0 < float(text.get("x")) < width
        assert 0 < float(text.get("y")) < height


def test_an_empty_graph_is_a_picture():
    assert draw_graph([]).endswith("</svg>\n")
