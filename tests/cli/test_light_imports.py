"""What the command line leaves out when it only parses: torch's compiler, until someone calls it; most of NLTK."""

import subprocess
import sys

COURSE = """
import sys
from spacy_lal.cli.light_imports import _disable, import_transformers

import_transformers()
assert "transformers.models.auto.auto_factory" in sys.modules
assert not any(name.startswith(("torch._dynamo", "sympy")) for name in sys.modules)

before = dict(sys.modules)
import_transformers()
assert dict(sys.modules) == before

# the library has all of its models
import torch
from transformers import GPT2Config, GPT2LMHeadModel
model = GPT2LMHeadModel(GPT2Config(vocab_size=9, n_embd=8, n_layer=1, n_head=2, pad_token_id=0))
assert model.generate(torch.tensor([[1, 2]]), max_new_tokens=2, do_sample=False).shape[0] == 1

# the compiler comes when it is called
import transformers.masking_utils
with transformers.masking_utils.TransformGetItemToIndex():
    pass
assert hasattr(sys.modules["torch._dynamo"], "optimize")
assert _disable(lambda x: x + 1)(1) == _disable(recursive=False)(lambda x: x + 1)(1) == 2
"""
FAILURE = """
import sys
import spacy_lal.cli.light_imports as light

light._LIBRARY = "no_such_library"
light.import_transformers()
assert not any(name.startswith("torch._dynamo") for name in sys.modules)
"""
TREES = """
import sys
import spacy_lal.cli
import spacy_lal.cli.light_imports

assert not any(name.startswith("nltk") for name in sys.modules)
spacy_lal.cli.light_imports.import_trees()
from nltk.tree import Tree
assert "nltk" not in sys.modules and "nltk.translate" not in sys.modules
assert Tree.fromstring("(NP (NN dawn))").leaves() == ["dawn"]

# the library is there for others, with the same trees
import nltk
assert nltk.Tree is Tree is nltk.tree.Tree and nltk.translate.meteor_score and nltk.__version__
before = dict(sys.modules)
spacy_lal.cli.light_imports.import_trees()
assert dict(sys.modules) == before
"""
NO_TREES = """
import sys
import spacy_lal.cli.light_imports as light

light._TREES = "nltk.no_such_part"
light.import_trees()
assert not any(name.startswith("nltk") for name in sys.modules)
light._TREES = "no_such_library.part"
light.import_trees()
assert not any(name.startswith("no_such") for name in sys.modules)
from nltk.tree import Tree
"""


def run(code: str) -> None:
    """Run in a process of its own, where nothing is imported."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_compiler_is_imported_when_it_is_called():
    run(COURSE)


def test_an_import_that_fails_leaves_no_stand_ins():
    run(FAILURE)


def test_trees_come_without_the_rest_of_nltk():
    run(TREES)


def test_trees_that_cannot_be_imported_leave_nothing():
    run(NO_TREES)
