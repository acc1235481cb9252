"""The names that users write in their configs: each is registered by an entry point, leads somewhere, and stays."""

import configparser
import json
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import Dict

import pytest
from spacy.util import registry

ROOT = Path(__file__).resolve().parent.parent
PINNED: Dict[str, Dict[str, str]] = json.loads((ROOT / "tests" / "registrations.json").read_text(encoding="utf8"))
REGISTERED = [(group, name) for group, names in PINNED.items() for name in names]


def entry_points() -> Dict[str, Dict[str, str]]:
    found: Dict[str, Dict[str, str]] = {}
    for entry in distribution("spacy-lal").entry_points:
        found.setdefault(entry.group, {})[entry.name] = entry.value
    return found


def test_installed_entry_points_are_the_pinned_ones():
    assert entry_points() == PINNED


def test_setup_cfg_names_the_pinned_ones():
    parser = configparser.ConfigParser(delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(ROOT / "setup.cfg", encoding="utf8")
    groups = parser["options.entry_points"]
    pairs = {group: [line.split(" = ") for line in text.strip().splitlines()] for group, text in groups.items()}
    assert {group: {name.strip(): value.strip() for name, value in lines} for group, lines in pairs.items()} == PINNED


@pytest.mark.parametrize("group, name", REGISTERED, ids=[name for _, name in REGISTERED])
def test_each_name_leads_somewhere(group: str, name: str):
    entry = next(
        entry for entry in distribution("spacy-lal").entry_points if (entry.group, entry.name) == (group, name)
    )
    assert entry.load() is not None
    assert name in getattr(registry, group.partition("_")[2]).get_all()


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, spacy_lal; sys.exit(any(name in sys.modules for name in ('torch', 'spacy', 'thinc', 'numpy')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
