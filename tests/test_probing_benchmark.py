"""`benchmarks/accuracy/probing.py` on a small treebank: learns a task, repeats nothing, and prints its tables."""

import json
import random

import pytest
from benchmark_programs import program

from spacy_lal.trees import ConlluSentence, format_conllu, parse_tree

POS = {"DT": "DET", "NN": "NOUN", "VBD": "VERB", "JJ": "ADJ", "IN": "ADP", ".": "PUNCT"}
NOUNS, VERBS = ["dog", "cat", "man", "park", "car"], ["saw", "met", "left"]


def make_sentence(rng):
    """A tree of depth 5 or 7; only the deep ones have a preposition."""

    def phrase():
        return f"(NP (DT the) (NN {rng.choice(NOUNS)}))"

    right = phrase()
    for _ in range(rng.choice([0, 2])):
        right = f"(NP {right} (PP (IN in) {phrase()}))"
    return f"(S {phrase()} (VP (VBD {rng.choice(VERBS)}) (NP (JJ old) {right})) (. .))"


@pytest.fixture(scope="module")
def treebank(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("treebank"), random.Random(0)
    for part, n in (("train", 120), ("dev", 30)):
        trees = [parse_tree(make_sentence(rng)) for _ in range(n)]
        (folder / f"{part}.ptb").write_text("\n".join(" ".join(str(tree).split()) for tree in trees) + "\n")
        sentences = []
        for tree in trees:
            words, tags = tree.leaves(), [tag for _, tag in tree.pos()]
            empty = [""] * len(words)
            pos, heads = [POS[tag] for tag in tags], [*range(len(words))]
            sentences.append(ConlluSentence(words, empty, pos, tags, empty, heads, empty, [True] * len(words)))
        (folder / f"{part}.conllu").write_text("\n".join(format_conllu(one) for one in sentences) + "\n")
    return folder


def test_tasks_are_trained_once_and_reported(treebank, tmp_path, capsys):
    options = [
        "--networks",
        "plain",
        "hard0",
        "--width",
        "16",
        "--layers",
        "2",
        "--batch",
        "8",
        "--learn-rate",
        "0.003",
    ]
    command = [str(tmp_path), "--treebank", str(treebank), "--seeds", "0", *options]
    with program("accuracy/probing") as probing:
        assert probing.main([*command, "--tasks", "tree_depth", "--epochs", "10"]) == 0
        assert probing.main([*command, "--tasks", "reordering", "--epochs", "1"]) == 0
        capsys.readouterr()
        assert probing.main([*command, "--tasks", "reordering", "--epochs", "1"]) == 0
        assert not capsys.readouterr().out
        assert probing.main([str(tmp_path), "--report"]) == 0
    table = capsys.readouterr().out
    for line in (
        "### tree_depth",
        "| majority |",
        "| length only |",
        "| hard0 |",
        "| at distance 1 |",
        "### reordering",
    ):
        assert line in table
    for name in ("plain", "hard0"):
        result = json.loads((tmp_path / f"tree_depth-{name}-0.json").read_text())
        assert result["scores"]["accuracy"] > 90.0 > result["baselines"]["majority"]
        assert sum(result["attention"]["roles"].values()) == pytest.approx(1.0)
        trees = result["attention"]["trees"]
        assert all(0.0 < value <= 100.0 for value in trees.values()) and trees["right"] > trees["left"]
        moved = json.loads((tmp_path / f"reordering-{name}-0.json").read_text())
        assert set(moved["scores"]) == {"inserted", "original", "both"} and "attention" not in moved


def test_baselines_and_accuracies():
    with program("accuracy/probing") as probing:
        instance = probing.Instance
        training = [
            instance(["a"] * n, label, 0) for n, label in [(5, 1), (5, 1), (6, 2), (6, 2), (6, 1), (7, 2), (7, 2)]
        ]
        dev = [instance(["a"] * n, label, 0) for n, label in [(5, 1), (6, 2), (7, 1), (9, 2)]]
        assert probing.baselines(training, dev) == {"majority": 50.0, "length_only": 75.0}
        batches, ordered = probing.batches_of(dev[::-1], {"a": 3}, [1, 2], 3)
        assert [len(one.words) for one in ordered] == [5, 6, 7, 9] and [len(batch.labels) for batch in batches] == [
            3,
            1,
        ]
        found = probing.accuracies(probing.torch.tensor([[0], [1], [1], [1]]), batches, [1, 2])
        assert found["accuracy"] == pytest.approx(75.0) and found["macro_f1"] == pytest.approx(
            100 * (2 / 3 + 4 / 5) / 2
        )
