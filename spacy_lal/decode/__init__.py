"""Decoders: from the scores of a sentence to its best tree. Cython; no torch, no spaCy,
no weights.

| function | from | to | time, memory |
|---|---|---|---|
| `joint(labels, arcs)` | labels, arcs | score, spans, their heads | O(n^4), O(n^3) |
| `cky(labels)` | label scores | score, spans | O(n^3), O(n^2) |
| `eisner(arcs)` | arc scores | heads of a projective tree | O(n^3), O(n^2) |
| `mst(arcs)` | arc scores | heads of any tree | O(n^2), O(n^2) |
| `viterbi(scores)` | scores of BIO tags | tags, score | O(n), O(n) |
| `candidate_spans(gains, ranges, n)` | scored spans | spans, score | O(n), O(n) |

For a sentence of n tokens, `labels` has the shape (n + 1, n + 1, n_labels): `labels[i,
j]` scores tokens[i:j], and label 0 is the empty label. `arcs` has the shape (n + 1, n +
1), [dependent, head]; index 0 is the root. Both are
float32 and finite. Spans are int32, shape (2n - 1, 3): start, end, label of each node
of the binarised tree in pre-order. Heads are int32, shape (n + 1,), heads[0] = 0;
exactly one word has the root, 0, as its head. Each function also takes a list of
arrays, a batch. `next_best.pyx` finds the best tree that differs from a given one."""

try:
    from .candidate_spans import candidate_spans
    from .cky import cky
    from .eisner import eisner
    from .joint import joint
    from .mst import mst
    from .viterbi import viterbi
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"{error.name} is not compiled: Python reads the sources of a clone. Leave its "
        "folder, to use the installed library, or run `make dev` in it",
        name=error.name,
    ) from error

__all__ = ["candidate_spans", "cky", "eisner", "joint", "mst", "viterbi"]
