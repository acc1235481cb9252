"""The names that users write in their configs: each is registered by an entry point,
leads somewhere, and stays."""

import json
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import Dict, List

from spacy.util import registry

PINNED: Dict[str, List[str]] = json.loads(
    Path(__file__).with_name("registrations.json").read_text(encoding="utf8")
)


def test_registered_names_are_the_pinned_ones():
    found: Dict[str, List[str]] = {}
    for entry in sorted(
        distribution("spacy-lal").entry_points, key=lambda entry: entry.name
    ):
        if entry.group == "console_scripts":
            continue
        found.setdefault(entry.group, []).append(entry.name)
        assert entry.load() is not None
        assert entry.name in getattr(registry, entry.group.partition("_")[2]).get_all()
    assert found == PINNED
    ours = [
        name
        for names in PINNED.values()
        for name in names
        if name.startswith("spacy-lal.")
    ]
    assert all(name.endswith(".v1") for name in ours), (
        "nothing was released: there is one version of everything"
    )


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, spacy_lal; sys.exit(any(name in sys.modules for name in ('torch', "
        "'spacy', 'thinc', 'numpy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
