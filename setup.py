"""Builds the Cython modules; everything else stands in setup.cfg."""

import sys

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
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0"]

setup(
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
    )
)
