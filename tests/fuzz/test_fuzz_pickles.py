"""Hostile checkpoint files are refused by name, or read; a long run is `python benchmarks/fuzz.py pickles`."""

import json
import subprocess
import sys
from pathlib import Path


def test_hostile_checkpoints(fuzzer):
    report = fuzzer("pickles").fuzz(200, seed=26)
    assert report.failures == []
    assert report.n_cases == 200 and " refused" in report.outcomes and " read" in report.outcomes


WATCHED = """
import json, os, pathlib, pickle, sys
sys.path.insert(0, sys.argv[1])
from fuzzing.pickles import Watch
folder = pathlib.Path(sys.argv[2])
watch = Watch(folder)
(folder / "case.pt").write_bytes(b"")
watch.on = True
(folder / "case.pt").read_bytes()
quiet = sorted(watch.seen)
os.system("true")
eval("1")
pickle.loads(b"ccollections\\nChainMap\\n.")
open(folder / "other", "w").close()
watch.on = False
print(json.dumps([quiet, sorted(watch.seen)]))
"""


def test_the_watch_sees_what_a_file_does(tmp_path):
    """Otherwise the fuzzer would prove nothing. An audit hook stays for good, so this is a process of its own."""
    benchmarks = Path(__file__).resolve().parents[2] / "benchmarks"
    command = [sys.executable, "-c", WATCHED, str(benchmarks), str(tmp_path)]
    quiet, seen = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert quiet == []
    for event in ("a call of system", "os.system ", "a call of eval", "exec ", "pickle.find_class ", "open "):
        assert any(one.startswith(event) for one in seen), (event, seen)
