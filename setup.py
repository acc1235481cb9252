"""Builds the Cython modules, and the text that a package index shows; everything else
stands in setup.cfg."""

import re
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

LANES = [
    f"decode/{name}" for name in ("lanes", "lanes_base", "lanes_avx2", "lanes_end")
]
HEADERS = {
    "decode": [*LANES, "decode/maxplus", "decode/maxplus_kernels"],
    "layers": [*LANES, "layers/span_hidden", "layers/span_hidden_kernel"],
}
NAMES = {
    "decode": [
        "cky",
        "joint",
        "eisner",
        "mst",
        "next_best",
        "viterbi",
        "candidate_spans",
    ],
    "layers": ["span_hidden"],
}
SITE = "https://github.com/spacy-lal/spacy-lal"
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)")
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0"]


def description() -> str:
    """The README with whole addresses: an index has no files beside it."""

    def whole(link: "re.Match[str]") -> str:
        kind = "raw" if link[1] else "blob"
        return f"{link[1]}[{link[2]}]({SITE}/{kind}/main/"

    readme = Path(__file__).with_name("README.md").read_text(encoding="utf8")
    return LINK.sub(whole, readme)


setup(
    long_description=description(),
    ext_modules=cythonize(
        [
            Extension(
                f"spacy_lal.{folder.replace('/', '.')}.{name}",
                [f"spacy_lal/{folder}/{name}.pyx"],
                depends=[f"spacy_lal/{header}.h" for header in HEADERS[folder]],
                extra_compile_args=FLAGS,
            )
            for folder, names in NAMES.items()
            for name in names
        ],
        compiler_directives={"language_level": "3"},
    ),
)
