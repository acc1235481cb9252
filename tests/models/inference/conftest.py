"""Every graph that a test of this folder writes is read: each of its nodes leads to an
output."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from spacy_lal.models.inference import graph


@pytest.fixture(autouse=True)
def no_node_is_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Note the nodes of each graph, and look at them when it is written."""
    nodes: list[dict[str, Sequence[str]]] = []
    write_node, write = graph._node, graph.Graph.write

    def noted(kind: str, inputs: Sequence[str], outputs: Sequence[str], *a: Any, **k):
        nodes.append({"inputs": inputs, "outputs": outputs})
        return write_node(kind, inputs, outputs, *a, **k)

    def checked(self: graph.Graph, inputs: Any, outputs: dict[str, str], *others: Any):
        first = len(nodes) - len(self.nodes)
        written = write(self, inputs, outputs, *others)
        assert len(nodes) == first + len(self.nodes) + len(outputs)
        assert _dead_nodes(nodes[first:], set(outputs.values())) == []
        return written

    monkeypatch.setattr(graph, "_node", noted)
    monkeypatch.setattr(graph.Graph, "write", checked)


def _dead_nodes(nodes: Sequence[dict[str, Sequence[str]]], ends: set[str]) -> list:
    """The nodes none of whose outputs is read on the way to an end; a node comes after
    those that it reads."""
    read = set(ends)
    dead = []
    for node in reversed(nodes):
        if read.isdisjoint(node["outputs"]):
            dead.append(node)
        read.update(node["inputs"])
    return dead


@pytest.fixture(name="dead_nodes")
def find_dead_nodes() -> Callable[..., list]:
    """See `_dead_nodes`."""
    return _dead_nodes
